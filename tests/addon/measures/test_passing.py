# SPDX-License-Identifier: GPL-3.0-or-later
"""Edges pass through triangles, and ties are told once."""

from __future__ import annotations

import numpy as np
import pytest

# a quad of two triangles in the XY plane, with the diagonal from 0 to 2
PLACES = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]])
QUAD = np.array([[0, 1, 2], [0, 2, 3]], np.int32)


def count(start, end, numbers=(4, 5)):
    """How many triangles of the quad an edge alone passes through."""
    from blender_xpbd.addon.measures.passing import passed, passing

    points = np.concatenate([PLACES, [start, end]])
    edge = np.array([[numbers[0], numbers[1], numbers[1]]] * 2, np.int32)
    ends = points[[4, 5, 5]]
    passes = passing(np.stack([ends, ends]), PLACES[QUAD], edge, QUAD)
    return len(passed(passes, edge, QUAD))


@pytest.mark.parametrize("order", [(4, 5), (5, 4)])
@pytest.mark.parametrize("way", [(0.0, 0.0, 1.0), (0.0, 0.0, -1.0), (0.3, -0.2, 0.7)])
def test_an_edge_through_the_border_of_two_triangles_passes_one(bpy, order, way):
    middle, away = np.array([0.375, 0.375, 0.0]), np.array(way)
    assert count(middle - away, middle + away, order) == 1


def test_what_ends_in_the_plane_touches(bpy):
    assert count((0.7, 0.2, 0.0), (0.7, 0.2, 1.0)) == 0
    assert count((0.7, 0.2, -1.0), (0.7, 0.2, 1.0)) == 1
    assert count((1.7, 0.2, -1.0), (1.7, 0.2, 1.0)) == 0


def test_a_surface_turns_at_its_edges(bpy):
    from blender_xpbd.addon.measures.passing import turn_at

    folded = PLACES + np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, -1.0, 1.0]])
    diagonal = np.array([[0, 2]])
    assert turn_at(PLACES, QUAD, diagonal) == pytest.approx(0.0)
    # the second triangle leans by so much
    a, b, c = folded[QUAD[1]]
    normal = np.cross(b - a, c - a)
    angle = np.arccos(normal[2] / np.linalg.norm(normal))
    assert turn_at(folded, QUAD, diagonal) == pytest.approx(np.tan(angle / 2.0))
    assert turn_at(PLACES, QUAD, np.array([[0, 1]])) == np.inf
