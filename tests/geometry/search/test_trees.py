# SPDX-License-Identifier: GPL-3.0-or-later
"""Trees over surfaces: who owns what, what leaves hold, and which nodes are flat."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.geometry.search.primitives import CORNERS, EDGES, OWNED, TRIANGLE
from blender_xpbd.geometry.search.surfaces import SurfaceMesh, build_surfaces
from blender_xpbd.geometry.search.trees import LEAF_SIZE, level_starts, tree_depth
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


def test_triangles_that_are_turned_over_do_not_matter() -> None:
    mesh = sheet(8, 8)
    turned = mesh.triangles.copy()
    turned[::3] = turned[::3, ::-1]
    assert root_is_flat(replace(mesh, triangles=turned))
