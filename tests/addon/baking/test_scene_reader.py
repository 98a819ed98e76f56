# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's scene as arrays in the world, in SI units; and all that is refused, with nothing changed."""

from __future__ import annotations

import numpy as np
import pytest

from blender_xpbd.scene.errors import XpbdError
from tests.addon.readings import animate, in_world

IDENTITY = np.eye(4)


def code_of(caught):
    return caught.value.code, caught.value.object_name


@pytest.mark.parametrize(
    "transform",
    [
        {},
        {"location": (1, 2, 3)},
        {"rotation_euler": (0.3, 0.2, 0.1), "scale": (2, 0.5, 3)},
        {"scale": (-1, 1, 1)},
        {"scale": (1e-6, 1e-6, 1e-6)},
        {"scale": (1e6, 1e6, 1e6), "location": (1e6, 0, 0)},
    ],
)
@pytest.mark.parametrize("unit_scale", [1.0, 0.01])
def test_positions_are_in_the_world_in_metres(bpy, make_body, read, transform, unit_scale):
    bpy.context.scene.unit_settings.scale_length = unit_scale
    body = make_body(**transform)
    read_body = read().scene.bodies[0]
    expected = in_world(body) * unit_scale
    np.testing.assert_allclose(read_body.positions, expected, rtol=1e-6, atol=1e-6 * np.abs(expected).max())
    assert (read_body.face_sizes == 4).all()
    assert len(read_body.face_sizes) == 16


def test_a_parented_and_constrained_object(bpy, make_body, read):
    parent = make_body("Parent", role="NONE", rotation_euler=(0, 0, 1.0), scale=(2, 1, 1))
    body = make_body("Child", location=(1, 0, 0))
    body.parent = parent
    target = make_body("Target", role="NONE", location=(0, 0, 7))
    constraint = body.constraints.new("COPY_LOCATION")
    constraint.target = target
    bpy.context.view_layer.update()
    np.testing.assert_allclose(read().scene.bodies[0].positions, in_world(body), atol=1e-5)
    assert in_world(body)[12, 2] == pytest.approx(7.0)


def test_mesh_before_modifiers_and_loose_vertices_in_their_place(bpy, make_body, read):
    mesh = bpy.data.meshes.new("Loose")
    mesh.from_pydata([(0, 0, 0), (9, 9, 9), (1, 0, 0), (0, 1, 0)], [], [(0, 2, 3)])
    body = make_body(mesh=mesh)
    body.modifiers.new("Subdivision", "SUBSURF")
    body.modifiers.new("Solidify", "SOLIDIFY")
    found = read().scene.bodies[0]
    assert found.positions[1].tolist() == [9, 9, 9]
    assert found.corners.tolist() == [0, 2, 3]


def test_time_gravity_and_settings(bpy, make_body, read):
    make_body()
    scene = bpy.context.scene
    scene.render.fps, scene.render.fps_base = 30, 1.001
    scene.gravity = (1, 2, -3)
    scene.xpbd.substeps = 7
    assert (read().scene.settings.quality, read().scene.settings.substeps) == ("FIXED", 7)
    scene.xpbd.quality = "MATERIAL"
    assert read().scene.settings.quality == "MATERIAL"
    assert read(quality="FINAL").scene.settings.quality == "FINAL"
    assert read(quality="FINAL", substeps=3).scene.settings.quality == "FIXED"
    found = read(iterations=3, frame_step=2).scene
    assert found.settings.quality == "FIXED", "what a caller asks for counts"
    assert found.frames.frame_duration == pytest.approx(1.001 / 30)
    assert (found.frames.start, found.frames.end, found.frames.step) == (1, 5, 2)
    assert found.gravity.tolist() == [1, 2, -3]
    assert (found.settings.substeps, found.settings.iterations) == (7, 3)
    scene.unit_settings.scale_length = 0.1
    np.testing.assert_allclose(read().scene.gravity, [0.1, 0.2, -0.3], rtol=1e-6)
    scene.unit_settings.system = "NONE"
    assert read().scene.gravity.tolist() == [1, 2, -3]
    scene.use_gravity = False
    assert read().scene.gravity.tolist() == [0, 0, 0]


