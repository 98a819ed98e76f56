# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes that are edited while they are baked: no key of one topology on another, and every object is told."""

from __future__ import annotations

import json
import time
from contextlib import contextmanager
from types import SimpleNamespace

import numpy as np
import pytest

from blender_xpbd.scene.errors import XpbdError


@contextmanager
def bmesh_of(mesh):
    """A mesh as BMesh, written back in the end."""
    import bmesh  # comes with bpy

    edited = bmesh.new()
    edited.from_mesh(mesh)
    yield edited
    edited.to_mesh(mesh)
    edited.free()


def scrambled(mesh):
    """Another order of the vertices: their number and the polygons' stay."""
    with bmesh_of(mesh) as edited:
        for vertex in edited.verts:
            vertex.index = 7 * vertex.index % len(edited.verts)
        edited.verts.sort()


def flipped(mesh):
    """The first polygon seen from behind, in a mesh made anew."""
    points = [vertex.co[:] for vertex in mesh.vertices]
    faces = [tuple(polygon.vertices) for polygon in mesh.polygons]
    mesh.clear_geometry()
    mesh.from_pydata(points, [], [faces[0][::-1], *faces[1:]])


def rewired(mesh):
    """Two corners changed in place, of which Blender learns nothing."""
    first, second = mesh.loops[0].vertex_index, mesh.loops[1].vertex_index
    mesh.loops[0].vertex_index, mesh.loops[1].vertex_index = second, first


def joined(mesh):
    """Two quads become one polygon of six corners: as many vertices."""
    import bmesh

    with bmesh_of(mesh) as edited:
        inner = next(edge for edge in edited.edges if len(edge.link_faces) == 2)
        bmesh.ops.dissolve_edges(edited, edges=[inner], use_verts=False)


def added(mesh):
    """One vertex more, of no polygon."""
    mesh.vertices.add(1)


EDITS = [scrambled, flipped, rewired, joined, added]


@pytest.mark.parametrize("edit", EDITS)
def test_every_edit_of_the_topology_is_seen(bpy, make_body, edit):
    from blender_xpbd.addon.keys.topology_watch import TopologyWatch
    from blender_xpbd.addon.reading.points import topology_of

    mesh = make_body().data
    watch = TopologyWatch(topology_of(mesh))
    assert watch.matches(mesh)
    edit(mesh)
    assert not watch.matches(mesh)


def test_moves_and_another_order_of_edges_are_no_edits_of_the_topology(bpy, make_body):
    from blender_xpbd.addon.keys.topology_watch import TopologyWatch
    from blender_xpbd.addon.reading.points import topology_of

    mesh = make_body().data
    watch = TopologyWatch(topology_of(mesh))
    mesh.vertices[3].co = (1.0, 2.0, 3.0)
    assert watch.matches(mesh)
    with bmesh_of(mesh) as edited:
        for edge in edited.edges:
            edge.index = len(edited.edges) - edge.index
        edited.edges.sort()
    assert watch.matches(mesh)
    assert watch.matches(mesh)


def test_an_unchanged_mesh_is_not_hashed_again(bpy, make_body, monkeypatch):
    from blender_xpbd.addon.keys import topology_watch

    mesh = make_body().data
    hashed = []

    def digest(mesh):
        hashed.append(mesh)
        return "digest"

    monkeypatch.setattr(topology_watch, "topology_of", digest)
    watch = topology_watch.TopologyWatch("digest")
    for _ in range(5):
        assert watch.matches(mesh)
    assert hashed == [mesh]


@pytest.fixture
def baking(bpy, make_body, fake_worker, tmp_path):
    """A bake of A, which is to be edited, and B, with six frames of twenty done."""
    from blender_xpbd.addon.baking.bake import bake
    from blender_xpbd.addon.data.bake_options import BakeOptions

    def start(style="AUTO"):
        body, other = make_body("A"), make_body("B", location=(0, 0, 5))
        body.xpbd.key_style = style
        fake_worker(seconds=0.01)
        steps = bake(bpy.context, BakeOptions(cache=tmp_path / "cache", frame_start=1, frame_end=20, substeps=2))
        for progress in steps:
            time.sleep(0.005)
            if progress.frame is not None and progress.frame >= 6:
                break
        return SimpleNamespace(body=body, other=other, steps=steps)

    return start


def exhaust(steps):
    for _ in steps:
        time.sleep(0.005)


def assert_told_and_taken_back(bpy, baking):
    """A has no key of the bake and the polygons of the edit; B has all; the report names A and what became of it."""
    with pytest.raises(XpbdError, match="Bake again") as caught:
        exhaust(baking.steps)
    assert (caught.value.code, caught.value.object_name) == ("E_CACHE_STALE", "A")
    report = json.loads(bpy.context.scene.xpbd.report)
    assert report["error"] == str(caught.value)
    assert not report["complete"]
    assert len(baking.other.data.shape_keys.key_blocks) == 21
    assert baking.body.data.shape_keys is None
    assert baking.body.xpbd.bake_record == ""
    assert len(bpy.data.actions) == 1


