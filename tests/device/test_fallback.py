# SPDX-License-Identifier: GPL-3.0-or-later
"""A Taichi whose insides are not known is used by its public functions alone, and computes the same bytes."""

import numpy as np
import pytest

from blender_xpbd.device import launch, runtime, version
from blender_xpbd.device.packs import MOST_ARGUMENTS, MOST_PASSED, argument_count, check_packs, pack_type
from blender_xpbd.solver.order import tasks
from blender_xpbd.solver.step import colour_kernels, colour_level_kernels, team_kernels
from blender_xpbd.solver.step.packs import FLOATS
from blender_xpbd.solver.step.plan import COLOURS, PATHS, choose_paths
from tests.solver.scenes import cloth, jelly_cube, plane, run, solver

pytestmark = pytest.mark.usefixtures("taichi_cpu")


class Untouchable:
    """Stands for insides that another version does not have."""

    def __getattr__(self, name):
        raise AssertionError(f"the insides of Taichi are asked for {name}")


@pytest.fixture
def unknown(monkeypatch):
    """A version that is not known, without its insides."""

    def become_unknown():
        monkeypatch.setattr(version, "KNOWN", (0,))
        for module, name in ((launch, "_Compiled"), (launch, "_BoundPack"), (runtime.ti, "_lib")):
            monkeypatch.setattr(module, name, Untouchable())
        for reached in ("blender_xpbd.device.host_memory._memory", "blender_xpbd.device.packs.arrays_of"):
            monkeypatch.setattr(reached, Untouchable())

    return become_unknown


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
def test_a_scene_gives_the_same_bytes(path, unknown, monkeypatch):
    monkeypatch.setattr(tasks, "TASK_SECONDS", 1e-9)
    scenes = (
        (cloth(24, height=0.05, pinned=[0, 23], internal_damping=3.0), {"colliders": [plane()], "substeps": 4}),
        (jelly_cube(1.0, resolution=4, restitution=0.5), {"colliders": [plane()], "iterations": 2, "substeps": 4}),
    )
    known = [run(solver(body, path=path, **values), 3) for body, values in scenes]
    unknown()
    for (body, values), expected in zip(scenes, known, strict=True):
        simulation = solver(body, path=COLOURS, **values)
        assert choose_paths(simulation.system, "CPU") == (COLOURS,)
        np.testing.assert_array_equal(run(simulation, 3), expected)
        assert np.abs(simulation.checkpoint()["velocities"]).max() > 0.0


def test_of_an_unknown_version_only_the_processor_is_asked_for(unknown):
    unknown()
    assert runtime.is_available("CPU")
    assert not any(runtime.is_available(name) for name in ("CUDA", "VULKAN", "METAL"))
    assert runtime.choose_device("AUTO", 10 * runtime.AUTO_GPU_CONSTRAINTS) == "CPU"


def kernels():
    modules = (colour_kernels, colour_level_kernels, team_kernels)
    return [value for module in modules for value in vars(module).values() if hasattr(value, "_is_wrapped_kernel")]


def test_no_kernel_has_more_arguments_than_are_passed():
    assert len(kernels()) > 10
    for kernel in kernels():
        kinds = [kind for kind in kernel.__annotations__.values() if not isinstance(kind, type(runtime.ti.template()))]
        check_packs(kinds)
        if kernel is not team_kernels.simulate_substeps:
            # graphics cards and the fallback take these
            assert argument_count(kinds) <= MOST_PASSED


@pytest.mark.parametrize("count", [MOST_PASSED + 10, MOST_ARGUMENTS - 3])
def test_more_arrays_than_taichis_own_launch_passes_come_in_their_places(count):
    half = [f"array{n}" for n in range((count - 3) // 2)]
    names = ["first", *half, "middle", *(f"other_{name}" for name in half), "last"]
    many_type = pack_type(**dict.fromkeys(names, FLOATS))
    assert argument_count([FLOATS, many_type]) > MOST_PASSED

    @runtime.ti.kernel
    def combine(found: FLOATS, many: many_type):
        for i in range(found.shape[0]):
            found[i] = many.first[i] + 10.0 * many.middle[i] + 100.0 * many.last[i]

    arrays, found = dict(zip(names, np.random.default_rng(0).normal(size=(len(names), 3)), strict=True)), np.zeros(3)
    launch.launch(combine, found, many_type(**arrays))
    expected = arrays["first"] + 10.0 * arrays["middle"] + 100.0 * arrays["last"]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_too_many_arguments_are_refused():
    arrays = {f"array{n}": FLOATS for n in range(MOST_ARGUMENTS - 1)}
    check_packs([pack_type(**arrays)])
    with pytest.raises(ValueError, match=f"{MOST_ARGUMENTS + 1} arguments"):
        check_packs([pack_type(**arrays), float])


def test_arrays_of_one_name_in_two_packs_are_refused():
    with pytest.raises(ValueError, match="two packs of a kernel have values"):
        check_packs([pack_type(values=FLOATS), pack_type(values=FLOATS, others=FLOATS)])