def test_nothing_that_stands_still_is_followed(bpy, make_body, read):
    make_body()
    bpy.context.scene.frame_set(3)
    reading = read(frame_end=100)
    assert read.steps == []
    assert reading.targets[0].matrices.shape == (1, 4, 4)
    assert bpy.context.scene.frame_current == 3


def key_gravity(scene, by_track=False):
    for frame, z in ((1, -5.0), (5, -1.0)):
        scene.gravity = (0, 0, z)
        scene.keyframe_insert("gravity", frame=frame)
    if by_track:
        animation = scene.animation_data
        action, animation.action = animation.action, None
        animation.nla_tracks.new().strips.new("Gravity", 1, action)


def drive_gravity(scene):
    scene.driver_add("gravity", 2).driver.expression = "frame - 6"


@pytest.mark.parametrize("how", [key_gravity, lambda scene: key_gravity(scene, True), drive_gravity])
def test_animated_gravity_becomes_a_track(bpy, make_body, read, how):
    make_body()
    scene = bpy.context.scene
    how(scene)
    scene.frame_set(4, subframe=0.5)
    shown = scene.gravity[2]
    assert shown != -5.0
    reading = read()
    assert (scene.frame_current, scene.frame_subframe, scene.gravity[2]) == (4, 0.5, shown)
    assert reading.scene.gravity.tolist() == [0, 0, -5]
    ((target, parameter, values),) = [(track.target, track.parameter, track.values) for track in reading.scene.tracks]
    assert (target, parameter) == ("scene", "gravity_z")
    expected = []
    for frame in range(1, 6):
        scene.frame_set(frame)
        expected.append(scene.gravity[2])
    scene.frame_set(4, subframe=0.5)
    assert values.tolist() == expected
    assert reading.notices == ()
    assert scene.gravity[2] == shown
    assert len(read.steps) == 4


def test_other_animation_of_the_scene_is_no_matter(bpy, make_body, read):
    make_body()
    scene = bpy.context.scene
    scene.keyframe_insert("audio_volume")
    assert read().notices == ()


@pytest.fixture
def handler(bpy):
    """A handler at each frame that moves what it is told to, and sets the floor."""
    moved = []

    def move(scene, *_arguments):
        for obj in moved:
            obj.location.x = scene.frame_current
        scene.xpbd.floor_height = -float(scene.frame_current)

    bpy.app.handlers.frame_change_pre.append(move)
    yield moved
    bpy.app.handlers.frame_change_pre.remove(move)


def test_what_a_handler_moves_is_followed(bpy, make_body, read, handler):
    make_body("Body")
    ball = make_body("Ball", role="COLLIDER")
    handler.append(ball)
    scene = bpy.context.scene
    scene.xpbd.use_floor = True
    scene.frame_set(3)
    reading = read()
    moved, floor = reading.scene.colliders
    assert moved.transforms[:, 0, 3].tolist() == [1, 2, 3, 4, 5]
    assert floor.transforms[0, 2, 3] == -1.0
    assert reading.targets[0].matrices.shape == (1, 4, 4), "what stands still costs nothing later"
    assert (scene.frame_current, ball.location.x) == (3, 3.0)


def by_parent(make_body, obj):
    obj.parent = animate(make_body("Parent", role="NONE"))


def by_driver(make_body, obj):
    obj.driver_add("location", 0).driver.expression = "frame"


def by_constraint(make_body, obj):
    obj.constraints.new("COPY_LOCATION").target = animate(make_body("Target", role="NONE"))


def by_itself(make_body, obj):
    animate(obj)


@pytest.mark.parametrize("how", [by_itself, by_parent, by_driver, by_constraint])
def test_pins_follow_the_object(bpy, make_body, read, how):
    body = make_body()
    how(make_body, body)
    body.vertex_groups.new(name="Pins").add([0], 1.0, "REPLACE")
    body.vertex_groups["Pins"].add([7], 0.25, "REPLACE")
    body.vertex_groups["Pins"].add([9], 0.0, "REPLACE")
    body.xpbd.pin_group = "Pins"
    scene = bpy.context.scene
    scene.frame_set(2, subframe=0.5)
    reading = read()
    assert (scene.frame_current, scene.frame_subframe) == (2, 0.5)
    pins = reading.scene.bodies[0].pins
    assert pins.vertices.tolist() == [0, 7]
    assert pins.weights.tolist() == [1.0, 0.25]
    assert pins.matrices.shape == (5, 4, 4)
    np.testing.assert_array_equal(pins.matrices[0], np.eye(4))
    rest = reading.scene.bodies[0].positions
    np.testing.assert_array_equal(pins.places(rest, 0), rest[[0, 7]])
    for index, frame in enumerate(range(1, 6)):
        scene.frame_set(frame)
        np.testing.assert_allclose(pins.places(rest, index), in_world(body)[[0, 7]], atol=1e-5)
        np.testing.assert_allclose(reading.targets[0].matrices[index], np.array(body.matrix_world), atol=1e-6)
    assert np.ptp([pins.places(rest, index)[0, 0] for index in range(5)]) > 1.0


