# SPDX-License-Identifier: GPL-3.0-or-later
"""A uniform grid over a triangle mesh: one cell look-up finds the closest triangle.

Each cell lists the triangles within a margin of it. In a closed mesh a cell farther inside lists
the triangles nearest to it, so that a point deep inside still finds its way out.

The packed form, read by ``contacts/mesh.py``: per collider a header of ``HEADER_INTS`` integers at
``ints[header]`` (see ``pack``); everything in it is an absolute index, so that colliders share two arrays.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..surface.nearest_triangles import spread_inward
from ..surface.triangle_surface import Bools, Floats, Ints, TriangleSurface, build_triangle_surface
from .bent_cells import bent_cells

Singles = npt.NDArray[np.float32]

# what a grid takes is bounded by these, chosen by hand, as are the size of cells and their margin: smaller cells list
# fewer triangles, but more of them are looked at while building
MAX_CELLS = 1 << 20
# box tests while building; bounds the time that large slanted triangles take
MAX_PAIRS = 6_000_000
PAIRS_AT_ONCE = 1 << 17
# cells along the longest side, for meshes of few triangles
LEAST_RESOLUTION = 24
CELL_PER_EDGE = 0.5
# half a cell and some rounding
TOUCHING = 0.501
MARGIN_PER_CELL = 0.5
# of the size of the mesh: about 30 float32 steps; nearer points lie on the surface
TOLERANCE = 4e-6

HEADER_INTS = 8
HEADER_FLOATS = 12
HOT_FLOATS = 16
PSEUDONORMAL_FLOATS = 21
LIST_HEADER_INTS = 4

OUTSIDE, INSIDE, DEEP = 0, 1, 2


@dataclass(frozen=True)
class TriangleGrid:
    """A cleaned mesh and the triangles near each cell; cells are numbered x·(ny·nz) + y·nz + z.

    Attributes:
        surface: the triangles.
        origin: low corner of the grid [m], shape (3,).
        cell_size: edge of the cubic cells [m].
        dims: cells along x, y, z.
        margin: a cell lists every triangle within this distance [m].
        tolerance: points nearer than this lie on the surface [m].
        cell_starts: first entry of each cell in ``cell_triangles``, shape (cells + 1,).
        cell_triangles: triangle indices; those that touch the cell itself first.
        touching_counts: how many entries of each cell touch it, shape (cells,).
        cell_sides: OUTSIDE or INSIDE by the cell's centre, DEEP inside and beyond the margin; shape (cells,).
    """

    surface: TriangleSurface
    origin: Floats
    cell_size: float
    dims: tuple[int, int, int]
    margin: float
    tolerance: float
    cell_starts: Ints
    cell_triangles: Ints
    touching_counts: Ints
    cell_sides: npt.NDArray[np.int8]


@dataclass(frozen=True)
class PackedGrids:
    """All mesh colliders of a scene in two arrays.

    Attributes:
        floats: shape (n,), float32.
        ints: shape (n,), int32.
        headers: where each collider's header starts in ``ints``, shape (colliders,), int32.
    """

    floats: npt.NDArray[np.float32]
    ints: npt.NDArray[np.int32]
    headers: npt.NDArray[np.int32]


def build_triangle_grid(
    positions: Floats, triangles: npt.NDArray[np.integer], largest_offset: float = 0.0, name: str = ""
) -> TriangleGrid:
    """Build the grid of a rigid mesh collider.

    Args:
        positions: vertices in the collider's rigid frame [m], scale baked in; shape (vertices, 3).
        triangles: vertex indices, shape (triangles, 3).
        largest_offset: the widest gap [m] that contacts will ask for; the margin is at least this.
        name: the object's, for errors.

    Raises:
        XpbdError: E_GEOM_EMPTY if no triangle has an area, E_GEOM_NONFINITE for NaN or infinite positions.
    """
    surface = build_triangle_surface(positions, triangles, name)
    lows, highs = surface.corners.min(axis=1), surface.corners.max(axis=1)
    low, high = lows.min(axis=0), highs.max(axis=0)
    tolerance = TOLERANCE * max(float((high - low).max()), float(np.abs([low, high]).max()) * 0.1)
    cell_size, margin = _cell_size(surface, lows, highs, max(largest_offset, 2.0 * tolerance) * 1.001)
    padding = margin + 0.01 * cell_size
    dims = np.ceil((high - low + 2.0 * padding) / cell_size).astype(np.int64)
    origin = 0.5 * (low + high - dims * cell_size)
    cells, found, reaches = _near_pairs(surface, origin, cell_size, dims, margin)
    cell_count = int(dims.prod())
    touching = np.bincount(cells[reaches <= TOUCHING * cell_size], minlength=cell_count)
    sides = np.zeros(cell_count, np.int8)
    if surface.closed:
        sides[_cells_inside(surface.corners, origin, cell_size, dims)] = INSIDE
        listed = np.zeros(cell_count, bool)
        listed[cells] = True
        sides[(sides == INSIDE) & ~listed] = DEEP
        corners = ((surface.corners - origin) / cell_size - 0.5).astype(np.float32)
        deep_cells, deep_found = spread_inward(corners, dims, sides == DEEP, cells, found)
        cells, found = np.concatenate([cells, deep_cells]), np.concatenate([found, deep_found])
        reaches = np.concatenate([reaches, np.zeros(len(deep_cells), np.float32)])
    # by cell, then by reach: whatever touches the cell comes before the rest
    found = found[np.argsort(cells + reaches * (0.9 / (0.5 * cell_size + margin)))]
    starts = np.concatenate([[0], np.cumsum(np.bincount(cells, minlength=cell_count))])
    return TriangleGrid(
        surface,
        origin,
        cell_size,
        (int(dims[0]), int(dims[1]), int(dims[2])),
        margin,
        tolerance,
        starts,
        found,
        touching,
        sides,
    )


def pack(grids: Sequence[TriangleGrid]) -> PackedGrids:
    """Flatten grids into two arrays; neither is empty, because kernels take no empty arrays.

    Header, from ``ints[headers[k]]``: start of the header floats, cells along x, y, z, closed (1 or 0), start of
    the cell table in ``ints``, start of the triangles in ``floats``, start of the pseudonormals in ``floats``.
    Header floats: low corner (3), high corner (3), cell size, its inverse, margin, tolerance, 2 unused.
    A triangle is ``HOT_FLOATS`` floats, one cache line: a, b - a, c - a, normal, inverse norm of
    (b - a) × (c - a), radius of a sphere about the middle that holds the triangle, 2 unused.
    A cell's entry in the table is 0 (nothing there) or the index of its list: count, count of those that touch
    the cell, side, whether a point there may touch several faces (``bent_cells``), triangles.
    """
    floats: list[npt.NDArray[np.float32]] = []
    ints: list[npt.NDArray[np.int32]] = []
    headers = np.zeros(len(grids), np.int32)
    float_start = int_start = 0
    for k, grid in enumerate(grids):
        headers[k] = int_start
        grid_floats, grid_ints = _pack_one(grid, float_start, int_start)
        floats.append(grid_floats)
        ints.append(grid_ints)
        float_start += len(grid_floats)
        int_start += len(grid_ints)
    if not grids:
        return PackedGrids(np.zeros(1, np.float32), np.zeros(1, np.int32), headers)
    return PackedGrids(np.concatenate(floats), np.concatenate(ints), headers)


def _pack_one(
    grid: TriangleGrid, float_start: int, int_start: int
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int32]]:
    corners, count = grid.surface.corners, len(grid.surface.corners)
    high = grid.origin + np.array(grid.dims) * grid.cell_size
    sizes = [grid.cell_size, 1.0 / grid.cell_size, grid.margin, grid.tolerance, 0.0, 0.0]
    edges = corners[:, [1, 2, 0]] - corners
    cross = np.cross(edges[:, 0], -edges[:, 2])
    from_middles = corners - corners.mean(axis=1, keepdims=True)
    radii = np.sqrt(np.einsum("tki,tki->tk", from_middles, from_middles)).max(axis=1)[:, None]
    hot = np.concatenate(
        [
            corners[:, 0],
            edges[:, 0],
            -edges[:, 2],
            grid.surface.normals,
            1.0 / np.sqrt(np.einsum("ti,ti->t", cross, cross))[:, None],
            radii * 1.00001,
            np.zeros((count, 2)),
        ],
        axis=1,
    )
    floats = np.concatenate([grid.origin, high, sizes, hot.ravel(), grid.surface.pseudonormals.ravel()])
    counts = np.diff(grid.cell_starts)
    filled = np.flatnonzero(counts)
    lists = int_start + HEADER_INTS + len(counts) + grid.cell_starts[filled]
    lists += LIST_HEADER_INTS * np.arange(len(filled))
    table = np.zeros(len(counts), np.int64)
    table[filled] = lists
    body = np.empty(LIST_HEADER_INTS * len(filled) + len(grid.cell_triangles), np.int64)
    at = lists - (int_start + HEADER_INTS + len(counts))
    body[at], body[at + 1], body[at + 2] = counts[filled], grid.touching_counts[filled], grid.cell_sides[filled]
    body[at + 3] = bent_cells(grid.surface, grid.dims, grid.cell_starts, grid.cell_triangles)[filled]
    behind = np.repeat(LIST_HEADER_INTS * np.arange(1, len(filled) + 1), counts[filled])
    body[np.arange(len(grid.cell_triangles)) + behind] = grid.cell_triangles
    hot_start = float_start + HEADER_FLOATS
    header = [
        float_start,
        *grid.dims,
        int(grid.surface.closed),
        int_start + HEADER_INTS,
        hot_start,
        hot_start + HOT_FLOATS * count,
    ]
    return floats.astype(np.float32), np.concatenate([header, table, body]).astype(np.int32)


def _cell_size(surface: TriangleSurface, lows: Floats, highs: Floats, least_margin: float) -> tuple[float, float]:
    """Choose cells about as large as the triangles, as small as memory and building time allow; and their margin."""
    doubled = np.cross(surface.corners[:, 1] - surface.corners[:, 0], surface.corners[:, 2] - surface.corners[:, 0])
    edge = float(np.median(np.sqrt(np.sqrt(np.einsum("ti,ti->t", doubled, doubled)))))
    size = highs.max(axis=0) - lows.min(axis=0)
    cell = max(min(CELL_PER_EDGE * edge, float(size.max()) / LEAST_RESOLUTION), least_margin)
    while True:
        margin = max(MARGIN_PER_CELL * cell, least_margin)
        cells = np.prod(np.ceil(size / cell + 2.0 * margin / cell + 0.02))
        pairs = np.prod((highs - lows + 2.0 * margin) / cell + 1.0, axis=1).sum()
        if cells <= MAX_CELLS and pairs <= max(MAX_PAIRS, 30 * len(lows)):
            return cell, margin
        cell *= 1.1


def _boxes(lows: Ints, highs: Ints) -> Iterator[tuple[Ints, Ints]]:
    """Enumerate the cells of index boxes, some boxes at a time.

    Args:
        lows: first index along each axis, shape (boxes, axes).
        highs: last index; a box may be empty.

    Yields:
        box of each cell, shape (n,); its index along each axis, shape (n, axes).
    """
    spans = np.maximum(highs - lows + 1, 0)
    ends = np.cumsum(spans.prod(axis=1))
    first = 0
    while first < len(lows):
        done = int(ends[first - 1]) if first else 0
        last = max(int(np.searchsorted(ends, done + PAIRS_AT_ONCE)), first + 1)
        counts = spans[first:last].prod(axis=1)
        box = np.repeat(np.arange(first, last), counts)
        rest = np.arange(len(box)) - np.repeat(np.cumsum(counts) - counts, counts)
        index = np.empty((len(box), lows.shape[1]), np.int64)
        for axis in reversed(range(lows.shape[1])):
            rest, index[:, axis] = np.divmod(rest, spans[box, axis])
        yield box, index + lows[box]
        first = last


def _near_pairs(
    surface: TriangleSurface, origin: Floats, cell_size: float, dims: Ints, margin: float
) -> tuple[Ints, Ints, Singles]:
    """List which triangles come within the margin of which cells.

    Returns:
        cell, triangle and reach of each pair; reach [m] is half the edge of the least cube about the
        cell's centre that touches the triangle, by separating axes (Akenine-Möller 2001).
    """
    corners = (surface.corners - origin) / cell_size - 0.5
    reach = 0.5 + margin / cell_size
    lows = np.maximum(np.ceil(corners.min(axis=1) - reach), 0).astype(np.int64)
    highs = np.minimum(np.floor(corners.max(axis=1) + reach), dims - 1).astype(np.int64)
    axes, middles, halves = _separating_axes(corners.astype(np.float32), surface.normals.astype(np.float32))
    results: list[tuple[Ints, Ints, Singles]] = []
    for triangle, index in _boxes(lows, highs):
        cells = (index[:, 0] * dims[1] + index[:, 1]) * dims[2] + index[:, 2]
        x, y, z = index.T.astype(np.float32)
        reaches = np.zeros(len(cells), np.float32)
        for k, axis in enumerate(axes):
            apart = x * axis[triangle, 0] + y * axis[triangle, 1] + z * axis[triangle, 2] - middles[k, triangle]
            reaches = np.maximum(reaches, np.abs(apart) - halves[k, triangle])
            if k % 4 == 0:
                near = np.flatnonzero(reaches <= reach)
                triangle, cells, reaches = triangle[near], cells[near], reaches[near]
                x, y, z = x[near], y[near], z[near]
        results.append((cells, triangle, reaches))
    return (
        np.concatenate([part[0] for part in results]),
        np.concatenate([part[1] for part in results]),
        np.concatenate([part[2] for part in results]) * np.float32(cell_size),
    )


def _separating_axes(corners: Singles, normals: Singles) -> tuple[Singles, Singles, Singles]:
    """Per triangle the 13 axes that can part it from a cube, scaled to a half extent of the unit cube of 1.

    Returns:
        axes, shape (13, triangles, 3); middle and half of the triangle's interval on each, shape (13, triangles).
    """
    edges = corners[:, [1, 2, 0]] - corners
    units = np.eye(3, dtype=np.float32)
    axes = [normals]
    axes += [np.cross(edges[:, k], unit) for k in range(3) for unit in units]
    axes += [np.broadcast_to(unit, normals.shape) for unit in units]
    stacked = np.stack(axes)
    radii = np.abs(stacked).sum(axis=2)
    # an edge along a coordinate axis gives no axis of its own; what is left parts nothing
    stacked /= np.where(radii > 0.0, radii, np.float32(1.0))[:, :, None]
    along = np.einsum("kti,tci->ktc", stacked, corners)
    high, low = along.max(axis=2), along.min(axis=2)
    return stacked, 0.5 * (high + low), 0.5 * (high - low)


def _cells_inside(corners: Floats, origin: Floats, cell_size: float, dims: Ints) -> Bools:
    """Tell which cell centres lie inside, by the majority of the winding along x, y and z."""
    votes = np.zeros(dims, np.int8)
    for axis in range(3):
        votes += _winding(corners, origin, cell_size, dims, axis) > 0
    return (votes >= 2).ravel()


def _winding(corners: Floats, origin: Floats, cell_size: float, dims: Ints, axis: int) -> Ints:
    """Winding number of the cell centres, counted along rays down one axis; shape dims."""
    u, v = (axis + 1) % 3, (axis + 2) % 3
    # off the middle by a hair, because meshes like to put edges there
    shift = np.array([0.5 + 0.00137, 0.5 + 0.00219])
    scaled = (corners - origin) / cell_size
    plane, heights = scaled[:, :, [u, v]] - shift, scaled[:, :, axis]
    lows = np.maximum(np.ceil(plane.min(axis=1)), 0).astype(np.int64)
    highs = np.minimum(np.floor(plane.max(axis=1)), dims[[u, v]] - 1).astype(np.int64)
    changes = np.zeros(int(dims[u] * dims[v] * (dims[axis] + 1)), np.int64)
    for triangle, index in _boxes(lows, highs):
        offsets = plane[triangle] - index[:, None, :]
        following = offsets[:, [1, 2, 0]]
        # twice the areas that the ray's foot spans with the edges ab, bc, ca
        areas = offsets[:, :, 0] * following[:, :, 1] - offsets[:, :, 1] * following[:, :, 0]
        total = areas.sum(axis=1)
        hit = (areas * np.sign(total)[:, None] > 0.0).all(axis=1)
        areas, total, triangle, index = areas[hit], total[hit], triangle[hit], index[hit]
        height = np.einsum("pk,pk->p", areas[:, [1, 2, 0]], heights[triangle]) / total
        first = np.clip(np.ceil(height - 0.5).astype(np.int64), 0, dims[axis])
        flat = (index[:, 0] * dims[v] + index[:, 1]) * (dims[axis] + 1) + first
        changes -= np.bincount(flat, np.sign(total), len(changes)).astype(np.int64)
    winding = np.cumsum(changes.reshape(dims[u], dims[v], dims[axis] + 1), axis=2)[:, :, :-1]
    return np.moveaxis(winding, (0, 1, 2), (u, v, axis))
