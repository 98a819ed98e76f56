# SPDX-License-Identifier: GPL-3.0-or-later
"""Colliders that are turned, mirrored or far away are there, and do what an upright one does."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.geometry.rotations import interpolated_rotations
from blender_xpbd.scene.collider import Collider
from blender_xpbd.scene.errors import XpbdError
from blender_xpbd.solver.system.colliders import build_colliders
from blender_xpbd.solver.system.system import build_system
from tests.solver.scenes import GRAVITY, cloth, jelly_cube, mesh_box, plane, run, scene, solver

pytestmark = pytest.mark.usefixtures("taichi_cpu")

SHEET = {"stiffness_input": "COMPLIANCE", "contact_offset": 0.0, "bending_compliance": 0.0}


def about_z(degrees):
    angle = np.radians(degrees)
    return np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])


def random_rotation(seed):
    rotation = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0]
    return rotation * np.sign(np.linalg.det(rotation))


def placed(linear, translation=(0.0, 0.0, 0.0)):
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = linear, translation
    return matrix[None]


TURNS = [about_z(degrees) for degrees in (0, 21, 26, 180)] + [random_rotation(seed) for seed in range(4)]
NAMES = ["0", "21", "26", "180", "random 0", "random 1", "random 2", "random 3"]


@pytest.mark.parametrize("shape", ["PLANE", "SPHERE", "MESH"])
@pytest.mark.parametrize("is_animated", [False, True], ids=["static", "resting animation"])
@pytest.mark.parametrize("turn", TURNS, ids=NAMES)
def test_what_falls_is_held_whatever_way_the_collider_is_turned(shape, is_animated, turn):
    """The whole scene is turned, gravity too."""
    frames = np.tile(placed(turn), (25 if is_animated else 1, 1, 1))
    if shape == "PLANE":
        collider, top = plane(transforms=frames), 0.0
    elif shape == "SPHERE":
        collider, top = Collider("c0", "Ball", "SPHERE", frames, radius=0.5), 0.5
    else:
        collider, top = mesh_box(0.5, frames), 0.5
    body = cloth(6, size=0.2, height=top + 0.1, **SHEET)
    body = replace(body, positions=body.positions @ turn.T)
    gravity = turn @ [0.0, 0.0, -GRAVITY]
    simulation = solver(body, colliders=[collider], gravity=gravity, frames=(1, 25))
    heights = run(simulation, 12) @ turn[:, 2]
    # on the ball it slides to the sides
    assert heights.max() == pytest.approx(top, abs=2e-3)
    assert heights.min() > top - (0.05 if shape == "SPHERE" else 2e-3)


@pytest.mark.parametrize("turn", TURNS, ids=NAMES)
def test_jelly_is_held_whatever_way_the_floor_is_turned(turn):
    body = jelly_cube(1.0, resolution=4)
    body = replace(body, positions=body.positions @ turn.T)
    simulation = solver(body, colliders=[plane(transforms=placed(turn))], gravity=turn @ [0.0, 0.0, -GRAVITY])
    run(simulation, 12)
    surface = simulation.surface(simulation.positions()) + simulation.system.origin
    assert (surface @ turn[:, 2]).min() == pytest.approx(0.0, abs=0.02)


@pytest.mark.parametrize("scale", [(-1, 1, 1), (5, -5, 5), (-2, -2, 2), (1, -3, 0.5)])
@pytest.mark.parametrize("turn", [np.eye(3), about_z(26)], ids=["0", "26"])
def test_a_mirrored_plane_holds_on_its_upper_side(scale, turn):
    simulation = solver(cloth(4, height=0.1, **SHEET), colliders=[plane(transforms=placed(turn @ np.diag(scale)))])
    np.testing.assert_allclose(run(simulation, 12)[:, 2], 0.0, atol=1e-4)


def test_a_plane_on_its_head_holds_from_below():
    body = cloth(4, height=-0.1, **SHEET)
    floor = plane(transforms=placed(np.diag([1.0, 1.0, -1.0])))
    simulation = solver(body, colliders=[floor], gravity=(0.0, 0.0, GRAVITY))
    np.testing.assert_allclose(run(simulation, 12)[:, 2], 0.0, atol=1e-4)


@pytest.mark.parametrize("shape", ["SPHERE", "MESH"])
def test_a_turning_mirrored_collider_does_not_jump(shape):
    """A half turn about Z in 24 frames takes what lies on its top along, mirrored as it is."""
    way = interpolated_rotations(np.eye(3), about_z(179.0), np.linspace(0, 1, 25)) @ np.diag([-1.0, 1.0, 1.0])
    frames = np.tile(np.eye(4), (25, 1, 1))
    frames[:, :3, :3] = way
    collider = (
        mesh_box(0.5, frames, friction=5.0)
        if shape == "MESH"
        else Collider("c0", "Ball", "SPHERE", frames, radius=0.5, friction=5.0)
    )
    body = cloth(4, size=0.1, height=0.5 if shape == "MESH" else 0.51, friction=5.0, **SHEET)
    simulation = solver(body, colliders=[collider], frames=(1, 25))
    expected = body.positions[:, :2] @ about_z(179.0)[:2, :2].T
    np.testing.assert_allclose(run(simulation, 24)[:, :2], expected, atol=0.01)


@pytest.mark.parametrize("place", [1e39, np.nan, -np.inf])
def test_what_is_not_finite_never_reaches_a_kernel(place):
    """1e39 is a number, but not in the single precision of the kernels."""
    floor = plane(transforms=np.concatenate([placed(np.eye(3)), placed(np.eye(3), (0.0, place, place))]))
    colliders = build_colliders((mesh_box(0.5), floor), np.zeros(3), 0.01, 1.0)
    with pytest.raises(XpbdError) as caught:
        colliders.motion(0, 4)
    assert (caught.value.code, caught.value.object_name) == ("E_NONFINITE", "Plane")
    with pytest.raises(XpbdError, match="E_NONFINITE"):
        solver(cloth(3), colliders=[floor], frames=(1, 3)).advance()


def sliding(place, collider, **settings):
    """How far a sheet at 1 m/s slides on a collider until it rests [m]."""
    body = cloth(6, friction=0.5, **SHEET)
    body = replace(body, positions=body.positions + place, velocity=np.array([1.0, 0.0, 0.0]))
    simulation = solver(body, colliders=[collider], **settings)
    return run(simulation, 24)[:, 0].mean() - place[0]


@pytest.mark.parametrize("place", [(1e6, 0, 0), (-3e5, 2e6, 0)])
@pytest.mark.parametrize("turn", [np.eye(3), about_z(30)], ids=["0", "30"])
def test_the_floor_keeps_its_friction_far_from_its_origin(place, turn):
    expected = sliding((0.0, 0.0, 0.0), plane())
    assert sliding(place, plane(transforms=placed(turn))) == pytest.approx(expected, rel=1e-3)


def test_a_slope_keeps_its_height_far_from_its_origin():
    """A plane tilted by 30° through the world's origin, met 1e5 m down the slope."""
    floor = plane(angle=np.radians(30.0), friction=5.0)
    axes = floor.transforms[0, :3, :3]
    body = cloth(4, height=0.05, friction=5.0, **SHEET)
    body = replace(body, positions=body.positions @ axes.T + 1e5 * axes[:, 0] - 7e4 * axes[:, 1])
    heights = run(solver(body, colliders=[floor]), 24) @ axes[:, 2]
    np.testing.assert_allclose(heights, 0.0, atol=1e-4)


