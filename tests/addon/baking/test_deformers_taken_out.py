# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes of objects with a rig: what is shown with all modifiers live is what was simulated."""

import numpy as np
import pytest

from blender_xpbd.scene.errors import XpbdError
from tests.addon.deformers import animate, armature

END = 6


@pytest.fixture
def rigged(bpy, make_body):
    """A cloth of which a bone carries a part, softly."""
    obj = make_body()
    rig = armature(bpy)
    group = obj.vertex_groups.new(name="Bone")
    for vertex in obj.data.vertices:
        group.add([vertex.index], 0.5 + 0.5 * vertex.co.x, "REPLACE")
    obj.modifiers.new("Armature", "ARMATURE").object = rig
    bone = rig.pose.bones["Bone"]
    bone.rotation_mode = "XYZ"
    animate(bone, "location", {1: (0.1, 0, 0), END: (0, 1, 0)})
    animate(bone, "rotation_euler", {1: (0, 0.2, 0), END: (0.8, 0, 0.5)})
    obj.xpbd.goal_source = "DEFORMED"
    return obj


@pytest.fixture
def bake(bpy, fake_worker, tmp_path):
    """Bakes with a worker that writes the waves of fake_worker.py as frames."""
    from blender_xpbd.addon.baking.bake import run_bake
    from blender_xpbd.addon.data.bake_options import BakeOptions

    def run(**values):
        values = {"frame_start": 1, "frame_end": END, "cache": tmp_path, **values}
        return run_bake(bpy.context, BakeOptions(**values))

    return run


@pytest.fixture
def off(bpy, tmp_path):
    """How far an object's evaluated mesh is from its frames at most, as a share of its size."""
    from blender_xpbd.addon.export.baked_object import baked_objects

    def measure(obj):
        (baked,) = baked_objects(bpy.context.scene, [obj], tmp_path)
        worst = 0.0
        for frame in baked.record.frames():
            bpy.context.scene.frame_set(frame)
            evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
            local = np.array([vertex.co[:] for vertex in evaluated.data.vertices])
            matrix, expected = np.array(evaluated.matrix_world), baked.positions(frame)
            world = local[: len(expected)] @ matrix[:3, :3].T + matrix[:3, 3]
            worst = max(worst, float(np.abs(world - expected).max() / np.ptp(expected, axis=0).max()))
        return worst

    return measure


def add_lattice(bpy, obj):
    lattice = bpy.data.objects.new("Lattice", bpy.data.lattices.new("Lattice"))
    bpy.context.scene.collection.objects.link(lattice)
    lattice.scale = (3.0, 3.0, 3.0)
    lattice.data.points_u = lattice.data.points_v = 3
    for number, point in enumerate(lattice.data.points):
        point.co_deform = np.array(point.co_deform) + 0.05 * np.sin(number + np.arange(3))
    obj.modifiers.new("Lattice", "LATTICE").object = lattice


def add_lattice_parent(bpy, obj):
    add_lattice(bpy, obj)
    lattice = obj.modifiers["Lattice"].object
    obj.modifiers.clear()
    obj.parent, obj.parent_type = lattice, "LATTICE"
    lattice.shape_key_add(name="Basis")
    key = lattice.shape_key_add(name="Bend")
    key.data[0].co.x += 1.0
    animate(key, "value", {1: 0.0, END: 1.0})


def add_hook(bpy, obj):
    handle = bpy.data.objects.new("Handle", None)
    bpy.context.scene.collection.objects.link(handle)
    hook = obj.modifiers.new("Hook", "HOOK")
    hook.object = handle
    hook.vertex_indices_set([0, 1, 2])
    animate(handle, "location", {1: (0, 0, 0), END: (0, 1, 0)})


def add_bend(_bpy, obj):
    bend = obj.modifiers.new("Bend", "SIMPLE_DEFORM")
    bend.deform_method, bend.angle, bend.deform_axis = "BEND", 0.8, "Z"


def add_smooth(_bpy, obj):
    obj.modifiers.new("Smooth", "SMOOTH").iterations = 2


