# SPDX-License-Identifier: GPL-3.0-or-later
"""A frame in ranges of substeps gives the bytes of one launch, on every path."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blender_xpbd.device.runtime import start_taichi
from blender_xpbd.scene.collider import Collider
from blender_xpbd.solver import solver as solver_module
from blender_xpbd.solver.order import tasks
from blender_xpbd.solver.step.plan import PATHS
from blender_xpbd.solver.step.substeps import simulate_substeps
from tests.geometry.surfaces import cube
from tests.solver.scenes import cloth, grid, jelly_cube, pins, plane, solver

SUBSTEPS = 6
FRAMES = 3


def levelled_cloth():
    """Cloth with coarse levels, on pins that move, whose wobble is damped once in a frame."""
    edge = np.arange(24)
    places = grid(24)[0][None, edge] + np.linspace(0.0, 0.3, FRAMES + 1)[:, None, None] * [0.0, 1.0, 1.0]
    body = cloth(24, internal_damping=4.0)
    object.__setattr__(body, "pins", pins(body.positions, edge, targets=places))
    return [body], {}


def falling_jelly():
    """Jelly that hits a mesh which comes up, with restitution."""
    corners, triangles = cube()
    transforms = np.tile(np.eye(4), (FRAMES + 1, 1, 1))
    transforms[:, 2, 3] = np.linspace(0.0, 0.3, FRAMES + 1)
    ground = Collider("c0", "Ground", "MESH", transforms, (3.0 * corners - [0.0, 0.0, 1.5])[None], triangles,
                      restitution=0.6)  # fmt: skip
    return [jelly_cube(1.0, height=0.05, resolution=4, restitution=0.8)], {"colliders": [ground]}


def second_order():
    """Jelly and damped cloth by BDF2, on a plane."""
    bodies = [cloth(9, height=0.02, identifier="b1", damping_time=1e-3), jelly_cube(0.5, 0.02, 4)]
    return bodies, {"colliders": [plane()], "time_integration": "BDF2"}


def stiff_jelly():
    """Jelly of which a substep begins where the one before ended."""
    return [jelly_cube(0.5, 0.02, 4, youngs_modulus=3e6)], {"colliders": [plane()]}


SCENES = (levelled_cloth, falling_jelly, second_order, stiff_jelly)


def moved(simulation, ranges):
    """All that outlives the frames, each of which is computed range by range."""

    def in_ranges(plan, path, first, count, of):
        for start, end in zip([0, *ranges], [*ranges, of], strict=True):
            simulate_substeps(plan, path, start, end - start, of)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(solver_module, "simulate_substeps", in_ranges)
        for _ in range(FRAMES):
            simulation.advance()
    return simulation.checkpoint()


@pytest.fixture(scope="module", autouse=True)
def _taichi():
    start_taichi("CPU", 0, Path(__file__).parents[3] / ".cache" / "taichi")


@pytest.fixture(scope="module", params=[(make, path) for make in SCENES for path in PATHS],
                ids=lambda case: f"{case[0].__name__} {case[1]}")  # fmt: skip
def simulation(request):
    """A scene on a path, cut into parts, and where it begins."""
    make, path = request.param
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tasks, "TASK_SECONDS", 1e-9)
        bodies, values = make()
        built = solver(*bodies, path=path, substeps=SUBSTEPS, frames=(1, FRAMES + 1), **values)
    beginning = built.checkpoint()
    return built, beginning, moved(built, [])


@pytest.mark.slow
@settings(max_examples=8)
@given(ranges=st.lists(st.integers(0, SUBSTEPS), max_size=4).map(sorted))
def test_ranges_give_the_bytes_of_a_whole_frame(simulation, ranges):
    built, beginning, whole = simulation
    built.restore(0, beginning)
    parted = moved(built, ranges)
    assert set(parted) == set(whole)
    for name, values in whole.items():
        np.testing.assert_array_equal(parted[name], values, err_msg=name)
    assert not np.array_equal(whole["positions"], beginning["positions"])


def test_the_scenes_use_what_ranges_could_break(monkeypatch):
    monkeypatch.setattr(tasks, "TASK_SECONDS", 1e-9)
    cloths, jellies, older, stiff = (
        solver(*bodies, substeps=SUBSTEPS, frames=(1, FRAMES + 1), **values)
        for bodies, values in (make() for make in SCENES)
    )
    assert cloths._plan.variant.has_levels
    assert len(cloths.system.damped) == 1
    assert len(cloths.system.moved_particles) > 0
    assert jellies._plan.variant.bounces
    assert moved(jellies, [])["hits"].any()
    assert "older_positions" in older.checkpoint()
    assert "corrections" in stiff.checkpoint()
    assert all(built.system.schedule.parts.count > 1 for built in (cloths, jellies, older))
