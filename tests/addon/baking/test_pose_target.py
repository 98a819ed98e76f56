# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects go into shapes that the artist has sculpted."""

from __future__ import annotations

import json

import numpy as np
import pytest

FRAMES, POSE = 16, 12


@pytest.fixture
def bake(bpy, tmp_path):
    from blender_xpbd.addon.baking.bake import run_bake
    from blender_xpbd.addon.data.bake_options import BakeOptions

    def run(**values):
        wishes = {"cache": tmp_path / "cache", "frame_start": 1, "frame_end": FRAMES, "substeps": 5, **values}
        return run_bake(bpy.context, BakeOptions(**wishes))

    return run


def add_key(obj, name, places):
    if obj.data.shape_keys is None:
        obj.shape_key_add(name="Basis", from_mix=False)
    key = obj.shape_key_add(name=name, from_mix=False)
    key.value = 0.0
    key.points.foreach_set("co", places.astype(np.float32).ravel())


def add_pose(obj, **values):
    """Ask for a pose."""
    pose = obj.xpbd.poses.add()
    for name, value in values.items():
        setattr(pose, name, value)
    return pose


def points_of(mesh):
    return np.array([vertex.co[:] for vertex in mesh.vertices])


@pytest.fixture
def suzanne(bpy):
    bpy.ops.mesh.primitive_monkey_add(size=1.0, location=(0.0, 0.0, 0.6))
    obj = bpy.context.object
    obj.name, obj.xpbd.role, obj.xpbd.cage_resolution = "Suzanne", "JELLY", 8
    x, y, z = points_of(obj.data).T
    turned = np.stack([x * np.cos(z) - y * np.sin(z), x * np.sin(z) + y * np.cos(z), 1.1 * z + 0.1], axis=1)
    add_key(obj, "Twist", turned)
    add_pose(obj, target="Twist", frame=POSE, lead=8)
    return obj, turned


def shown(bpy, obj, frame):
    bpy.context.scene.frame_set(frame)
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return points_of(evaluated.data)


def test_suzanne_is_in_her_pose_at_its_frame(bpy, bake, suzanne):
    obj, turned = suzanne
    bpy.context.scene.xpbd.use_floor = False
    summary = bake()
    ((error),) = summary.pose_error_mm
    assert (error["object"], error["frame"]) == ("Suzanne", POSE)
    apart = np.linalg.norm(shown(bpy, obj, POSE) - turned, axis=1)
    assert 1e3 * apart.max() == pytest.approx(error["greatest"], rel=0.01)
    assert 1e3 * apart.mean() == pytest.approx(error["mean"], rel=0.01)
    assert apart.max() < 0.01 * np.ptp(turned, axis=0).max()
    for frame in (POSE - 2, POSE + 2):
        assert np.linalg.norm(shown(bpy, obj, frame) - turned, axis=1).max() > 5.0 * apart.max()
    from blender_xpbd.addon.baking.report_text import summary_rows

    rows = dict(summary_rows(bpy.context.scene.xpbd.report))
    assert rows[f"Pose at {POSE}"].endswith("mm")
    assert json.loads(bpy.context.scene.xpbd.report)["pose_error_mm"] == summary.pose_error_mm
    again = bake()
    assert (again.from_cache, again.pose_error_mm) == (True, summary.pose_error_mm)
    obj.data.shape_keys.key_blocks["Twist"].data[0].co.z += 0.01
    changed = bake()
    assert changed.stale == [f"Suzanne: pose target from frame {POSE - 7}"]


def test_what_is_not_reached_is_told(bpy, bake, make_body):
    """The pose of a pinned sheet is elsewhere."""
    body = make_body("Tuch")
    group = body.vertex_groups.new(name="Pins")
    group.add([0, 1, 2, 3, 4], 1.0, "ADD")
    body.xpbd.pin_group = "Pins"
    add_key(body, "Away", np.add(points_of(body.data), [0.0, 0.0, 0.3]))
    add_pose(body, target="Away", frame=POSE)
    summary = bake()
    assert summary.pose_error_mm[0]["greatest"] == pytest.approx(300.0, abs=1.0)
    assert any(
        text.startswith('W_POSE: object "Tuch": Its pose at frame 12 is not reached') for text in summary.warnings
    )


