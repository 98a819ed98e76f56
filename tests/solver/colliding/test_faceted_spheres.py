# SPDX-License-Identifier: GPL-3.0-or-later
"""Round colliders hold edges and faces that are large beside them, whatever their own mesh is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.geometry.collider.geodesic import geodesic_sphere
from blender_xpbd.geometry.surface.topology import triangulate
from blender_xpbd.scene.body import Body
from blender_xpbd.scene.collider import Collider
from blender_xpbd.solver.colliding.faceted_spheres import coarse_over_round, squashed_spheres
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


@pytest.mark.slow
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
    squashed = replace(BALL, transforms=np.diag([2.0, -1.0, 0.5, 1.0])[None])
    world = scene(cloth(3, size=0.8, height=1.0), colliders=[squashed, replace(BALL, name="Round")])
    assert [(one.code, one.object_name) for one in squashed_spheres(world)] == [("W_COLLIDER_SCALE", "Ball")]
    for collider in build_system(world).scene.colliders:
        places = collider.positions[0] @ collider.transforms[0, :3, :3].T
        np.testing.assert_allclose(np.linalg.norm(places, axis=1), RADIUS, rtol=1e-9)


def test_what_never_meets_a_ball_leaves_it_as_it_is() -> None:
    fine, banner = cloth(40, size=0.8, height=1.0), cloth(2, size=3.0, height=2.0, identifier="b1")
    unseeing = replace(banner, contact=replace(banner.contact, sees=("b0",)))
    assert build_system(scene(fine, unseeing, colliders=[BALL], meet=True)).scene.colliders == (BALL,)
    (mesh,) = build_system(scene(fine, banner, colliders=[BALL], meet=True)).scene.colliders
    assert face_depth(mesh) < 0.125 * fine.material.contact_offset * 1.3


def test_sewn_edges_are_no_edges_to_be_held() -> None:
    fine = cloth(40, size=0.8, height=1.0)
    sewing = replace(fine.material, use_stitches=True)
    sewn = replace(fine, loose_edges=np.array([[0, 1599]], np.int32), material=sewing)
    assert build_system(scene(sewn, colliders=[BALL])).scene.colliders == (BALL,)


def test_sewn_edges_slide_over_the_ridges_of_a_mesh() -> None:
    """A seam that is drawn over a ridge of which no edge is searched stays open on both sides of it."""
    sheet = cloth(20, size=0.8, height=1.0)
    sewn = replace(
        sheet, loose_edges=np.array([[0, 399]], np.int32), material=replace(sheet.material, use_stitches=True)
    )
    assert build_system(scene(sheet, colliders=[mesh_ball(20)])).objects is None
    objects = build_system(scene(sewn, colliders=[mesh_ball(20)])).objects
    assert objects is not None
    assert len(objects.surfaces.edges) - objects.surfaces.edge_starts[1] > 1000


def test_what_may_tear_meets_the_sphere_itself() -> None:
    """Faces that appear where it tears would be pushed from the wrong side."""
    sheet = cloth(3, size=0.8, height=1.0)
    assert build_system(scene(sheet, colliders=[BALL])).scene.colliders != (BALL,)
    torn = replace(sheet, seams=np.arange(9, dtype=np.int32), material=replace(sheet.material, tear_strain=5.0))
    assert build_system(scene(torn, colliders=[BALL])).scene.colliders == (BALL,)


def tearing(count: int, size: float = 0.8) -> Body:
    sheet = cloth(count, size=size, height=1.0)
    seams = np.arange(count * count, dtype=np.int32)
    return replace(sheet, seams=seams, material=replace(sheet.material, tear_strain=5.0))


@pytest.mark.parametrize(
    ("collider", "count", "is_told"),
    [
        (BALL, 3, True),
        # shows by less than a millimetre
        (BALL, 15, True),
        (BALL, 16, False),
        (mesh_ball(40), 3, True),
        (mesh_ball(10), 9, True),
        # all edges of the ball are held
        (mesh_ball(10), 3, False),
        (mesh_ball(40), 18, False),
    ],
)
def test_what_may_tear_and_is_coarse_is_told(collider: Collider, count: int, is_told: bool) -> None:
    body = tearing(count)
    system = build_system(scene(body, colliders=[collider]))
    told = [("W_COARSE", body.name)] if is_told else []
    notices = coarse_over_round(system.scene, system.models)
    assert [(one.code, one.object_name) for one in notices] == told
    assert all('"Ball"' in one.message for one in notices)


def test_what_is_held_or_not_met_is_not_told() -> None:
    torn, whole = tearing(3), replace(cloth(3, size=0.8, height=2.0), identifier="b1")
    unseeing = replace(torn, contact=replace(torn.contact, sees=("b1",)))
    for bodies in ((unseeing,), (whole,), (replace(torn, material=whole.material),)):
        system = build_system(scene(*bodies, colliders=[BALL, replace(mesh_ball(40), identifier="c1")], meet=True))
        assert coarse_over_round(system.scene, system.models) == []
    # the other cloth makes a mesh of the sphere, whose edges are sharp to so coarse a one
    system = build_system(scene(torn, whole, colliders=[BALL], meet=True))
    assert coarse_over_round(system.scene, system.models) == []


def test_an_endless_edge_still_has_a_round_ball() -> None:
    (mesh,) = build_system(scene(cloth(2, size=100.0, height=1.0), colliders=[BALL])).scene.colliders
    assert face_depth(mesh) < 0.02 * RADIUS


@pytest.mark.parametrize("collider", [BALL, mesh_ball(40)], ids=["sphere", "fine mesh"])
def test_what_grows_is_held_at_its_full_size(collider: Collider) -> None:
    """At first it is too small to be seen."""
    scales = np.stack([np.diag([scale, scale, scale, 1.0]) for scale in np.linspace(0.01, 1.0, 5)])
    system = build_system(scene(cloth(3, size=0.8, height=1.0), colliders=[replace(collider, transforms=scales)]))
    (mesh,) = system.scene.colliders
    assert face_depth(mesh) < 0.001
    assert system.objects is not None
    assert system.objects.surfaces.takes_part[9:].sum() > 100


def face_depth(mesh: Collider) -> float:
    """How far inside the ball the middles of the faces are at most [m], at the last frame."""
    places = mesh.positions[0] @ mesh.transforms[-1, :3, :3].T
    return RADIUS - float(np.linalg.norm(places[mesh.triangles].mean(axis=1), axis=1).min())
