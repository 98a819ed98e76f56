# SPDX-License-Identifier: GPL-3.0-or-later
"""What is exported is read back by Blender and is what was simulated, to a millionth of its size."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import numpy as np
import pytest

from blender_xpbd.scene.errors import XpbdError
from tests.addon.export.conftest import FRAMES
from tests.addon.keys.test_shape_key_writer import animated_keys

SIZE = 100.0  # of the scene: how far objects are from the origin
IMPORTERS = {
    ".abc": lambda bpy, path: bpy.ops.wm.alembic_import(filepath=path, as_background_job=False),
    ".usdc": lambda bpy, path: bpy.ops.wm.usd_import(filepath=path),
    ".glb": lambda bpy, path: bpy.ops.import_scene.gltf(filepath=path, merge_vertices=True),
}


@pytest.fixture
def export(bpy, jobs):
    from blender_xpbd.addon.export.export import export as write

    def run(path, objects, **values):
        return write(bpy.context, path, objects, cache=jobs, **values)

    return run


def shown(bpy, obj, frame):
    """World positions that Blender shows, in Blender units."""
    bpy.context.scene.frame_set(frame)
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    points = np.array([vertex.co[:] for vertex in evaluated.data.vertices])
    matrix = np.array(evaluated.matrix_world)
    return points @ matrix[:3, :3].T + matrix[:3, 3]


def assert_same(points, expected, *, is_sorted):
    """Compare vertices one by one, or each with the nearest where a format sorts them anew."""
    if is_sorted:
        np.testing.assert_allclose(points, expected, atol=1e-6 * SIZE)
        return
    distances = np.linalg.norm(points[:, None] - expected[None], axis=-1)
    assert max(distances.min(axis=0).max(), distances.min(axis=1).max()) < 1e-6 * SIZE


@pytest.mark.parametrize("suffix", list(IMPORTERS))
@pytest.mark.parametrize("tolerance", [None, 400.0])
def test_scenes_are_read_back_by_blender(bpy, baked, export, dump, tmp_path, suffix, tolerance):
    """Also where there are fewer keys than frames."""
    if suffix == ".glb":
        if tolerance:
            pytest.skip("morph targets are as exact as keys")
        bpy.ops.preferences.addon_enable(module="io_scene_gltf2")
    objects, positions = baked(key_tolerance=tolerance)
    bpy.context.scene.frame_set(3)
    before = [dump(obj) for obj in objects], sorted(bpy.data.objects.keys())
    path = tmp_path / f"out{suffix}"
    assert export(path, objects) == [path]
    assert ([dump(obj) for obj in objects], sorted(bpy.data.objects.keys())) == before
    assert bpy.context.scene.frame_current == 3
    old = set(bpy.data.objects)
    for obj in old:
        obj.name = f"old {obj.name}"
    IMPORTERS[suffix](bpy, str(path))
    read = {obj.name: obj for obj in bpy.data.objects if obj not in old and obj.type == "MESH"}
    assert set(read) == set(positions)
    for name, frames in positions.items():
        for frame in range(1, FRAMES + 1):
            assert_same(shown(bpy, read[name], frame), frames[frame - 1], is_sorted=suffix != ".glb")


@pytest.mark.parametrize("suffix", list(IMPORTERS))
@pytest.mark.parametrize(
    ("role", "faces", "edges"),
    [("STRAND", [], [(0, 1), (1, 2), (2, 3)]), ("GRAINS", [], []), ("CLOTH", [(0, 1, 2)], [(2, 3)])],
    ids=["strand", "grains", "cloth with a thread"],
)
def test_what_has_no_faces_is_read_back_too(bpy, baked, export, tmp_path, suffix, role, faces, edges):
    """glTF's exporter leaves out loose edges and points unless it is told."""
    bpy.ops.preferences.addon_enable(module="io_scene_gltf2")

    def without_faces(obj):
        mesh = bpy.data.meshes.new("Few")
        mesh.from_pydata([(0.0, 0.0, 0.0), (0.5, 0.0, 0.1), (0.7, 0.4, 0.0), (1.2, 0.3, 0.3)], edges, faces)
        obj.data, obj.xpbd.role = mesh, role

    (obj,), positions = baked(names=("B",), prepare=without_faces)
    path = tmp_path / f"out{suffix}"
    export(path, [obj])
    bpy.data.objects.remove(obj)
    IMPORTERS[suffix](bpy, str(path))
    (read,) = [other for other in bpy.data.objects if other.type == "MESH"]
    for frame in range(1, FRAMES + 1):
        assert_same(shown(bpy, read, frame), positions["B"][frame - 1], is_sorted=suffix != ".glb")


