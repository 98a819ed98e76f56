# SPDX-License-Identifier: GPL-3.0-or-later
"""Panels that edges join like seams are told where nobody turned sewing on, and one button does."""

from __future__ import annotations

import numpy as np
import pytest


def pattern(bpy, shape, threads):
    """Two copies of a shape, beside each other, and some edges from one to the other."""
    add = bpy.ops.mesh.primitive_grid_add if shape == "grid" else getattr(bpy.ops.mesh, f"primitive_{shape}_add")
    add(location=(0.0, 0.0, 3.0))
    obj = bpy.context.object
    mesh, own = obj.data, obj.data.copy()
    points = np.array([vertex.co for vertex in own.vertices])
    faces = [list(face.vertices) for face in own.polygons]
    count = len(points)
    both = np.concatenate([points, points + np.array([0.0, 5.0, 0.0])])
    edges = [(vertex, vertex + count) for vertex in range(threads)]
    mesh.clear_geometry()
    mesh.from_pydata(both.tolist(), edges, faces + [[vertex + count for vertex in face] for face in faces])
    obj.xpbd.role = "CLOTH"
    bpy.context.scene.xpbd.use_floor = True
    return obj


@pytest.mark.parametrize("shape", ["grid", "monkey", "torus"])
def test_a_sewing_pattern_is_sewn_by_one_button(bpy, codes, shape):
    obj = pattern(bpy, shape, 6)
    assert "W_SEWING" in codes()
    assert bpy.ops.xpbd.sew(object_name=obj.name) == {"FINISHED"}
    assert obj.xpbd.use_stitches
    assert "W_SEWING" not in codes()


def test_threads_and_fringes_are_no_pattern(bpy, codes):
    pattern(bpy, "grid", 2)
    assert "W_SEWING" not in codes()
    mesh = bpy.context.object.data
    count = len(mesh.vertices)
    # a fringe ends in the air, and edges within a panel join nothing
    mesh.vertices.add(10)
    mesh.edges.add(20)
    for number in range(10):
        mesh.vertices[count + number].co = (0.1 * number, -2.0, 0.0)
        mesh.edges[-1 - number].vertices = (number, count + number)
        mesh.edges[-11 - number].vertices = (number, number + 50)
    assert "W_SEWING" not in codes()