def test_a_conveyor_far_from_its_origin_takes_along():
    transforms = np.tile(np.eye(4), (25, 1, 1))
    transforms[:, 0, 3] = np.arange(25) / 24 - 1e6
    body = cloth(4, friction=1.0, **SHEET)
    body = replace(body, velocity=np.array([1.0, 0.0, 0.0]))
    floor = plane(friction=1.0, transforms=transforms)
    assert run(solver(body, colliders=[floor], frames=(1, 25)), 24)[:, 0].mean() == pytest.approx(1.0, abs=2e-3)


def test_a_mesh_far_from_its_objects_origin_is_as_one_around_it():
    """The object stands turned at the world's origin, its vertices 1e6 m away."""
    near = mesh_box(2.0)
    turn = about_z(30)
    far = replace(near, positions=(near.positions + np.array([1e6, 1e6, -2.0])) @ turn, transforms=placed(turn))
    expected = sliding((0.0, 0.0, 0.0), replace(near, transforms=placed(np.eye(3), (0.0, 0.0, -2.0))))
    assert sliding((1e6, 1e6, 0.0), far) == pytest.approx(expected, rel=1e-3)


def test_a_mesh_turns_about_its_objects_origin():
    """A box off its object's origin swings on a circle, between the frames too."""
    transforms = np.concatenate([placed(np.eye(3)), placed(about_z(90))])
    box = mesh_box(0.5)
    box = replace(box, positions=box.positions + np.array([3.0, 0.0, 0.0]), transforms=transforms)
    rows = build_colliders((box,), np.zeros(3), 0.01, 1.0).motion(0, 8)
    anchors = rows[:, 0, 9:12]
    np.testing.assert_allclose(np.linalg.norm(anchors, axis=1), 2.5, rtol=1e-6)
    np.testing.assert_allclose(anchors[4], 2.5 * about_z(45)[:, 0], atol=1e-6)


@pytest.mark.parametrize(("size", "warns"), [(1e3, False), (1e5, True)])
@pytest.mark.parametrize("shape", ["PLANE", "SPHERE", "MESH"])
def test_colliders_too_large_for_single_precision_are_told(shape, size, warns):
    frames = placed(np.eye(3), (0.0, 0.0, -size))
    ball = Collider("c0", "Ball", "SPHERE", frames, radius=size)
    collider = {"PLANE": plane(transforms=frames), "SPHERE": ball, "MESH": mesh_box(size, frames)}[shape]
    notices = [notice.code for notice in solver(cloth(3), colliders=[collider]).notices]
    assert notices == (["W_PRECISION"] if warns and shape != "PLANE" else [])


@pytest.mark.parametrize("offset", [0.0, 1e-9])
def test_a_coarse_sheet_without_a_gap_still_has_a_ball_to_lie_on(offset):
    body = cloth(3, size=1.0, height=0.6, contact_offset=offset)
    ball = Collider("c0", "Ball", "SPHERE", np.eye(4)[None], radius=0.5)
    (mesh,) = build_system(scene(body, colliders=[ball])).scene.colliders
    assert len(mesh.triangles) > 0
