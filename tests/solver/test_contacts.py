# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact with colliders against what can be derived by hand."""

import numpy as np
import pytest

from blender_xpbd.scene.collider import Collider
from blender_xpbd.solver.order import tasks
from blender_xpbd.solver.step.plan import PATHS
from tests.solver.scenes import GRAVITY, cloth, mesh_box, plane, run, solver

pytestmark = pytest.mark.usefixtures("taichi_cpu")

SHEET = {"stiffness_input": "COMPLIANCE", "contact_offset": 0.0, "bending_compliance": 0.0}


def tilted(body, angle):
    """The body turned about the Y axis, to lie on ``plane(angle=angle)``."""
    turn = np.array([[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]])
    return type(body)(**{**body.__dict__, "positions": body.positions @ turn.T})


def moved(body, velocity):
    return type(body)(**{**body.__dict__, "velocity": np.array(velocity, float)})


@pytest.mark.parametrize(("friction", "slips"), [(0.3, True), (0.5, True), (0.65, False), (0.9, False)])
def test_block_on_an_incline_slips_iff_the_slope_exceeds_friction(friction, slips):
    """tan 30° = 0.577."""
    angle = np.radians(30.0)
    body = tilted(cloth(4, friction=friction, **SHEET), angle)
    simulation = solver(body, colliders=[plane(angle=angle, friction=friction)])
    path = np.linalg.norm(run(simulation, 24).mean(axis=0) - body.positions.mean(axis=0))
    expected = 0.5 * GRAVITY * (np.sin(angle) - friction * np.cos(angle))
    assert path == pytest.approx(expected, rel=0.02) if slips else path < 1e-3


@pytest.mark.parametrize("friction", [0.2, 0.8])
def test_stopping_distance(friction):
    """v² / (2 μ g)."""
    body = moved(cloth(4, friction=friction, **SHEET), [2.0, 0, 0])
    simulation = solver(body, colliders=[plane(friction=friction)])
    assert run(simulation, 48)[:, 0].mean() == pytest.approx(4.0 / (2 * friction * GRAVITY), rel=0.03)


@pytest.mark.parametrize("integration", ["SYMPLECTIC_EULER", "BDF2"])
@pytest.mark.parametrize("restitution", [0.0, 0.5, 0.9])
def test_rebound_height(restitution, integration):
    """e² h."""
    body = cloth(4, height=0.5, restitution=restitution, **SHEET)
    simulation = solver(body, colliders=[plane()], substeps=40, time_integration=integration)
    heights = np.array([run(simulation, 1)[:, 2].mean() for _ in range(40)])
    # the fall takes 7.7 frames
    assert heights[8:20].max() == pytest.approx(restitution**2 * 0.5, abs=0.02)


def test_contact_distance_is_kept():
    simulation = solver(cloth(10, height=0.2, **{**SHEET, "contact_offset": 0.02}), colliders=[plane()])
    np.testing.assert_allclose(run(simulation, 24)[:, 2], 0.02, atol=1e-4)


def test_contact_distance_is_limited_by_the_mesh():
    """At most a quarter of the mean edge, so that a tiny mesh is not torn apart."""
    simulation = solver(cloth(5, size=1e-3, height=1e-3, **{**SHEET, "contact_offset": 0.5}), colliders=[plane()])
    np.testing.assert_allclose(run(simulation, 12)[:, 2], 1e-3 / 16, rtol=1e-3)


def test_sphere_holds_the_cloth_outside():
    matrix = np.eye(4)
    matrix[:3, 3] = [0.1, 0.05, -0.45]
    ball = Collider("c0", "Ball", "SPHERE", matrix[None], radius=0.4)
    simulation = solver(cloth(20, contact_offset=0.01), colliders=[ball])
    positions = run(simulation, 30)
    assert np.linalg.norm(positions - matrix[:3, 3], axis=1).min() > 0.405
    assert positions[:, 2].min() < -0.3


