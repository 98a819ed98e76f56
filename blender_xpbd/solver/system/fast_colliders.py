# SPDX-License-Identifier: GPL-3.0-or-later
"""Colliders that go far in a substep, and into how many slices a frame is divided for them.

Beyond a part of an edge, the pairs of surface elements are others at the end of a substep than those that pushed. And a
substep carries a pull about one edge far, so what a collider hits is stretched by about as much of its edges as the
collider goes in a substep. So a frame in which something may have passed through such a collider is done again in
slices. Which colliders are fast depends on the scene and the frame alone.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from ...geometry.edges import edge_lengths
from .colliders import ColliderSet
from .contact_objects import ContactObjects

Floats = npt.NDArray[np.float64]

# share of the mean edge of a body beyond which a collider is fast that goes so far in a substep; the share that slices
# leave of it; and substeps of a frame at most, by which the share may stay greater. All chosen by trying, see
# docs/experiments.md, A ball through a curtain
FAST = 0.5
SLOW = 1.0 / 32.0
MOST_SUBSTEPS = 2048
# moments of a frame between which the ways of a collider's corners are taken as straight
_MOMENTS = 16


class FastColliders:
    """Tells how far the colliders go that bodies may touch."""

    def __init__(self, objects: ContactObjects, colliders: ColliderSet, substeps: int) -> None:
        """Measure the bodies.

        Args:
            objects: that may touch.
            colliders: of the scene.
            substeps: of a frame.
        """
        self._rows, self._colliders, self._substeps = objects.colliders, colliders, substeps
        bodies = objects.meshes[: objects.body_count]
        edges = np.array([_mean_edge(mesh.rest, mesh.edges) for mesh in bodies])
        sees = objects.sees[objects.body_count :, : objects.body_count]
        self._edges = np.where(sees, edges, np.inf).min(axis=1, initial=np.inf)

    def shares(self, frame_index: int) -> Floats:
        """How far colliders go in a substep, by the mean edge of the finest body that sees them, shape (colliders,).

        Args:
            frame_index: of the frame that begins, counted from the start.
        """
        if len(self._rows) == 0:
            return np.zeros(0)
        motion = self._colliders.motion(frame_index, _MOMENTS).astype(np.float64)
        ways = [self._way(row, frame_index, motion[:, row]) for row in self._rows]
        shares: Floats = np.array(ways) / (self._substeps * self._edges)
        return shares

    def slices(self, shares: Floats) -> int:
        """Into how many slices a frame is to be divided so that no collider is fast; 1 where none is.

        Args:
            shares: as ``shares`` returns them.
        """
        share = float(shares.max(initial=0.0))
        if share <= FAST:
            return 1
        return max(1, min(math.ceil(share / SLOW), MOST_SUBSTEPS // self._substeps))

    def _way(self, row: int, frame_index: int, motion: Floats) -> float:
        """How far a point of a collider goes in a frame at most [m]; the box around it tells it."""
        start, end = self._colliders.vertices(row, frame_index)
        low, high = np.minimum(start, end).min(axis=0), np.maximum(start, end).max(axis=0)
        corners = np.stack(np.meshgrid(*zip(low, high, strict=True), indexing="ij"), axis=-1).reshape(-1, 3)
        places = np.einsum("sij,cj->sci", motion[:, :9].reshape(-1, 3, 3), corners) + motion[:, None, 9:12]
        turned = np.linalg.norm(np.diff(places, axis=0), axis=2).sum(axis=0).max()
        return float(turned + np.linalg.norm(end - start, axis=1).max())


def _mean_edge(rest: Floats, edges: npt.NDArray[np.int32]) -> float:
    return float(edge_lengths(rest, edges).mean()) if len(edges) else math.inf
