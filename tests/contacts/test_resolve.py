# SPDX-License-Identifier: GPL-3.0-or-later
"""Friction against what can be derived by hand, whatever the iterations and the colliders."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.bodies.body_model import BodyModel
from blender_xpbd.scene.collider import Collider
from tests.contacts.solids import RUBBER, Motion, cube, shifted, solid
from tests.solver.scenes import GRAVITY, particles, plane, run, solver

pytestmark = pytest.mark.usefixtures("taichi_cpu")

SLOPE = np.radians(30.0)


def on_slope(friction, iterations, angle=SLOPE, integration="SYMPLECTIC_EULER"):
    """A rubber cube that lies on a slope."""
    turn = plane(angle=angle).transforms[0, :3, :3]
    body = solid(cube, friction=friction, **RUBBER)
    return solver(
        replace(body, positions=body.positions @ turn.T),
        colliders=[plane(angle=angle, friction=friction)],
        iterations=iterations,
        time_integration=integration,
    )


def path(simulation, frames):
    """How far the centre of mass comes [m]."""
    before = Motion(simulation).centre
    run(simulation, frames)
    return float(np.linalg.norm(Motion(simulation).centre - before))


@pytest.mark.parametrize("integration", ["SYMPLECTIC_EULER", "BDF2"])
@pytest.mark.parametrize("iterations", [1, 2, 4])
def test_a_block_slides_as_coulomb_says_whatever_the_iterations(iterations, integration):
    """½ g (sin θ − μ cos θ) t² between half a second and a second."""
    simulation = on_slope(0.25, iterations, integration=integration)
    run(simulation, 12)
    expected = 0.5 * GRAVITY * (np.sin(SLOPE) - 0.25 * np.cos(SLOPE)) * (1.0 - 0.25)
    assert path(simulation, 12) == pytest.approx(expected, rel=0.03)


@pytest.mark.parametrize("iterations", [1, 2, 4])
def test_a_block_sticks_up_to_the_angle_of_friction(iterations):
    """In a second it would slide 5 cm if friction were as much too small; what wobbles creeps a few millimetres."""
    simulation = on_slope(np.tan(SLOPE) / 0.98, iterations)
    run(simulation, 24)
    assert path(simulation, 24) < 6e-3


@pytest.mark.parametrize("iterations", [1, 2, 4])
def test_a_block_slides_beyond_the_angle_of_friction(iterations):
    friction = np.tan(SLOPE) / 1.02
    simulation = on_slope(friction, iterations)
    run(simulation, 24)
    before = Motion(simulation).velocity
    run(simulation, 24)
    gained = float(np.linalg.norm(Motion(simulation).velocity - before))
    assert gained == pytest.approx(GRAVITY * (np.sin(SLOPE) - friction * np.cos(SLOPE)), rel=0.03)


@pytest.mark.parametrize("iterations", [1, 2, 4])
def test_stopping_distance(iterations):
    """v² / (2 μ g)."""
    body = replace(solid(cube, friction=0.5, **RUBBER), velocity=np.array([2.0, 0.0, 0.0]))
    simulation = solver(body, colliders=[plane(friction=0.5)], iterations=iterations)
    assert path(simulation, 24) == pytest.approx(4.0 / (2.0 * 0.5 * GRAVITY), rel=0.03)


def wall(friction=0.0):
    """A plane that holds everything at negative X."""
    matrix = np.eye(4)
    matrix[:3, :3] = [[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]
    return Collider("c1", "Wall", "PLANE", matrix[None], friction=friction)


@pytest.mark.parametrize("iterations", [1, 3])
def test_what_lies_on_the_floor_is_held_by_a_wall_only_as_it_leans_on_it(iterations):
    """The floor carries 9.81 m/s² of a point in a corner, the wall 1 m/s²: by μ = 0.5 it slows by half a m/s²."""
    simulation = particles(
        [[0.0, 0.0, 0.0]],
        [1.0],
        [],
        0.0,
        colliders=[plane(friction=0.0), wall(friction=0.5)],
        gravity=(1.0, 0.0, -GRAVITY),
        iterations=iterations,
    )
    state = simulation.checkpoint()
    state["velocities"][0, 1] = 1.0
    simulation.restore(0, state)
    assert run(simulation, 24)[0] == pytest.approx([0.0, 0.75, 0.0], abs=0.02)


def test_a_point_in_a_corner_stays_in_front_of_both():
    body = shifted(solid(cube, velocity=(2.0, 0.0, -2.0), **RUBBER), [-0.15, 0.0, 0.05])
    simulation = solver(body, colliders=[plane(friction=0.0), wall()], iterations=2)
    run(simulation, 12)
    vertices = simulation.surface(simulation.positions()) + simulation.system.origin
    assert vertices[:, 0].max() < 1e-3
    assert vertices[:, 2].min() > -1e-3


def room(friction):
    """A floor at Z = 0 and a wall at X = 0 in one mesh."""
    corners = np.array([[-2, -3, 0], [0, -3, 0], [0, 3, 0], [-2, 3, 0], [0, -3, 1], [0, 3, 1]], float)
    triangles = np.array([[0, 1, 2], [0, 2, 3], [1, 4, 5], [1, 5, 2]], np.int32)
    return Collider("c0", "Room", "MESH", np.eye(4)[None], corners[None], triangles, friction=friction)


@pytest.mark.parametrize("offset", [0.0, 0.01])
@pytest.mark.parametrize("iterations", [1, 3])
def test_a_corner_of_one_mesh_slows_down_as_two_colliders_do(monkeypatch, iterations, offset):
    """By μ times (g + what leans on the wall), for a point that lies on the floor and leans on the wall."""
    monkeypatch.setattr(BodyModel, "contact_offset", offset)
    simulation = particles(
        [[-offset, 0.0, offset]],
        [1.0],
        [],
        0.0,
        colliders=[room(0.5)],
        gravity=(1.0, 0.0, -GRAVITY),
        iterations=iterations,
    )
    state = simulation.checkpoint()
    state["velocities"][0, 1] = 3.0
    simulation.restore(0, state)
    run(simulation, 6)
    slowed = 3.0 - simulation.checkpoint()["velocities"][0, 1]
    assert slowed / 0.25 == pytest.approx(0.5 * (GRAVITY + 1.0), rel=0.02)