@pytest.mark.parametrize("style", ["ABSOLUTE", "RELATIVE"])
@pytest.mark.parametrize("edit", EDITS)
def test_a_script_edits_the_mesh_during_its_bake(bpy, baking, edit, style):
    running = baking(style)
    edit(running.body.data)
    edges = [edge.vertices[:] for edge in running.body.data.edges]
    assert_told_and_taken_back(bpy, running)
    assert [edge.vertices[:] for edge in running.body.data.edges] == edges


def sort_in_edit_mode(bpy):
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.sort_elements(type="RANDOMIZE", elements={"VERT"}, seed=5)


def test_edit_mode_changes_the_topology_during_a_bake(bpy, baking):
    running = baking()
    bpy.context.view_layer.objects.active = running.body
    bpy.ops.object.mode_set(mode="EDIT")
    for _ in range(5):
        next(running.steps)
    sort_in_edit_mode(bpy)
    for progress in running.steps:
        time.sleep(0.005)
        if progress.stage == "WAITING":
            break
    bpy.ops.object.mode_set(mode="OBJECT")
    assert_told_and_taken_back(bpy, running)


def test_edit_mode_begins_and_ends_between_two_steps(bpy, baking):
    running = baking()
    bpy.context.view_layer.objects.active = running.body
    bpy.ops.object.mode_set(mode="EDIT")
    sort_in_edit_mode(bpy)
    bpy.ops.object.mode_set(mode="OBJECT")
    assert_told_and_taken_back(bpy, running)


def test_an_edit_after_the_last_key(bpy, baking, monkeypatch):
    from blender_xpbd.addon.baking import bake_output

    finish = bake_output.BakeOutput.finish

    def edit_first(output):
        scrambled(running.body.data)
        finish(output)

    running = baking()
    monkeypatch.setattr(bake_output.BakeOutput, "finish", edit_first)
    assert_told_and_taken_back(bpy, running)


def test_an_edit_before_a_cancel_is_told_too(bpy, baking):
    running = baking()
    scrambled(running.body.data)
    running.steps.close()
    assert json.loads(bpy.context.scene.xpbd.report)["error"].startswith('E_CACHE_STALE: object "A"')
    assert running.body.data.shape_keys is None
    assert len(running.other.data.shape_keys.key_blocks) >= 7


def test_the_artists_own_keys_outlive_an_edit(bpy, make_body, fake_worker, tmp_path):
    from blender_xpbd.addon.baking.bake import bake
    from blender_xpbd.addon.data.bake_options import BakeOptions

    body = make_body("A")
    body.shape_key_add(name="Basis")
    body.shape_key_add(name="Smile").value = 0.25
    body.data.shape_keys.key_blocks["Smile"].points[0].co.z = 2.0
    fake_worker(seconds=0.01)
    steps = bake(bpy.context, BakeOptions(cache=tmp_path / "cache", frame_start=1, frame_end=20, substeps=2))
    for progress in steps:
        if progress.frame is not None and progress.frame >= 3:
            break
    scrambled(body.data)
    smile = np.array([point.co[:] for point in body.data.shape_keys.key_blocks["Smile"].points])
    with pytest.raises(XpbdError, match="E_CACHE_STALE"):
        exhaust(steps)
    keys = body.data.shape_keys
    assert [block.name for block in keys.key_blocks] == ["Basis", "Smile"]
    assert keys.key_blocks["Smile"].value == 0.25
    np.testing.assert_array_equal([point.co[:] for point in keys.key_blocks["Smile"].points], smile)


@pytest.mark.parametrize(("style", "moved"), [("ABSOLUTE", 0.0), ("RELATIVE", 1.0)])
def test_vertices_that_are_only_moved_in_edit_mode_make_no_jump(bpy, baking, style, moved):
    """Blender lets older relative keys follow the reference key; those to come must follow too."""
    running = baking(style)
    body = running.body
    assert len(body.data.shape_keys.key_blocks) < 15
    bpy.context.view_layer.objects.active = body
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.transform.translate(value=(0.0, 0.0, 1.0))
    bpy.ops.object.mode_set(mode="OBJECT")
    exhaust(running.steps)
    fallen = [block.points[12].co.z for block in body.data.shape_keys.key_blocks[1:]]
    untouched = [block.points[12].co.z for block in running.other.data.shape_keys.key_blocks[1:]]
    np.testing.assert_allclose(fallen, np.array(untouched) + moved, atol=1e-5)


def test_every_edited_mesh_is_named(bpy, baking):
    running = baking()
    scrambled(running.body.data)
    flipped(running.other.data)
    with pytest.raises(XpbdError) as caught:
        exhaust(running.steps)
    assert [fault.object_name for fault in caught.value.faults] == ["A", "B"]
    assert {fault.code for fault in caught.value.faults} == {"E_CACHE_STALE"}
