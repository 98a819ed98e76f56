# SPDX-License-Identifier: GPL-3.0-or-later
"""What crosses at the first frame is selected, and a vertex group."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.addon.ui.operators.test_pin_group import choose_vertices, weights_in

GROUP = "XPBD Crossings"


@pytest.fixture
def bake(bpy, fake_worker, tmp_path):
    """A function that bakes with a worker that finds these vertices of all 25 of each body to cross."""
    from blender_xpbd.addon.baking.bake import run_bake
    from blender_xpbd.addon.data.bake_options import BakeOptions

    def run(*tangled):
        fake_worker(tangled=tangled)
        options = BakeOptions(frame_start=1, frame_end=2, cache=tmp_path / "cache", substeps=2 + len(tangled))
        return run_bake(bpy.context, options)

    return run


def selected(items):
    return [item.index for item in items if item.select]


def test_vertices_of_each_object(bpy, make_body, bake):
    first, second, third = make_body("A"), make_body("B"), make_body("C")
    choose_vertices(third, 4)
    bake(0, 1, 5, 6, 12, 25, 49)
    assert bpy.ops.xpbd.select_crossings() == {"FINISHED"}
    assert bpy.context.scene.xpbd.show_crossings
    assert weights_in(first, GROUP) == dict.fromkeys((0, 1, 5, 6, 12), 1.0)
    assert weights_in(second, GROUP) == {0: 1.0, 24: 1.0}
    assert GROUP not in third.vertex_groups
    assert selected(first.data.vertices) == [0, 1, 5, 6, 12]
    assert selected(first.data.polygons) == [0]
    assert all(set(edge.vertices) <= {0, 1, 5, 6, 12} for edge in first.data.edges if edge.select)
    assert len(selected(first.data.edges)) == 4
    assert selected(third.data.vertices) == []


def test_what_an_earlier_bake_has_left_is_replaced(bpy, make_body, bake):
    body = make_body("A")
    for tangled in ((3, 4, 9), (7,), ()):
        bake(*tangled)
        assert bpy.ops.xpbd.select_crossings() == {"FINISHED"}
        groups = [group.name for group in body.vertex_groups]
        assert groups == ([GROUP] if tangled else [])
        assert selected(body.data.vertices) == list(tangled)


def test_it_is_shown_in_edit_mode(bpy, make_body, bake, select):
    body = make_body("A")
    bake(3, 4)
    select(body)
    bpy.ops.object.mode_set(mode="EDIT")
    try:
        assert bpy.ops.xpbd.select_crossings() == {"FINISHED"}
        assert body.mode == "EDIT"
        body.update_from_editmode()
        assert selected(body.data.vertices) == [3, 4]
    finally:
        bpy.ops.object.mode_set(mode="OBJECT")
    assert weights_in(body, GROUP) == {3: 1.0, 4: 1.0}


def test_objects_that_are_gone_or_edited_are_left_alone(bpy, make_body, bake):
    make_body("A")
    edited, last = make_body("B"), make_body("C")
    bake(0, 25, 50)
    bpy.data.objects.remove(bpy.data.objects["A"])
    edited.shape_key_clear()
    edited.data.clear_geometry()
    edited.data.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    assert bpy.ops.xpbd.select_crossings() == {"FINISHED"}
    assert len(edited.vertex_groups) == 0
    assert weights_in(last, GROUP) == {0: 1.0}


def test_without_a_bake_it_cannot_be_pressed(bpy, make_body):
    make_body("A")
    assert not bpy.ops.xpbd.select_crossings.poll()


@pytest.mark.parametrize("cache", [3, "", "nowhere", "a\0b", ["x"], None])
def test_a_report_that_names_no_bake_is_told(bpy, make_body, capfd, cache):
    make_body("A")
    bpy.context.scene.xpbd.report = json.dumps({"cache": cache})
    assert bpy.ops.xpbd.select_crossings() == {"CANCELLED"}
    assert "E_CACHE" in capfd.readouterr().out


def test_a_damaged_cache_is_told(bpy, make_body, bake, capfd):
    body = make_body("A")
    summary = bake(3)
    (Path(summary.cache) / "tangled.npy").write_bytes(b"")
    assert bpy.ops.xpbd.select_crossings() == {"CANCELLED"}
    assert "E_CACHE" in capfd.readouterr().out
    assert len(body.vertex_groups) == 0
