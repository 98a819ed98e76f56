# SPDX-License-Identifier: GPL-3.0-or-later
"""Shares sum up to the body, weigh directions alike, and leave no edge without any."""

import numpy as np
import pytest

from blender_xpbd.bodies.shares import polygon_shares, tetrahedron_shares
from blender_xpbd.geometry.solid.tetrahedra import signed_volumes, tetrahedron_edges
from blender_xpbd.geometry.surface.topology import face_diagonals, unique_edges

SQUARE = np.array([[0.0, 0, 0], [2, 0, 0], [2, 1, 0], [0, 1, 0], [4, 0, 0], [4, 1, 0]])
ANGLE = np.arange(6) * np.pi / 3
HEXAGON = np.stack([np.cos(ANGLE), np.sin(ANGLE), 0 * ANGLE], axis=1)


def pairs_of(sizes, corners):
    return np.concatenate([unique_edges(sizes, corners), face_diagonals(sizes, corners)])


@pytest.mark.parametrize(
    ("positions", "sizes", "corners", "area"),
    [
        (SQUARE, [4, 4], [0, 1, 2, 3, 1, 4, 5, 2], 4.0),
        (SQUARE, [3, 3, 4], [0, 1, 2, 0, 2, 3, 1, 4, 5, 2], 4.0),
        (HEXAGON, [6], [0, 1, 2, 3, 4, 5], 1.5 * np.sqrt(3)),
    ],
    ids=["quads", "triangles and a quad", "hexagon"],
)
def test_shares_of_polygons_sum_up_to_their_area(positions, sizes, corners, area):
    sizes, corners = np.array(sizes, np.int32), np.array(corners, np.int32)
    pairs = pairs_of(sizes, corners)
    assert polygon_shares(positions, sizes, corners, pairs).sum() == pytest.approx(area, rel=1e-5)


def test_a_diagonal_takes_twice_the_share_of_an_edge_of_one_quad():
    sizes, corners = np.array([4, 4], np.int32), np.array([0, 1, 2, 3, 1, 4, 5, 2], np.int32)
    pairs = pairs_of(sizes, corners)
    shares = polygon_shares(SQUARE, sizes, corners, pairs)
    found = {tuple(sorted(pair)): share for pair, share in zip(pairs.tolist(), shares, strict=True)}
    assert found[0, 2] == pytest.approx(0.5)
    assert found[0, 1] == pytest.approx(0.25)
    # between two quads
    assert found[1, 2] == pytest.approx(0.5)


def test_pairs_of_no_face_get_next_to_nothing():
    sizes, corners = np.array([3], np.int32), np.array([0, 1, 2], np.int32)
    shares = polygon_shares(SQUARE, sizes, corners, np.array([[0, 1], [1, 2], [0, 2], [4, 5]]))
    assert 0.0 < shares[3] <= 1e-6 * shares[:3].max()


def test_shares_of_tetrahedra_sum_up_to_what_is_filled():
    vertices = np.array([[0.0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 1], [1, 2, 1]])
    tetrahedra = np.array([[0, 1, 2, 3], [1, 2, 3, 4]], np.int32)
    volumes = np.abs(signed_volumes(vertices, tetrahedra))
    tetrahedra = np.where((signed_volumes(vertices, tetrahedra) < 0)[:, None], tetrahedra[:, [1, 0, 2, 3]], tetrahedra)
    fill = np.array([1.0, 0.25])
    edges = tetrahedron_edges(tetrahedra)
    shares = tetrahedron_shares(vertices, tetrahedra, fill, edges)
    assert shares.sum() == pytest.approx(volumes @ fill, rel=1e-5)
    # springs of one tetrahedron are of one stiffness, E V/L²: edges of it alone
    alone = {tuple(sorted(edge)): share for edge, share in zip(edges.tolist(), shares, strict=True)}
    squares = {edge: ((vertices[edge[0]] - vertices[edge[1]]) ** 2).sum() for edge in ((0, 1), (0, 2), (0, 3))}
    assert np.ptp([alone[edge] / square for edge, square in squares.items()]) < 1e-12
