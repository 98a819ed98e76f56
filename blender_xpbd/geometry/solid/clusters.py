# SPDX-License-Identifier: GPL-3.0-or-later
"""Overlapping clusters of particles, for shape matching.

Müller et al. 2005, "Meshless deformations based on shape matching", §4.3, divide a body into overlapping regions, so
that it can bend and twist.
"""

from __future__ import annotations

import numpy as np

from ..components import connected_components
from ..near_points import points_near
from ..ragged import ramp


def overlapping_clusters(positions: np.ndarray, edges: np.ndarray, radius: float) -> list[np.ndarray]:
    """Cover linked particles by balls around some of them.

    Space is cut into cells as wide as the radius. In each the particle nearest to its middle becomes a centre, and the
    cluster is what edges link to it within the ball. Particles that this leaves out, such as those of the finger
    beside this one, get centres of their own in further rounds. A particle is in about four clusters.

    Args:
        positions: rest positions [m], shape (particles, 3).
        edges: linked particles, shape (edges, 2).
        radius: of the balls [m], positive.

    Returns:
        Members of each cluster, sorted, int32. Every particle that an edge touches is in one at least.

    Raises:
        ValueError: the radius is not positive.
    """
    if not radius > 0.0:
        raise ValueError("a cluster needs a radius above 0")
    edges = np.asarray(edges, np.int64).reshape(-1, 2)
    cells = np.floor((positions - positions.min(axis=0)) / radius).astype(np.int64)
    is_missing = np.zeros(len(positions), np.bool_)
    is_missing[edges] = True
    clusters: list[np.ndarray] = []
    while is_missing.any():
        missing = np.flatnonzero(is_missing)
        centres = _centres(positions, cells, missing, radius)
        owners, members = points_near(positions, cells, centres, radius)
        for cluster in _linked(owners, members, centres, edges, len(positions)):
            clusters.append(cluster)
            is_missing[cluster] = False
    return clusters


def _centres(positions: np.ndarray, cells: np.ndarray, among: np.ndarray, size: float) -> np.ndarray:
    """Of each cell, the particle among those given that is nearest to its middle."""
    middles = positions.min(axis=0) + (cells[among] + 0.5) * size
    distances = ((positions[among] - middles) ** 2).sum(axis=1)
    order = np.lexsort((among, distances, *cells[among].T))
    sorted_cells = cells[among[order]]
    is_first = np.r_[True, (sorted_cells[1:] != sorted_cells[:-1]).any(axis=1)]
    return among[order[is_first]]


def _linked(
    owners: np.ndarray, members: np.ndarray, centres: np.ndarray, edges: np.ndarray, count: int
) -> list[np.ndarray]:
    """Of each ball, what edges inside it link to its centre."""
    keys = owners * count + members
    order = np.argsort(keys)
    keys, owners, members = keys[order], owners[order], members[order]
    # for every place in a ball, the edges that leave its particle
    both = np.concatenate([edges, edges[:, ::-1]])
    both = both[np.argsort(both[:, 0], kind="stable")]
    starts = np.concatenate([[0], np.cumsum(np.bincount(both[:, 0], minlength=count))])
    degrees = starts[members + 1] - starts[members]
    from_place = np.repeat(np.arange(len(members)), degrees)
    wanted = owners[from_place] * count + both[np.repeat(starts[members], degrees) + ramp(degrees), 1]
    to_place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    exists = keys[to_place] == wanted
    labels = connected_components(len(members), np.stack([from_place[exists], to_place[exists]], axis=1))
    own = labels[np.searchsorted(keys, np.arange(len(centres)) * count + centres)]
    is_kept = labels == own[owners]
    boundaries = np.searchsorted(owners[is_kept], np.arange(1, len(centres)))
    return [cluster.astype(np.int32) for cluster in np.split(members[is_kept], boundaries)]
