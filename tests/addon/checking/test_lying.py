# SPDX-License-Identifier: GPL-3.0-or-later
"""What lies flat is told; nothing that moves is said to lie."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.scene.body import Attachment
from blender_xpbd.scene.material import Material
from tests.solver.scenes import cloth, jelly_cube, plane, scene

FLAT = cloth(10)


@pytest.fixture
def found(bpy):
    from blender_xpbd.addon.checking.lying import lies

    return lambda *bodies, **values: list(lies(scene(*bodies, **values)))


def tilted(angle):
    """A sheet and a plane that are both tilted, and touch."""
    (collider,) = (plane(0.0, angle=angle),)
    turned = FLAT.positions @ collider.transforms[0][:3, :3].T + collider.transforms[0][:3, 3]
    return replace(FLAT, positions=turned), collider


def scaled(collider, *factors):
    transforms = collider.transforms.copy()
    transforms[:, :3, :3] *= np.array(factors)
    return replace(collider, transforms=transforms)


def test_what_lies_flat_on_the_floor(found):
    (notice,) = found(FLAT, colliders=[plane(0.004)])
    assert (notice.code, notice.object_name) == ("W_LIES", "Cloth")
    assert "nothing will move" in notice.message
    assert found(FLAT, colliders=[scaled(plane(), 50.0, 50.0, 50.0)])
    assert found(tilted(0.2)[0], colliders=[tilted(0.2)[1]])


def test_what_another_body_may_fall_on(found):
    (notice,) = found(FLAT, replace(jelly_cube(1.0, 2.0), identifier="b1"), colliders=[plane()])
    assert "until another body does" in notice.message


def test_what_slides_or_falls(found):
    assert found(FLAT, colliders=[plane(0.004, angle=0.1)]) == []
    for angle in (1.0, 0.5 * np.pi, np.pi):
        body, collider = tilted(angle)
        assert found(body, colliders=[collider]) == []
    assert found(cloth(10, height=0.1), colliders=[plane()]) == []
    assert found(cloth(10, height=0.9), colliders=[scaled(plane(), 50.0, 50.0, 50.0)]) == []
    assert found(jelly_cube(1.0, 0.0), colliders=[plane()]) == []


@pytest.mark.parametrize(
    "values",
    [
        {"velocity": np.array([0.0, 0.0, 1.0])},
        {"material": Material(push_z=20.0)},
        {"material": Material(gravity_factor=-1.0)},
        {"material": Material(pressure_model="GAS")},
        {"attachment": Attachment("b1", np.zeros(1, np.int32), np.ones(1, np.float32))},
        {"fields": ("f0",)},
        {"start": FLAT.positions * 0.5},
        {"pins": cloth(10, pinned=[0]).pins},
    ],
)
def test_what_something_moves(found, values):
    assert found(replace(FLAT, **values), colliders=[plane()]) == []


def test_nothing_lies_without_gravity(bpy):
    from blender_xpbd.addon.checking.lying import lies

    made = scene(FLAT, colliders=[plane()])
    assert list(lies(replace(made, gravity=np.zeros(3)))) == []


def sheet(bpy):
    bpy.ops.mesh.primitive_plane_add()
    ground = bpy.context.object
    ground.xpbd.role, ground.xpbd.collider_shape = "COLLIDER", "PLANE"
    bpy.ops.mesh.primitive_grid_add(size=1.0)
    obj = bpy.context.object
    obj.xpbd.role = "CLOTH"
    return obj, ground


def told(bpy):
    bpy.ops.xpbd.check()
    return "W_LIES" in bpy.context.scene.xpbd.findings


def test_what_a_moving_plane_carries(bpy):
    _, ground = sheet(bpy)
    assert told(bpy)
    for frame, height in ((1, 0.0), (20, 1.0)):
        ground.location.z = height
        ground.keyframe_insert("location", frame=frame)
    assert not told(bpy)


def test_what_goes_into_a_pose(bpy):
    obj, _ = sheet(bpy)
    obj.shape_key_add(name="Basis")
    obj.shape_key_add(name="Pose")
    obj.xpbd.poses.add().target = "Pose"
    assert not told(bpy)


def test_what_is_pushed_later(bpy):
    obj, _ = sheet(bpy)
    for frame, push in ((1, 0.0), (20, 30.0)):
        obj.xpbd.push_z = push
        obj.keyframe_insert("xpbd.push_z", frame=frame)
    assert not told(bpy)


def test_what_could_not_be_lifted_is_offered_no_lift(bpy):
    obj, _ = sheet(bpy)
    obj.keyframe_insert("location", frame=1)
    assert not told(bpy)


def test_wind_from_below(bpy):
    sheet(bpy)
    bpy.ops.object.effector_add(type="WIND")
    assert not told(bpy)