def add_key(_bpy, obj):
    obj.shape_key_add(name="Basis")
    key = obj.shape_key_add(name="Wide")
    for point in key.points:
        point.co.x *= 1.5
    animate(key, "value", {1: 0.0, END: 1.0})


def add_nothing(_bpy, _obj):
    pass


@pytest.mark.parametrize("change", [add_nothing, add_lattice, add_hook, add_bend, add_smooth, add_key])
def test_what_is_shown_is_what_was_simulated(bpy, rigged, bake, off, change):
    change(bpy, rigged)
    summary = bake()
    assert not [text for text in summary.warnings if "W_DEFORMER" in text]
    assert off(rigged) < 1e-5


def test_a_lattice_that_is_a_parent_is_followed_and_what_blender_shows_late_is_told(bpy, rigged, bake, off):
    """The keys are right at each frame; Blender plays the lattice of the frame before."""
    add_lattice_parent(bpy, rigged)
    told = [text for text in bake().warnings if text.startswith("W_DEFORMER")]
    assert len(told) == 1
    assert "frame late" in told[0]
    assert "Lattice or Armature modifier" in told[0]
    assert bpy.ops.xpbd.mute_deformers(object_name=rigged.name) == {"CANCELLED"}, "there is no modifier"

    def evaluate_again(*_):
        rigged.data.update_tag()
        bpy.context.view_layer.update()

    bpy.app.handlers.frame_change_post.append(evaluate_again)
    try:
        assert off(rigged) < 1e-5
    finally:
        bpy.app.handlers.frame_change_post.remove(evaluate_again)
    # as the advice says
    rigged.parent_type = "OBJECT"
    rigged.modifiers.new("Lattice", "LATTICE").object = rigged.parent
    assert not [text for text in bake().warnings if text.startswith("W_DEFORMER")]
    assert off(rigged) < 1e-5


def test_without_the_deformed_mesh_as_goal_the_rig_moves_the_result_as_it_always_did(rigged, bake, off):
    rigged.xpbd.goal_source = "NONE"
    bake()
    assert off(rigged) > 0.1


def test_modifiers_that_change_the_vertices_come_on_top(rigged, bake, off):
    rigged.modifiers.new("Solidify", "SOLIDIFY").offset = -1.0
    bake()
    assert off(rigged) < 1e-5


def test_nothing_is_left_of_what_it_takes(bpy, rigged, bake, dump):
    add_key(bpy, rigged)
    bpy.context.scene.frame_set(1)
    before, objects = dump(rigged), sorted(obj.name for obj in bpy.data.objects)
    bake()
    assert sorted(obj.name for obj in bpy.data.objects) == objects
    from blender_xpbd.addon.keys.clearing import clear_bake

    clear_bake(rigged)
    assert dump(rigged) == before
    assert [keys.name for keys in bpy.data.shape_keys if keys.user is None] == []


def add_surface_deform(bpy, obj, make_body):
    target = make_body("Target", role="NONE", location=(0.0, 0.0, -0.2))
    obj.modifiers.new("Surface", "SURFACE_DEFORM").target = target
    with bpy.context.temp_override(object=obj, active_object=obj):
        bpy.ops.object.surfacedeform_bind(modifier="Surface")


def test_what_cannot_be_taken_out_is_told_before_and_after(bpy, rigged, bake, make_body):
    from blender_xpbd.addon.checking.check_scene import check_scene
    from blender_xpbd.addon.data.bake_options import BakeOptions

    add_surface_deform(bpy, rigged, make_body)
    told = [one for one in check_scene(bpy.context, BakeOptions()) if one.code == "W_DEFORMER"]
    assert [(one.object, one.remedy.label) for one in told] == [("Body", "Mute")]
    assert '"Surface"' in told[0].message
    assert sum("W_DEFORMER" in text for text in bake().warnings) == 1


