# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.geometry.collider.triangle_grid import (
    DEEP,
    HEADER_FLOATS,
    HEADER_INTS,
    HOT_FLOATS,
    INSIDE,
    LIST_HEADER_INTS,
    MAX_CELLS,
    PSEUDONORMAL_FLOATS,
    TriangleGrid,
    build_triangle_grid,
    pack,
)
from blender_xpbd.geometry.surface.nearest_triangles import closest_points
from tests.geometry.triangle_shapes import (
    CLOSED,
    SHAPES,
    cube,
    distances_to_triangles,
    icosphere,
    plane,
    signed_distances,
    winding_numbers,
)


def cells_of(grid: TriangleGrid, points: Any) -> Any:
    index = np.floor((points - grid.origin) / grid.cell_size).astype(int)
    return np.ravel_multi_index(tuple(index.T), grid.dims)


def listed(grid: TriangleGrid, cell: int) -> Any:
    return grid.cell_triangles[grid.cell_starts[cell] : grid.cell_starts[cell + 1]]


def random_points(grid: TriangleGrid, count: int, seed: int) -> Any:
    random = np.random.default_rng(seed)
    return grid.origin + random.random((count, 3)) * np.array(grid.dims) * grid.cell_size * 0.999999


@pytest.mark.parametrize("name", SHAPES)
@given(seed=st.integers(0, 2**32 - 1), scale=st.sampled_from([1e-3, 1.0, 250.0]), shift=st.floats(-3.0, 3.0))
def test_one_look_up_finds_the_closest_triangle(name: str, seed: int, scale: float, shift: float) -> None:
    positions, triangles = SHAPES[name]()
    grid = build_triangle_grid((positions + shift) * scale, triangles)
    points = random_points(grid, 100, seed)
    # half of them near the surface
    corners = grid.surface.corners
    points[::2] = closest_points(points[::2], corners[np.arange(50) % len(corners)])
    points[::2] += np.random.default_rng(seed).uniform(-0.5, 0.5, (50, 3)) * grid.margin
    distances = distances_to_triangles(points, grid.surface.corners)
    for point_distances, cell in zip(distances, cells_of(grid, points), strict=True):
        if point_distances.min() <= grid.margin:
            assert point_distances[listed(grid, cell)].min() == point_distances.min()


@pytest.mark.parametrize("name", SHAPES)
def test_triangles_that_touch_a_cell_come_first(name: str) -> None:
    grid = build_triangle_grid(*SHAPES[name]())
    random = np.random.default_rng(1)
    triangles = random.integers(len(grid.surface.corners), size=500)
    points = np.einsum("tk,tki->ti", random.dirichlet((1.0, 1.0, 1.0), 500), grid.surface.corners[triangles])
    for triangle, cell in zip(triangles, cells_of(grid, points), strict=True):
        assert triangle in listed(grid, cell)[: grid.touching_counts[cell]]


@pytest.mark.parametrize("name", CLOSED)
def test_cells_know_whether_they_are_inside(name: str) -> None:
    grid = build_triangle_grid(*CLOSED[name]())
    every = np.random.default_rng(2).permutation(np.prod(grid.dims))[:1500]
    centres = grid.origin + (np.stack(np.unravel_index(every, grid.dims), axis=1) + 0.5) * grid.cell_size
    clear = distances_to_triangles(centres, grid.surface.corners).min(axis=1) > 0.01 * grid.cell_size
    inside = winding_numbers(centres, grid.surface.corners) > 0.5
    assert ((grid.cell_sides[every] != 0) == inside)[clear].all()


@pytest.mark.parametrize("name", ["cube", "icosphere", "torus", "l_shape"])
def test_a_deep_cell_lists_a_way_out_that_is_hardly_longer_than_the_shortest(name: str) -> None:
    grid = build_triangle_grid(*CLOSED[name]())
    points = random_points(grid, 3000, 3)
    cells = cells_of(grid, points)
    points, cells = points[grid.cell_sides[cells] == DEEP], cells[grid.cell_sides[cells] == DEEP]
    assert len(points) > 50
    distances = distances_to_triangles(points, grid.surface.corners)
    for point_distances, cell in zip(distances, cells, strict=True):
        assert point_distances[listed(grid, cell)].min() <= point_distances.min() + 0.5 * grid.cell_size


def test_a_hollow_stays_a_hollow_even_when_mirrored() -> None:
    positions, triangles = icosphere(2)
    both = np.concatenate([positions, 0.5 * positions])
    hollow = np.concatenate([triangles, triangles[:, ::-1] + len(positions)])
    for sign in (1.0, -1.0):
        grid = build_triangle_grid(both * (1.0, 1.0, sign), hollow)
        sides = grid.cell_sides[cells_of(grid, np.array([[0.01, 0.0, 0.0], [0.75, 0.01, 0.0]]))]
        assert sides[0] == 0
        assert sides[1] != 0


