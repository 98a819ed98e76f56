# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes of strands: what meshes of edges, curves and hair show, and how it is taken back."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.addon.strands import make_curve, make_hair, make_line, shown

LAST = 5


@pytest.fixture
def bake(bpy, fake_worker, tmp_path):
    """A function that bakes five frames of free fall; it answers the summary."""
    from blender_xpbd.addon.bake import run_bake
    from blender_xpbd.addon.data.bake_options import BakeOptions

    def run(**values):
        options = {"frame_start": 1, "frame_end": LAST, "substeps": 2, "cache": tmp_path / "cache", **values}
        return run_bake(bpy.context, BakeOptions(**options))

    return run


def fallen(bpy, frame=LAST):
    """How far a body has fallen at a frame, with two substeps per frame [m]."""
    scene = bpy.context.scene
    h = scene.render.fps_base / scene.render.fps / 2
    substeps = 2 * (frame - 1)
    return scene.gravity[2] * h * h * substeps * (substeps + 1) / 2


def down(height):
    return np.array((0.0, 0.0, height))


def names_of_data(bpy):
    kinds = ("objects", "meshes", "curves", "hair_curves", "node_groups", "actions", "shape_keys")
    return {kind: sorted(block.name for block in getattr(bpy.data, kind)) for kind in kinds}


def test_a_mesh_of_edges_gets_shape_keys(bpy, bake):
    line = make_line()
    summary = bake()
    assert summary.complete
    bpy.context.scene.frame_set(LAST)
    np.testing.assert_allclose(shown(line)[:, 2], fallen(bpy), atol=1e-6)
    assert bpy.ops.xpbd.clear(all=True) == {"FINISHED"}
    assert line.data.shape_keys is None


@pytest.mark.parametrize("style", ["ABSOLUTE", "RELATIVE"])
def test_control_points_and_handles_of_a_curve_follow(bpy, bake, style):
    curve = make_curve()
    before = names_of_data(bpy)
    curve.rotation_euler = (0.3, 0.0, 0.5)
    curve.xpbd.key_style = style
    bake()
    bpy.context.scene.frame_set(LAST)
    matrix = np.array(curve.matrix_world)
    rest, last = (curve.data.shape_keys.key_blocks[name] for name in ("Basis", f"XPBD {LAST:04d}"))
    for name in ("co", "handle_left", "handle_right"):
        for at_rest, now in zip(rest.data, last.data, strict=True):
            if hasattr(now, name):
                change = matrix[:3, :3] @ (np.array(getattr(now, name)) - np.array(getattr(at_rest, name)))
                np.testing.assert_allclose(change, (0.0, 0.0, fallen(bpy)), atol=1e-6)
    mesh = curve.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    heights = [(matrix @ np.array((*vertex.co, 1.0)))[2] for vertex in mesh.vertices]
    assert max(heights) < 0.1 + fallen(bpy) + 0.2
    assert bpy.ops.xpbd.clear(all=True) == {"FINISHED"}
    assert names_of_data(bpy) == before


def test_handles_turn_with_the_curve(bpy):
    from blender_xpbd.addon.keys.curve_keys import BezierHandles
    from blender_xpbd.addon.reading.points import read_handles, read_points

    curve = make_curve(("BEZIER",)).data
    turn = np.array(((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)))
    left, right = BezierHandles(curve).at(2.0 * read_points(curve) @ turn.T)
    for handle, rest in zip((left, right), read_handles(curve), strict=True):
        np.testing.assert_allclose(handle, 2.0 * rest @ turn.T, atol=1e-6)


def test_hair_plays_its_bake_also_from_a_file(bpy, bake, tmp_path):
    hair = make_hair()
    hair.xpbd.pinned_ends = "NONE"
    hair.location, hair.scale = (1.0, 2.0, 3.0), (2.0, 2.0, 2.0)
    rest = shown(hair)
    bake()
    for frame in (1, 3, LAST):
        bpy.context.scene.frame_set(frame)
        np.testing.assert_allclose(shown(hair), rest + down(fallen(bpy, frame)), atol=1e-5)
    assert len(bpy.context.scene.objects) == 1
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "hair.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "hair.blend"))
    bpy.ops.outliner.orphans_purge(do_recursive=True)
    bpy.context.scene.frame_set(3)
    np.testing.assert_allclose(shown(bpy.data.objects["Hair"]), rest + down(fallen(bpy, 3)), atol=1e-5)


def test_hair_is_taken_back_exactly(bpy, bake):
    hair = make_hair()
    hair.modifiers.new("Mine", "NODES")
    before, rest = names_of_data(bpy), shown(hair)
    bake()
    bake()
    assert [modifier.name for modifier in hair.modifiers] == ["XPBD", "Mine"]
    assert hair.modifiers.active.name == "Mine"
    assert bpy.ops.xpbd.clear(all=True) == {"FINISHED"}
    assert names_of_data(bpy) == before
    assert [modifier.name for modifier in hair.modifiers] == ["Mine"]
    assert hair.xpbd.bake_record == ""
    np.testing.assert_array_equal(shown(hair), rest)


