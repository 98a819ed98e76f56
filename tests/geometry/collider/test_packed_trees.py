# SPDX-License-Identifier: GPL-3.0-or-later
"""Trees as kernels read them: walked here as ``contacts/deforming_mesh.py`` walks them."""

from __future__ import annotations

import numpy as np
import pytest

from blender_xpbd.geometry.collider.moving_surface import build_moving_surface
from blender_xpbd.geometry.collider.packed_trees import (
    BOX_FLOATS,
    HEADER_FLOATS,
    HEADER_INTS,
    VERTEX_FLOATS,
    PackedTree,
    pack_tree,
)
from tests.geometry.triangle_shapes import SHAPES

INT_START, FLOAT_START, OFFSET = 17, 29, 0.01


def packed(name: str) -> tuple[PackedTree, np.ndarray]:
    positions, triangles = SHAPES[name]()
    surface = build_moving_surface(lambda _frame: positions, 1, triangles, name)
    start = positions[surface.sources]
    return pack_tree(surface, start, INT_START, FLOAT_START, OFFSET), start


@pytest.mark.parametrize("name", SHAPES)
def test_header_and_walk(name: str) -> None:
    """Every triangle is in one leaf, and every vertex within the boxes on the way to it, at both ends."""
    tree, start = packed(name)
    end = start @ np.diag([1.2, 0.8, 1.0]) + [0.3, 0.0, -0.1]
    ints = np.concatenate([np.full(INT_START, -99), tree.ints])
    floats = np.concatenate([np.full(FLOAT_START, np.nan), tree.floats(start, end, 8)])
    assert len(floats) == FLOAT_START + tree.float_count
    header = ints[INT_START : INT_START + HEADER_INTS]
    float_start, count, closed, nodes, triangles, fan_starts, fans, vertices, boxes = header.tolist()
    assert (float_start, closed) == (FLOAT_START, int(tree.surface.closed))
    both = np.concatenate([start, end], axis=1).astype(np.float32)
    for vertex in range(len(start)):
        place = vertices + VERTEX_FLOATS * vertex
        np.testing.assert_array_equal(floats[place : place + VERTEX_FLOATS], both[vertex])
    seen: list[tuple[int, ...]] = []
    enclosing: list[int] = []
    for node in range(count):
        skip, first, last = ints[nodes + 3 * node : nodes + 3 * node + 3]
        enclosing = [outer for outer in enclosing if ints[nodes + 3 * outer] > node] + [node]
        assert skip > node
        for triangle in range(first, last):
            corners = ints[triangles + 3 * triangle : triangles + 3 * triangle + 3]
            seen.append(tuple(corners.tolist()))
            for outer in enclosing:
                low0, high0, low1, high1 = floats[boxes + BOX_FLOATS * outer :][:BOX_FLOATS].reshape(4, 3)
                assert (both[corners, :3] >= low0).all()
                assert (both[corners, :3] <= high0).all()
                assert (both[corners, 3:] >= low1).all()
                assert (both[corners, 3:] <= high1).all()
    assert sorted(seen) == sorted(tuple(row) for row in tree.surface.triangles.tolist())
    # a fan is the triangles around its vertex
    for vertex in range(len(start)):
        around = ints[fans + ints[fan_starts + vertex] : fans + ints[fan_starts + vertex + 1]]
        expected = [number for number, corners in enumerate(seen) if vertex in corners]
        assert sorted(set(around.tolist())) == expected


def test_numbers_of_a_frame() -> None:
    tree, start = packed("icosphere")
    shift = np.array([0.3, 0.0, 0.4])
    share, tolerance, reach, travel, *drift, beside, first = tree.floats(start, start + shift, 10, 0.5)[:HEADER_FLOATS]
    assert share == pytest.approx(0.1)
    assert 0.0 < tolerance < 1e-3
    assert reach >= 2.0 * OFFSET
    # half a metre in ten substeps, and hardly more
    assert 0.05 <= travel < 0.05 * 1.001
    # all of it as a whole, from half of the frame on
    np.testing.assert_allclose(drift, shift, rtol=1e-5)
    assert 0.0 <= beside < 1e-5
    assert first == 0.5
    assert tree.floats(start, start, 10)[3] == 0.0
    # a vertex that moves alone moves beside the mesh, and so does the rest, half as far
    end = start + shift
    end[3] += shift
    *_, beside, _ = tree.floats(start, end, 10)[:HEADER_FLOATS]
    assert 0.25 <= beside < 0.25 * 1.001


def test_the_reach_grows_with_the_gap_and_with_the_leaves() -> None:
    positions, triangles = SHAPES["icosphere"]()
    surface = build_moving_surface(lambda _frame: positions, 1, triangles, "icosphere")
    start = positions[surface.sources]
    reaches = [pack_tree(surface, start, 0, 0, offset).floats(start, start, 4)[2] for offset in (0.0, 5.0)]
    assert 0.0 < reaches[0] < 5.0
    assert reaches[1] == pytest.approx(10.0)
    larger = pack_tree(surface, 3.0 * start, 0, 0, 0.0).floats(3.0 * start, 3.0 * start, 4)[2]
    assert larger == pytest.approx(3.0 * reaches[0], rel=1e-5)
