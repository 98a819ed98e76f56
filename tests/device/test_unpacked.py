# SPDX-License-Identifier: GPL-3.0-or-later
"""A device that refuses packs gets their arrays one by one, and computes the same bytes."""

import numpy as np
import pytest
import taichi as ti

from blender_xpbd.device import launch, pack_probe, unpacked
from blender_xpbd.device.packs import is_pack_type, pack_type
from blender_xpbd.solver.order import tasks
from blender_xpbd.solver.step import colour_kernels
from blender_xpbd.solver.step.plan import COLOURS, SERIAL
from tests.solver.scenes import cloth, jelly_cube, mesh_box, plane, run, solver

pytestmark = pytest.mark.usefixtures("taichi_cpu")


@pytest.fixture
def refused(monkeypatch):
    """The device refuses packs from now on."""

    def refuse():
        launch.forget()
        monkeypatch.setattr(launch, "_taken", [False])

    yield refuse
    launch.forget()


@pytest.mark.slow
@pytest.mark.parametrize("path", [COLOURS, SERIAL])
def test_a_scene_gives_the_same_bytes(path, refused, monkeypatch):
    monkeypatch.setattr(tasks, "TASK_SECONDS", 1e-9)
    scenes = (
        (cloth(24, height=0.05, pinned=[0, 23], internal_damping=3.0), {"colliders": [plane()], "substeps": 4}),
        (
            jelly_cube(1.0, resolution=4, restitution=0.5),
            {"colliders": [plane(), mesh_box(0.1)], "iterations": 2, "substeps": 4, "time_integration": "BDF2"},
        ),
    )
    known = [run(solver(body, path=path, **values), 3) for body, values in scenes]
    refused()
    made = set()

    def noted(kernel):
        made.add(kernel)
        return unpacked.unpacked(kernel)

    monkeypatch.setattr(launch, "unpacked", noted)
    for (body, values), expected in zip(scenes, known, strict=True):
        np.testing.assert_array_equal(run(solver(body, path=path, **values), 3), expected)
    assert len(made) > (8 if path == COLOURS else 0)


def test_no_pack_is_left_and_every_array_has_its_kind():
    kinds = unpacked.unpacked(colour_kernels.place_targets).__annotations__
    assert not any(is_pack_type(kind) for kind in kinds.values())
    packs = colour_kernels.place_targets.__annotations__
    assert kinds["targets__ends"] is packs["targets"].members["ends"]
    assert [name for name in kinds if "__" not in name] == ["share", "mode"]


def test_two_packs_may_have_an_array_of_the_same_name_where_they_are_not_bound_by_it(refused):
    one, other = (pack_type(values=ti.types.ndarray(ndim=1), **{f"own{n}": ti.types.ndarray(ndim=1)}) for n in range(2))
    refused()
    found = np.zeros(3)

    @ti.kernel
    def mix(result: ti.types.ndarray(ndim=1), first: one, second: other):
        for i in range(result.shape[0]):
            result[i] = first.values[i] + 10.0 * second.values[i]

    with pytest.raises(ValueError, match="values"):
        launch.check_packs([one, other])
    rows = np.arange(12.0).reshape(4, 3)
    launch.launch(mix, found, one(values=rows[0], own0=rows[1]), other(values=rows[2], own1=rows[3]))
    np.testing.assert_array_equal(found, rows[0] + 10.0 * rows[2])


def test_a_device_that_takes_packs_is_known_by_what_it_computes():
    assert pack_probe.probe_packs()


@pytest.mark.parametrize("how", ["raises", "computes nothing"])
def test_a_device_that_does_not_is_too(how, monkeypatch):
    def probe(*_):
        if how == "raises":
            raise RuntimeError("argpack is not supported")

    monkeypatch.setattr(pack_probe, "combine", probe)
    assert not pack_probe.probe_packs()