def test_why_a_loop_is_not_in_its_pose(bake, make_body, fake_worker):
    body = make_body("Tuch")
    add_key(body, "Away", np.add(points_of(body.data), [0.0, 0.0, 0.3]))
    add_pose(body, target="Away", frame=POSE)

    def why(**values):
        (text,) = [text for text in bake(**values).warnings if text.startswith("W_POSE")]
        return text.partition("are allowed. ")[2]

    assert why() == "Contact, pins, or its own stiffness hold it back."
    assert why(from_frame=POSE) == why()
    # a frame of the bake before, which had the same pose
    assert why(from_frame=POSE + 1) == why()
    assert why(loop=FRAMES - POSE) == why()
    text = why(loop=FRAMES - POSE + 2)
    assert "leads it into its beginning" in text
    assert f"a pose frame up to {POSE - 2}." in text
    bake()
    body.data.shape_keys.key_blocks["Away"].points[0].co.z += 0.01
    assert "that of the bake before" in why(from_frame=POSE + 1)
    # that bake has the newer pose, but has not simulated this frame either
    assert "that of the bake before" in why(from_frame=POSE + 2)
    assert "that of the bake before" in why(loop=FRAMES - POSE)


def test_another_object_is_a_pose_where_it_stands(bpy, read, make_body):
    body, other = make_body("Tuch"), make_body("Vorbild", role="NONE", location=(1.0, 2.0, 3.0))
    other.data.vertices[0].co.z += 0.5
    bpy.context.scene.unit_settings.scale_length = 0.1
    add_pose(body, object=other, frame=5, lead=4, tolerance=2.0)
    (pose,) = read().scene.bodies[0].poses
    assert (pose.frame, pose.lead) == (5, 4)
    assert pose.tolerance == pytest.approx(0.002)
    np.testing.assert_allclose(pose.positions, 0.1 * (np.add(points_of(other.data), [1.0, 2.0, 3.0])), atol=1e-6)


@pytest.mark.parametrize("how", ["viewports", "collection", "scene"])
def test_an_object_that_blender_does_not_place_is_no_pose(bpy, read, make_body, how):
    body, other = make_body("Tuch"), make_body("Vorbild", role="NONE", location=(1.0, 2.0, 3.0))
    add_pose(body, object=other, frame=5, lead=4)
    context = bpy.context
    if how == "viewports":
        other.hide_viewport = True
    else:
        for collection in other.users_collection:
            collection.objects.unlink(other)
        collection = bpy.data.collections.new("Aside")
        collection.objects.link(other)
        home = context.scene if how == "collection" else bpy.data.scenes.new("Another")
        home.collection.children.link(collection)
        if how == "collection":
            context.view_layer.layer_collection.children["Aside"].exclude = True
    reading = read()
    assert reading.scene.bodies[0].poses == ()
    told = [notice.message for notice in reading.notices if notice.code == "W_POSE"]
    assert len(told) == 1
    assert '"Vorbild" is disabled in viewports' in told[0]


def test_an_object_that_the_eye_hides_is_a_pose_where_it_stands(bpy, read, make_body):
    body, other = make_body("Tuch"), make_body("Vorbild", role="NONE")
    other.hide_set(True)
    other.location = 1.0, 2.0, 3.0
    add_pose(body, object=other, frame=5, lead=4)
    (pose,) = read().scene.bodies[0].poses
    np.testing.assert_allclose(pose.positions, np.add(points_of(other.data), [1.0, 2.0, 3.0]), atol=1e-6)


