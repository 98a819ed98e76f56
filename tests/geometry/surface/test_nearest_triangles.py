# SPDX-License-Identifier: GPL-3.0-or-later
"""The closest point of a triangle, and the triangles that cells deep inside take over from their neighbours."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.geometry.surface import nearest_triangles
from blender_xpbd.geometry.surface.nearest_triangles import closest_points, spread_inward
from tests.geometry.triangle_shapes import cube, distances_to_triangles, icosphere, winding_numbers


@given(st.integers(0, 100_000), st.sampled_from([1e-3, 1.0, 1e4]), st.sampled_from(["far", "near", "on"]))
def test_the_closest_point_is_on_the_triangle_at_the_least_distance(seed: int, scale: float, where: str) -> None:
    random = np.random.default_rng(seed)
    corners = random.uniform(-1.0, 1.0, (20, 3, 3)) * scale
    weights = random.dirichlet((1.0, 1.0, 1.0), 20)
    points = np.einsum("nk,nki->ni", weights, corners)
    points += random.normal(size=(20, 3)) * scale * {"far": 10.0, "near": 0.1, "on": 0.0}[where]
    found = closest_points(points, corners)
    expected = np.diagonal(distances_to_triangles(points, corners))
    np.testing.assert_allclose(np.linalg.norm(found - points, axis=1), expected, rtol=1e-6, atol=1e-9 * scale)
    on_it = np.diagonal(distances_to_triangles(found, corners))
    np.testing.assert_allclose(on_it, 0.0, atol=1e-9 * scale)


@given(st.integers(0, 10_000))
def test_single_precision_in_single_precision_out(seed: int) -> None:
    random = np.random.default_rng(seed)
    corners, points = random.normal(size=(5, 3, 3)).astype(np.float32), random.normal(size=(5, 3)).astype(np.float32)
    found = closest_points(points, corners)
    assert found.dtype == np.float32


def cells_around(positions: np.ndarray, triangles: np.ndarray, cells: int) -> dict[str, np.ndarray]:
    """A closed mesh in a grid of cells: corners in cells, cells near the surface with their triangles, deep cells."""
    low, size = positions.min(axis=0), np.ptp(positions, axis=0).max() / (cells - 5)
    corners = ((positions - low) / size + 2.0)[triangles]
    dims = np.full(3, cells)
    centres = np.stack(np.unravel_index(np.arange(cells**3), dims), axis=1).astype(float)
    distances = distances_to_triangles(centres, corners)
    near = distances <= 1.2
    deep = (winding_numbers(centres, corners) > 0.5) & ~near.any(axis=1)
    cell, found = np.nonzero(near)
    return {"corners": corners, "dims": dims, "deep": deep, "cells": cell, "found": found, "distances": distances}


@pytest.mark.parametrize("chunk", [7, 1 << 17])
@pytest.mark.parametrize("shape", [cube, lambda: icosphere(1)])
def test_a_deep_cell_knows_a_way_out_that_is_hardly_longer_than_the_shortest(
    monkeypatch: pytest.MonkeyPatch, shape: Callable[[], tuple[np.ndarray, np.ndarray]], chunk: int
) -> None:
    monkeypatch.setattr(nearest_triangles, "CHUNK", chunk)
    positions, triangles = shape()
    grid = cells_around(positions, triangles, 15)
    asked = [grid[name] for name in ("dims", "deep", "cells", "found")]
    cells, found = spread_inward(grid["corners"].astype(np.float32), *asked)
    assert grid["deep"].sum() > 100
    assert set(cells) == set(np.flatnonzero(grid["deep"]))
    assert len(set(zip(cells.tolist(), found.tolist(), strict=True))) == len(cells), "no pair stands twice"
    for cell in np.flatnonzero(grid["deep"]):
        distances = grid["distances"][cell]
        assert distances[found[cells == cell]].min() <= distances.min() + 0.5


def test_nobody_asks() -> None:
    grid = cells_around(*cube(), 8)
    nothing = np.zeros(8**3, bool)
    cells, found = spread_inward(
        grid["corners"].astype(np.float32), grid["dims"], nothing, grid["cells"], grid["found"]
    )
    assert len(cells) == len(found) == 0