@pytest.mark.parametrize("suffix", [".pc2", ".mdd"])
@pytest.mark.parametrize("step", [1, 3])
def test_point_caches_are_played_by_a_modifier(bpy, baked, export, jobs, tmp_path, suffix, step):
    objects, positions = baked(step=step)
    paths = export(tmp_path / f"out{suffix}", objects, replaces_keys=True)
    assert [path.name for path in paths] == [f"out_{name}{suffix}" for name in "ABC"]
    kept = sorted({*range(1, FRAMES + 1, step), FRAMES})
    for obj, path in zip(objects, paths, strict=True):
        assert obj.data.shape_keys is None
        assert obj.modifiers[0].filepath == str(path)
        for frame in range(1, FRAMES + 1):
            flat = positions[obj.name].reshape(len(kept), -1)
            expected = np.array([np.interp(frame, kept, column) for column in flat.T]).reshape(-1, 3)
            if frame in kept or obj.name != "A":
                np.testing.assert_allclose(shown(bpy, obj, frame), expected, atol=1e-6 * SIZE)


def test_clear_removes_the_modifier(bpy, baked, export, dump, tmp_path):
    from blender_xpbd.addon.keys.clearing import clear_bake

    (obj,), _ = baked(names=("C",))
    obj.modifiers.new("Smooth", "SMOOTH")
    clear_first = obj.copy()
    clear_first.data = obj.data.copy()
    bpy.context.scene.collection.objects.link(clear_first)
    clear_bake(clear_first)
    names = [modifier.name for modifier in clear_first.modifiers]
    export(tmp_path / "out.pc2", [obj], replaces_keys=True)
    assert [modifier.name for modifier in obj.modifiers] == ["XPBD Cache", "Smooth"]
    assert clear_bake(obj)
    assert [modifier.name for modifier in obj.modifiers] == names
    assert obj.xpbd.cache_modifier == ""
    assert not clear_bake(obj)


def test_a_modifier_that_somebody_renamed_or_a_stranger_named_stays(bpy, make_body):
    from blender_xpbd.addon.keys.clearing import clear_bake

    obj = make_body()
    obj.modifiers.new("Smooth", "SMOOTH")
    for name in ("Smooth", "gone"):
        obj.xpbd.cache_modifier = name
        assert not clear_bake(obj)
        assert len(obj.modifiers) == 1


def test_a_blend_file_with_a_modifier_is_small_and_finds_its_file(bpy, baked, export, tmp_path):
    (obj,), positions = baked(names=("C",))
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    export(tmp_path / "out.pc2", [obj], replaces_keys=True)
    assert obj.modifiers[0].filepath == "//out.pc2"
    np.testing.assert_allclose(shown(bpy, obj, 4), positions["C"][3], atol=1e-6 * SIZE)


@pytest.mark.parametrize("step", [1, 4])
def test_arrays_are_positions_in_the_world(bpy, baked, export, tmp_path, step):
    objects, positions = baked(step=step)
    bpy.context.scene.render.fps = 30
    export(tmp_path / "out.npz", objects)
    with np.load(tmp_path / "out.npz", allow_pickle=False) as arrays:
        assert arrays["fps"] == 30.0
        for obj in objects:
            assert arrays[f"{obj.name}/frames"].tolist() == sorted({*range(1, FRAMES + 1, step), FRAMES})
            assert arrays[f"{obj.name}/positions"].dtype == np.float32
            np.testing.assert_allclose(arrays[f"{obj.name}/positions"], positions[obj.name], atol=1e-6 * SIZE)
            assert arrays[f"{obj.name}/face_sizes"].sum() == len(arrays[f"{obj.name}/corners"]) == 64