def test_a_key_goes_with_its_object(bpy, read, make_body):
    body = make_body("Tuch")
    add_key(body, "Up", np.add(points_of(body.data), [0.0, 0.0, 1.0]))
    for frame, x in ((1, 0.0), (5, 4.0)):
        body.location.x = x
        body.keyframe_insert("location", frame=frame)
    add_pose(body, target="Up", frame=5, lead=4)
    (pose,) = read().scene.bodies[0].poses
    np.testing.assert_allclose(pose.positions, np.add(points_of(body.data), [4.0, 0.0, 1.0]), atol=1e-5)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"target": "Gone"}, 'There is no shape key "Gone"'),
        ({"target": "Up", "frame": 6}, "frames 2 to 5 are simulated"),
        ({"target": "Up", "frame": 1}, "frames 2 to 5 are simulated"),
        ({"target": "Up", "frame": 5}, "no forces"),
        ({"object": "Few", "frame": 5}, "has 3 vertices, and the object has 25"),
    ],
)
def test_what_makes_no_pose_is_told_by_the_bake_and_by_the_check(bpy, read, make_body, values, words):
    from blender_xpbd.addon.checking.check_scene import check_scene
    from blender_xpbd.addon.data.bake_options import BakeOptions

    body = make_body("Tuch")
    add_key(body, "Up", np.add(points_of(body.data), [0.0, 0.0, 1.0]))
    mesh = bpy.data.meshes.new("Few")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    make_body("Few", role="NONE", mesh=mesh)
    if words == "no forces":
        body.xpbd.solver_mode = "PBD"
    add_pose(body, **{name: bpy.data.objects[value] if name == "object" else value for name, value in values.items()})
    reading = read()
    assert reading.scene.bodies[0].poses == ()
    assert [notice.code for notice in reading.notices if words in notice.message] == ["W_POSE"]
    found = check_scene(bpy.context, BakeOptions(frame_start=1, frame_end=5))
    assert [finding.code for finding in found if words in finding.message] == ["W_POSE"]


def test_a_short_lead_and_a_step_are_told(bpy, read, make_body):
    body = make_body("Tuch")
    add_key(body, "Up", np.add(points_of(body.data), [0.0, 0.0, 1.0]))
    add_pose(body, target="Up", frame=4, lead=2)
    reading = read()
    assert len(reading.scene.bodies[0].poses) == 1
    assert any("acts over 2 frames" in notice.message for notice in reading.notices)
    stepped = read(frame_step=2)
    assert stepped.scene.bodies[0].poses == ()
    assert any("frame step leaves out" in notice.message for notice in stepped.notices)


def test_no_pose_is_asked_for_by_default(read, make_body):
    make_body("Tuch")
    assert read().scene.bodies[0].poses == ()


def test_an_object_has_several_poses(bpy, read, make_body):
    body = make_body("Tuch")
    for name, height in (("Up", 1.0), ("Down", -1.0)):
        add_key(body, name, np.add(points_of(body.data), [0.0, 0.0, height]))
    add_pose(body, target="Down", frame=5, lead=4)
    add_pose(body, target="Up", frame=3, lead=2)
    add_pose(body, target="Up", frame=5, lead=4)
    reading = read()
    poses = reading.scene.bodies[0].poses
    assert [pose.frame for pose in poses] == [3, 5]
    assert poses[0].positions[:, 2].mean() > 0.5
    assert poses[1].positions[:, 2].mean() < -0.5
    told = [notice.message for notice in reading.notices if notice.code == "W_POSE"]
    # the force towards the second one begins after the first
    assert [text for text in told if "at frame 5 acts over 2 frames" in text] != []
    assert "It has two poses at frame 5: the first one in the list counts." in told


def test_poses_are_added_and_removed_by_the_buttons(bpy, make_body, select):
    body, other = make_body("Tuch"), make_body("Anderes")
    select(body)
    add_key(body, "Up", np.add(points_of(body.data), [0.0, 0.0, 1.0]))
    body.active_shape_key_index = 1
    bpy.context.scene.frame_set(12)
    assert not bpy.ops.xpbd.remove_pose.poll()
    for _ in range(2):
        assert bpy.ops.xpbd.add_pose() == {"FINISHED"}
    # a shape that has its frame already is not taken again
    assert [(pose.target, pose.frame) for pose in body.xpbd.poses] == [("Up", 12), ("", 13)]
    assert body.xpbd.pose_index == 1
    select(body, other)
    bpy.context.view_layer.objects.active = body
    assert bpy.ops.xpbd.copy_settings() == {"FINISHED"}
    assert [(pose.target, pose.frame) for pose in other.xpbd.poses] == [("Up", 12), ("", 13)]
    assert bpy.ops.xpbd.remove_pose() == {"FINISHED"}
    assert [pose.frame for pose in body.xpbd.poses] == [12]
    assert body.xpbd.pose_index == 0
    assert "Up" in body.data.shape_keys.key_blocks
    body.xpbd.role = "STRAND"
    assert not bpy.ops.xpbd.add_pose.poll()
