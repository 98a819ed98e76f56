# SPDX-License-Identifier: GPL-3.0-or-later
"""Jelly that is pinned along an edge turns about it, at a single vertex about that, and on a face not at all."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.bodies.kinds import build_body
from blender_xpbd.bodies.pin_motion import carry_pins
from blender_xpbd.constraints.distance import DISTANCE
from blender_xpbd.scene.body import Body, Pins, Tetrahedralization
from blender_xpbd.scene.material import Material
from blender_xpbd.scene.settings import SolverSettings
from blender_xpbd.solver.system.substeps import substeps_for_waves
from blender_xpbd.solver.system.system import build_system
from tests.bodies.test_own_frame import ASLANT, ROTATIONS, UPRIGHT, jelly, pulled, turned
from tests.bodies.test_pin_motion import motion
from tests.geometry.surfaces import cube, rotation_of_seed, torus
from tests.solver.scenes import GRAVITY, plane, run, scene, solver

SIZE = np.array([0.4, 0.1, 0.1])
FRAMES = 24


def bar(held, turn=None, matrices=None):
    """A stiff bar of eight vertices along X; ``held`` tells which corners, of 0 or 1 along each axis, are pinned."""
    corners, triangles = cube()
    corners = (corners + 1.0) / 2.0
    positions = corners * SIZE @ (np.eye(3) if turn is None else turn).T
    vertices = np.flatnonzero(held(corners)).astype(np.int32)
    weights = np.ones(len(vertices), np.float32)
    pins = Pins(vertices, weights, positions[None, vertices])
    if matrices is not None:
        followed = Pins.following(vertices, weights, matrices)
        pins = Pins(vertices, weights, np.stack([followed.places(positions, frame) for frame in range(len(matrices))]))
    return Body(
        "b0",
        "Bar",
        "JELLY",
        positions,
        np.full(len(triangles), 3, np.int32),
        triangles.ravel().astype(np.int32),
        Material.from_values({"youngs_modulus": 1e6, "internal_damping": 0.0}),
        pins,
        tetrahedralization=Tetrahedralization("CAGE", 8),
    )


def edge(corners):
    return (corners[:, 0] == 0.0) & (corners[:, 2] == 1.0)


def corner(corners):
    return edge(corners) & (corners[:, 1] == 0.0)


def face(corners):
    return corners[:, 0] == 0.0


def swing(body, gravity):
    """Centres of the vertices at each frame [m], and the greatest way of a pinned vertex."""
    simulation = solver(body, frames=(1, FRAMES), gravity=gravity, substeps=40, device="CPU")
    model = simulation.system.models[0]
    places = []
    for _ in range(FRAMES):
        x = run(simulation, 1)
        places.append(np.einsum("vj,vjk->vk", model.weights, x[model.elements]))
    pinned = np.array(places)[:, body.pins.vertices] - body.positions[body.pins.vertices]
    return np.mean(places, axis=1), float(np.abs(pinned).max())


def quarter_period(centres, pivot, down):
    """When the centre is first straight below the pivot [s]."""
    start = centres[0] - pivot
    side = start - (start @ down) * down
    along = (centres - pivot) @ (side / np.linalg.norm(side))
    after = int(np.argmax(along < 0.0))
    assert after > 0
    return (after - 1 + along[after - 1] / (along[after - 1] - along[after])) / 24.0


@pytest.mark.usefixtures("taichi_cpu")
@pytest.mark.parametrize("seed", [None, 3])
@pytest.mark.parametrize("held", [edge, corner])
def test_it_swings_as_a_physical_pendulum(held, seed):
    """From level with its edge to the lowest place takes a quarter of T = 4 K(sin A/2)/ω₀, ω₀² = g d/(k² + d²).

    About a corner it hardly leaves the plane of its diagonal within that time. k² is that of a box about the axis.
    """
    turn = np.eye(3) if seed is None else rotation_of_seed(seed)
    body = bar(held, turn)
    down = turn @ [0.0, 0.0, -1.0]
    centres, error = swing(body, GRAVITY * down)
    pivot = body.positions[body.pins.vertices].mean(axis=0)
    centre = body.positions.mean(axis=0) - pivot
    assert error < 1e-9
    length = float(np.linalg.norm(centre))
    axis = turn.T @ np.cross(centre, down)
    axis /= np.linalg.norm(axis)
    radius = float(axis**2 @ (SIZE @ SIZE - SIZE**2)) / 12.0
    rate = np.sqrt(GRAVITY * length / (radius + length**2))
    half = np.sin(0.5 * np.arccos(centre @ down / length))
    # K by the mean of arithmetic and geometric means
    a, b = 1.0, np.sqrt(1.0 - half**2)
    for _ in range(5):
        a, b = (a + b) / 2.0, np.sqrt(a * b)
    expected = np.pi / (2.0 * a) / rate
    assert quarter_period(np.concatenate([[pivot + centre], centres]), pivot, down) == pytest.approx(expected, rel=0.05)


@pytest.mark.usefixtures("taichi_cpu")
def test_a_face_clamps():
    centres, error = swing(bar(face), np.array([0.0, 0.0, -GRAVITY]))
    assert error < 1e-15
    assert np.abs(centres[:, 2] - 0.5 * SIZE[2]).max() < 0.1 * SIZE[0]


@pytest.mark.parametrize("held", [edge, corner])
def test_what_turns_about_a_joint_is_held(held):
    """It took the substeps that waves ask of what falls and rebounds, and was calmed as what lies."""
    system = build_system(scene(bar(held, rotation_of_seed(3)), colliders=[plane(-10.0)]))
    (model,) = system.models
    assert model.held[model.tetrahedra].all()
    assert substeps_for_waves(system) == 0


def test_what_a_face_clamps_has_no_particles_of_its_own():
    counts = [len(build_system(scene(bar(held))).models[0].positions) for held in (face, lambda c: c[:, 0] < -1.0)]
    assert counts[0] == counts[1]


@pytest.mark.parametrize("noise", [0.0, 1e-7], ids=["exact", "of single precision"])
@pytest.mark.parametrize("matrix", ROTATIONS.values(), ids=ROTATIONS)
@pytest.mark.parametrize(
    ("body", "first"),
    [
        (pulled(jelly("cube")), UPRIGHT),
        (pulled(jelly("torus")), UPRIGHT),
        (bar(edge), ASLANT),
        (bar(corner), ASLANT),
    ],
    ids=["cube", "torus", "bar on an edge", "bar on a corner"],
)
def test_a_turned_body_has_the_same_joints(body, first, matrix, noise):
    """Pinned edges lie on borders of tetrahedra, and their vertices at corners, by what rounding makes of that."""
    one, other = (build_body(given, SolverSettings()) for given in (turned(body, first), turned(body, matrix, noise)))
    before, after = one.blocks[-1], other.blocks[-1]
    assert before.type is after.type is DISTANCE
    np.testing.assert_array_equal(after.indices, before.indices)
    np.testing.assert_allclose(after.parameters, before.parameters, atol=1e-6)
    np.testing.assert_array_equal(other.pin_weights, one.pin_weights)


def test_corners_in_the_place_of_a_joint_are_fixed():
    """A distance of 0 has no direction, and one of a rounding error any."""
    model = build_body(pulled(jelly("cube")), SolverSettings())
    own = model.elements[model.body.pins.vertices, 0]
    ways = np.linalg.norm(model.positions[own][:, None] - model.positions[np.unique(model.tetrahedra)], axis=2)
    corners = np.unique(model.tetrahedra)[(ways < 1e-9).any(axis=0)]
    assert len(corners) == 3
    assert (model.pin_weights[corners] == 1.0).all()
    assert model.blocks[-1].parameters[:, 0].min() > 1e-2


def test_joints_go_where_their_vertices_do():
    body = bar(edge, matrices=motion())
    system = build_system(scene(body, frames=(1, 5)))
    model, held = system.models[0], system.pinned[0]
    own = model.elements[body.pins.vertices, 0]
    rows = [int(np.flatnonzero(held.sources == particle)[0]) for particle in own]
    for frame in range(5):
        places = system.targets(frame)[rows] + system.origin
        np.testing.assert_allclose(places, body.pins.places(body.positions, frame), atol=1e-12)


def test_points_between_vertices_stay_on_their_edges_wherever_these_go():
    """Pins of a job may go where no motion of all of them together leads."""
    positions, _ = torus()
    radii = np.linalg.norm(positions[:, :2], axis=1)
    held = np.flatnonzero(radii > radii.max() - 1e-9).astype(np.int32)
    body = jelly("torus", 24)
    body = replace(body, pins=Pins(held, np.ones(len(held), np.float32), positions[None, held]))
    model = build_body(body, SolverSettings())
    joints = model.joints
    assert (joints.ends[:, 0] != joints.ends[:, 1]).sum() > 10
    places = positions.copy()
    places[:, 2] += 0.5 * np.sin(3.0 * positions[:, 0])
    found = carry_pins(model, held, joints.particles)(places[held])
    first, second = places[joints.ends[:, 0]], places[joints.ends[:, 1]]
    around = np.linalg.norm(found - first, axis=1) + np.linalg.norm(found - second, axis=1)
    np.testing.assert_allclose(around, np.linalg.norm(second - first, axis=1), atol=1e-9)


def test_a_joint_between_fixed_corners_has_no_particle():
    """It would hold nothing, and be a piece of its own, without pins."""
    corners, _ = cube()
    tetrahedra = np.array([[0, 3, 5, 6], [1, 0, 3, 5], [2, 0, 3, 6], [4, 0, 5, 6], [7, 3, 5, 6]], np.int32)
    is_inverted = np.linalg.det(corners[tetrahedra[:, 1:]] - corners[tetrahedra[:, :1]]) < 0.0
    tetrahedra[is_inverted] = tetrahedra[is_inverted][:, [0, 1, 3, 2]]
    held = np.array([0, 3, 5, 6], np.int32)
    body = replace(
        jelly("cube"),
        material=Material(),
        pins=Pins(held, np.ones(4, np.float32), corners[None, held]),
        tetrahedralization=Tetrahedralization("FILE", vertices=corners, tetrahedra=tetrahedra),
    )
    model = build_system(scene(body)).models[0]
    assert (model.pin_weights[:8] == [1, 0, 0, 1, 0, 1, 1, 0]).all()
    assert set(model.joints.particles.tolist()) >= set(held.tolist())
    assert len(model.positions) == 8
