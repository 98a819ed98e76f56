# SPDX-License-Identifier: GPL-3.0-or-later
"""Which cells of a grid list faces that a point may touch at once."""

import numpy as np
import pytest

from blender_xpbd.geometry.collider.bent_cells import SAME_NORMAL, bent_cells
from blender_xpbd.geometry.collider.triangle_grid import build_triangle_grid
from tests.geometry import surfaces


def sheet(height):
    """Positions and triangles of 8 × 8 quads."""
    x, y = np.meshgrid(np.linspace(-1, 1, 9), np.linspace(-1, 1, 9), indexing="ij")
    positions = np.stack([x.ravel(), y.ravel(), np.full(x.size, height)], axis=1)
    first = np.arange(81).reshape(9, 9)
    quads = np.stack([first[:-1, :-1], first[1:, :-1], first[1:, 1:], first[:-1, 1:]], axis=-1).reshape(-1, 4)
    return positions, np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])


MESHES = {
    "ball": lambda: surfaces.sphere(48, 24),
    "cube": surfaces.cube,
    "sheet": lambda: sheet(0.0),
    "two sheets": lambda: surfaces.join(sheet(0.0), sheet(0.1)),
}


def bent(name):
    positions, triangles = MESHES[name]()
    grid = build_triangle_grid(positions, triangles)
    return grid, bent_cells(grid.surface, grid.dims, grid.cell_starts, grid.cell_triangles)


def middles(grid):
    """Centres of the cells."""
    return grid.origin + (np.moveaxis(np.indices(grid.dims), 0, -1).reshape(-1, 3) + 0.5) * grid.cell_size


def test_a_flat_sheet_has_none():
    assert not bent("sheet")[1].any()


def test_a_ball_has_none_but_deep_inside():
    """In the middle all sides are near."""
    grid, found = bent("ball")
    assert not found[np.linalg.norm(middles(grid), axis=1) > 0.8].any()
    assert found.any()


@pytest.mark.parametrize("name", ["cube", "two sheets"])
def test_none_is_left_out(name):
    """Pair by pair; all cells of the two sheets list both or lie beside one that does."""
    grid, found = bent(name)
    for cell in np.flatnonzero(np.diff(grid.cell_starts)):
        normals = grid.surface.normals[grid.cell_triangles[grid.cell_starts[cell] : grid.cell_starts[cell + 1]]]
        if (normals @ normals.T).min() < SAME_NORMAL:
            around = np.array(np.unravel_index(cell, grid.dims))
            low, high = np.maximum(around - 1, 0), around + 2
            assert found.reshape(grid.dims)[low[0] : high[0], low[1] : high[1], low[2] : high[2]].all()
    assert found.any()


def test_the_middle_of_a_face_is_not_bent():
    grid, found = bent("cube")
    places = middles(grid)
    is_top = (np.abs(places[:, 2] - 1.0) < grid.cell_size) & (np.abs(places[:, :2]).max(axis=1) < 0.7)
    assert is_top.any()
    assert not found[is_top].any()


def test_sheets_that_lie_close_together_are_told():
    grid, found = bent("two sheets")
    places = middles(grid)
    is_between = (np.abs(places[:, 2] - 0.05) < 0.04) & (np.abs(places[:, :2]).max(axis=1) < 1.0)
    assert found[is_between].all()
