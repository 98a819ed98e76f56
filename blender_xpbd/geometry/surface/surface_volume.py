# SPDX-License-Identifier: GPL-3.0-or-later
"""Is a surface closed, and what volume does it enclose?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class SurfaceReport:
    """What a surface's edges say of it.

    Attributes:
        open_edges: edges of one triangle.
        crowded_edges: edges of more than two triangles.
        turned_edges: edges whose two triangles are oriented against each other.
        signed_volume: by the divergence theorem, in the cube of the points' unit; negative if the normals point
            inward. The volume if the surface is closed and does not cut itself.
    """

    open_edges: int
    crowded_edges: int
    turned_edges: int
    signed_volume: float

    @property
    def is_closed(self) -> bool:
        """Whether the surface is closed and oriented, so that its signed volume means something."""
        return self.open_edges == 0 and self.turned_edges == 0 and self.crowded_edges == 0

    def faults(self) -> list[str]:
        """What is wrong, in words."""
        found = (
            (self.open_edges, "open edges"),
            (self.crowded_edges, "edges of more than two faces"),
            (self.turned_edges, "edges between faces with opposite normals"),
        )
        return [f"{count} {words}" for count, words in found if count]


def examine_surface(points: np.ndarray, triangles: np.ndarray) -> SurfaceReport:
    """Count the edges that a closed, oriented surface does not have, and take the signed volume.

    Args:
        points: vertices, shape (vertices, 3); the volume is in the cube of their unit.
        triangles: shape (triangles, 3).
    """
    start = triangles.reshape(-1).astype(np.int64)
    end = np.roll(triangles, -1, axis=1).reshape(-1).astype(np.int64)
    keys = (np.minimum(start, end) << 32) | np.maximum(start, end)
    order = np.argsort(keys, kind="stable")
    keys, direction = keys[order], np.where(start < end, 1, -1)[order]
    begins = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]])
    counts = np.diff(np.r_[begins, len(keys)])
    balance = np.add.reduceat(direction, begins)
    middle = points[triangles.reshape(-1)].mean(axis=0)
    a, b, c = (points[triangles[:, i]] - middle for i in range(3))
    return SurfaceReport(
        open_edges=int((counts == 1).sum()),
        crowded_edges=int((counts > 2).sum()),
        turned_edges=int(((counts == 2) & (balance != 0)).sum()),
        signed_volume=float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0),
    )
