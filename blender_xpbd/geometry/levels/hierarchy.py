# SPDX-License-Identifier: GPL-3.0-or-later
"""Coarse levels of a cloth: fewer and fewer vertices, each moving those around it, and links between them.

Müller 2008, "Hierarchical position based dynamics", has the cycle. Its levels are here built for any mesh of triangles
and measured along the surface; a coarse vertex is the centre of mass of what it moves, so that links between coarse
vertices keep linear and angular momentum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..components import connected_components
from ..ragged import ramp
from ..surface.topology import boundary_edges, pair_keys, unique_pairs
from .prolongation import barycentric_parents, pair_finder
from .seeds import adjacency, spread_seeds
from .tethers import nearest_sources
from .unfolding import (
    Development,
    develop_cells,
    develop_edges,
    develop_links,
    in_planes,
    product,
    sizes,
    vertex_frames,
)

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Indices = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

# seeds are more than so many links apart, on the first level and on those above: (1, 1) is a third dearer, (2, 2) and
# (3, 1) leave more strain (docs/experiments.md, Coarse levels of cloth)
HOPS = (2, 1)
# a level of fewer vertices (8 leave more strain, the same place), or of more than this share of those below (chosen by
# hand), is not worth its work
FEWEST_VERTICES = 4
GREATEST_SHARE = 0.7
# neighbours of a vertex on opposite sides are linked, too: cosine of the angle between them,
# chosen by hand. Without such links the 99th percentile of the strain is 6.4 % (the same place)
STRAIGHT = -0.9
# a link is left out where its length is uncertain by more, or the straight line through space shorter than this share.
# Chosen by hand: a link of a wrong length is stiffer than the cloth
GREATEST_SPREAD = 0.1
LEAST_CHORD = 0.8
# a level that keeps fewer of the links between neighbours holds too little for its work; chosen by hand
LEAST_KEPT = 0.25


@dataclass(frozen=True)
class CoarseLevel:
    """A level; "below" are the vertices of the next finer one, or the particles.

    Attributes:
        sources: the vertex below at which each vertex was put, shape (vertices,).
        positions: at rest [m], shape (vertices, 3).
        inverse_masses: [1/kg], shape (vertices,); 0 for those that are fixed or move nothing.
        parents: the three vertices that move each vertex below, shape (below, 3).
        weights: of its parents; they sum up to 1, or are all 0 for what is fixed; shape (below, 3).
        restriction_starts: where the terms of each vertex begin, shape (vertices + 1,).
        restriction_vertices, restriction_weights: a vertex is where Σ weight · place of the vertex below is.
        links: pairs of vertices, shape (links, 2).
        lengths: greatest distance of linked vertices [m], shape (links,).
    """

    sources: Indices
    positions: Floats
    inverse_masses: Floats
    parents: Ints
    weights: Floats
    restriction_starts: Ints
    restriction_vertices: Ints
    restriction_weights: Floats
    links: Ints
    lengths: Floats


@dataclass(frozen=True)
class _Surface:
    """What a level is built on: vertices, links between neighbours laid out flat, and the planes of the vertices.

    ``anchors`` are the points of the surface through which the planes go; ``positions`` the centres of mass.
    """

    positions: Floats
    anchors: Floats
    masses: Floats
    fixed: Mask
    classes: Indices
    frames: Floats
    edges: Development


def build_hierarchy(
    positions: Floats, triangles: Ints, pairs: Ints, masses: Floats, fixed: Mask
) -> tuple[CoarseLevel, ...]:
    """Coarse levels of the pieces of a surface with a border and a fixed vertex; without any, of all with a border.

    A closed surface is as stiff as its shape, not its size. What nothing holds beside pieces that are held falls as a
    whole; where nothing is held at all, it may come to hang on what it touches.

    Args:
        positions: at rest [m], shape (particles, 3).
        triangles: shape (triangles, 3).
        pairs: neighbours on the surface, such as edges and diagonals, shape (pairs, 2).
        masses: [kg], shape (particles,).
        fixed: what nothing moves, shape (particles,).

    Returns:
        Levels, finest first; none where the mesh is too small, or is no surface: edges of more than two triangles, or
        vertices at one place.
    """
    border = boundary_edges(triangles)
    pairs = _of_held_pieces(unique_pairs(pairs), border, fixed, len(positions))
    if len(pairs) == 0 or not _is_surface(positions, triangles, pairs):
        return ()
    frames = vertex_frames(positions, triangles)
    still = fixed | (masses <= 0.0)
    classes = np.zeros(len(positions), np.int64)
    classes[border] = 1
    classes[still] += 2
    edges = develop_edges(positions, pairs, frames)
    surface = _Surface(positions, positions, masses, still, classes, frames, edges)
    levels: list[CoarseLevel] = []
    while True:
        starts, neighbours = adjacency(len(surface.positions), surface.edges.pairs)
        seeds = spread_seeds(starts, neighbours, surface.classes, HOPS[min(len(levels), 1)])
        if len(seeds) < FEWEST_VERTICES or len(seeds) > GREATEST_SHARE * np.count_nonzero(np.diff(starts)):
            return tuple(levels)
        level, surface, kept = _coarsened(surface, seeds)
        if kept < LEAST_KEPT:
            return tuple(levels)
        levels.append(level)


def _of_held_pieces(pairs: Ints, border: Ints, fixed: Mask, count: int) -> Ints:
    labels = connected_components(count, pairs)
    open_pieces, held_pieces = np.zeros(count, np.bool_), np.zeros(count, np.bool_)
    open_pieces[labels[border]] = True
    held_pieces[labels[fixed] if fixed.any() else labels] = True
    return pairs[(open_pieces & held_pieces)[labels[pairs[:, 0]]]]


def _is_surface(positions: Floats, triangles: Ints, pairs: Ints) -> bool:
    corners = np.asarray(triangles, np.int64)
    _, counts = np.unique(pair_keys(corners, np.roll(corners, -1, axis=1)), return_counts=True)
    lengths = np.linalg.norm(positions[pairs[:, 0]] - positions[pairs[:, 1]], axis=1)
    return bool((counts <= 2).all() and (lengths > 1e-6 * lengths.mean()).all())


def _coarsened(below: _Surface, seeds: Indices) -> tuple[CoarseLevel, _Surface, float]:
    """A level with vertices at the seeds, what the next one is built on, and the share of neighbours it links."""
    count = len(below.positions)
    distances, origins = nearest_sources(count, below.edges.pairs, below.edges.lengths, [seeds])
    numbers = np.full(count + 1, -1)
    numbers[seeds] = np.arange(len(seeds))
    owners = numbers[origins[0]]
    places, turns, found = develop_cells(below.edges, distances[0], owners, seeds)
    owners = np.where(found, owners, -1)
    edges, spreads = develop_links(below.edges, places, turns, distances[0], owners)
    parents, weights = barycentric_parents(places, owners, edges, seeds)
    weights[below.fixed] = 0.0
    fixed = below.fixed[seeds]
    masses, terms = _restriction(parents, weights, below.masses, fixed, seeds)
    starts, vertices, shares = terms
    positions = np.zeros((len(seeds), 3))
    for axis in range(3):
        rows = np.repeat(np.arange(len(seeds)), np.diff(starts))
        positions[:, axis] = np.bincount(rows, shares * below.positions[vertices, axis], minlength=len(seeds))
    inverse_masses = np.where(fixed | (masses <= 0.0), 0.0, 1.0 / np.where(masses > 0.0, masses, 1.0))
    anchors, frames = below.anchors[seeds], below.frames[seeds]
    links, lengths, kept = _links(edges, spreads, positions, anchors, frames)
    moves = (inverse_masses[links] > 0.0).any(axis=1)
    level = CoarseLevel(
        sources=seeds,
        positions=positions,
        inverse_masses=inverse_masses,
        parents=parents.astype(np.int32),
        weights=weights,
        restriction_starts=starts,
        restriction_vertices=vertices,
        restriction_weights=shares,
        links=links[moves],
        lengths=lengths[moves],
    )
    return level, _Surface(positions, anchors, masses, fixed, below.classes[seeds], frames, edges), kept


def _restriction(
    parents: Indices, weights: Floats, masses: Floats, fixed: Mask, seeds: Indices
) -> tuple[Floats, tuple[Ints, Ints, Floats]]:
    """Masses of the vertices, and the terms of the restriction: centres of mass, fixed vertices their own place."""
    below, column = np.nonzero(weights)
    above = parents[below, column]
    carried = weights[below, column] * masses[below]
    totals: Floats = np.bincount(above, carried, minlength=len(seeds)).astype(np.float64)
    kept = ~fixed[above] & (carried > 0.0)
    rows = np.concatenate([above[kept], np.flatnonzero(fixed)])
    vertices = np.concatenate([below[kept], seeds[fixed]])
    shares = np.concatenate([(carried / np.maximum(totals[above], 1e-300))[kept], np.ones(np.count_nonzero(fixed))])
    order = np.lexsort((vertices, rows))
    starts = np.searchsorted(rows[order], np.arange(len(seeds) + 1)).astype(np.int32)
    return totals, (starts, vertices[order].astype(np.int32), shares[order])


def _links(
    edges: Development, spreads: Floats, positions: Floats, anchors: Floats, frames: Floats
) -> tuple[Ints, Floats, float]:
    """Links between vertices, and how long they may be: neighbours, and those on opposite sides of one.

    And the share of the neighbours that are linked; the others are where the surface is curved too strongly.
    """
    across, across_spreads = _two_hop(edges, spreads, positions)
    ways = Development(
        np.concatenate([edges.pairs, across.pairs]),
        np.concatenate([edges.vectors, across.vectors]),
        np.concatenate([edges.turns, across.turns]),
    )
    spread = np.concatenate([spreads, across_spreads])
    first, second = ways.pairs.T
    # from the points on the surface to the centres of mass
    offsets = in_planes(frames, positions - anchors)
    reaches = sizes(ways.vectors + product(ways.turns, offsets[second]) - offsets[first])
    chords = np.linalg.norm(positions[first] - positions[second], axis=1)
    good = (spread <= GREATEST_SPREAD) & (chords >= LEAST_CHORD * reaches) & (chords > 0.0)
    lengths = (np.maximum(reaches, chords) * (1.0 + spread))[good]
    keys = pair_keys(first[good], second[good])
    order = np.lexsort((lengths, keys))
    _, shortest = np.unique(keys[order], return_index=True)
    chosen = order[shortest]
    kept = np.count_nonzero(good[: len(edges.pairs)]) / max(len(edges.pairs), 1)
    return ways.pairs[good][chosen].astype(np.int32), lengths[chosen], kept


def _two_hop(edges: Development, spreads: Floats, positions: Floats) -> tuple[Development, Floats]:
    """From one neighbour of a vertex to that on its other side."""
    starts, neighbours = adjacency(len(positions), edges.pairs)
    degrees = np.diff(starts)
    middles = np.repeat(np.arange(len(positions)), degrees)
    left = np.repeat(np.arange(len(neighbours)), degrees[middles])
    right = np.repeat(starts[middles], degrees[middles]) + ramp(degrees[middles])
    a, m, b = neighbours[left], middles[left], neighbours[right]
    to_a, to_b = positions[a] - positions[m], positions[b] - positions[m]
    sizes = np.linalg.norm(to_a, axis=1) * np.linalg.norm(to_b, axis=1)
    chosen = (a < b) & ((to_a * to_b).sum(axis=1) < STRAIGHT * sizes)
    a, m, b = a[chosen], m[chosen], b[chosen]
    ways, find = edges.both_ways(), pair_finder(edges.both_ways().pairs, len(positions))
    first, second = find(a, m), find(m, b)
    vectors = ways.vectors[first] + product(ways.turns[first], ways.vectors[second])
    spread = spreads[first % len(edges.pairs)] + spreads[second % len(edges.pairs)] if len(a) else np.zeros(0)
    return Development(np.stack([a, b], axis=1), vectors, product(ways.turns[first], ways.turns[second])), spread
