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

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ..chunks import chunks
from ..components import connected_components, dense_labels
from ..ragged import ramp
from .inside import Crossings, Grid
from .lattice import TETRAHEDRA_PER_CELL, Lattice
from .sampling import SurfaceSamples

# Points are moved by this share of their distance from the middle to tell on which side of a border they count.
NUDGE = 1e-9
# Samples of the grid that are looked at at once.
SAMPLES_AT_ONCE = 1 << 18
NONE = np.zeros(0, dtype=np.int32)


@dataclass(frozen=True)
class Pieces:
    """Pieces of the solid, each in one tetrahedron of the lattice.

    Attributes:
        tetrahedron: lattice number, shape (pieces,), int64.
        inside_samples: how many inside samples each holds, shape (pieces,), int64.
        is_whole: whether no surface runs through the tetrahedron, shape (pieces,), bool.
        links: pieces of different tetrahedra that hang together, shape (links, 2), int32, each once.
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

    @property
    def first_sample(self) -> int:
        """The first node of a sample."""
        return len(self.surface_keys)

    def on_surface(self, tetrahedron: np.ndarray, triangle: np.ndarray) -> np.ndarray:
        """The node of each (tetrahedron, triangle), or −1."""
        keys = tetrahedron * self.triangle_count + triangle
        place = np.minimum(np.searchsorted(self.surface_keys, keys), len(self.surface_keys) - 1)
        return np.where((tetrahedron >= 0) & (self.surface_keys[place] == keys), place, -1)

    def near_surface(self, lattice: Lattice, tetrahedron: np.ndarray, triangle: np.ndarray) -> np.ndarray:
        """The node of each (tetrahedron, triangle), or else one of the triangle in a neighbouring one, or −1."""
        node = self.on_surface(tetrahedron, triangle)
        missing = np.flatnonzero(node < 0)
        neighbours = lattice.neighbours(tetrahedron[missing])
        for face in range(4):
            node[missing] = np.maximum(node[missing], self.on_surface(neighbours[:, face], triangle[missing]))
        return node


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
    sample_tetrahedra = _locate_inward(lattice, samples.points)
    crossing_tetrahedra = [_locate_inward(lattice, along.points) for along in crossings]
    nodes = _make_nodes(lattice, grid, depth, crossing_tetrahedra, samples, sample_tetrahedra)
    of_sample = nodes.on_surface(sample_tetrahedra, samples.triangle)
    links = [of_sample[samples.links]]
    for along, tetrahedra in zip(crossings, crossing_tetrahedra, strict=True):
        of_crossing = nodes.near_surface(lattice, tetrahedra, along.triangle)
        links.append(_link_along_rays(grid, depth, along, of_crossing, nodes.of_grid))
        links.append(_link_samples(grid, depth, along, nodes))
    # the numbers of the grid's samples are as much as all that is still to come
    nodes = replace(nodes, of_grid=NONE)
    together = np.concatenate(links)
    del links, sample_tetrahedra, crossing_tetrahedra
    pairs = unique_links(together, len(nodes.tetrahedron))
    del together
    within = nodes.tetrahedron[pairs[:, 0]] == nodes.tetrahedron[pairs[:, 1]]
    if weld:
        order = np.argsort(nodes.tetrahedron, kind="stable")
        same = nodes.tetrahedron[order][1:] == nodes.tetrahedron[order][:-1]
        local = np.stack([order[:-1][same], order[1:][same]], axis=1)
    else:
        local = pairs[within]
    piece, count = dense_labels(connected_components(len(nodes.tetrahedron), local))
    tetrahedron = np.empty(count, dtype=np.int64)
    tetrahedron[piece] = nodes.tetrahedron
    is_whole = np.zeros(count, dtype=bool)
    is_whole[piece[nodes.first_whole :]] = True
    inside_samples = np.bincount(piece, nodes.inside_samples, minlength=count).astype(np.int64)
    across = unique_links(piece[pairs[~within]], count)
    found = Pieces(tetrahedron, inside_samples, is_whole, across, piece[of_sample])
    return _drop_strays(_link_whole(lattice, merge_pieces(found, _siblings(across, tetrahedron))[0]))


def sample_tetrahedra_table(lattice: Lattice, grid: Grid) -> tuple[np.ndarray, np.ndarray]:
    """How the grid's samples lie in the tetrahedra, the same in every cell.

    Returns:
        ``steps``, shape (rate, rate, rate): what to add to 12 · cell to get the tetrahedron's number; and ``counts``,
        shape (12,): how many samples a tetrahedron of each kind holds.
    """
    places = [grid.places(axis, np.arange(grid.rate)) / grid.rate for axis in range(3)]
    points = np.stack(np.meshgrid(*places, indexing="ij"), axis=-1).reshape(-1, 3)
    numbers = lattice.locate(points + 1.0)
    cell = (lattice.shape[1] + 1) * lattice.shape[2] + 1
    steps = numbers - TETRAHEDRA_PER_CELL * cell
    counts = np.bincount(numbers % TETRAHEDRA_PER_CELL, minlength=TETRAHEDRA_PER_CELL)
    return steps.reshape(grid.rate, grid.rate, grid.rate), counts


def _locate_inward(lattice: Lattice, points: np.ndarray) -> np.ndarray:
    """The tetrahedron of each point; of several that it lies on the border of, one towards the middle.

    Without this the tip of a cone could be given a tetrahedron that touches the rest in that one point.
    """
    middle = 0.5 * np.array(lattice.shape)
    return lattice.locate(points + NUDGE * (middle - points))


def _make_nodes(
    lattice: Lattice,
    grid: Grid,
    depth: np.ndarray,
    crossing_tetrahedra: list[np.ndarray],
    samples: SurfaceSamples,
    sample_tetrahedra: np.ndarray,
) -> _Nodes:
    """Number the nodes of the graph."""
    triangle_count = len(samples.corner_samples)
    surface_keys = np.unique(sample_tetrahedra * triangle_count + samples.triangle)
    on_surface = surface_keys // triangle_count
    has_surface = np.zeros(lattice.tetrahedron_count, dtype=bool)
    for tetrahedra in (on_surface, *crossing_tetrahedra):
        has_surface[tetrahedra] = True

    inside = np.flatnonzero(depth).astype(np.int32)
    in_tetrahedron = _tetrahedra_of_samples(lattice, grid, inside)
    mixed = has_surface[in_tetrahedron]
    whole, whole_counts = np.unique(in_tetrahedron[~mixed], return_counts=True)
    first_whole = len(surface_keys) + int(mixed.sum())
    whole_node = np.zeros(lattice.tetrahedron_count, dtype=np.int32)
    whole_node[whole] = first_whole + np.arange(len(whole))
    of_grid = np.full(depth.size, -1, dtype=np.int32)
    of_grid[inside[mixed]] = len(surface_keys) + np.arange(first_whole - len(surface_keys))
    of_grid[inside[~mixed]] = whole_node[in_tetrahedron[~mixed]]
    return _Nodes(
        tetrahedron=np.concatenate([on_surface, in_tetrahedron[mixed], whole]).astype(np.int32),
        inside_samples=np.concatenate(
            [np.zeros(len(surface_keys)), np.ones(first_whole - len(surface_keys)), whole_counts]
        ).astype(np.int32),
        surface_keys=surface_keys,
        triangle_count=triangle_count,
        first_whole=first_whole,
        of_grid=of_grid,
    )


def _tetrahedra_of_samples(lattice: Lattice, grid: Grid, flat: np.ndarray) -> np.ndarray:
    """The tetrahedron of each of the grid's samples, given by flat numbers."""
    steps, _ = sample_tetrahedra_table(lattice, grid)
    found = np.empty(len(flat), dtype=np.int32)
    for part in chunks(len(flat)):
        place = np.unravel_index(flat[part], grid.shape)
        x, y, z = (axis // grid.rate for axis in place)
        cell = (x * lattice.shape[1] + y) * lattice.shape[2] + z
        found[part] = TETRAHEDRA_PER_CELL * cell + steps[tuple(axis % grid.rate for axis in place)]
    return found


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
    # One run: the crossings in one interval of one ray.
    changes = (crossings.base[1:] != crossings.base[:-1]) | (crossings.interval[1:] != crossings.interval[:-1])
    is_first, is_last = np.r_[True, changes], np.r_[changes, True]
    running = np.cumsum(crossings.sign)
    run_begin = np.maximum.accumulate(np.where(is_first, np.arange(count), 0))
    passed = running - (running - crossings.sign)[run_begin]
    run_total = passed[is_last][np.cumsum(is_first) - 1]
    # The winding number just after each crossing, counted from either end of the interval; inside where both say so.
    from_before = depth_before - passed
    from_after = depth_after + run_total - passed
    joined = np.flatnonzero(~is_last & (from_before != 0) & (from_after != 0))
    first = np.flatnonzero(is_first & (depth_before != 0))
    last = np.flatnonzero(is_last & (depth_after != 0))
    links = np.concatenate(
        [
            np.stack([of_crossing[joined], of_crossing[joined + 1]], axis=1),
            np.stack([of_grid[before_key[first]], of_crossing[first]], axis=1),
            np.stack([of_crossing[last], of_grid[after_key[last]]], axis=1),
        ]
    )
    # A crossing in a corner that no surface sample came near has no node.
    return links[(links >= 0).all(axis=1)]


def _link_samples(grid: Grid, depth: np.ndarray, crossings: Crossings, nodes: _Nodes) -> np.ndarray:
    """Links between samples next to each other along an axis, with no surface between; at least one in a mixed cell."""
    axis = crossings.axis
    stride = int(grid.strides()[axis])
    samples = depth.reshape(-1)
    is_crossed = np.zeros(len(samples) - stride, dtype=bool)
    crossed = crossings.base + (crossings.interval - 1) * stride
    is_crossed[crossed[(crossings.interval > 0) & (crossings.interval < grid.shape[axis])]] = True
    links = [np.zeros((0, 2), dtype=np.int32)]
    # The grid's border lies outside, so no link runs over from one row into the next.
    for part in chunks(len(is_crossed), SAMPLES_AT_ONCE):
        above = slice(part.start + stride, part.stop + stride)
        linked = (samples[part] != 0) & (samples[above] != 0) & ~is_crossed[part]
        pairs = np.stack([nodes.of_grid[part][linked], nodes.of_grid[above][linked]], axis=1)
        links.append(pairs[((pairs >= nodes.first_sample) & (pairs < nodes.first_whole)).any(axis=1)])
    return np.concatenate(links)


def merge_pieces(pieces: Pieces, pairs: np.ndarray) -> tuple[Pieces, np.ndarray]:
    """Make one piece of those that the pairs connect; they lie in the same tetrahedron.

    Args:
        pieces: the pieces.
        pairs: shape (pairs, 2).

    Returns:
        The pieces, and which of them each of those given is part of.
    """
    merged, count = dense_labels(connected_components(len(pieces.tetrahedron), pairs))
    tetrahedron = np.empty(count, dtype=np.int64)
    tetrahedron[merged] = pieces.tetrahedron
    is_whole = np.zeros(count, dtype=bool)
    is_whole[merged] = pieces.is_whole
    fewer = Pieces(
        tetrahedron=tetrahedron,
        inside_samples=np.bincount(merged, pieces.inside_samples, minlength=count).astype(np.int64),
        is_whole=is_whole,
        links=unique_links(merged[pieces.links], count),
        of_sample=merged[pieces.of_sample],
    )
    return fewer, merged


class PieceTable:
    """Finds the pieces in tetrahedra."""

    def __init__(self, pieces: Pieces) -> None:
        """Sort them."""
        self._order = np.argsort(pieces.tetrahedron, kind="stable").astype(np.int32)
        self._tetrahedra = pieces.tetrahedron[self._order]

    def find(self, tetrahedra: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """All pieces in given tetrahedra.

        Args:
            tetrahedra: lattice numbers, shape (n,).

        Returns:
            ``asked``, which of the n, and ``found``, a piece in it; each shape (matches,).
        """
        begin = np.searchsorted(self._tetrahedra, tetrahedra, side="left")
        counts = np.searchsorted(self._tetrahedra, tetrahedra, side="right") - begin
        asked = np.repeat(np.arange(len(tetrahedra)), counts)
        return asked, self._order[np.repeat(begin, counts) + ramp(counts)]

    def across_faces(self, lattice: Lattice, pieces: Pieces, chosen: np.ndarray) -> Iterator[np.ndarray]:
        """Pairs of a chosen piece and one across a face of it, some of them at a time, shape (pairs, 2), int32."""
        for part in chunks(len(chosen)):
            asked, other = self.find(lattice.neighbours(pieces.tetrahedron[chosen[part]]).reshape(-1))
            yield np.stack([chosen[part][asked // 4], other], axis=1).astype(np.int32)


def with_links(pieces: Pieces, links: np.ndarray) -> Pieces:
    """The pieces with more links.

    Args:
        pieces: the pieces.
        links: shape (links, 2).
    """
    together = unique_links(np.concatenate([pieces.links, links.astype(np.int32)]), len(pieces.tetrahedron))
    return Pieces(pieces.tetrahedron, pieces.inside_samples, pieces.is_whole, together, pieces.of_sample)


def unique_links(links: np.ndarray, count: int) -> np.ndarray:
    """Unordered links between different nodes, each once, sorted."""
    keys = np.minimum(links[:, 0], links[:, 1]).astype(np.int64)
    keys *= count
    keys += np.maximum(links[:, 0], links[:, 1])
    keys = keys[links[:, 0] != links[:, 1]]
    # mostly in order already, with more behind: a stable sort merges runs
    keys.sort(kind="stable")
    keys = keys[np.concatenate([[True], keys[1:] != keys[:-1]])[: len(keys)]]
    unique = np.empty((len(keys), 2), dtype=np.int32)
    unique[:, 0], unique[:, 1] = keys // count, keys % count
    return unique


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


def _link_whole(lattice: Lattice, pieces: Pieces) -> Pieces:
    """Link tetrahedra without surface to each other across their faces."""
    links = [
        pairs[pieces.is_whole[pairs[:, 1]] & (pairs[:, 0] < pairs[:, 1])]
        for pairs in PieceTable(pieces).across_faces(lattice, pieces, np.flatnonzero(pieces.is_whole))
    ]
    return with_links(pieces, np.concatenate([pieces.links[:0], *links]))


def _drop_strays(pieces: Pieces) -> Pieces:
    """Leave out what hangs together with no surface: samples that the rays were mistaken about."""
    component = connected_components(len(pieces.tetrahedron), pieces.links)
    kept = np.zeros(len(component), dtype=bool)
    kept[component[pieces.of_sample]] = True
    kept = kept[component]
    number = np.cumsum(kept) - 1
    return Pieces(
        pieces.tetrahedron[kept],
        pieces.inside_samples[kept],
        pieces.is_whole[kept],
        number[pieces.links[kept[pieces.links[:, 0]]]],
        number[pieces.of_sample],
    )
