# SPDX-License-Identifier: GPL-3.0-or-later
"""Masses on the vertices of a cage whose sum and centre are those of the solid inside, to the last digits.

A tetrahedron that is filled in one corner weighs the same at all four. Over a whole surface most of that cancels, but
a ball rolls away by what is left. So the masses m at x are multiplied by s (1 + b · (x − c)), the smallest change
Σ (change)² / m with which their sum and their centre are right.
"""

from __future__ import annotations

import numpy as np

from ..components import connected_components, dense_labels
from ..ragged import sums_by_label

# masses become at most so many times heavier or lighter by the sum, and by the centre by at most this share.
# Chosen by hand, against fills that are far off; what balance gains is in docs/experiments.md, Where the weight of a
# cage lies
MOST_SCALE = 2.0
MOST_SHIFT = 0.5


def balance_factors(
    vertices: np.ndarray,
    tetrahedra: np.ndarray,
    masses: np.ndarray,
    points: np.ndarray,
    triangles: np.ndarray,
    part_of_point: np.ndarray,
) -> np.ndarray:
    """What to multiply masses by, so that each connected part weighs what its surface encloses, and lies there.

    Args:
        vertices: of the cage, shape (n, 3).
        tetrahedra: shape (m, 4).
        masses: of the vertices at a density of 1, shape (n,), positive.
        points: of a closed surface, shape (p, 3), in the unit of the vertices.
        triangles: shape (t, 3).
        part_of_point: a tetrahedron that each point is in, shape (p,).

    Returns:
        Factors, shape (n,), positive.
    """
    spokes = np.stack([np.repeat(tetrahedra[:, 0], 3), tetrahedra[:, 1:].reshape(-1)], axis=1)
    label, count = dense_labels(connected_components(len(vertices), spokes))
    label_of_triangle = label[tetrahedra[part_of_point[triangles[:, 0]], 0]]
    totals = np.bincount(label, masses, count)
    middles = sums_by_label(label, masses[:, None] * vertices, count) / totals[:, None]
    wanted, moments = _enclosed(points, triangles, label_of_triangle, middles)
    # a part that is inside out, or wound around nothing, keeps what it has
    known = wanted > 0.0
    scale = np.where(known, np.clip(wanted / totals, 1.0 / MOST_SCALE, MOST_SCALE), 1.0)
    offsets = vertices - middles[label]
    spread = sums_by_label(label, masses[:, None, None] * offsets[:, :, None] * offsets[:, None, :], count)
    pull = np.where(known[:, None], moments / np.where(known, wanted, 1.0)[:, None] * totals[:, None], 0.0)
    slope = np.linalg.solve(spread, pull[:, :, None])[:, :, 0]
    shift = (offsets * slope[label]).sum(axis=1)
    greatest = np.zeros(count)
    np.maximum.at(greatest, label, np.abs(shift))
    shift *= (MOST_SHIFT / np.maximum(greatest, MOST_SHIFT))[label]
    return scale[label] * (1.0 + shift)


def _enclosed(
    points: np.ndarray, triangles: np.ndarray, label: np.ndarray, middles: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Volume of each part and its first moment about its middle, by the divergence theorem; (parts,), (parts, 3)."""
    a, b, c = (points[triangles[:, i]] - middles[label] for i in range(3))
    volumes = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6.0
    count = len(middles)
    sums = np.bincount(label, volumes, count)
    # a surface may have its normals inward as a whole
    sign = -1.0 if volumes.sum() < 0.0 else 1.0
    return sign * sums, sign * sums_by_label(label, volumes[:, None] * (a + b + c) / 4.0, count)
