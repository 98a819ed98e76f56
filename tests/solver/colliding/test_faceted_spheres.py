# SPDX-License-Identifier: GPL-3.0-or-later
"""Round colliders hold edges and faces that are large beside them, whatever their own mesh is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.geometry.collider.geodesic import geodesic_sphere
from blender_xpbd.geometry.surface.topology import triangulate
from blender_xpbd.scene.collider import Collider
from blender_xpbd.solver.system.system import build_system
from tests.solver.scenes import cloth, jelly_cube, scene, touching

pytestmark = pytest.mark.usefixtures("taichi_cpu")

RADIUS = 0.2
BALL = Collider("c0", "Ball", "SPHERE", np.eye(4)[None], radius=RADIUS)


def mesh_ball(divisions: int) -> Collider:
    vertices, triangles = geodesic_sphere(divisions)
    return Collider("c0", "Ball", "MESH", np.eye(4)[None], RADIUS * vertices[None], triangles)


def depth(points: np.ndarray, triangles: np.ndarray) -> float:
    """How deep triangles are inside the ball at most [m], looked at in points on them."""
    steps = np.array([[i, j, 8 - i - j] for i in range(9) for j in range(9 - i)]) / 8.0
    places = np.einsum("sk,tkx->tsx", steps, points[triangles])
    return RADIUS - float(np.linalg.norm(places, axis=2).min())


@pytest.mark.parametrize("count", [3, 6])
@pytest.mark.parametrize("collider", [BALL, mesh_ball(40)], ids=["sphere", "fine mesh"])
def test_a_coarse_cloth_does_not_show_a_ball(collider: Collider, count: int) -> None:
    """Falls so far that the whole ball would come through; points alone hold nothing of it."""
    body = cloth(count, size=0.8, height=RADIUS + 0.05)
    body = replace(body, positions=body.positions + np.array([0.11, 0.07, 0.0]))
    triangles = triangulate(body.face_sizes, body.corners)
    simulation = touching(body, colliders=[collider], substeps=10)
    deepest = []
    for _ in range(10):
        simulation.advance()
        places = simulation.positions()[: len(body.positions)] + simulation.system.origin
        deepest.append(depth(places, triangles))
    assert max(deepest) < 0.0


def test_a_jelly_of_large_faces_is_not_impaled() -> None:
    body = jelly_cube(0.6, 0.0, 6, youngs_modulus=2e4)
    body = replace(body, positions=body.positions + np.array([0.0, 0.0, RADIUS + 0.05]))
    triangles = triangulate(body.face_sizes, body.corners)
    simulation = touching(body, colliders=[BALL], substeps=20)
    model = simulation.system.models[0]
    for _ in range(8):
        simulation.advance()
        particles = simulation.positions() + simulation.system.origin
        surface = np.einsum("pj,pjk->pk", model.weights, particles[model.elements])
        assert depth(surface[: len(body.positions)], triangles) < 0.0


def test_a_fine_cloth_meets_the_sphere_itself() -> None:
    system = build_system(scene(cloth(40, size=0.8, height=1.0), colliders=[BALL]))
    assert system.scene.colliders == (BALL,)
    assert system.objects is None


def test_a_squashed_mirrored_sphere_stays_round_and_is_told() -> None:
    matrix = np.diag([2.0, -1.0, 0.5, 1.0])
    squashed = replace(BALL, transforms=matrix[None])
    system = build_system(scene(cloth(3, size=0.8, height=1.0), colliders=[squashed, replace(BALL, name="Round")]))
    assert [(one.code, one.object_name) for one in system.notices] == [("W_COLLIDER_SCALE", "Ball")]
    for collider in system.scene.colliders:
        places = collider.positions[0] @ collider.transforms[0, :3, :3].T
        np.testing.assert_allclose(np.linalg.norm(places, axis=1), RADIUS, rtol=1e-9)


def test_a_sphere_that_grows_does_so_as_a_mesh() -> None:
    """The radius of each frame is that of the object's scale."""
    scales = np.stack([np.diag([scale, scale, scale, 1.0]) for scale in np.linspace(1.0, 2.0, 5)])
    body = cloth(3, size=1.6, height=RADIUS + 0.02)
    simulation = touching(body, colliders=[replace(BALL, transforms=scales)], frames=(1, 5), gravity=(0.0, 0.0, 0.0))
    for _ in range(4):
        simulation.advance()
    places = simulation.positions()[:9] + simulation.system.origin
    assert places[4, 2] > 2.0 * RADIUS