def test_a_copy_of_baked_hair_keeps_what_it_plays(bpy, bake):
    hair = make_hair()
    hair.xpbd.pinned_ends = "NONE"
    bake()
    copy = hair.copy()
    bpy.context.scene.collection.objects.link(copy)
    bpy.context.scene.frame_set(LAST)
    there = shown(copy)
    from blender_xpbd.addon.keys.clearing import clear_bake

    assert clear_bake(hair)
    np.testing.assert_array_equal(shown(copy), there)
    assert clear_bake(copy)
    assert [len(blocks) for blocks in (bpy.data.meshes, bpy.data.node_groups, bpy.data.actions)] == [0, 0, 0]


def test_a_bake_of_hair_that_is_cancelled_leaves_frames_that_play(bpy, fake_worker, tmp_path):
    from blender_xpbd.addon.bake import run_bake
    from blender_xpbd.addon.data.bake_options import BakeOptions
    from blender_xpbd.scene.errors import XpbdError

    hair = make_hair()
    hair.xpbd.pinned_ends = "NONE"
    rest = shown(hair)
    fake_worker(seconds=0.05)
    options = BakeOptions(frame_start=1, frame_end=200, substeps=2, cache=tmp_path / "cache")
    with pytest.raises(XpbdError, match="E_INTERRUPTED"):
        run_bake(bpy.context, options, should_stop=lambda: hair.xpbd.bake_record != "" and len(bpy.data.actions) == 0)
    bpy.context.scene.frame_set(1)
    np.testing.assert_allclose(shown(hair), rest, atol=1e-5)
    assert bpy.ops.xpbd.clear(all=True) == {"FINISHED"}
    assert len(bpy.data.meshes) == len(bpy.data.node_groups) == 0


def test_an_undo_takes_a_bake_of_hair_back(bpy, bake, tmp_path):
    make_hair()
    before = names_of_data(bpy)
    bpy.ops.ed.undo_push(message="before")
    bake()
    bpy.ops.ed.undo_push(message="bake")
    bpy.ops.ed.undo()
    assert names_of_data(bpy) == before
    bpy.ops.ed.redo()
    bpy.context.scene.frame_set(LAST)
    assert np.isfinite(shown(bpy.data.objects["Hair"])).all()
    assert bpy.ops.xpbd.clear(all=True) == {"FINISHED"}


def test_fewer_keys_reproduce_strands(bpy, bake):
    objects = [make_line(), make_curve(), make_hair()]
    objects[2].xpbd.pinned_ends = "NONE"
    rests = [shown(objects[0]), None, shown(objects[2])]
    summary = bake(key_tolerance=1.0)
    assert summary.keys < 3 * LAST
    for frame in (2, 4):
        bpy.context.scene.frame_set(frame)
        for obj, rest in zip(objects, rests, strict=True):
            if rest is not None:
                np.testing.assert_allclose(shown(obj), rest + down(fallen(bpy, frame)), atol=1.1e-3)


def test_points_that_are_edited_during_a_bake_are_not_overwritten(bpy, bake):
    from blender_xpbd.scene.errors import XpbdError

    hair = make_hair()
    from blender_xpbd.addon.bake import run_bake
    from blender_xpbd.addon.data.bake_options import BakeOptions

    def edit(progress):
        if len(hair.data.curves) == 2 and hair.xpbd.bake_record:
            hair.data.add_curves([5])

    with pytest.raises(XpbdError, match="E_CACHE_STALE"):
        run_bake(bpy.context, BakeOptions(frame_start=1, frame_end=60, per_frame=False), on_progress=edit)
    assert hair.xpbd.bake_record == ""
    assert len(hair.modifiers) == len(bpy.data.node_groups) == 0


def test_only_npz_holds_curves_and_hair(bpy, bake, tmp_path):
    make_curve()
    make_hair()
    line = make_line()
    bake()
    assert bpy.ops.xpbd.export(filepath=str(tmp_path / "all.npz"), file_format=".npz") == {"FINISHED"}
    with np.load(tmp_path / "all.npz") as arrays:
        assert arrays["Hair/positions"].shape == (LAST, 7, 3)
        assert arrays["Curve/edges"].shape == (12, 2)
        assert arrays["Line/edges"].tolist() == [[0, 1], [1, 2], [2, 3], [3, 4]]
    with pytest.raises(RuntimeError, match=r"only NPZ holds it.*E_EXPORT"):
        bpy.ops.xpbd.export(filepath=str(tmp_path / "all.pc2"))
    for obj in bpy.context.scene.objects:
        obj.select_set(obj == line)
    assert bpy.ops.xpbd.export(filepath=str(tmp_path / "line.pc2")) == {"FINISHED"}


def test_headless_with_a_summary(bpy, fake_worker, tmp_path, capfd):
    from blender_xpbd.addon import command_line

    make_curve()
    make_hair()
    assert command_line.main(["--cache", str(tmp_path / "cache"), "--frames", "1", "3", "--json"]) == 0
    summary = json.loads(capfd.readouterr()[0].splitlines()[-1])
    assert summary["objects"] == ["Curve", "Hair"]
    assert summary["vertices"] == 22