def test_apart_pieces_are_turned_outward_each() -> None:
    positions, triangles = cube()
    both = np.concatenate([positions, 0.5 * positions + (5.0, 0.0, 0.0)])
    grid = build_triangle_grid(both, np.concatenate([triangles, triangles[:, ::-1] + len(positions)]))
    cells = cells_of(grid, np.array([[0.0, 0.0, 0.0], [5.0, 0.0, 0.0], [2.5, 0.0, 0.0]]))
    assert [bool(side) for side in grid.cell_sides[cells]] == [True, True, False]


def test_a_loose_vertex_does_not_widen_the_grid() -> None:
    positions, triangles = cube()
    grid = build_triangle_grid(np.concatenate([positions, [[1e6, 0.0, 0.0]]]), triangles)
    assert grid.dims == build_triangle_grid(positions, triangles).dims


@given(st.floats(0.0, 0.5))
def test_the_margin_covers_the_offset(offset: float) -> None:
    assert build_triangle_grid(*plane(), largest_offset=offset).margin >= offset


def test_the_cells_of_a_large_mesh_fit_into_memory() -> None:
    grid = build_triangle_grid(*icosphere(5))
    assert np.prod(grid.dims) <= MAX_CELLS
    assert np.diff(grid.cell_starts).mean() < 10.0
    assert (grid.cell_sides == DEEP).any()


def test_pack_keeps_everything_apart() -> None:
    grids = [build_triangle_grid(*plane()), build_triangle_grid(*cube()), build_triangle_grid(*icosphere(1))]
    packed = pack(grids)
    assert (packed.floats.dtype, packed.ints.dtype, packed.headers.dtype) == (np.float32, np.int32, np.int32)
    for grid, at in zip(grids, packed.headers, strict=True):
        header = packed.ints[at : at + HEADER_INTS]
        assert tuple(header[1:4]) == grid.dims
        assert header[4] == grid.surface.closed
        floats = packed.floats[header[0] : header[0] + HEADER_FLOATS]
        np.testing.assert_allclose(floats[:3], grid.origin, rtol=1e-6)
        np.testing.assert_allclose(floats[3:6] - floats[:3], np.array(grid.dims) * grid.cell_size, rtol=1e-5)
        np.testing.assert_allclose(
            floats[6:10], [grid.cell_size, 1 / grid.cell_size, grid.margin, grid.tolerance], 1e-6
        )
        count = len(grid.surface.corners)
        hot = packed.floats[header[6] : header[6] + HOT_FLOATS * count].reshape(count, -1)
        np.testing.assert_allclose(hot[:, :3] + hot[:, 6:9], grid.surface.corners[:, 2], atol=1e-6)
        cold = packed.floats[header[7] : header[7] + PSEUDONORMAL_FLOATS * count].reshape(count, 7, 3)
        np.testing.assert_allclose(cold, grid.surface.pseudonormals, atol=1e-6)
        for cell in np.random.default_rng(6).integers(np.prod(grid.dims), size=300):
            entry = packed.ints[header[5] + cell]
            expected = listed(grid, cell)
            assert (entry != 0) == (len(expected) > 0)
            if entry:
                assert packed.ints[entry] == len(expected)
                assert packed.ints[entry + 1] == grid.touching_counts[cell]
                assert packed.ints[entry + 2] == grid.cell_sides[cell]
                assert list(packed.ints[entry + LIST_HEADER_INTS :][: len(expected)]) == list(expected)


def test_packing_nothing_gives_arrays_that_kernels_take() -> None:
    packed = pack([])
    assert len(packed.floats) == len(packed.ints) == 1
    assert len(packed.headers) == 0


def test_real_meshes_become_grids(meshes_folder: Any) -> None:
    files = [file for file in sorted(meshes_folder.glob("*.obj")) if file.stat().st_size < 3_000_000]
    assert files
    for file in files:
        lines = [line.split() for line in file.read_text().splitlines()]
        positions = np.array([line[1:4] for line in lines if line[:1] == ["v"]], float)
        faces = [[int(corner.split("/")[0]) - 1 for corner in line[1:]] for line in lines if line[:1] == ["f"]]
        triangles = np.array([(face[0], b, c) for face in faces for b, c in pairwise(face[1:])])
        grid = build_triangle_grid(positions, triangles)
        points = random_points(grid, 20, 7)
        distances = signed_distances(points, grid.surface.corners)
        if grid.surface.closed:
            clear = np.abs(distances) > grid.cell_size
            assert ((grid.cell_sides[cells_of(grid, points)] >= INSIDE) == (distances < 0.0))[clear].all(), file.name