def test_muted_deformers_are_off_while_baked_and_on_again_after_clear(bpy, rigged, bake, off, make_body):
    from blender_xpbd.addon.keys.clearing import clear_bake

    add_surface_deform(bpy, rigged, make_body)
    rigged.modifiers["Surface"].show_render = False
    rigged.xpbd.mute_deformers = True
    summary = bake()
    assert not [text for text in summary.warnings if "W_DEFORMER" in text]
    assert off(rigged) < 1e-6
    shown = [(modifier.show_viewport, modifier.show_render) for modifier in rigged.modifiers]
    assert shown == [(False, False), (False, False)]
    first = [bpy.data.objects["Body"].data.shape_keys.key_blocks[-1].points[3].co[:]]
    bake()
    assert [bpy.data.objects["Body"].data.shape_keys.key_blocks[-1].points[3].co[:]] == first
    clear_bake(rigged)
    shown = [(modifier.show_viewport, modifier.show_render) for modifier in rigged.modifiers]
    assert shown == [(True, True), (True, False)]


def test_fewer_keys_reproduce_what_was_simulated_too(rigged, bake, off):
    summary = bake(key_tolerance=1.0)
    assert summary.complete
    assert off(rigged) < 1e-3


def test_a_cancel_leaves_neither_copies_nor_another_frame(bpy, rigged, fake_worker, tmp_path):
    from blender_xpbd.addon.baking.bake import bake as start
    from blender_xpbd.addon.data.bake_options import BakeOptions

    bpy.context.scene.frame_set(3)
    for steps in (2, 4):
        running = start(bpy.context, BakeOptions(frame_start=1, frame_end=END, cache=tmp_path))
        for _ in range(steps):
            next(running)
        running.close()
        assert not [obj for obj in bpy.data.objects if "Probe" in obj.name]
        assert bpy.context.scene.frame_current == 3


def test_a_modifier_that_changes_vertices_before_a_deformer_is_refused(rigged, bake):
    rigged.modifiers.new("Array", "ARRAY")
    rigged.modifiers.move(1, 0)
    with pytest.raises(XpbdError, match="E_MODIFIER_TOPOLOGY"):
        bake()


def test_a_file_is_played_after_the_deformers(bpy, rigged, bake, tmp_path):
    from blender_xpbd.addon.export.baked_object import baked_objects
    from blender_xpbd.addon.export.export import export

    bake()
    (baked,) = baked_objects(bpy.context.scene, [rigged], tmp_path)
    expected = baked.positions(END)
    export(bpy.context, tmp_path / "Body.pc2", [rigged], cache=tmp_path, replaces_keys=True)
    assert rigged.data.shape_keys is None
    bpy.context.scene.frame_set(END)
    evaluated = rigged.evaluated_get(bpy.context.evaluated_depsgraph_get())
    world = np.array([(evaluated.matrix_world @ vertex.co)[:] for vertex in evaluated.data.vertices])
    np.testing.assert_allclose(world, expected, atol=1e-4)


def keyed(obj):
    """Coordinates of the keys of a bake, shape (keys, vertices, 3)."""
    blocks = obj.data.shape_keys.key_blocks[1:]
    return np.array([[point.co[:] for point in block.data] for block in blocks])


@pytest.fixture
def played(bpy, monkeypatch):
    """The frames that the artist's scene is played at while deformers are taken out."""
    from blender_xpbd.addon.deformers.played_scene import ArtistScene

    frames, play = [], ArtistScene.play

    def note(scene, frame):
        frames.append(frame)
        return play(scene, frame)

    monkeypatch.setattr(ArtistScene, "play", note)
    return frames


@pytest.mark.parametrize("change", [add_nothing, add_lattice, add_hook, add_smooth, add_key])
def test_the_artist_s_scene_is_not_played_and_keys_are_as_if_it_were(bpy, rigged, bake, played, monkeypatch, change):
    from blender_xpbd.addon.baking import deformer_pass

    change(bpy, rigged)
    bake()
    assert not played
    own = keyed(rigged)
    monkeypatch.setattr(deformer_pass, "_own_scene", lambda _writers: None)
    bake()
    assert played == [*range(1, END + 1)]
    assert np.array_equal(keyed(rigged), own)


