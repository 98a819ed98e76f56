# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of poses of an object."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("current", "start", "end", "frame"), [(40, 1, 250, 40), (1, 1, 250, 25), (1, 101, 250, 125), (90, 1, 10, 10)]
)
def test_a_new_pose_lies_within_the_range(bpy, make_body, select, current, start, end, frame):
    body = make_body()
    select(body)
    scene = bpy.context.scene
    scene.xpbd.frame_start, scene.xpbd.frame_end, scene.frame_current = start, end, current
    bpy.ops.xpbd.add_pose()
    assert [pose.frame for pose in body.xpbd.poses] == [frame]


def test_a_pose_without_a_shape_is_told(bpy, make_body, select):
    body = make_body()
    select(body)
    bpy.ops.xpbd.add_pose()
    bpy.ops.xpbd.check()
    assert "has no shape yet" in bpy.context.scene.xpbd.findings
    assert "W_POSE" in bpy.context.scene.xpbd.findings


def test_a_linked_object_has_no_button(bpy, make_body, tmp_path):
    body = make_body("Linked")
    path = tmp_path / "library.blend"
    bpy.data.libraries.write(str(path), {body})
    bpy.data.objects.remove(body)
    with bpy.data.libraries.load(str(path), link=True) as (_, wanted):
        wanted.objects = ["Linked"]
    (linked,) = wanted.objects
    bpy.context.scene.collection.objects.link(linked)
    bpy.context.view_layer.update()
    bpy.context.view_layer.objects.active = linked
    assert not bpy.ops.xpbd.add_pose.poll()
    assert not bpy.ops.xpbd.remove_pose.poll()
