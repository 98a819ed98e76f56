# SPDX-License-Identifier: GPL-3.0-or-later
"""Data is found again, whatever became of its name, and never mistaken for other data."""

from __future__ import annotations


def test_an_object_is_found_under_its_new_name(bpy, make_body):
    from blender_xpbd.addon.data.data_lookup import object_by_uid

    first, second = make_body("First"), make_body("Second")
    uid = first.session_uid
    assert object_by_uid(uid) == first
    first.name = "Else"
    second.name = "First"
    assert object_by_uid(uid) == first, "not the one that has its name now"
    second.name = "Third"
    first.name = "First"
    assert object_by_uid(uid) == first


def test_a_deleted_object_is_not_found_though_another_takes_its_name(bpy, make_body):
    from blender_xpbd.addon.data.data_lookup import object_by_uid

    body = make_body("Body")
    uid = body.session_uid
    assert object_by_uid(uid) == body
    bpy.data.objects.remove(body)
    assert object_by_uid(uid) is None
    make_body("Body")
    assert object_by_uid(uid) is None


def test_no_object_of_another_file_is_found(bpy, make_body, tmp_path):
    from blender_xpbd.addon.data.data_lookup import object_by_uid

    uid = make_body("Body").session_uid
    assert object_by_uid(uid) is not None
    path = str(tmp_path / "file.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert "Body" in bpy.data.objects
    assert object_by_uid(uid) is None


def test_a_scene_is_found_until_it_is_deleted(bpy):
    from blender_xpbd.addon.data.data_lookup import scene_by_uid

    first, second = bpy.context.scene, bpy.data.scenes.new("Second")
    uid = second.session_uid
    second.name = "Renamed"
    assert (scene_by_uid(uid), scene_by_uid(first.session_uid)) == (second, first)
    bpy.data.scenes.remove(second)
    assert scene_by_uid(uid) is None
