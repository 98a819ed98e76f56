# SPDX-License-Identifier: GPL-3.0-or-later
"""The connected pieces of a solid in every tetrahedron of a lattice, and how they hang together.

Two legs that pass through one tetrahedron are two pieces of it, and each gets a copy of the tetrahedron, so that they
can part. What hangs together is told by a graph. Its nodes are the triangles in each tetrahedron and the inside
samples in each tetrahedron; its links are neighbours on the surface, neighbouring samples without a surface between
them, and the successive items (samples, crossings) on a ray while it is inside. A tetrahedron without any surface in
it is one node.

Source: after Molino, Bao & Fedkiw 2004, "A virtual node algorithm for changing mesh topology during simulation", and
Nesme, Kry, Jeřábková & Faure 2009, "Preserving topology and elasticity for embedded deformable models".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .components import connected_components, dense_labels
from .inside import Crossings, Grid
from .lattice import TETRAHEDRA_PER_CELL, Lattice
from .sampling import SurfaceSamples


@dataclass(frozen=True)
class Pieces:
    """Pieces of the solid, each in one tetrahedron of the lattice.

    Attributes:
        tetrahedron: lattice number, shape (pieces,), int64.
        inside_samples: how many inside samples each holds, shape (pieces,), int64.
        is_whole: whether no surface runs through the tetrahedron, shape (pieces,), bool.
        links: pieces of different tetrahedra that hang together, shape (links, 2), int64, each once.
        of_sample: the piece of each surface sample, shape (samples,), int64.
    """

    tetrahedron: np.ndarray
    inside_samples: np.ndarray
    is_whole: np.ndarray
    links: np.ndarray
    of_sample: np.ndarray


@dataclass(frozen=True)
class _Nodes:
    """Nodes of the graph: first those on the surface, then the samples, then the whole tetrahedra."""

    tetrahedron: np.ndarray
    inside_samples: np.ndarray
    surface_keys: np.ndarray
    triangle_count: int
    first_whole: int
    of_grid: np.ndarray
    is_mixed_sample: np.ndarray

    def on_surface(self, tetrahedron: np.ndarray, triangle: np.ndarray) -> np.ndarray:
        """The node of each (tetrahedron, triangle)."""
        return np.searchsorted(self.surface_keys, tetrahedron * self.triangle_count + triangle)


def find_pieces(
    lattice: Lattice,
    grid: Grid,
    depth: np.ndarray,
    crossings: list[Crossings],
    samples: SurfaceSamples,
    weld: bool,
) -> Pieces:
    """Find the pieces of a solid.

    Args:
        lattice: the lattice.
        grid: sample points.
        depth: winding number of each of the grid's samples, 0 outside.
        crossings: of the grid's rays along x, y and z.
        samples: samples of the surface in lattice units.
        weld: keep one piece per tetrahedron, whatever passes through it.
    """
    sample_tetrahedra = lattice.locate(samples.points)
    crossing_tetrahedra = [lattice.locate(along.points) for along in crossings]
    nodes = _make_nodes(lattice, grid, depth, crossings, crossing_tetrahedra, samples, sample_tetrahedra)
    of_sample = nodes.on_surface(sample_tetrahedra, samples.triangle)
    links = [of_sample[samples.links]]
    for along, tetrahedra in zip(crossings, crossing_tetrahedra, strict=True):
        of_crossing = nodes.on_surface(tetrahedra, along.triangle)
        links.append(_link_along_rays(grid, depth, along, of_crossing, nodes.of_grid))
        links.append(_link_samples(grid, depth, along, nodes))
    pairs = _unique_links(np.concatenate(links), len(nodes.tetrahedron))
    within = nodes.tetrahedron[pairs[:, 0]] == nodes.tetrahedron[pairs[:, 1]]
    if weld:
        order = np.argsort(nodes.tetrahedron, kind="stable")
        same = nodes.tetrahedron[order][1:] == nodes.tetrahedron[order][:-1]
        local = np.stack([order[:-1][same], order[1:][same]], axis=1)
    else:
        local = pairs[within]
    piece, count = dense_labels(connected_components(len(nodes.tetrahedron), local))
    across = _unique_links(piece[pairs[~within]], count)
    tetrahedron = np.empty(count, dtype=np.int64)
    tetrahedron[piece] = nodes.tetrahedron
    merged, count = dense_labels(connected_components(count, _siblings(across, tetrahedron)))
    piece = merged[piece]
    tetrahedron = np.empty(count, dtype=np.int64)
    tetrahedron[piece] = nodes.tetrahedron
    is_whole = np.zeros(count, dtype=bool)
    is_whole[piece[nodes.first_whole :]] = True
    inside_samples = np.bincount(piece, nodes.inside_samples, minlength=count).astype(np.int64)
    found = Pieces(tetrahedron, inside_samples, is_whole, _unique_links(merged[across], count), piece[of_sample])
    return _link_stray_neighbours(lattice, found)


def sample_tetrahedra_table(lattice: Lattice, grid: Grid) -> tuple[np.ndarray, np.ndarray]:
    """How the grid's samples lie in the tetrahedra, the same in every cell.

    Returns:
        ``steps``, shape (rate, rate, rate): what to add to 12 · cell to get the tetrahedron's number; and ``counts``,
        shape (12,): how many samples a tetrahedron of each kind holds.
    """
    place = (np.arange(grid.rate)[None] + np.array(grid.offsets)[:, None]) / grid.rate
    points = np.stack(np.meshgrid(*place, indexing="ij"), axis=-1).reshape(-1, 3)
    numbers = lattice.locate(points + 1.0)
    cell = (lattice.shape[1] + 1) * lattice.shape[2] + 1
    steps = numbers - TETRAHEDRA_PER_CELL * cell
    counts = np.bincount(numbers % TETRAHEDRA_PER_CELL, minlength=TETRAHEDRA_PER_CELL)
    return steps.reshape(grid.rate, grid.rate, grid.rate), counts


def _make_nodes(
    lattice: Lattice,
    grid: Grid,
    depth: np.ndarray,
    crossings: list[Crossings],
    crossing_tetrahedra: list[np.ndarray],
    samples: SurfaceSamples,
    sample_tetrahedra: np.ndarray,
) -> _Nodes:
    """Number the nodes of the graph."""
    triangle_count = len(samples.corner_samples)
    tetrahedra = np.concatenate([sample_tetrahedra, *crossing_tetrahedra])
    triangles = np.concatenate([samples.triangle, *(along.triangle for along in crossings)])
    surface_keys = np.unique(tetrahedra * triangle_count + triangles)
    on_surface = surface_keys // triangle_count
    has_surface = np.zeros(lattice.tetrahedron_count, dtype=bool)
    has_surface[on_surface] = True

    inside = np.flatnonzero(depth)
    in_tetrahedron = _tetrahedra_of_samples(lattice, grid, inside)
    mixed = has_surface[in_tetrahedron]
    whole_counts = np.bincount(in_tetrahedron[~mixed], minlength=lattice.tetrahedron_count)
    whole = np.flatnonzero(whole_counts)
    first_whole = len(surface_keys) + int(mixed.sum())
    whole_node = np.zeros(lattice.tetrahedron_count, dtype=np.int32)
    whole_node[whole] = first_whole + np.arange(len(whole))
    of_grid = np.full(depth.size, -1, dtype=np.int32)
    of_grid[inside[mixed]] = len(surface_keys) + np.arange(first_whole - len(surface_keys))
    of_grid[inside[~mixed]] = whole_node[in_tetrahedron[~mixed]]
    is_mixed = np.zeros(depth.size, dtype=bool)
    is_mixed[inside[mixed]] = True
    return _Nodes(
        tetrahedron=np.concatenate([on_surface, in_tetrahedron[mixed], whole]),
        inside_samples=np.concatenate(
            [np.zeros(len(surface_keys)), np.ones(first_whole - len(surface_keys)), whole_counts[whole]]
        ),
        surface_keys=surface_keys,
        triangle_count=triangle_count,
        first_whole=first_whole,
        of_grid=of_grid,
        is_mixed_sample=is_mixed,
    )


def _tetrahedra_of_samples(lattice: Lattice, grid: Grid, flat: np.ndarray) -> np.ndarray:
    """The tetrahedron of each of the grid's samples, given by flat numbers."""
    steps, _ = sample_tetrahedra_table(lattice, grid)
    x, y, z = np.unravel_index(flat, grid.shape)
    rate = grid.rate
    cell = (x // rate * lattice.shape[1] + y // rate) * lattice.shape[2] + z // rate
    return TETRAHEDRA_PER_CELL * cell + steps[x % rate, y % rate, z % rate]


def _link_along_rays(
    grid: Grid, depth: np.ndarray, crossings: Crossings, of_crossing: np.ndarray, of_grid: np.ndarray
) -> np.ndarray:
    """Links between the crossings in one interval of a ray, and to the samples at its two ends, where inside."""
    count = len(of_crossing)
    if count == 0:
        return np.zeros((0, 2), dtype=np.int64)
    stride = grid.strides()[crossings.axis]
    samples = grid.shape[crossings.axis]
    flat_depth = depth.reshape(-1)
    after_key = crossings.base + crossings.interval * stride
    has_before, has_after = crossings.interval > 0, crossings.interval < samples
    before_key = np.where(has_before, after_key - stride, 0)
    after_key = np.where(has_after, after_key, 0)
    depth_before = np.where(has_before, flat_depth[before_key], 0)
    depth_after = np.where(has_after, flat_depth[after_key], 0)
    # One group: the crossings in one interval of one ray.
    changes = (crossings.base[1:] != crossings.base[:-1]) | (crossings.interval[1:] != crossings.interval[:-1])
    is_first, is_last = np.r_[True, changes], np.r_[changes, True]
    running = np.cumsum(crossings.sign)
    group_begin = np.maximum.accumulate(np.where(is_first, np.arange(count), 0))
    passed = running - (running - crossings.sign)[group_begin]
    group_total = passed[is_last][np.cumsum(is_first) - 1]
    # The winding number just after each crossing, counted from either end of the interval; inside where both say so.
    from_before = depth_before - passed
    from_after = depth_after + group_total - passed
    joined = np.flatnonzero(~is_last & (from_before != 0) & (from_after != 0))
    first = np.flatnonzero(is_first & (depth_before != 0))
    last = np.flatnonzero(is_last & (depth_after != 0))
    return np.concatenate(
        [
            np.stack([of_crossing[joined], of_crossing[joined + 1]], axis=1),
            np.stack([of_grid[before_key[first]], of_crossing[first]], axis=1),
            np.stack([of_crossing[last], of_grid[after_key[last]]], axis=1),
        ]
    )


def _link_samples(grid: Grid, depth: np.ndarray, crossings: Crossings, nodes: _Nodes) -> np.ndarray:
    """Links between samples next to each other along an axis, with no surface between; at least one in a mixed cell."""
    axis = crossings.axis
    stride = int(grid.strides()[axis])
    inside = depth.reshape(-1) != 0
    linked = inside[:-stride] & inside[stride:]
    linked &= nodes.is_mixed_sample[:-stride] | nodes.is_mixed_sample[stride:]
    crossed = crossings.base + (crossings.interval - 1) * stride
    linked[crossed[(crossings.interval > 0) & (crossings.interval < grid.shape[axis])]] = False
    # The grid's border lies outside, so no link runs over from one row into the next.
    lower = np.flatnonzero(linked)
    return np.stack([nodes.of_grid[lower], nodes.of_grid[lower + stride]], axis=1).astype(np.int64)


def _unique_links(links: np.ndarray, count: int) -> np.ndarray:
    """Unordered links between different nodes, each once, sorted."""
    low, high = links.min(axis=1), links.max(axis=1)
    keys = np.unique((low.astype(np.int64) * count + high)[low != high])
    return np.stack([keys // count, keys % count], axis=1)


def _siblings(links: np.ndarray, tetrahedron: np.ndarray) -> np.ndarray:
    """Pieces of one tetrahedron that hang on the same piece of another: they are one, only sampled too coarsely.

    Going only one step keeps a gap between two fingers open but for its last cell.
    """
    ends = np.concatenate([links, links[:, ::-1]])
    hub, piece = ends[:, 0], ends[:, 1]
    order = np.lexsort((piece, tetrahedron[piece], hub))
    hub, piece = hub[order], piece[order]
    same = (hub[1:] == hub[:-1]) & (tetrahedron[piece[1:]] == tetrahedron[piece[:-1]])
    return np.stack([piece[:-1][same], piece[1:][same]], axis=1)


def _link_stray_neighbours(lattice: Lattice, pieces: Pieces) -> Pieces:
    """Link tetrahedra without surface to every neighbour across a face that no sample happened to link them to."""
    whole = np.flatnonzero(pieces.is_whole)
    neighbours = lattice.neighbours(pieces.tetrahedron[whole])
    order = np.argsort(pieces.tetrahedron, kind="stable")
    ordered = pieces.tetrahedron[order]
    begin = np.searchsorted(ordered, neighbours, side="left")
    counts = (np.searchsorted(ordered, neighbours, side="right") - begin).reshape(-1)
    owner = np.repeat(np.repeat(whole, 4), counts)
    step = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
    other = order[np.repeat(begin.reshape(-1), counts) + step]
    mixed = ~pieces.is_whole[other]
    owner, other = owner[mixed], other[mixed]
    # A tetrahedron pair that has a link already needs no other.
    count = lattice.tetrahedron_count
    linked = pieces.tetrahedron[pieces.links]
    linked_keys = np.concatenate([linked[:, 0] * count + linked[:, 1], linked[:, 1] * count + linked[:, 0]])
    stray = ~np.isin(pieces.tetrahedron[owner] * count + pieces.tetrahedron[other], linked_keys)
    extra = np.stack([owner[stray], other[stray]], axis=1)
    links = _unique_links(np.concatenate([pieces.links, extra]), len(pieces.tetrahedron))
    return Pieces(pieces.tetrahedron, pieces.inside_samples, pieces.is_whole, links, pieces.of_sample)
