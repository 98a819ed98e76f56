# SPDX-License-Identifier: GPL-3.0-or-later
"""Trees over surfaces: who owns what, what leaves hold, and which nodes are flat."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.geometry.search.flat_pairs import CONE_COSINE
from blender_xpbd.geometry.search.headers import level_starts
from blender_xpbd.geometry.search.outlines import DIRECTIONS, EDGE_TOLERANCE, HULL_TOLERANCE, LONGEST_ASPECT
from blender_xpbd.geometry.search.primitives import CORNERS, EDGES, OWNED, TRIANGLE
from blender_xpbd.geometry.search.surfaces import SurfaceMesh, build_surface_mesh, build_surfaces
from blender_xpbd.geometry.search.trees import LEAF_SIZE, tree_depth
from tests.contacts.search.search_cases import sheet, soup

SELF = np.ones((1, 1), bool)


def root_is_flat(mesh: SurfaceMesh) -> bool:
    return bool(build_surfaces([mesh], SELF).trees.is_flat[0])


@given(seed=st.integers(0, 2**32 - 1), points=st.integers(1, 20), faces=st.integers(0, 40), loose=st.integers(0, 10))
def test_each_point_edge_and_triangle_is_owned_once(seed: int, points: int, faces: int, loose: int) -> None:
    random = np.random.default_rng(seed)
    surfaces = build_surfaces([soup(random, points, faces, loose)] * 2, np.eye(2, dtype=bool))
    rows = surfaces.trees.primitives
    owned = [row[CORNERS + k] for row in rows for k in range(3) if row[OWNED] >> k & 1]
    assert sorted(owned) == np.flatnonzero(surfaces.takes_part).tolist()
    edges = rows[:, EDGES:OWNED][rows[:, EDGES:OWNED] >= 0]
    takes_part = surfaces.takes_part[surfaces.edges].all(axis=1)
    assert sorted(edges.tolist()) == np.flatnonzero(takes_part).tolist()
    for row in rows:
        for k in range(3):
            if row[EDGES + k] >= 0:
                corners = {row[CORNERS + k], row[CORNERS + (k + 1) % 3]}
                assert corners == set(surfaces.edges[row[EDGES + k]].tolist())
        if row[TRIANGLE] >= 0:
            assert set(row[CORNERS:TRIANGLE].tolist()) == set(surfaces.triangles[row[TRIANGLE]].tolist())
    kept = rows[rows[:, TRIANGLE] >= 0, TRIANGLE]
    wanted = {tuple(sorted(row)) for row in surfaces.triangles.tolist()}
    wanted = {row for row in wanted if len(set(row)) == 3 and surfaces.takes_part[list(row)].all()}
    assert sorted(tuple(sorted(surfaces.triangles[t].tolist())) for t in kept) == sorted(wanted)


@given(count=st.integers(1, 5000))
def test_leaves_hold_a_few(count: int) -> None:
    sizes = np.diff(level_starts(count, tree_depth(count)))
    assert sizes.max() <= LEAF_SIZE
    assert sizes.min() >= 1
    assert sizes.sum() == count


def test_a_sheet_is_flat_in_all_its_nodes_but_for_some_of_a_few_triangles() -> None:
    flags = build_surfaces([sheet(40, 40)], SELF).trees.is_flat
    assert flags[0] == 1
    assert flags.mean() > 0.95


def test_a_ribbon_is_not_flat_as_a_whole_but_its_pieces_are() -> None:
    flags = build_surfaces([sheet(64, 4)], SELF).trees.is_flat
    assert flags[0] == 0
    assert flags[3:].mean() > 0.9


def test_two_sheets_in_one_mesh_are_not_flat() -> None:
    low, high = sheet(8, 8), sheet(8, 8, 0.1, 0.05)
    both = SurfaceMesh(
        np.concatenate([low.rest, high.rest]),
        np.concatenate([low.triangles, high.triangles + len(low.rest)]),
        np.concatenate([low.edges, high.edges + len(low.rest)]),
        np.concatenate([low.takes_part, high.takes_part]),
    )
    assert root_is_flat(low)
    assert not root_is_flat(both)
    # joined in one point they still are two
    sewn = np.where(both.triangles == len(low.rest) + 40, 40, both.triangles).astype(np.int32)
    assert not root_is_flat(replace(both, triangles=sewn))


def test_what_is_folded_at_rest_is_not_flat() -> None:
    mesh = sheet(8, 8)
    rest = mesh.rest.copy()
    rest[:, 2] = 2.0 * np.abs(rest[:, 0] - 0.4)
    assert not root_is_flat(replace(mesh, rest=rest))


def test_a_notch_is_seen() -> None:
    mesh = sheet(12, 12)
    middles = mesh.rest[mesh.triangles].mean(axis=1)
    kept = (middles[:, 0] < 0.7) | (np.abs(middles[:, 1] - 0.6) > 0.1)
    assert not root_is_flat(replace(mesh, triangles=mesh.triangles[kept]))


def pieces_that_are_flat(mesh: SurfaceMesh) -> tuple[np.ndarray, np.ndarray]:
    """Flags of the nodes, and what they are by all corners of the triangles of each that hangs together."""
    trees = build_surfaces([mesh], SELF).trees
    rows = trees.primitives
    corners = mesh.rest[rows[:, CORNERS:TRIANGLE]]
    crosses = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals = crosses / np.linalg.norm(crosses, axis=1)[:, None]
    sides = np.sort(np.stack([rows[:, :3], np.roll(rows[:, :3], -1, axis=1)], axis=-1), axis=-1)
    keys = sides[..., 0].astype(np.int64) * len(mesh.rest) + sides[..., 1]
    is_border = (np.unique(keys, return_counts=True)[1] == 1)[np.unique(keys, return_inverse=True)[1]].reshape(-1, 3)
    edge = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).mean()
    angles = 2.0 * np.pi * np.arange(DIRECTIONS) / DIRECTIONS
    result = []
    for level in range(trees.headers[0, 3] + 1):
        starts = level_starts(len(rows), level)
        for first, last in pairwise(starts):
            own = slice(first, last)
            axis = normals[own].sum(axis=0) / max(np.linalg.norm(normals[own].sum(axis=0)), 1e-300)
            u = np.cross(axis, np.eye(3)[np.abs(axis).argmin()])
            u /= max(np.linalg.norm(u), 1e-300)
            ways = np.cos(angles)[:, None] * u + np.sin(angles)[:, None] * np.cross(axis, u)
            supports = (corners[own].reshape(-1, 3) @ ways.T).max(axis=0)
            widths = supports + np.roll(supports, DIRECTIONS // 2)
            middles = 0.5 * (corners[own] + np.roll(corners[own], -1, axis=1))[is_border[own]]
            depths = (supports - middles @ ways.T).min(axis=1)
            is_convex = (depths <= HULL_TOLERANCE * widths.max() + EDGE_TOLERANCE * edge).all()
            is_wide = widths.max() <= LONGEST_ASPECT * widths.min()
            result.append((normals[own] @ axis).min() >= CONE_COSINE and is_convex and is_wide)
    return trees.is_flat == 1, np.array(result)


def test_flat_nodes_are_those_that_all_their_corners_say() -> None:
    mesh = sheet(24, 24)
    middles = mesh.rest[mesh.triangles].mean(axis=1)
    holed = mesh.triangles[np.hypot(middles[:, 0] - 1.5, middles[:, 1] - 0.9) > 0.3]
    rest = mesh.rest.copy()
    rest[:, 2] = 0.25 * np.sin(5.0 * rest[:, 0]) * np.cos(4.0 * rest[:, 1])
    used, corners = np.unique(holed.ravel(), return_inverse=True)
    whole = build_surface_mesh(rest[used], np.full(len(holed), 3, np.int32), corners.astype(np.int32))
    found, wanted = pieces_that_are_flat(whole)
    # what does not hang together is not flat either
    assert not (found & ~wanted).any()
    assert (wanted & ~found).sum() <= 3
    assert 0.3 < found.mean() < 0.98


def test_triangles_that_are_turned_over_do_not_matter() -> None:
    mesh = sheet(8, 8)
    turned = mesh.triangles.copy()
    turned[::3] = turned[::3, ::-1]
    assert root_is_flat(replace(mesh, triangles=turned))
