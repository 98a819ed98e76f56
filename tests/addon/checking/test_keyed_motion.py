# SPDX-License-Identifier: GPL-3.0-or-later
"""A check sees colliders come to a cloth that keys move, and takes those that something else moves as they stand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest


@pytest.fixture
def found(named_by):
    return named_by("W_SMOOTHED")


@pytest.fixture
def matrices(bpy):
    """Of an object at frames: by its keys, and by a step through the frames."""
    from blender_xpbd.addon.checking.keyed_motion import KeyedMotion

    def both(obj, frames=(1, 4, 9, 17, 24)):
        mine, stepped = KeyedMotion(frames).matrices(obj), []
        for frame in frames:
            bpy.context.scene.frame_set(frame)
            stepped.append(obj.matrix_world.copy())
        return mine, np.array(stepped)

    return both


def keyed(obj, path, first, last, frames=(1, 24)):
    for frame, value in zip(frames, (first, last), strict=True):
        setattr(obj, path, value)
        obj.keyframe_insert(path, frame=frame)


def cube(bpy, name="Box", size=0.5):
    bpy.ops.mesh.primitive_cube_add(size=size)
    obj = bpy.context.object
    obj.name, obj.xpbd.role = name, "COLLIDER"
    return obj


def curtain(bpy, modifier=True):
    """A sheet of 1 m that hangs from its pinned upper edge and is shown smooth."""
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=16, y_subdivisions=16, size=1.0, rotation=(0.5 * np.pi, 0.0, 0.0))
    obj = bpy.context.object
    obj.name, obj.xpbd.role = "Sheet", "CLOTH"
    pins = [one.index for one in obj.data.vertices if one.co.y > 0.49]
    obj.vertex_groups.new(name="Pins").add(pins, 1.0, "REPLACE")
    obj.xpbd.pin_group = "Pins"
    if modifier:
        obj.modifiers.new("Subdivision", "SUBSURF").levels = 2
    return obj


@pytest.mark.parametrize("mode", ["XYZ", "ZXY", "QUATERNION", "AXIS_ANGLE"])
def test_keys_of_an_object_and_its_parents_give_its_places(bpy, matrices, mode):
    parent, box = cube(bpy, "Parent"), cube(bpy)
    parent.rotation_euler = (0.3, 0.2, 0.1)
    bpy.context.view_layer.update()
    box.parent, box.matrix_parent_inverse = parent, parent.matrix_world.inverted()
    keyed(parent, "location", (0.0, 1.0, 2.0), (3.0, 1.0, -2.0))
    box.rotation_mode = mode
    turns = {"QUATERNION": ("rotation_quaternion", (1.0, 0.0, 0.0, 0.0), (0.4, 0.7, 0.1, 0.3)),
             "AXIS_ANGLE": ("rotation_axis_angle", (0.0, 0.0, 1.0, 0.0), (2.0, 0.6, 0.8, 0.0))}  # fmt: skip
    keyed(box, *turns.get(mode, ("rotation_euler", (0.0, 0.0, 0.0), (1.0, 2.0, 3.0))))
    keyed(box, "scale", (1.0, 1.0, 1.0), (1.0, 2.0, 0.5))
    box.location = (0.5, 0.0, 0.0)
    mine, stepped = matrices(box)
    np.testing.assert_allclose(mine, stepped, atol=1e-5)
    assert np.ptp(stepped, axis=0).max() > 1.0


@pytest.mark.parametrize("case", ["constraint", "driver", "track", "bone", "delta", "delta quaternion"])
def test_what_else_may_move_it_is_not_known(bpy, matrices, case):
    box = cube(bpy)
    keyed(box, "location", (0.0, 0.0, 0.0), (3.0, 0.0, 0.0))
    if case == "constraint":
        box.constraints.new("LIMIT_LOCATION")
    elif case == "driver":
        box.driver_add("scale", 0)
    elif case == "track":
        box.animation_data.nla_tracks.new()
    elif case == "delta":
        box.delta_location.x = 1.0
    elif case == "delta quaternion":
        box.rotation_mode, box.delta_rotation_quaternion = "QUATERNION", (0.6, 0.8, 0.0, 0.0)
    else:
        bpy.ops.object.armature_add()
        box.parent, box.parent_type, box.parent_bone = bpy.context.object, "BONE", "Bone"
    assert matrices(box)[0] is None


@pytest.mark.parametrize("case", ["empty", "muted", "no component"])
def test_curves_that_blender_skips_do_not_count(bpy, matrices, case):
    from blender_xpbd.addon.reading.motion import curves_of

    box = cube(bpy)
    keyed(box, "location", (0.0, 0.0, 0.0), (3.0, 2.0, 1.0))
    box.location.x = 5.0
    curve = next(one for one in curves_of(box.animation_data) if one.array_index == 0)
    if case == "empty":
        curve.keyframe_points.clear()
    elif case == "muted":
        curve.mute = True
    else:
        curve.array_index = 7
    mine, stepped = matrices(box)
    np.testing.assert_allclose(mine, stepped, atol=1e-5)
    assert (stepped[:, 0, 3] == 5.0).all()


@pytest.mark.parametrize("of", ["box", "parent"])
@pytest.mark.parametrize("shape", ["MESH", "SPHERE"])
def test_what_comes_to_a_curtain_by_keys_is_told(bpy, found, of, shape):
    curtain(bpy)
    box = cube(bpy, size=0.3 if shape == "MESH" else 0.1)
    box.xpbd.collider_shape = shape
    moved = box
    if of == "parent":
        bpy.ops.object.empty_add()
        moved = box.parent = bpy.context.object
    moved.location = (0.0, 5.0, 0.0)
    assert found() == []
    keyed(moved, "location", (0.0, 5.0, 0.0), (0.0, 0.3, 0.0), frames=(1, 60))
    bpy.context.scene.frame_set(1)
    assert found() == [("Sheet", "Box")]
    # it does not come before the end of the scene
    bpy.context.scene.frame_end = 20
    assert found() == []


@pytest.mark.parametrize("last", [101, 110, 148])
@pytest.mark.parametrize("shape", ["MESH", "SPHERE"])
def test_what_passes_between_two_looks_is_told(bpy, found, shape, last):
    curtain(bpy)
    box = cube(bpy, size=0.3 if shape == "MESH" else 0.1)
    box.xpbd.collider_shape = shape
    keyed(box, "location", (0.0, 2.5, 0.0), (0.0, -2.5, 0.0), frames=(100, last))
    assert found() == [("Sheet", "Box")]


@pytest.mark.parametrize("shape", ["MESH", "SPHERE"])
@pytest.mark.parametrize("far", [2.0, 4.0])
@pytest.mark.parametrize("sideways", [60.0, 250.0, 1000.0])
def test_where_it_turns_back_is_told_however_far_it_goes_later(bpy, found, shape, far, sideways):
    curtain(bpy)
    box = cube(bpy, size=0.3 if shape == "MESH" else 0.1)
    box.xpbd.collider_shape = shape
    keyed(box, "location", (0.0, far, 0.0), (0.0, 0.3, 0.0), frames=(1, 20))
    keyed(box, "location", (0.0, far, 0.0), (sideways, far, 0.0), frames=(40, 240))
    bpy.context.scene.frame_set(1)
    assert found() == [("Sheet", "Box")]


@pytest.mark.parametrize("shape", ["MESH", "SPHERE"])
def test_a_slanting_way_past_a_curtain_is_no_way_through_it(bpy, named_by, shape):
    """The box about its ends holds the curtain."""
    curtain(bpy, modifier=False).modifiers.new("Shown", "SMOOTH")
    box = cube(bpy, size=0.3)
    box.xpbd.collider_shape = shape
    keyed(box, "location", (-2.0, 8.0, 0.0), (8.0, -2.0, 0.0))
    assert named_by("W_SHOWN_SMOOTH")() == []
    keyed(box, "location", (-4.0, 4.0, 0.0), (4.0, -4.0, 0.0))
    assert named_by("W_SHOWN_SMOOTH")() == [("Sheet", "Box")]


@pytest.mark.parametrize(("first", "last", "is_told"), [(1.0, 20.0, False), (20.0, 1.0, True)])
def test_a_sphere_counts_by_its_size_where_it_comes(bpy, found, first, last, is_told):
    curtain(bpy)
    ball = cube(bpy, "Ball", size=0.1)
    ball.xpbd.collider_shape = "SPHERE"
    keyed(ball, "location", (0.0, 5.0, 0.0), (0.0, 0.3, 0.0))
    keyed(ball, "scale", (first,) * 3, (last,) * 3)
    bpy.context.scene.frame_set(1)
    assert found() == ([("Sheet", "Ball")] if is_told else [])


@pytest.mark.parametrize("first", [1.0, 0.2, 0.1, 0.01, 1e-4])
def test_a_box_counts_by_the_size_to_which_it_grows(bpy, found, first):
    curtain(bpy)
    box = cube(bpy, size=0.3)
    box.location.y = 0.3
    keyed(box, "scale", (first,) * 3, (1.0,) * 3)
    bpy.context.scene.frame_set(1)
    assert found() == [("Sheet", "Box")]


def test_what_dips_in_for_a_moment_of_a_long_scene_is_told(bpy, found):
    curtain(bpy)
    bpy.context.scene.frame_end = 900
    box = cube(bpy, size=0.3)
    keyed(box, "location", (0.0, 3.0, 0.0), (0.0, 0.3, 0.0), frames=(400, 403))
    keyed(box, "location", (0.0, 0.3, 0.0), (0.0, 3.0, 0.0), frames=(403, 406))
    assert found() == [("Sheet", "Box")]


def test_a_way_around_a_curtain_is_no_way_through_it(bpy, found):
    curtain(bpy)
    box = cube(bpy, size=0.3)
    keyed(box, "location", (5.0, 5.0, 0.0), (-5.0, 5.0, 0.0), frames=(1, 100))
    keyed(box, "location", (-5.0, 5.0, 0.0), (-5.0, -5.0, 0.0), frames=(100, 200))
    assert found() == []


def test_only_what_comes_near_of_a_large_collider_counts(bpy, found):
    """The edges of a slab of 40 m are far from a curtain that its face comes to."""
    curtain(bpy)
    slab = cube(bpy, "Slab", size=40.0)
    keyed(slab, "location", (0.0, 45.0, 0.0), (0.0, 20.2, 0.0))
    assert found() == []
    keyed(slab, "location", (0.0, 45.0, 20.0), (0.0, 20.2, 20.0))
    assert found() == [("Sheet", "Slab")]


@pytest.mark.parametrize(("modifier", "code"), [("SOLIDIFY", "W_THICKENED"), ("SMOOTH", "W_SHOWN_SMOOTH")])
def test_the_other_checks_of_what_is_shown_see_it_come(bpy, named_by, modifier, code):
    sheet = curtain(bpy, modifier=False)
    made = sheet.modifiers.new("Shown", modifier)
    if modifier == "SOLIDIFY":
        made.thickness = 0.1
    keyed(cube(bpy, size=0.3), "location", (0.0, 5.0, 0.0), (0.0, 0.3, 0.0), frames=(1, 60))
    bpy.context.scene.frame_set(1)
    assert named_by(code)() == [("Sheet", "Box")]


@pytest.mark.parametrize("modifier", ["SUBSURF", "SOLIDIFY", "SMOOTH", ""])
def test_keys_are_looked_at_only_where_something_asks_for_them(bpy, found, monkeypatch, modifier):
    from blender_xpbd.addon.checking import check_scene

    asked, with_keyed_motion = [], check_scene.with_keyed_motion

    def counted(*of):
        asked.append(of)
        return with_keyed_motion(*of)

    monkeypatch.setattr(check_scene, "with_keyed_motion", counted)
    sheet = curtain(bpy, modifier=False)
    if modifier:
        sheet.modifiers.new("Shown", modifier)
    keyed(cube(bpy), "location", (0.0, 5.0, 0.0), (0.0, 0.3, 0.0))
    found()
    assert len(asked) == bool(modifier)


def test_the_more_colliders_have_keys_the_fewer_frames_are_looked_at_each_parent_once(bpy, monkeypatch):
    from blender_xpbd.addon.checking import keyed_motion
    from blender_xpbd.addon.checking.check_scene import read_first_frame
    from blender_xpbd.addon.data.bake_options import BakeOptions

    looks, basis_matrices = [], keyed_motion._basis_matrices

    def counted(obj, frames):
        looks.append((obj.name, len(frames)))
        return basis_matrices(obj, frames)

    monkeypatch.setattr(keyed_motion, "_basis_matrices", counted)
    monkeypatch.setattr(keyed_motion, "MOST_LOOKS", 300)
    curtain(bpy)
    bpy.ops.object.empty_add()
    parent = bpy.context.object
    parent.name = "Parent"
    keyed(parent, "location", (0.0, 5.0, 0.0), (0.0, 0.3, 0.0))
    for name in "ABC":
        cube(bpy, name).parent = parent
    bpy.context.scene.frame_set(1)
    read = read_first_frame(bpy.context, BakeOptions()).scene
    moved = keyed_motion.with_keyed_motion(bpy.context.scene, replace(read, frames=replace(read.frames, end=900)))
    assert looks == [("A", 100), ("Parent", 100), ("B", 100), ("C", 100)]
    np.testing.assert_allclose([one.transforms[-1, 1, 3] for one in moved.colliders], 0.3, atol=1e-6)
