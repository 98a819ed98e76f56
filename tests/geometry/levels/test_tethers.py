# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import heapq
import time

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.geometry.levels.tethers import GREATEST_SETS, nearest_sources, pin_sets, surface_paths, tethers
from blender_xpbd.geometry.surface.topology import triangulate
from tests.geometry.surfaces import grid_of_quads, sphere


def flat_grid(rows: int, columns: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Positions, and the triangles of the quads cut either way."""
    sizes, corners = grid_of_quads(rows, columns)
    plane = np.stack(np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij"), axis=-1).reshape(-1, 2)
    turned = np.roll(corners.reshape(-1, 4), 1, axis=1).reshape(-1)
    return np.c_[plane, np.zeros(len(plane))] * 0.1, triangulate(sizes, corners), triangulate(sizes, turned)


def dijkstra(count: int, pairs: np.ndarray, lengths: np.ndarray, sources: list[int]) -> np.ndarray:
    ways: list[list[tuple[int, float]]] = [[] for _ in range(count)]
    for (a, b), length in zip(pairs, lengths, strict=True):
        ways[a].append((b, length))
        ways[b].append((a, length))
    distances = np.full(count, np.inf)
    queue = [(0.0, source) for source in sources]
    distances[sources] = 0.0
    while queue:
        distance, node = heapq.heappop(queue)
        for neighbour, length in ways[node]:
            if distance + length < distances[neighbour] and distance == distances[node]:
                distances[neighbour] = distance + length
                heapq.heappush(queue, (distances[neighbour], neighbour))
    return distances


@given(st.integers(2, 30), st.integers(0, 80), st.integers(0, 2**31))
def test_distances_are_those_of_dijkstra(count: int, ways: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    pairs = random.integers(0, count, (ways, 2))
    lengths = random.choice([0.0, 0.1, 1.0, 2.5, 30.0], ways)
    sets = [random.choice(count, 2), random.choice(count, 1)]
    distances, sources = nearest_sources(count, pairs, lengths, sets)
    for mine, source, nodes in zip(distances, sources, sets, strict=True):
        np.testing.assert_allclose(mine, dijkstra(count, pairs, lengths, list(nodes)), rtol=1e-12)
        assert set(source[np.isfinite(mine)]) <= set(nodes)
        assert (source[~np.isfinite(mine)] == -1).all()
        for node in np.flatnonzero(np.isfinite(mine)):
            own = dijkstra(count, pairs, lengths, [int(source[node])])[node]
            np.testing.assert_allclose(mine[node], own, rtol=1e-12)


def test_on_a_flat_sheet_no_tether_is_short_and_none_is_three_percent_long() -> None:
    positions, first, second = flat_grid(15, 23)
    pairs, lengths = surface_paths(positions, first, second)
    free = np.arange(1, len(positions))
    ends, found = tethers(positions, pairs, lengths, np.array([0]), free)
    straight = np.linalg.norm(positions[ends[:, 0]] - positions[ends[:, 1]], axis=1)
    assert (ends[:, 0] == free).all()
    assert (ends[:, 1] == 0).all()
    assert (found >= straight * (1.0 - 1e-12)).all()
    assert (found <= straight * 1.028).all()


def test_ways_over_a_fold_go_along_the_surface() -> None:
    positions = np.array([[0.0, 0, 0], [0, 1, 0], [1, 0.5, 0], [0, 0.5, 1]])
    pairs, lengths = surface_paths(positions, np.array([[0, 1, 2], [1, 0, 3]]))
    across = [length for pair, length in zip(pairs, lengths, strict=True) if sorted(pair) == [2, 3]]
    np.testing.assert_allclose(across, [2.0])


def test_on_a_sphere_a_tether_goes_around() -> None:
    positions, triangles = sphere(48, 24)
    south, north = len(positions) - 2, len(positions) - 1
    _, found = tethers(positions, *surface_paths(positions, triangles), np.array([south]), np.array([north]))
    assert 0.98 * np.pi < found[0] < 1.001 * np.pi


def test_each_connected_set_of_pins_holds_every_particle() -> None:
    positions, first, _ = flat_grid(6, 9)
    pins = np.array([0, 1, 2, 53])
    ends, found = tethers(positions, *surface_paths(positions, first), pins, np.array([4, 30]))
    assert sorted(map(tuple, ends.tolist())) == [(4, 2), (4, 53), (30, 2), (30, 53)]
    np.testing.assert_allclose(found[(ends == [4, 2]).all(axis=1)], 0.2)


def test_no_way_no_tether() -> None:
    positions = np.zeros((6, 3))
    triangles = np.array([[0, 1, 2], [3, 4, 5]])
    positions[:, 0] = np.arange(6)
    positions[[1, 4], 1] = 1.0
    ends, _ = tethers(positions, *surface_paths(positions, triangles), np.array([0]), np.arange(1, 6))
    assert sorted(ends[:, 0]) == [1, 2]
    for pins, free in (([], [1]), ([0], [])):
        none, lengths = tethers(
            positions, *surface_paths(positions, triangles), np.array(pins, int), np.array(free, int)
        )
        assert none.shape == (0, 2)
        assert lengths.shape == (0,)


def test_many_sets_are_joined_and_every_pin_is_in_one() -> None:
    positions, first, _ = flat_grid(20, 20)
    pairs, _ = surface_paths(positions, first)
    pins = np.arange(400).reshape(20, 20)[::3, ::3].ravel()
    sets = pin_sets(positions, pairs, pins)
    assert len(sets) == GREATEST_SETS
    np.testing.assert_array_equal(np.sort(np.concatenate(sets)), pins)


def test_a_hundred_thousand_particles_take_less_than_two_seconds() -> None:
    positions, first, second = flat_grid(317, 317)
    pins = np.array([0, 316])
    start = time.process_time()
    pairs, lengths = surface_paths(positions, first, second)
    tethers(positions, pairs, lengths, pins, np.arange(317, len(positions)))
    assert time.process_time() - start < 4.0