def test_the_artist_s_scene_is_played_where_a_driver_asks_for_it(bpy, rigged, bake, played, off):
    bpy.context.scene["lean"] = 0.4
    bone = rigged.modifiers["Armature"].object.pose.bones["Bone"]
    driver = bone.driver_add("scale", 1).driver
    variable = driver.variables.new()
    variable.name, variable.type = "lean", "CONTEXT_PROP"
    variable.targets[0].context_property, variable.targets[0].data_path = "ACTIVE_SCENE", '["lean"]'
    driver.expression = "1 + lean"
    bake()
    assert played == [*range(1, END + 1)]
    assert len(bpy.data.scenes) == 1
    assert off(rigged) < 1e-5


@pytest.mark.parametrize("handlers", ["frame_change_post", "depsgraph_update_post"])
def test_the_artist_s_scene_is_played_where_a_script_watches(bpy, rigged, bake, played, handlers):
    def watch(_scene, _depsgraph=None):
        pass

    watched = getattr(bpy.app.handlers, handlers)
    watched.append(watch)
    try:
        bake()
    finally:
        watched.remove(watch)
    assert played == [*range(1, END + 1)]


def test_a_scene_that_an_undo_has_brought_back_goes_with_the_next_bake(bpy, rigged, bake):
    from blender_xpbd.addon.deformers.played_scene import OwnScene

    OwnScene()
    assert len(bpy.data.scenes) == 2
    bake()
    assert len(bpy.data.scenes) == 1


def test_the_rig_stays_where_the_artist_s_frame_has_it(bpy, rigged, bake):
    """What plays a rig in another scene writes its values to the rig itself, of which there is one."""
    bone = rigged.modifiers["Armature"].object.pose.bones["Bone"]
    bpy.context.scene.frame_set(3, subframe=0.5)
    before = [*bone.location, *bone.rotation_euler]
    bake()
    assert (bpy.context.scene.frame_current, bpy.context.scene.frame_subframe) == (3, 0.5)
    np.testing.assert_allclose([*bone.location, *bone.rotation_euler], before, atol=1e-6)


def test_the_rig_is_where_the_artist_has_it_between_the_steps_and_after_a_cancel(bpy, rigged, bake, monkeypatch):
    from blender_xpbd.addon.baking import deformer_pass

    bone = rigged.modifiers["Armature"].object.pose.bones["Bone"]
    steps, found = deformer_pass.take_deformers_out, []

    def watched(*arguments):
        taking_out = steps(*arguments)
        for _ in range(3):
            next(taking_out)
            found.append([*bone.location])
            yield
        taking_out.close()
        return ()

    monkeypatch.setattr("blender_xpbd.addon.baking.bake_output.take_deformers_out", watched)
    bpy.context.scene.frame_set(2)
    before = [*bone.location]
    bake()
    np.testing.assert_allclose(found, [before] * 3, atol=1e-6)
    np.testing.assert_allclose([*bone.location], before, atol=1e-6)


def test_the_artist_s_scene_is_played_where_another_has_other_vertices(bpy, rigged, bake, played, monkeypatch):
    from blender_xpbd.addon.baking.deformer_pass import _Body
    from blender_xpbd.addon.deformers.probe import Probe
    from blender_xpbd.scene.errors import XpbdError

    watch, shape = _Body.watch, Probe.shape

    def watch_other(body, scene, obj):
        watch(body, scene, obj)
        body._as_read.is_other = True

    def other_shape(probe, depsgraph):
        if getattr(probe, "is_other", False):
            raise XpbdError("E_MODIFIER_TOPOLOGY", "Other vertices.")
        return shape(probe, depsgraph)

    monkeypatch.setattr(_Body, "watch", watch_other)
    monkeypatch.setattr(Probe, "shape", other_shape)
    bake()
    assert played == [*range(1, END + 1)]


def test_a_scene_of_copies_that_a_file_has_kept_goes_when_it_is_opened(bpy, rigged, tmp_path):
    from blender_xpbd.addon.deformers.played_scene import OwnScene

    OwnScene()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "kept.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "kept.blend"))
    assert len(bpy.data.scenes) == 1
