# SPDX-License-Identifier: GPL-3.0-or-later
"""What crosses at the first frame, by object; ``test_select_crossings`` has what the operator does with it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from blender_xpbd.scene.errors import XpbdError
from tests.addon.strands import make_line


@pytest.fixture
def bake(bpy, fake_worker, tmp_path):
    """A function that bakes with a worker that finds these vertices of all 25 of each body to cross."""
    from blender_xpbd.addon.baking.bake import run_bake
    from blender_xpbd.addon.data.bake_options import BakeOptions

    def run(*tangled):
        fake_worker(tangled=tangled)
        return run_bake(bpy.context, BakeOptions(frame_start=1, frame_end=2, cache=tmp_path / "cache"))

    return run


@pytest.fixture
def found(bpy):
    """A function that tells the vertices by object."""
    from blender_xpbd.addon.baking.crossings import crossing_vertices

    def read():
        return {name: vertices.tolist() for name, vertices in crossing_vertices(bpy.context.scene).items()}

    return read


def test_numbers_count_from_the_first_vertex_of_each_body(make_body, bake, found):
    for name in ("A", "B", "C"):
        make_body(name)
    bake(0, 24, 25, 49, 74)
    assert found() == {"A": [0, 24], "B": [0, 24], "C": [24]}


def test_nothing_that_crosses_is_no_fault(make_body, bake, found):
    make_body("A")
    bake()
    assert found() == {"A": []}


def test_strands_with_links_have_crossings(bake, found):
    """Links are no segments, and are left out of the digest of what was simulated."""
    line = make_line(6)
    line.data.attributes.new("xpbd_link", "INT", "EDGE").data[2].value = 2
    bake(1, 5)
    assert found() == {"Line": [1, 5]}


def test_what_was_renamed_or_is_no_mesh_any_more_is_left_out(bpy, make_body, bake, found):
    first, second = make_body("A"), make_body("B")
    bake(1, 26)
    first.name = "Other"
    bpy.data.objects.new("A", bpy.data.lights.new("Light", "POINT"))
    bpy.context.scene.collection.objects.link(bpy.data.objects["A"])
    assert found() == {"B": [1]}
    # vertices that only moved are the same
    second.data.vertices[3].co.x += 1.0
    assert found() == {"B": [1]}
    # a second face over the same vertices is not
    mesh = second.data
    corners = [tuple(polygon.vertices) for polygon in mesh.polygons]
    places = [tuple(vertex.co) for vertex in mesh.vertices]
    second.shape_key_clear()
    mesh.clear_geometry()
    mesh.from_pydata(places, [], [*corners[1:], corners[0]])
    assert found() == {}


def test_hostile_lists_of_vertices_are_refused(make_body, bake, found):
    make_body("A")
    folder = Path(bake(1, 2).cache)
    for values in (np.array([2, 1]), np.array([-1]), np.array([25]), np.array([[1]]), np.array([1.5])):
        np.save(folder / "tangled.npy", values)
        with pytest.raises(XpbdError, match="E_CACHE"):
            found()


@pytest.mark.parametrize("report", ["", "no json", "[]", json.dumps({"cache": 3}), json.dumps({"cache": "a\0b"})])
def test_without_a_report_of_a_bake_there_is_nothing_to_tell(bpy, make_body, found, report):
    make_body("A")
    bpy.context.scene.xpbd.report = report
    with pytest.raises(XpbdError, match=r"E_CACHE.*bake first"):
        found()