def test_the_frame_is_put_back_when_reading_is_broken_off(bpy, make_body):
    from blender_xpbd.addon.baking.scene_reader import read_scene
    from blender_xpbd.addon.data.bake_options import BakeOptions

    animate(make_body())
    bpy.context.scene.frame_set(77)
    steps = read_scene(bpy.context, BakeOptions(frame_end=100))
    next(steps)
    next(steps)
    assert bpy.context.scene.frame_current != 77
    steps.close()
    assert bpy.context.scene.frame_current == 77


def test_an_object_deleted_while_reading(bpy, make_body):
    from blender_xpbd.addon.baking.scene_reader import read_scene
    from blender_xpbd.addon.data.bake_options import BakeOptions

    body = animate(make_body())
    steps = read_scene(bpy.context, BakeOptions(frame_end=100))
    next(steps)
    bpy.data.objects.remove(body)
    with pytest.raises(XpbdError, match="E_INTERRUPTED"):
        next(steps)


def test_disabled_objects_take_no_part(bpy, make_body, read):
    make_body("A")
    make_body("B").hide_viewport = True
    hidden = make_body("C")
    hidden.hide_set(True)
    collection = bpy.data.collections.new("Excluded")
    bpy.context.scene.collection.children.link(collection)
    excluded = make_body("D")
    bpy.context.scene.collection.objects.unlink(excluded)
    collection.objects.link(excluded)
    bpy.context.view_layer.layer_collection.children["Excluded"].exclude = True
    assert [body.name for body in read().scene.bodies] == ["A", "C"]
    assert [body.name for body in read(objects=("C",)).scene.bodies] == ["C"]
    with pytest.raises(XpbdError) as caught:
        read(objects=("B",))
    assert code_of(caught) == ("E_NOTHING", "B")


def nothing(bpy, body):
    body.xpbd.role = "NONE"


def no_faces(bpy, body):
    body.data = bpy.data.meshes.new("Empty")


def not_a_number(bpy, body):
    body.data.vertices[7].co.x = float("nan")


def infinite(bpy, body):
    body.data.vertices[7].co.x = float("inf")


def flat_transform(bpy, body):
    body.scale = (1, 1, 0)


def flat_later(bpy, body):
    for frame, z in ((1, 1.0), (3, 0.0), (5, 1.0)):
        body.scale = (1, 1, z)
        body.keyframe_insert("scale", frame=frame)
    bpy.context.scene.frame_set(1)


def shared(bpy, body):
    bpy.data.objects.new("Twin", body.data)


def editing(bpy, body):
    bpy.context.view_layer.objects.active = body
    bpy.ops.object.mode_set(mode="EDIT")


def topology_before_rig(bpy, body):
    body.modifiers.new("Subdivision", "SUBSURF")
    body.modifiers.new("Armature", "ARMATURE")


def bad_parameter(bpy, body):
    body.xpbd.preset = "MATERIAL"
    body.xpbd.stretch_stiffness = 0.0