def test_scaled_sphere_is_larger():
    matrix = np.diag([2.0, 2.0, 2.0, 1.0])
    matrix[2, 3] = -2.5
    ball = Collider("c0", "Ball", "SPHERE", matrix[None], radius=1.0)
    simulation = solver(cloth(5, size=0.01, **SHEET), colliders=[ball])
    np.testing.assert_allclose(run(simulation, 30)[12, 2], -0.5, atol=1e-3)


def test_rising_plane_carries_and_throws_nothing_through():
    transforms = np.tile(np.eye(4), (25, 1, 1))
    transforms[:, 2, 3] = np.linspace(-0.5, 0.5, 25)
    simulation = solver(cloth(5, **SHEET), colliders=[plane(transforms=transforms)], frames=(1, 25))
    for frame in range(1, 25):
        assert run(simulation, 1)[:, 2].min() > transforms[frame, 2, 3] - 1e-4


def test_moving_plane_drags_by_friction():
    """A conveyor at 1 m/s takes along a sheet at rest until both move at 1 m/s."""
    transforms = np.tile(np.eye(4), (49, 1, 1))
    transforms[:, 0, 3] = np.arange(49) / 24
    simulation = solver(
        cloth(4, friction=1.0, **SHEET), colliders=[plane(friction=1.0, transforms=transforms)], frames=(1, 49)
    )
    before = run(simulation, 40)[:, 0].mean()
    assert run(simulation, 8)[:, 0].mean() - before == pytest.approx(8 / 24, rel=0.02)


def test_turning_plane_carries_by_its_rotation():
    """A quarter turn about Z within 24 frames: what lies on it turns along, interpolated within the frames."""
    angles = np.linspace(0.0, np.pi / 2, 25)
    transforms = np.tile(np.eye(4), (25, 1, 1))
    transforms[:, 0, 0] = transforms[:, 1, 1] = np.cos(angles)
    transforms[:, 1, 0], transforms[:, 0, 1] = np.sin(angles), -np.sin(angles)
    body = cloth(4, size=0.2, friction=5.0, **SHEET)
    simulation = solver(body, colliders=[plane(friction=5.0, transforms=transforms)], frames=(1, 25))
    end = run(simulation, 24)
    np.testing.assert_allclose(end[:, :2], body.positions[:, [1, 0]] * [-1, 1], atol=5e-3)


@pytest.mark.parametrize("mirrored", [False, True])
def test_mesh_box_carries_the_cloth(mirrored):
    matrix = np.diag([1.0, -1.0 if mirrored else 1.0, 0.5, 1.0])
    matrix[2, 3] = -0.3
    simulation = solver(cloth(10, size=0.5, **SHEET), colliders=[mesh_box(0.4, matrix[None])])
    np.testing.assert_allclose(run(simulation, 24)[:, 2], -0.1, atol=1e-3)


def test_fast_cloth_does_not_tunnel_through_a_mesh():
    matrix = np.diag([1.0, 1.0, 0.01, 1.0])
    matrix[2, 3] = -1.0
    body = moved(cloth(6, size=0.3, **SHEET), [0, 0, -60.0])
    simulation = solver(body, colliders=[mesh_box(0.4, matrix[None])])
    assert run(simulation, 12)[:, 2].min() > -1.0


def test_nothing_happens_far_from_the_mesh():
    simulation = solver(
        cloth(4, **SHEET), colliders=[mesh_box(0.1, np.diag([1.0, 1, 1, 1])[None] + np.eye(4, k=3) * 9)]
    )
    free = solver(cloth(4, **SHEET))
    np.testing.assert_allclose(run(simulation, 5), run(free, 5), atol=1e-6)


@pytest.mark.parametrize("integration", ["SYMPLECTIC_EULER", "BDF2"])
def test_contacts_are_the_same_on_all_paths(integration, monkeypatch):
    monkeypatch.setattr(tasks, "TASK_SECONDS", 1e-9)
    body = cloth(12, height=0.2, restitution=0.5)
    results = []
    for path in PATHS:
        simulation = solver(body, colliders=[plane(angle=0.2)], path=path, substeps=4, time_integration=integration)
        results.append(run(simulation, 12))
    np.testing.assert_array_equal(results[1], results[0])
    np.testing.assert_allclose(results[2], results[0], rtol=0, atol=1e-9)
