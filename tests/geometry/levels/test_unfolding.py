# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.geometry.levels.tethers import nearest_sources
from blender_xpbd.geometry.levels.unfolding import develop_cells, develop_edges, develop_links, vertex_frames
from blender_xpbd.geometry.surface.topology import unique_pairs
from tests.geometry.triangle_shapes import grid_mesh


def sheet(bend: float, cells: int = 12) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """A square of 1 m rolled up by an angle, its vertices, triangles, edges, and flat coordinates."""
    flat, triangles = grid_mesh(cells, cells)
    if bend == 0.0:
        positions = np.column_stack([flat, np.zeros(len(flat))])
    else:
        positions = np.column_stack([np.sin(bend * flat[:, 0]), bend * flat[:, 1], np.cos(bend * flat[:, 0])]) / bend
    sides = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    return positions, triangles, unique_pairs(sides).astype(np.int64), flat


@given(st.floats(0.0, 2.0), st.integers(0, 168), st.integers(0, 168))
def test_places_are_those_of_the_flat_sheet(bend, first, second):
    """A cylinder unrolls without stretching: distances in the plane are those along the sheet."""
    if first == second:
        return
    positions, triangles, pairs, flat = sheet(bend)
    edges = develop_edges(positions, pairs, vertex_frames(positions, triangles))
    seeds = np.array(sorted({first, second}))
    distances, origins = nearest_sources(len(positions), pairs, edges.lengths, [seeds])
    owners = np.searchsorted(seeds, origins[0])
    places, turns, found = develop_cells(edges, distances[0], owners, seeds)
    assert found.all()
    np.testing.assert_allclose(np.abs(turns), 1.0)
    np.testing.assert_allclose(
        np.abs(places), np.linalg.norm(flat - flat[seeds[owners]], axis=1), atol=0.002 + 0.02 * bend
    )
    links, spreads = develop_links(edges, places, turns, distances[0], owners)
    assert links.pairs.tolist() == [[0, 1]]
    expected = np.linalg.norm(flat[seeds[0]] - flat[seeds[1]])
    assert links.lengths[0] == pytest.approx(expected, abs=0.002 + 0.03 * bend)
    assert spreads[0] <= (0.01 + 0.1 * bend) / expected


def test_going_back_is_the_opposite():
    positions, triangles, pairs, _ = sheet(1.0)
    edges = develop_edges(positions, pairs, vertex_frames(positions, triangles))
    there, back = np.split(np.arange(2 * len(pairs)), 2)
    ways = edges.both_ways()
    np.testing.assert_array_equal(ways.pairs[back], ways.pairs[there][:, ::-1])
    np.testing.assert_allclose(ways.vectors[there] + ways.turns[there] * ways.vectors[back], 0.0, atol=1e-15)


def test_what_no_way_leads_to_is_not_found():
    positions = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [5, 5, 5]])
    triangles = np.array([[0, 1, 2]])
    edges = develop_edges(positions, np.array([[0, 1], [1, 2], [0, 2]]), vertex_frames(positions, triangles))
    owners = np.array([0, 0, 0, -1])
    _, _, found = develop_cells(edges, np.array([0.0, 1.0, 1.0, np.inf]), owners, np.array([0]))
    assert found.tolist() == [True, True, True, False]
