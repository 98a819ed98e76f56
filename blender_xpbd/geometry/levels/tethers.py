# SPDX-License-Identifier: GPL-3.0-or-later
"""How far each particle is from the pins, along the surface: pairs and lengths of long-range attachments.

Source: Kim, Chentanez & Müller 2012, "Long range attachments – a method to simulate inextensible clothing in computer
games", §3: each particle is tied to the nearest pin of every connected set of pins.
"""

from __future__ import annotations

import numpy as np

from ..components import connected_components
from ..ragged import ramp
from ..surface.topology import hinges, unique_pairs

# a body with more sets of pins than this has neighbouring ones joined
GREATEST_SETS = 8


def surface_paths(positions: np.ndarray, *triangulations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Straight ways on a surface: its edges, and across an edge from one opposite vertex to the other.

    The second kind is the straight line on the two triangles unfolded into a plane, where it stays inside them. On a
    grid of quads paths of both kinds are at most 2.8 % longer than the shortest way, of edges and diagonals alone 8 %.

    Args:
        positions: [m], shape (particles, 3).
        triangulations: of one surface, each of shape (triangles, 3). Quads that are cut along one diagonal in one
            and along the other in another have good ways along both.

    Returns:
        pairs, shape (ways, 2), int32, and their lengths [m], shape (ways,). A pair may come several times.
    """
    pairs, lengths = [np.zeros((0, 2), np.int32)], [np.zeros(0)]
    for triangles in triangulations:
        corners = np.asarray(triangles, np.int64)
        edges = unique_pairs(np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]]))
        across, spans = _unfolded(positions, hinges(corners))
        pairs += [edges, across]
        lengths += [np.linalg.norm(positions[edges[:, 0]] - positions[edges[:, 1]], axis=1), spans]
    return np.concatenate(pairs), np.concatenate(lengths)


def tethers(
    positions: np.ndarray, pairs: np.ndarray, lengths: np.ndarray, pins: np.ndarray, free: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Tie free particles to the nearest pin of each connected set of pins.

    Args:
        positions: [m], shape (particles, 3); they only say which sets are neighbours, where there are more than
            ``GREATEST_SETS``.
        pairs: linked particles, shape (ways, 2), as from ``surface_paths``.
        lengths: of the ways [m], shape (ways,).
        pins: particles that are fixed, shape (pins,).
        free: particles to tie, shape (free,).

    Returns:
        particle and pin, shape (tethers, 2), int32, and the lengths along the ways [m], shape (tethers,). A particle
        that no way links to a set has no tether to it.
    """
    count = len(positions)
    if len(pins) == 0 or len(free) == 0:
        return np.zeros((0, 2), np.int32), np.zeros(0)
    sets = pin_sets(positions, pairs, np.unique(pins))
    distances, origins = nearest_sources(count, pairs, lengths, sets)
    ends, found = [], []
    for distance, origin in zip(distances, origins, strict=True):
        tied = free[np.isfinite(distance[free]) & (distance[free] > 0.0)]
        ends.append(np.stack([tied, origin[tied]], axis=1))
        found.append(distance[tied])
    return np.concatenate(ends).astype(np.int32), np.concatenate(found)


def pin_sets(positions: np.ndarray, pairs: np.ndarray, pins: np.ndarray) -> list[np.ndarray]:
    """Pins that are linked to each other, at most ``GREATEST_SETS`` sets.

    Where there are more, those farthest from each other each take the others that are nearest to them.

    Args:
        positions: [m], shape (particles, 3).
        pairs: linked particles, shape (ways, 2).
        pins: particles, each once, shape (pins,).
    """
    is_pin = np.zeros(len(positions), np.bool_)
    is_pin[pins] = True
    between = np.asarray(pairs)[is_pin[pairs].all(axis=1)]
    labels = connected_components(len(positions), between)[pins]
    roots = np.unique(labels)
    if len(roots) > GREATEST_SETS:
        places = positions[roots]
        chosen = [0]
        distance = np.linalg.norm(places - places[0], axis=1)
        owner = np.zeros(len(roots), np.int64)
        while len(chosen) < GREATEST_SETS:
            chosen.append(int(np.argmax(distance)))
            nearer = np.linalg.norm(places - places[chosen[-1]], axis=1)
            owner[nearer < distance] = len(chosen) - 1
            distance = np.minimum(distance, nearer)
        labels = owner[np.searchsorted(roots, labels)]
        roots = np.unique(labels)
    return [pins[labels == root] for root in roots]


def nearest_sources(
    count: int, pairs: np.ndarray, lengths: np.ndarray, source_sets: list[np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Distance of every node from each set of sources, and the source that it is the distance from.

    All sets at once, and in each round all nodes within one step of the nearest that is not settled (Meyer & Sanders
    2003, "Δ-stepping").

    Args:
        count: number of nodes.
        pairs: linked nodes, shape (ways, 2).
        lengths: not negative, shape (ways,).
        source_sets: nodes of each set.

    Returns:
        distances, shape (sets, count), infinite where no way leads, and sources, shape (sets, count), −1 there.
    """
    starts, neighbours, costs = _adjacency(count, np.asarray(pairs, np.int64), np.asarray(lengths, np.float64))
    distances = np.full(len(source_sets) * count, np.inf)
    origins = np.full(len(source_sets) * count, -1, np.int64)
    waiting = np.concatenate([np.asarray(nodes, np.int64) + k * count for k, nodes in enumerate(source_sets)])
    distances[waiting], origins[waiting] = 0.0, waiting % count
    stride = float(np.median(lengths)) if len(lengths) else 0.0
    while len(waiting):
        ahead = distances[waiting]
        is_near = ahead <= ahead.min() + stride
        near, far = waiting[is_near], waiting[~is_near]
        nodes, offsets = near % count, near - near % count
        degrees = starts[nodes + 1] - starts[nodes]
        slots = np.repeat(starts[nodes], degrees) + ramp(degrees)
        targets = neighbours[slots] + np.repeat(offsets, degrees)
        reached = np.repeat(distances[near], degrees) + costs[slots]
        better = reached < distances[targets]
        targets, reached, sources = targets[better], reached[better], np.repeat(origins[near], degrees)[better]
        np.minimum.at(distances, targets, reached)
        won = reached == distances[targets]
        # of several sources at one distance the lowest
        origins[targets[won]] = count
        np.minimum.at(origins, targets[won], sources[won])
        waiting = np.unique(np.concatenate([far, targets]))
    return distances.reshape(-1, count), origins.reshape(-1, count)


def _adjacency(count: int, pairs: np.ndarray, lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each node where its neighbours begin, shape (count + 1,), the neighbours, and the ways' lengths."""
    start, end = pairs.T.reshape(-1), pairs[:, ::-1].T.reshape(-1)
    order = np.argsort(start, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(start, minlength=count))])
    return starts, end[order], np.tile(lengths, 2)[order]


def _unfolded(positions: np.ndarray, folds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The opposite vertices of hinges and their distance in the plane, where the way between crosses the edge."""
    a, b, c, d = (positions[folds[:, corner]] for corner in range(4))
    edge = np.linalg.norm(b - a, axis=1)
    axis = (b - a) / np.maximum(edge, 1e-300)[:, None]
    along = [((opposite - a) * axis).sum(axis=1) for opposite in (c, d)]
    away = [np.linalg.norm(opposite - a - x[:, None] * axis, axis=1) for opposite, x in zip((c, d), along, strict=True)]
    height = away[0] + away[1]
    crossing = along[0] + (along[1] - along[0]) * away[0] / np.maximum(height, 1e-300)
    inside = (height > 0.0) & (crossing > 0.0) & (crossing < edge)
    return folds[inside][:, 2:], np.sqrt(height**2 + (along[0] - along[1]) ** 2)[inside]