@pytest.mark.parametrize("suffix", [".abc", ".glb"])
def test_keys_and_curves_of_the_artist_stay(bpy, baked, export, dump, tmp_path, suffix):
    """The baked curves lie in the artist's own action there, which a copy of the object shares."""
    bpy.ops.preferences.addon_enable(module="io_scene_gltf2")
    (obj,), _ = baked(names=("C",), prepare=animated_keys)
    bpy.context.scene.frame_set(3)
    before, shown_before = dump(obj), shown(bpy, obj, 3)
    export(tmp_path / f"out{suffix}", [obj])
    assert dump(obj) == before
    np.testing.assert_array_equal(shown(bpy, obj, 3), shown_before)


def test_only_baked_objects_are_written(bpy, baked, make_body, export, tmp_path):
    objects, _ = baked(names=("C",))
    other = make_body("Other")
    path = tmp_path / "out.ABC"
    export(path, [*objects, other])
    old = set(bpy.data.objects)
    IMPORTERS[".abc"](bpy, str(path))
    assert len([obj for obj in bpy.data.objects if obj not in old and obj.type == "MESH"]) == 1


def test_selection_hiding_and_range_are_as_before(bpy, baked, make_body, select, export, tmp_path):
    objects, _ = baked()
    other = make_body("Other")
    select(other)
    objects[1].hide_set(True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 17, 170
    for suffix in (".abc", ".usdc"):
        export(tmp_path / f"out{suffix}", objects)
        assert bpy.context.selected_objects == [other]
        assert bpy.context.view_layer.objects.active == other
        assert [obj.hide_get() for obj in objects] == [False, True, False]
        assert (scene.frame_start, scene.frame_end) == (17, 170)


def test_a_renamed_object_is_found_in_the_cache(bpy, baked, export, tmp_path):
    objects, positions = baked(names=("B", "C"))
    objects[0].name, objects[1].name = "C2", "B"
    export(tmp_path / "out.npz", objects)
    with np.load(tmp_path / "out.npz") as arrays:
        np.testing.assert_allclose(arrays["C2/positions"], positions["B"], atol=1e-6 * SIZE)
        np.testing.assert_allclose(arrays["B/positions"], positions["C"], atol=1e-6 * SIZE)


def test_what_cannot_be_exported_says_why(bpy, baked, make_body, export, jobs, tmp_path):
    objects, _ = baked(names=("C",))
    for name, values, code in (
        ("out.obj", {}, "E_PARAM"),
        ("out", {}, "E_PARAM"),
        ("out.abc", {"replaces_keys": True}, "E_PARAM"),
        ("missing/out.npz", {}, "E_IO"),
        ("missing/out.pc2", {}, "E_IO"),
    ):
        with pytest.raises(XpbdError, match=code):
            export(tmp_path / name, objects, **values)
    with pytest.raises(XpbdError, match="E_NOTHING"):
        export(tmp_path / "out.npz", [make_body("Unbaked")])
    (tmp_path / "out.npz").write_text("kept")
    next((jobs / "job" / "frames").iterdir()).write_bytes(b"damaged")
    with pytest.raises(XpbdError, match="E_CACHE"):
        export(tmp_path / "out.npz", objects)
    assert (tmp_path / "out.npz").read_text() == "kept"
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []
    next((jobs / "job" / "frames").iterdir()).unlink()
    with pytest.raises(XpbdError, match=r"E_CACHE.*C.*Bake again"):
        export(tmp_path / "out.npz", objects)
    objects[0].data.clear_geometry()
    with pytest.raises(XpbdError, match="E_CACHE_STALE"):
        export(tmp_path / "out.npz", objects)


def test_files_of_several_objects_have_their_names_in_any_script(bpy, baked, export, tmp_path):
    objects, _ = baked()
    for obj, name in zip(objects, ("Ткань", "布:1", "布/1"), strict=True):
        obj.name = name
    paths = export(tmp_path / "out.v2.pc2", objects, replaces_keys=True)
    assert [path.name for path in paths] == ["out.v2_Ткань.pc2", "out.v2_布_1.pc2", "out.v2_布_1_2.pc2"]
    assert sorted(path.name for path in tmp_path.glob("*.pc2")) == sorted(path.name for path in paths)
    assert [obj.modifiers[0].filepath for obj in objects] == list(map(str, paths))


def test_no_two_objects_get_one_file(bpy):
    from blender_xpbd.addon.export.file_names import paths_of_objects

    names = ["a", "A", "a_2", "ä", "a\u0308", "x" * 300, "x" * 200, "CON.", "\n"]
    paths = paths_of_objects(Path("out.mdd"), names)
    assert len({unicodedata.normalize("NFC", str(path).casefold()) for path in paths}) == len(names)
    assert all(len(path.name.encode()) < 255 and path.suffix == ".mdd" for path in paths)


def test_a_blender_without_the_exporter_says_so(bpy, baked, export, tmp_path, monkeypatch):
    from blender_xpbd.addon.export import blender_exporters

    objects, _ = baked(names=("C",))
    monkeypatch.setitem(blender_exporters._OPERATORS, ".abc", ("wm", "no_such_export"))
    with pytest.raises(XpbdError, match=r"E_EXPORT.*cannot write \.abc"):
        export(tmp_path / "out.abc", objects)


def test_a_mesh_that_is_being_edited_is_refused(bpy, baked, export, tmp_path):
    (obj,), _ = baked(names=("C",))
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")
    try:
        with pytest.raises(XpbdError, match="E_MODE_EDIT"):
            export(tmp_path / "out.pc2", [obj], replaces_keys=True)
    finally:
        bpy.ops.object.mode_set(mode="OBJECT")
    assert obj.data.shape_keys is not None


HIDINGS = (
    lambda obj, _: setattr(obj, "hide_select", True),
    lambda obj, _: setattr(obj, "hide_viewport", True),
    lambda obj, _: setattr(obj, "hide_render", True),
    lambda _, collection: setattr(collection, "hide_select", True),
    lambda _, collection: setattr(collection, "hide_viewport", True),
    lambda _, collection: setattr(collection, "hide_render", True),
    lambda obj, _: obj.hide_set(True),
)
HIDING_NAMES = ["select", "viewport", "render", "group_select", "group_viewport", "group_render", "eye"]


@pytest.mark.parametrize("hide", HIDINGS, ids=HIDING_NAMES)
@pytest.mark.parametrize("suffix", list(IMPORTERS))
def test_what_is_hidden_in_any_way_is_written_and_stays_hidden(bpy, baked, export, tmp_path, suffix, hide):
    if suffix == ".glb":
        bpy.ops.preferences.addon_enable(module="io_scene_gltf2")
    (obj,), positions = baked(names=("C",))
    group = bpy.data.collections.new("Group")
    bpy.context.scene.collection.children.link(group)
    group.objects.link(obj)
    bpy.context.scene.collection.objects.unlink(obj)
    hide(obj, group)
    switches = obj.hide_select, obj.hide_viewport, obj.hide_render, obj.hide_get()
    path = tmp_path / f"out{suffix}"
    export(path, [obj])
    assert (obj.hide_select, obj.hide_viewport, obj.hide_render, obj.hide_get()) == switches
    assert list(obj.users_collection) == [group]
    bpy.data.objects.remove(obj)
    IMPORTERS[suffix](bpy, str(path))
    (read,) = [other for other in bpy.data.objects if other.type == "MESH"]
    assert_same(shown(bpy, read, 4), positions["C"][3], is_sorted=suffix != ".glb")


def test_what_cannot_be_selected_is_named(bpy, baked, export, tmp_path):
    (obj,), _ = baked(names=("C",))
    obj.driver_add("hide_viewport").driver.expression = "1"
    bpy.context.view_layer.update()
    with pytest.raises(XpbdError, match=r"E_EXPORT.*\bC\b"):
        export(tmp_path / "out.abc", [obj])
    assert not (tmp_path / "out.abc").exists()


@pytest.mark.parametrize("suffix", [".usdc", ".glb"])
def test_frames_before_the_scenes_first_are_refused(bpy, baked, export, tmp_path, suffix):

    from blender_xpbd.addon.data.bake_record import read_record

    if suffix == ".glb":
        bpy.ops.preferences.addon_enable(module="io_scene_gltf2")
    scene = bpy.context.scene
    (obj,), _ = baked(names=("C",), first=-2)
    assert read_record(obj).start == -2
    before = scene.frame_start, scene.frame_end
    with pytest.raises(XpbdError, match=r"E_EXPORT.*-2"):
        export(tmp_path / f"out{suffix}", [obj])
    assert (scene.frame_start, scene.frame_end) == before
    export(tmp_path / "out.abc", [obj])


@pytest.mark.parametrize("suffix", [".abc", ".usdc", ".glb", ".npz", ".pc2"])
def test_what_was_moved_or_copied_after_the_bake_is_written_where_its_keys_show_it(
    bpy, baked, export, tmp_path, suffix
):
    """One stood still, one moved by itself when it was baked; the unit was another one, too."""
    bpy.ops.preferences.addon_enable(module="io_scene_gltf2")
    (mover, obj), _ = baked(names=("A", "C"))
    twin = obj.copy()
    bpy.context.scene.collection.objects.link(twin)
    twin.data = obj.data.copy()
    twin.name = twin.data.name = "Twin"
    twin.location.x += 4.0
    obj.location.z += 5.0
    obj.scale.x = 2.0
    mover.delta_location.y = 7.0
    objects = [mover, obj, twin]
    expected = {each.name: [shown(bpy, each, frame) for frame in range(1, FRAMES + 1)] for each in objects}
    if suffix in (".pc2", ".npz"):
        bpy.context.scene.unit_settings.scale_length = 0.5
    export(tmp_path / f"out{suffix}", objects, **({"replaces_keys": True} if suffix == ".pc2" else {}))
    if suffix == ".npz":
        with np.load(tmp_path / "out.npz") as arrays:
            for name, frames in expected.items():
                np.testing.assert_allclose(arrays[f"{name}/positions"], 0.5 * np.array(frames), atol=1e-6 * SIZE)
        return
    read = {each.name: each for each in objects}
    if suffix != ".pc2":
        for each in objects:
            each.name = f"old {each.name}"
        IMPORTERS[suffix](bpy, str(tmp_path / f"out{suffix}"))
        read = {name: bpy.data.objects[name] for name in expected}
    for name, frames in expected.items():
        for frame in range(1, FRAMES + 1):
            assert_same(shown(bpy, read[name], frame), frames[frame - 1], is_sorted=suffix != ".glb")


def test_keys_stay_where_the_modifier_could_not_follow(bpy, baked, export, tmp_path, monkeypatch):
    """On Windows a file on another drive has no path relative to the .blend file."""

    def refuse(_path):
        raise ValueError("path is on mount 'D:', start on mount 'C:'")

    objects, positions = baked(names=("B", "C"))
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    monkeypatch.setattr(bpy.path, "relpath", refuse)
    paths = export(tmp_path / "out.pc2", objects, replaces_keys=True)
    assert [obj.modifiers[0].filepath for obj in objects] == list(map(str, paths))
    np.testing.assert_allclose(shown(bpy, objects[1], 4), positions["C"][3], atol=1e-6 * SIZE)


def test_no_keys_are_replaced_where_one_objects_cannot_be(bpy, baked, export, jobs, tmp_path):
    """Here a linked one comes last: what of the others was replaced before would be lost."""
    objects, _ = baked(names=("B", "C"))
    path = str(tmp_path / "scene.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path, copy=True)
    bpy.data.objects.remove(objects[1])
    with bpy.data.libraries.load(path, link=True) as (there, linked):
        linked.objects = [name for name in there.objects if name == "C"]
    bpy.context.scene.collection.objects.link(linked.objects[0])
    with pytest.raises(XpbdError, match="E_DATA_LINKED"):
        export(tmp_path / "out.pc2", [objects[0], linked.objects[0]], replaces_keys=True)
    assert objects[0].data.shape_keys is not None
    assert list(tmp_path.glob("*.pc2")) == []


def test_keys_of_a_shared_mesh_are_replaced_for_all_or_none(bpy, baked, export, tmp_path):
    (obj,), positions = baked(names=("C",))
    twin = obj.copy()
    bpy.context.scene.collection.objects.link(twin)
    twin.name, twin.location.x = "Twin", twin.location.x + 3.0
    with pytest.raises(XpbdError, match=r"E_DATA_SHARED.*Twin"):
        export(tmp_path / "out.pc2", [obj], replaces_keys=True)
    assert obj.data.shape_keys is not None
    export(tmp_path / "out.pc2", [obj, twin], replaces_keys=True)
    for each, offset in ((obj, 0.0), (twin, 3.0)):
        expected = positions["C"][3] + [offset, 0.0, 0.0]
        np.testing.assert_allclose(shown(bpy, each, 4), expected, atol=1e-6 * SIZE)


def test_copies_of_a_shared_mesh_keep_its_name(bpy, baked, export, dump, tmp_path):
    bpy.ops.preferences.addon_enable(module="io_scene_gltf2")
    (obj,), _ = baked(names=("C",))
    obj.data.name = "Shape"
    twin = obj.copy()
    bpy.context.scene.collection.objects.link(twin)
    twin.name = "Twin"
    before = dump(obj)
    export(tmp_path / "out.glb", [obj, twin])
    assert (dump(obj), obj.data.name, twin.name) == (before, "Shape", "Twin")
    content = (tmp_path / "out.glb").read_bytes()
    length = int.from_bytes(content[12:16], "little")
    meshes = json.loads(content[20 : 20 + length])["meshes"]
    assert [mesh["name"] for mesh in meshes] == ["Shape", "Shape.001"]


def test_the_key_tolerance_of_the_call_goes_before_the_scenes(bpy, baked, export, tmp_path):
    bpy.ops.preferences.addon_enable(module="io_scene_gltf2")
    (obj,), _ = baked(names=("C",))
    sizes = []
    for tolerance in (None, 0.0, 1e6):
        export(tmp_path / "out.glb", [obj], key_tolerance=tolerance)
        sizes.append((tmp_path / "out.glb").stat().st_size)
    assert sizes[0] == sizes[1] > sizes[2]


def test_files_before_a_fault_are_told(bpy, baked, export, tmp_path):
    objects, _ = baked(names=("B", "C"))
    (tmp_path / "out_C.pc2").mkdir()
    written = []
    with pytest.raises(XpbdError, match="E_IO"):
        export(tmp_path / "out.pc2", objects, written=written)
    assert written == [tmp_path / "out_B.pc2"]


@pytest.mark.parametrize("suffix", [".pc2", ".npz"])
def test_motion_of_own_keys_that_the_file_lacks_is_told(bpy, baked, export, tmp_path, suffix):
    (obj, other), _ = baked(names=("B", "C"), prepare=lambda obj: animated_keys(obj) if obj.name == "C" else None)
    notices = []
    export(tmp_path / f"out{suffix}", [obj, other], warn=notices.append)
    assert [(notice.code, notice.object_name) for notice in notices] == [("W_OWN_KEYS", "C")]
    assert "Smile" in notices[0].message


def own_smile(obj):
    """An own key that is half shown, on a basis."""
    obj.shape_key_add(name="Basis")
    block = obj.shape_key_add(name="Smile")
    for point in block.points:
        point.co.z += 0.3 * point.co.x
    block.value = 0.5
    obj.xpbd.key_style = "RELATIVE"


@pytest.mark.parametrize("is_blended", [False, True])
@pytest.mark.parametrize("change", ["value", "shape", "nothing"])
def test_own_keys_that_were_changed_since_the_bake_are_told(bpy, baked, export, tmp_path, change, is_blended):
    """Also where no key has the shape of a frame, as where keys are blends."""
    from blender_xpbd.addon.data.bake_record import read_record

    objects, _ = baked(names=("A", "B"), prepare=own_smile)
    record, blocks = read_record(objects[1]), objects[1].data.shape_keys.key_blocks
    for frame in record.frames() if is_blended else ():
        blocks[record.key_name(frame)].name = record.blend_name(frame)
    smile = objects[1].data.shape_keys.key_blocks["Smile"]
    if change == "value":
        smile.value = 0.6
    elif change == "shape":
        smile.points[7].co.z += 0.1
    notices = []
    export(tmp_path / "out.pc2", objects, replaces_keys=True, warn=notices.append)
    expected = [] if change == "nothing" else [("W_OWN_KEYS", "B")]
    assert [(notice.code, notice.object_name) for notice in notices] == expected
    assert all("since the bake" in notice.message for notice in notices)
