# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies of PBD and of XPBD in one scene, and what PBD mode has of its own."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.constraints.constraint import ACCUMULATE, DAMPED, MIXED, PBD
from blender_xpbd.scene.material import Material
from blender_xpbd.solver.step.plan import PATHS
from blender_xpbd.solver.system.mode import static_mode
from blender_xpbd.solver.system.system import build_system
from tests.solver.scenes import cloth, jelly_cube, run, scene, solver

pytestmark = pytest.mark.usefixtures("taichi_cpu")

# the block of the gallery: PBD's k beside XPBD's α
SHARE, COMPLIANCE = 0.025, 5e-4


def moved(body, x, **material):
    """The same body elsewhere, of another material."""
    values = {**body.material.values(), **material}
    places = body.positions + np.array([x, 0.0, 0.0])
    return replace(body, identifier=f"b{x}", positions=places, material=Material.from_values(values))


def pinned_block(**material):
    """A block of direct stiffness that hangs by its top."""
    body = jelly_cube(0.4, 0.0, 4, stiffness_input="COMPLIANCE", internal_damping=5.0, **material)
    top = np.flatnonzero(body.positions[:, 2] > 0.39).astype(np.int32)
    held = replace(body.pins, vertices=top, weights=np.ones(len(top), np.float32), targets=body.positions[None, top])
    return replace(body, pins=held)


def sag(body, substeps, iterations=1, frames=60):
    """How far the block hangs down from how it is modelled [m]."""
    simulation = solver(body, substeps=substeps, iterations=iterations, frames=(1, 200))
    rest = simulation.positions()[:, 2].min()
    return rest - run(simulation, frames)[:, 2].min() + simulation.system.origin[2]


@pytest.mark.parametrize(
    ("modes", "scene_mode", "expected"),
    [
        (("SCENE", "SCENE"), "XPBD", 0),
        (("SCENE", "SCENE"), "PBD", PBD),
        (("PBD", "PBD"), "XPBD", PBD),
        (("XPBD", "XPBD"), "PBD", 0),
        (("PBD", "SCENE"), "XPBD", MIXED),
        (("XPBD", "SCENE"), "PBD", MIXED),
    ],
)
def test_only_what_there_is_is_compiled(modes, scene_mode, expected):
    bodies = [moved(cloth(4), 2 * number, solver_mode=mode) for number, mode in enumerate(modes)]
    system = build_system(scene(*bodies, solver_mode=scene_mode))
    assert static_mode(system) == expected
    assert (len(system.by_share) > 0) == (expected == MIXED)


def test_material_damping_is_that_of_xpbd_bodies():
    bodies = [moved(cloth(4), 0, solver_mode="PBD", damping_time=0.1), moved(cloth(4), 2, solver_mode="XPBD")]
    assert static_mode(build_system(scene(*bodies, iterations=2))) == MIXED | ACCUMULATE
    damped = moved(bodies[1], 0, damping_time=0.1)
    assert static_mode(build_system(scene(bodies[0], damped))) == MIXED | DAMPED


@pytest.mark.parametrize("scene_mode", ["XPBD", "PBD"])
@pytest.mark.parametrize("settings", [{}, {"iterations": 3}, {"time_integration": "BDF2"}])
def test_each_body_moves_as_beside_one_of_its_own_mode(scene_mode, settings):
    """What a second body is made of changes nothing of the first; of the second, springs get other colours."""
    sheet = cloth(6, pinned=[0, 5], stretch_stiffness=20.0, pbd_stretch_stiffness=0.2, damping_time=0.01)

    def simulated(*modes):
        bodies = [moved(sheet, 2 * number, solver_mode=mode) for number, mode in enumerate(modes)]
        bodies = [replace(body, pins=replace(body.pins, targets=body.positions[None, [0, 5]])) for body in bodies]
        return run(solver(*bodies, substeps=5, solver_mode=scene_mode, **settings), 12).reshape(2, -1, 3)

    shares, physical = simulated("PBD", "PBD"), simulated("XPBD", "XPBD")
    np.testing.assert_allclose(simulated("PBD", "XPBD")[0], shares[0], atol=1e-6)
    np.testing.assert_allclose(simulated("XPBD", "PBD")[0], physical[0], atol=1e-6)
    assert np.abs(physical - shares).max() > 1e-3


def test_jelly_and_cloth_of_both_modes():
    """Types of constraints that only one of the modes has, and one that both have."""
    soft = pinned_block(solver_mode="PBD", pbd_stretch_stiffness=0.1)
    elastic = moved(jelly_cube(0.4, 0.0, 4, youngs_modulus=2e4), 2)
    positions = run(solver(soft, elastic, substeps=10), 10)
    assert np.isfinite(positions).all()
    count = len(run(solver(soft, substeps=10), 0))
    np.testing.assert_allclose(positions[:count], run(solver(soft, substeps=10), 10), atol=2e-5)


def test_same_bytes_on_every_path():
    bodies = [moved(cloth(30), 2 * number, solver_mode=mode) for number, mode in enumerate(("XPBD", "PBD"))]
    first, *others = (run(solver(*bodies, substeps=3, path=path), 3) for path in PATHS[:2])
    assert all(other.tobytes() == first.tobytes() for other in others)


def test_share_per_iteration_grows_with_iterations():
    """k is what a substep takes away, or where it is given per iteration, each pass of it."""
    block = pinned_block(solver_mode="PBD", pbd_stretch_stiffness=SHARE, pbd_volume_stiffness=SHARE)
    once, corrected = sag(block, 10), sag(block, 10, 8)
    raw = sag(moved(block, 0, pbd_per_iteration=True), 10, 8)
    assert corrected == pytest.approx(once, rel=0.3)
    assert raw < 0.25 * once


@pytest.mark.slow
def test_xpbd_keeps_its_stiffness_where_pbd_does_not():
    """The gallery's block: α = 5e-4 m/N beside k = 0.025."""
    physical = pinned_block(stretch_compliance=COMPLIANCE, volume_compliance=1e-3)
    found = [sag(physical, substeps, iterations) for substeps in (20, 80) for iterations in (1, 4, 16)]
    assert max(found) < 1.15 * min(found)
    share = pinned_block(solver_mode="PBD", pbd_stretch_stiffness=SHARE, pbd_volume_stiffness=SHARE)
    assert sag(share, 5) > 10.0 * sag(share, 80)


@pytest.mark.parametrize("substeps", [5, 1])
def test_drag_per_substep(substeps):
    """300 steps of v ← 0.98 (v + g h), x ← x + h v."""
    body = cloth(3, solver_mode="PBD", pbd_drag=0.02)
    duration = substeps / 300.0
    simulation = solver(body, substeps=substeps, duration=duration, gravity=(0, 0, -9.8), frames=(1, 400))
    assert -run(simulation, 300 // substeps)[:, 2].mean() == pytest.approx(1.339834, abs=1e-5)


def test_drag_per_substep_is_for_pbd_alone():
    falls = [run(solver(cloth(3, pbd_drag=drag), substeps=5), 10)[:, 2].tobytes() for drag in (0.0, 0.5)]
    assert falls[0] == falls[1]
