# SPDX-License-Identifier: GPL-3.0-or-later
"""A rotated object gives the rotated result: what is laid over a body turns with it."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.bodies.kinds import build_body
from blender_xpbd.bodies.own_frame import own_frame
from blender_xpbd.scene.body import Body, Pins, Tetrahedralization
from blender_xpbd.scene.material import Material
from blender_xpbd.scene.settings import SolverSettings
from tests.geometry.surfaces import cube, sphere, torus
from tests.solver.scenes import cloth, solver


def potato():
    """A body on whose cells' borders nothing lies."""
    positions, triangles = sphere(20, 11)
    x, y, z = positions.T
    return np.stack([x + 0.1 * y * z, 0.83 * y + 0.07 * x * x, 0.71 * z + 0.05 * x * y], axis=1), triangles


SHAPES = {"cube": cube, "sphere": sphere, "torus": torus, "potato": potato}
SHIFT = np.array([0.3, -1.7, 0.9])


def rotation(degrees, axis=(0.0, 0.0, 1.0)):
    """Rodrigues' formula."""
    x, y, z = np.asarray(axis) / np.linalg.norm(axis)
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    angle = np.radians(degrees)
    return np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross


ROTATIONS = {"45° about Z": rotation(45.0), "90° about X": rotation(90.0, (1, 0, 0)), "askew": rotation(77, (1, 2, 3))}


def jelly(shape, resolution=8, **values):
    positions, triangles = SHAPES[shape]()
    material = Material.from_values({"internal_damping": 0.0, **values})
    return Body(
        "b0", "Jelly", "JELLY", positions, np.full(len(triangles), 3, np.int32), triangles.ravel().astype(np.int32),
        material, tetrahedralization=Tetrahedralization("CAGE", resolution),
    )  # fmt: skip


def turned(body, matrix, noise=0.0):
    """The body rotated and moved, with rounding errors of a share of its size."""
    given = matrix + noise * np.random.default_rng(0).uniform(-1.0, 1.0, (3, 3))
    pins = replace(body.pins, targets=body.pins.targets @ given.T + SHIFT)
    return replace(
        body, positions=body.positions @ given.T + SHIFT, pins=pins, velocity=matrix @ body.velocity, axes=matrix
    )


@pytest.mark.parametrize("noise", [0.0, 1e-7], ids=["exact", "of single precision"])
@pytest.mark.parametrize("matrix", ROTATIONS.values(), ids=ROTATIONS)
@pytest.mark.parametrize("shape", ["cube", "potato"])
def test_a_turned_body_has_the_same_tetrahedra(shape, matrix, noise):
    body = jelly(shape, 16)
    upright, askew = (build_body(given, SolverSettings()) for given in (body, turned(body, matrix, noise)))
    np.testing.assert_array_equal(askew.tetrahedra, upright.tetrahedra)
    np.testing.assert_allclose(askew.positions, upright.positions @ matrix.T + SHIFT, atol=1e-5)


@pytest.mark.parametrize("shape", SHAPES)
def test_all_rotations_of_a_shape_have_the_same_tetrahedra(shape):
    """Of round shapes too, many of whose vertices lie between two cells."""
    models = [build_body(turned(jelly(shape), matrix, 1e-8), SolverSettings()) for matrix in ROTATIONS.values()]
    for first, second in itertools.pairwise(models):
        assert len(first.tetrahedra) == len(second.tetrahedra)
    upright = build_body(jelly(shape), SolverSettings())
    assert len(models[0].tetrahedra) == pytest.approx(len(upright.tetrahedra), rel=0.01)


@pytest.mark.parametrize("shape", SHAPES)
def test_vertices_stay_where_they_are(shape):
    """The cage is laid to rounded coordinates, the mesh is embedded in it as it is."""
    body = turned(jelly(shape), ROTATIONS["askew"], 1e-7)
    model = build_body(body, SolverSettings())
    embedded = np.einsum("vj,vjk->vk", model.weights, model.positions[model.elements])
    np.testing.assert_allclose(embedded, body.positions, atol=1e-12)


