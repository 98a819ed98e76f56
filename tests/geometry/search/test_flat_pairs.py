# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairs of nodes that one cone is enough for."""

from __future__ import annotations

import numpy as np

from blender_xpbd.geometry.search.primitives import CORNERS, TRIANGLE
from blender_xpbd.geometry.search.surfaces import SurfaceMesh, build_surface_mesh, build_surfaces
from blender_xpbd.geometry.search.trees import Trees
from tests.contacts.search.search_cases import sheet

SELF = np.ones((1, 1), bool)


def points_of_nodes(trees: Trees) -> list[set[int]]:
    """The points of the primitives of each node of the first tree."""
    depth = int(trees.headers[0, 3])
    levels = [[set(trees.leaves.points[row[4] : row[5]].tolist()) for row in trees.leaves.rows[(1 << depth) - 1 :]]]
    while len(levels[0]) > 1:
        levels.insert(0, [left | right for left, right in zip(levels[0][::2], levels[0][1::2], strict=True)])
    return [node for level in levels for node in level]


def test_flat_sheets_have_all_their_neighbours_but_for_few() -> None:
    trees = build_surfaces([sheet(40, 40)], SELF).trees
    nodes = points_of_nodes(trees)
    pairs = {(int(row[0]), int(row[1])) for row in trees.flat_pairs}
    first = (1 << int(trees.headers[0, 3])) - 1
    edges, found = 0, 0
    for a in range(first, len(nodes)):
        for b in range(a + 1, len(nodes)):
            if len(nodes[a] & nodes[b]) >= 2:
                edges += 1
                found += (a, b) in pairs
    assert found > 0.8 * edges
    assert (trees.flat_pairs[:, 2] >= 0).any()


def test_pairs_are_sorted_and_of_flat_nodes_that_share_points() -> None:
    mesh = sheet(24, 24)
    rest = mesh.rest.copy()
    rest[:, 2] = 0.25 * np.sin(5.0 * rest[:, 0]) * np.cos(4.0 * rest[:, 1])
    trees = build_surfaces(
        [build_surface_mesh(rest, np.full(len(mesh.triangles), 3), mesh.triangles.ravel())], SELF
    ).trees
    nodes = points_of_nodes(trees)
    rows = trees.flat_pairs
    assert len(rows) > 100
    assert (np.diff(rows[:, 0]) >= 0).all()
    assert (rows[:, 0] < rows[:, 1]).all()
    assert (trees.flat_starts == np.searchsorted(rows[:, 0], np.arange(len(trees.is_flat) + 1))).all()
    for a, b, *between in rows.tolist():
        shared = nodes[a] & nodes[b]
        assert shared
        assert trees.is_flat[[a, b]].all()
        for c in between:
            if c >= 0:
                assert trees.is_flat[c]
                assert nodes[c] & shared


def sewn_in_a_point() -> SurfaceMesh:
    """Two sheets in one plane, that share one corner."""
    low, high = sheet(8, 8), sheet(8, 8)
    triangles = high.triangles + len(low.rest)
    triangles = np.where(triangles == len(low.rest), len(low.rest) - 1, triangles)
    corners = np.concatenate([low.triangles, triangles]).astype(np.int32)
    return build_surface_mesh(
        np.concatenate([low.rest, high.rest + np.array([0.8, 0.8, 0.0])]), np.full(len(corners), 3), corners.ravel()
    )


def test_sheets_that_hang_together_in_a_point_are_no_pair() -> None:
    trees = build_surfaces([sewn_in_a_point()], SELF).trees
    nodes = points_of_nodes(trees)
    assert sum(80 in node for node in nodes) > 2
    for a, b, *_ in trees.flat_pairs.tolist():
        assert nodes[a] & nodes[b] != {80}


def test_both_sides_of_a_slit_are_no_pair() -> None:
    """Points along a line from the border to the middle are doubled."""
    mesh = sheet(16, 16)
    on_line = np.flatnonzero((np.abs(mesh.rest[:, 0] - 0.8) < 1e-9) & (mesh.rest[:, 1] < 0.75))
    twins = np.arange(len(mesh.rest))
    twins[on_line] = len(mesh.rest) + np.arange(len(on_line))
    triangles = mesh.triangles.copy()
    right = mesh.rest[triangles].mean(axis=1)[:, 0] > 0.8
    triangles[right] = twins[triangles[right]]
    rest = np.concatenate([mesh.rest, mesh.rest[on_line]])
    trees = build_surfaces([build_surface_mesh(rest, np.full(len(triangles), 3), triangles.ravel())], SELF).trees
    nodes = points_of_nodes(trees)
    left, other = set(on_line.tolist()), set(twins[on_line].tolist())
    assert len(trees.flat_pairs) > 20
    for a, b, *_ in trees.flat_pairs.tolist():
        # of the slit's end alone a node may lie on both sides
        assert not (len(nodes[a] & left) > 2 and len(nodes[b] & other) > 2)
        assert not (len(nodes[b] & left) > 2 and len(nodes[a] & other) > 2)


def test_leaves_hold_all_that_their_primitives_own() -> None:
    surfaces = build_surfaces([sheet(9, 7), sheet(3, 2)], np.ones((2, 2), bool))
    trees = surfaces.trees
    rows, features = trees.leaves.rows, trees.leaves.features
    triangles = np.concatenate([features[row[0] : row[1], 3] for row in rows])
    assert sorted(triangles.tolist()) == np.flatnonzero(trees.primitives[:, TRIANGLE] >= 0).tolist()
    assert (features[rows[:, 0][rows[:, 1] > rows[:, 0]][0], :3] == trees.primitives[0, CORNERS:TRIANGLE]).all()
    points = np.concatenate([features[row[1] : row[2], 0] for row in rows])
    assert sorted(points.tolist()) == list(range(len(surfaces.rest)))
    edges = np.concatenate([features[row[2] : row[3]] for row in rows])
    assert sorted(edges[:, 3].tolist()) == list(range(len(surfaces.edges)))
    assert (surfaces.edges[edges[:, 3]] == edges[:, :2]).all()
