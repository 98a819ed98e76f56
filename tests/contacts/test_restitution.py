# SPDX-License-Identifier: GPL-3.0-or-later
"""Restitution of compact bodies against Newton's law, energy and momentum."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.scene.body import Pins
from blender_xpbd.solver.order import tasks
from blender_xpbd.solver.step.plan import PATHS
from tests.contacts.solids import FIRM, HARD, RUBBER, Motion, angle, ball, cube, rebound, shifted, solid, tetrahedron
from tests.geometry import surfaces
from tests.solver.scenes import GRAVITY, cloth, plane, run, solver

pytestmark = pytest.mark.usefixtures("taichi_cpu")

HEIGHT = 0.5
FACE, EDGE, CORNER, SOLE = (0, 0, -1), (1, 0, 1), (1, 1, 1), (0, -1, 0)
RIGID = {"stiffness_input": "COMPLIANCE", "stretch_compliance": 0.0, "volume_compliance": 0.0}


def dropped(shape, down=FACE, substeps=20, integration="SYMPLECTIC_EULER", colliders=None, **values):
    body = solid(shape, down, HEIGHT, **values)
    return solver(
        body, colliders=[plane()] if colliders is None else colliders, substeps=substeps, time_integration=integration
    )


@pytest.mark.parametrize("restitution", [0.5, 0.8, 1.0])
@pytest.mark.parametrize(
    ("shape", "down"),
    [
        (tetrahedron, CORNER),
        (tetrahedron, (-1, -1, -1)),
        (tetrahedron, (1, 0, 0)),
        (cube, FACE),
        (cube, EDGE),
        (ball, FACE),
    ],
)
def test_a_hard_body_rebounds_by_its_restitution(shape, down, restitution):
    """e² h, on a face, an edge and a corner."""
    simulation = dropped(shape, down, restitution=restitution, **HARD)
    assert rebound(simulation, HEIGHT, 26) == pytest.approx(restitution**2, rel=0.02)


@pytest.mark.parametrize("integration", ["SYMPLECTIC_EULER", "BDF2"])
@pytest.mark.parametrize("substeps", [10, 20, 80])
@pytest.mark.parametrize("shape", [(tetrahedron, CORNER), (cube, CORNER), (ball, FACE), (angle, SOLE)])
def test_substeps_do_not_change_the_rebound(shape, substeps, integration):
    body, down = shape
    simulation = dropped(body, down, substeps, integration, restitution=0.8, **RIGID)
    assert rebound(simulation, HEIGHT, 26) == pytest.approx(0.64, rel=0.02)


@pytest.mark.parametrize("shape", [(cube, CORNER), (angle, SOLE)])
def test_a_hit_through_the_centre_of_mass_turns_nothing(shape):
    """The centre of an L is not over the middle of its sole, and a cube on a corner does not stand still."""
    simulation = dropped(*shape, restitution=1.0, **RIGID)
    run(simulation, 10)
    motion = Motion(simulation)
    assert motion.velocity[2] > 1.0
    assert np.abs(motion.turning).max() < 0.1


@pytest.mark.parametrize("shape", [tetrahedron, cube, ball])
def test_a_hard_body_without_restitution_does_not_rebound(shape):
    assert rebound(dropped(shape, restitution=0.0, **HARD), HEIGHT, 26) < 0.02


@pytest.mark.parametrize("material", [RUBBER, FIRM])
@pytest.mark.parametrize("down", [FACE, CORNER])
def test_a_soft_body_never_rebounds_lower_for_a_greater_restitution(down, material):
    """Up to what its elasticity gives back nothing changes; from there on it is e² h."""
    heights = [rebound(dropped(cube, down, restitution=e, **material), HEIGHT, 26) for e in (0.0, 0.4, 0.7, 0.9, 1.0)]
    assert (np.diff(heights) > -0.005).all()
    assert heights[3] == pytest.approx(0.81, rel=0.08)
    assert heights[4] == pytest.approx(1.0, rel=0.08)


def test_the_collider_may_have_the_restitution():
    simulation = dropped(cube, colliders=[plane(restitution=0.8)], **HARD)
    assert rebound(simulation, HEIGHT, 26) == pytest.approx(0.64, rel=0.05)


def test_an_off_centre_hit_turns_speed_into_spin():
    """J = (1 + e) v / (1/m + n·(I⁻¹ (r × n) × r)) at the corner that hits; without friction it is along the normal."""
    simulation = solver(
        solid(tetrahedron, (1.0, 0.4, 0.1), 0.0, (0, 0, -2.0), restitution=0.8, friction=0.0, **RIGID),
        colliders=[plane(friction=0.0)],
        gravity=(0, 0, 0),
        substeps=40,
    )
    before = Motion(simulation)
    lowest = simulation.positions()[np.argmin(simulation.positions()[:, 2])] + simulation.system.origin
    arm = lowest - before.centre
    normal = np.array([0.0, 0.0, 1.0])
    turned = np.linalg.solve(before.inertia, np.cross(arm, normal))
    impulse = (1.0 + 0.8) * 2.0 / (1.0 / before.mass + np.cross(turned, arm) @ normal)
    run(simulation, 1)
    after = Motion(simulation)
    np.testing.assert_allclose(after.velocity[2], -2.0 + impulse / before.mass, atol=0.01)
    size = float(np.linalg.norm(impulse * turned))
    np.testing.assert_allclose(after.turning, impulse * turned, atol=0.05 * size)


@pytest.mark.parametrize(("substeps", "share"), [(20, 0.02), (40, 0.005)])
@pytest.mark.parametrize("friction", [0.0, 0.6])
@pytest.mark.parametrize("seed", range(4))
def test_no_hit_adds_energy(seed, friction, substeps, share):
    """Thrown at random, with e = 1, up to three hits: rigid motion and height together stay what they were.

    A corner that turns by 0.06 rad in a substep when it hits is off by a percent: twice the substeps take that away.
    """
    random = np.random.default_rng(seed)
    down, velocity = random.normal(size=3), random.normal(size=3) * [2.0, 2.0, 0.0]
    shape = (tetrahedron, cube)[seed % 2]
    body = solid(shape, down, HEIGHT, velocity, restitution=1.0, friction=friction, **HARD)
    simulation = solver(body, colliders=[plane(friction=friction)], substeps=substeps)
    before = Motion(simulation).energy
    for _ in range(36):
        simulation.advance()
        motion = Motion(simulation)
        # velocities are means over the last substep, half of one before the positions
        motion.velocity = motion.velocity - [0.0, 0.0, GRAVITY / 24 / substeps / 2]
        assert motion.energy < (1.0 + share) * before


def test_a_body_on_a_rising_floor_parts_relative_to_it():
    """A floor at 1 m/s meets a body at rest: it leaves at 1 m/s + e · 1 m/s."""
    transforms = np.tile(np.eye(4), (25, 1, 1))
    transforms[:, 2, 3] = np.arange(25) / 24
    simulation = solver(
        solid(cube, height=0.1, restitution=0.8, **HARD),
        colliders=[plane(transforms=transforms)],
        gravity=(0, 0, 0),
        frames=(1, 25),
    )
    run(simulation, 6)
    assert Motion(simulation).velocity[2] == pytest.approx(1.8, rel=0.02)


def test_two_pieces_of_one_mesh_bounce_each_for_itself():
    corners, triangles = surfaces.join(surfaces.cube(), surfaces.cube())
    corners = corners * 0.1
    corners[8:] += [0.5, 0.0, 0.3]

    def pair():
        return corners, triangles

    simulation = solver(
        solid(pair, height=HEIGHT, resolution=12, restitution=0.9, **{**HARD, "internal_damping": 0.0}),
        colliders=[plane()],
    )
    run(simulation, 9)
    state = simulation.checkpoint()
    is_left = state["positions"][:, 0] + simulation.system.origin[0] < 0.25
    # the lower one has hit at 3.13 m/s after 0.32 s, the upper one falls for 0.4 s
    assert state["velocities"][is_left, 2].mean() > 1.0
    # the mean over the last of 20 substeps
    np.testing.assert_allclose(state["velocities"][~is_left, 2], -GRAVITY * (9 - 0.5 / 20) / 24, rtol=1e-3)


def test_a_pinned_body_is_not_thrown():
    body = solid(cube, restitution=1.0, **RUBBER)
    top = np.flatnonzero(body.positions[:, 2] > 0.1)
    rising = np.tile(np.eye(4), (25, 1, 1))
    rising[:, 2, 3] = np.linspace(0.0, 0.02, 25)
    body = replace(body, pins=Pins(top.astype(np.int32), np.ones(len(top), np.float32), body.positions[None, top]))
    simulation = solver(body, colliders=[plane(transforms=rising)], frames=(1, 25))
    assert len(simulation.system.pieces) == 0
    run(simulation, 24)
    assert np.abs(simulation.checkpoint()["velocities"][:, :3]).max() < 1.0


def test_a_ball_that_rolls_on_a_floor_bounces_off_its_wall():
    """Floor and wall are one mesh."""
    corners = np.array([[-2, -1, 0], [0.5, -1, 0], [0.5, 1, 0], [-2, 1, 0], [0.5, -1, 1], [0.5, 1, 1]], float)
    triangles = np.array([[0, 1, 2], [0, 2, 3], [1, 4, 5], [1, 5, 2]], np.int32)
    room = replace(plane(), shape="MESH", positions=corners[None], triangles=triangles, friction=0.0)
    simulation = solver(solid(ball, velocity=(2.0, 0, 0), restitution=0.8, friction=0.0, **HARD), colliders=[room])
    run(simulation, 9)
    assert Motion(simulation).velocity[0] == pytest.approx(-1.6, rel=0.05)


def test_resting_and_wobbling_are_no_hits():
    """A jelly with e = 1 that lies on the floor comes to rest there."""
    simulation = solver(solid(cube, restitution=1.0, **{**FIRM, "internal_damping": 2.0}), colliders=[plane()])
    start = Motion(simulation).centre[2]
    run(simulation, 24)
    assert abs(Motion(simulation).centre[2] - start) < 2e-3
    assert abs(Motion(simulation).velocity[2]) < 0.01


def test_without_restitution_soft_bodies_have_no_pieces():
    assert len(dropped(cube, **RUBBER).system.pieces) == 0
    assert len(solver(cloth(4, restitution=0.5), colliders=[plane()]).system.pieces) == 0


@pytest.mark.parametrize("integration", ["SYMPLECTIC_EULER", "BDF2"])
def test_bounces_are_the_same_on_all_paths(integration, monkeypatch):
    monkeypatch.setattr(tasks, "TASK_SECONDS", 1e-9)
    results = []
    for path in PATHS:
        bodies = [
            shifted(solid(cube, CORNER, 0.05, (1, 0, -2), restitution=0.7, identifier="b0", **RUBBER), [0, 0, 0]),
            shifted(solid(ball, FACE, 0.05, (-1, 0, -2), restitution=0.3, identifier="b1", **HARD), [1, 0, 0]),
        ]
        simulation = solver(*bodies, colliders=[plane()], path=path, substeps=10, time_integration=integration)
        results.append(run(simulation, 8))
    np.testing.assert_array_equal(results[1], results[0])
    np.testing.assert_allclose(results[2], results[0], rtol=0, atol=1e-9)


def test_a_hit_goes_on_from_a_checkpoint_bit_for_bit():
    """At every frame, in flight and while a soft body is pressed together."""

    def make():
        return dropped(cube, CORNER, 5, restitution=0.9, **FIRM)

    whole = make()
    frames = []
    for _ in range(14):
        whole.advance()
        frames.append((whole.checkpoint(), whole.positions().copy()))
    for index in range(13):
        resumed = make()
        resumed.restore(index + 1, frames[index][0])
        resumed.advance()
        np.testing.assert_array_equal(resumed.positions(), frames[index + 1][1])