@pytest.mark.parametrize(
    ("state", "code", "words"),
    [
        (nothing, "E_NOTHING", "XPBD tab"),
        (no_faces, "E_GEOM_EMPTY", "no faces"),
        (not_a_number, "E_GEOM_NONFINITE", "Vertex 7"),
        (infinite, "E_GEOM_NONFINITE", "Vertex 7"),
        (flat_transform, "E_TRANSFORM_SINGULAR", "size"),
        (flat_later, "E_TRANSFORM_SINGULAR", "frame 3"),
        (shared, "E_DATA_SHARED", "Make Single User"),
        (editing, "E_MODE_EDIT", "Tab"),
        (topology_before_rig, "E_MODIFIER_TOPOLOGY", "below"),
        (bad_parameter, "E_PARAM", "more than 0"),
    ],
)
def test_what_is_refused_is_left_as_it_was(bpy, make_body, read, dump, state, code, words):
    body = make_body("Body")
    state(bpy, body)
    if state not in {not_a_number, infinite}:
        before = dump(body)
    mode, active = body.mode, bpy.context.view_layer.objects.active
    with pytest.raises(XpbdError, match=words) as caught:
        read()
    assert caught.value.code == code
    if state is not nothing:
        assert caught.value.object_name == "Body"
    if state not in {not_a_number, infinite}:
        assert dump(body) == before
    assert (body.mode, bpy.context.view_layer.objects.active) == (mode, active)
    if mode == "EDIT":
        bpy.ops.object.mode_set(mode="OBJECT")


@pytest.mark.parametrize(
    ("start", "end", "step", "count"),
    [(5, 4, 1, None), (1, 1, 1, 1), (-3, 2, 1, 6), (1, 5, 0, None), (1, 6, 4, 6)],
)
def test_frame_ranges(bpy, make_body, read, start, end, step, count):
    make_body()
    if count is None:
        with pytest.raises(XpbdError, match="E_FRAME_RANGE"):
            read(frame_start=start, frame_end=end, frame_step=step)
    else:
        assert read(frame_start=start, frame_end=end, frame_step=step).scene.frames.count == count


def test_linked_data_is_refused(bpy, make_body, read, tmp_path):
    make_body("Body")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    bpy.ops.wm.read_factory_settings(use_empty=True)
    with bpy.data.libraries.load(str(tmp_path / "library.blend"), link=True) as (_, wanted):
        wanted.objects = ["Body"]
    linked = bpy.data.objects["Body"]
    bpy.context.scene.collection.objects.link(linked)
    with pytest.raises(XpbdError) as caught:
        read()
    assert code_of(caught) == ("E_DATA_LINKED", "Body")
    override = linked.override_create(remap_local_usages=True)
    assert override.override_library
    with pytest.raises(XpbdError, match="E_DATA_LINKED"):
        read()
    override.data.override_create(remap_local_usages=True)
    with pytest.raises(XpbdError, match="E_DATA_LINKED"):
        read()


def test_all_that_is_wrong_with_a_selection_is_told_at_once(bpy, make_body, read, dump, tmp_path):
    make_body("Linked")
    make_body("Overridden")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    bpy.ops.wm.read_factory_settings(use_empty=True)
    with bpy.data.libraries.load(str(tmp_path / "library.blend"), link=True) as (_, wanted):
        wanted.objects = ["Linked", "Overridden"]
    for obj in list(bpy.data.objects):
        bpy.context.scene.collection.objects.link(obj)
    bpy.data.objects["Overridden"].override_create(remap_local_usages=True)
    make_body("Multi", mesh=make_body("Good", location=(1.0, 0.0, 0.0)).data.copy())
    make_body("User", mesh=bpy.data.objects["Multi"].data)
    make_body("Flat", scale=(1.0, 1.0, 0.0))
    make_body("Hollow", role="COLLIDER", mesh=bpy.data.meshes.new("Empty"))
    before = [dump(obj) for obj in bpy.data.objects if obj.library is None]
    with pytest.raises(XpbdError) as caught:
        read()
    assert {(fault.object_name, fault.code) for fault in caught.value.faults} == {
        ("Linked", "E_DATA_LINKED"),
        ("Overridden", "E_DATA_LINKED"),
        ("Multi", "E_DATA_SHARED"),
        ("User", "E_DATA_SHARED"),
        ("Flat", "E_TRANSFORM_SINGULAR"),
        ("Hollow", "E_GEOM_EMPTY"),
    }
    assert len(str(caught.value).splitlines()) == 6
    assert [dump(obj) for obj in bpy.data.objects if obj.library is None] == before


def test_all_unknown_names_are_told(bpy, make_body, read):
    make_body("A")
    with pytest.raises(XpbdError) as caught:
        read(objects=("A", "Nobody", "Nothing"))
    assert [(fault.code, fault.object_name) for fault in caught.value.faults] == [
        ("E_NOTHING", "Nobody"),
        ("E_NOTHING", "Nothing"),
    ]