def frames(body):
    """The body's vertices after 24 frames without gravity and contact, pulled and thrown [m]."""
    simulation = solver(body, frames=(1, 25), gravity=(0.0, 0.0, 0.0), substeps=6)
    for _ in range(24):
        simulation.advance()
    return simulation.surface(simulation.positions()) + simulation.system.origin


def pulled(body):
    size = np.ptp(body.positions, axis=0).max()
    held = np.sort(np.argsort(body.positions @ [1.0, 0.2, 0.1])[-3:]).astype(np.int32)
    pull = np.linspace(0.0, 0.3 * size, 25)[:, None, None] * np.array([1.0, 0.5, 0.2])
    pins = Pins(held, np.ones(3, np.float32), body.positions[held] + pull)
    return replace(body, pins=pins, velocity=np.array([0.0, 0.0, size]))


# the particles of a cage lie in rows, and an upright body is as it always was: rows are rounded where it is turned only
UPRIGHT, ASLANT = np.eye(3), rotation(25, (3, 1, 2))


@pytest.mark.usefixtures("taichi_cpu")
@pytest.mark.parametrize("matrix", ROTATIONS.values(), ids=ROTATIONS)
@pytest.mark.parametrize(
    ("body", "first"),
    [
        (jelly("cube"), UPRIGHT),
        (jelly("cube", solid_model="SPRINGS"), UPRIGHT),
        (jelly("potato"), UPRIGHT),
        (jelly("torus"), ASLANT),
        (jelly("potato", shape_matching="CLUSTERS"), ASLANT),
        (cloth(12, shape_matching="CLUSTERS"), ASLANT),
    ],
    ids=["cube", "cube of springs", "potato", "torus", "potato in clusters", "cloth in clusters"],
)
def test_a_turned_body_moves_as_it_did(body, first, matrix):
    """To 1e-4 of its size."""
    body = pulled(body)
    size = np.ptp(body.positions, axis=0).max()
    before = (frames(turned(body, first)) - SHIFT) @ first
    after = (frames(turned(body, matrix)) - SHIFT) @ matrix
    assert np.ptp(before - body.positions, axis=0).max() > 0.1 * size
    np.testing.assert_allclose(after, before, atol=1e-4 * size)


def test_own_coordinates_and_back():
    points = np.random.default_rng(1).uniform(-3.0, 5.0, (20, 3))
    for matrix in ROTATIONS.values():
        frame = own_frame(points, matrix)
        assert frame.of(points).min() >= 0.0
        np.testing.assert_allclose(frame.to_world(frame.of(points)), points, atol=1e-12)
        np.testing.assert_allclose(frame.rounded(points), frame.of(points), atol=1e-5)
    upright = own_frame(points, np.eye(3))
    assert upright.of(points) is upright.to_world(points) is upright.rounded(points) is points


@pytest.mark.parametrize("degrees", [0.0, 45.0, 90.0])
def test_a_cube_of_blender_has_as_many_tetrahedra_however_it_is_turned(bpy, degrees):
    """Through the add-on, whose matrices are of single precision."""
    from blender_xpbd.addon.baking.scene_reader import read_scene
    from blender_xpbd.addon.data.bake_options import BakeOptions

    bpy.ops.mesh.primitive_cube_add(rotation=(0.0, 0.0, np.radians(degrees)), scale=(1.0, 1.0, 1.0))
    bpy.context.object.xpbd.role = "JELLY"
    steps = read_scene(bpy.context, BakeOptions(frame_start=1, frame_end=2))
    try:
        while True:
            next(steps)
    except StopIteration as end:
        model = build_body(end.value.scene.bodies[0], SolverSettings())
    assert len(model.tetrahedra) == 52224
