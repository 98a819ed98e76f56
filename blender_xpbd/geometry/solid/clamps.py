# SPDX-License-Identifier: GPL-3.0-or-later
"""How soft tetrahedra beside a clamp are, so that the body is clamped at its surface.

A pinned vertex holds all corners of its tetrahedron, also those that lie inside the body. What lies between the surface
and these cannot deform, so the body acts as if it were shorter. The tetrahedra that join held corners to free ones make
up for it. Where corners are displaced by their depth d below the surface, as by a uniform strain, the strain along the
normal n is 1; with the held corners at rest it is g = n · Σ d ∇φ over the free ones. A tetrahedron with 1/g of its
stiffness pulls the free corners as the material would.

A surface that is held is not a free one. Where the stiffness of a cage was moved inwards from it, that is undone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

# a tetrahedron keeps this share of its stiffness; chosen by hand, less than what clamps of bars ask for
LEAST_FACTOR = 0.25
# length of a mean of unit normals from which on it tells a direction. Chosen by hand: both sides of a thin sheet have
# none
LEAST_AGREEMENT = 0.7
# how many rings of tetrahedra around what is held are as stiff as they are full: as far as stiffness is moved, which is
# a ring in each step of ``cage.stiffness``
RINGS = 3
# so that nothing folds up; chosen by hand, less than where nothing is held
LEAST_FILL = 0.02
# of all the points that a tetrahedron's particles hold, together; below it rounding decides
LEAST_WEIGHT = 1e-6


def held_face_normals(positions: Floats, triangles: Ints, held: Ints) -> Floats:
    """Unit normals of what is held of a surface, 0 at vertices of no triangle with three held ones, shape (n, 3).

    Args:
        positions: of the surface, shape (n, 3).
        triangles: shape (triangles, 3).
        held: vertices.
    """
    is_held = np.zeros(len(positions), dtype=bool)
    is_held[held] = True
    whole = triangles[is_held[triangles].all(axis=1)]
    a, b, c = (positions[whole[:, corner]] for corner in range(3))
    areas = np.cross(b - a, c - a)
    normals = np.zeros(positions.shape)
    np.add.at(normals, whole, areas[:, None])
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    return np.divide(normals, lengths, out=normals, where=lengths > 0.0)


def clamped_shares(
    vertices: Floats,
    tetrahedra: Ints,
    shares: npt.NDArray[np.floating[Any]],
    fill: Floats,
    points: Floats,
    normals: Floats,
    elements: Ints,
    weights: Floats,
) -> Floats:
    """Shares of the material's stiffness with which a body is clamped at its surface, shape (tetrahedra,).

    Args:
        vertices: of the tetrahedra [m], shape (n, 3).
        tetrahedra: none of them flat, shape (tetrahedra, 4).
        shares: of the body without a clamp, shape (tetrahedra,).
        fill: share of each that is filled, shape (tetrahedra,).
        points: of the surface that are held [m], shape (points, 3).
        normals: unit normals there, all to the same side; 0 for a point that is held by itself, shape (points, 3).
        elements: particles that hold each point, which are held, shape (points, 4).
        weights: of these, shape (points, 4).
    """
    factors = _factors(vertices, tetrahedra, points, normals, elements, weights)
    reached = np.zeros(len(vertices), dtype=bool)
    reached[elements[normals.any(axis=1)]] = True
    for _ in range(RINGS):
        is_near = reached[tetrahedra].any(axis=1)
        reached[tetrahedra[is_near]] = True
    least = np.minimum(shares, np.maximum(fill, LEAST_FILL))
    return np.where(is_near, least, shares) * factors


def _factors(
    vertices: Floats, tetrahedra: Ints, points: Floats, normals: Floats, elements: Ints, weights: Floats
) -> Floats:
    """What to multiply the stiffness of tetrahedra by, LEAST_FACTOR to 1."""
    factors = np.ones(len(tetrahedra))
    is_held = np.zeros(len(vertices), dtype=bool)
    is_held[elements] = True
    held_count = is_held[tetrahedra].sum(axis=1)
    beside = np.flatnonzero((held_count > 0) & (held_count < 4))
    # sums of weights, places and normals of what each particle holds
    sums = np.zeros((len(vertices), 7))
    columns = np.concatenate([np.ones((len(points), 1)), points, normals], axis=1)
    np.add.at(sums, elements, weights[:, :, None] * columns[:, None])
    corners = tetrahedra[beside]
    seen = sums[corners].sum(axis=1)
    # weights of points outside their tetrahedron may be negative, and cancel
    totals = seen[:, :1]
    seen = np.divide(seen, totals, out=np.zeros_like(seen), where=totals > LEAST_WEIGHT)
    lengths = np.linalg.norm(seen[:, 4:], axis=1)
    known = lengths > LEAST_AGREEMENT
    beside, corners = beside[known], corners[known]
    normal = seen[known, 4:] / lengths[known, None]
    depths = ((vertices[corners] - seen[known, None, 1:4]) * normal[:, None]).sum(axis=2)
    # of depths relative to the first corner's, along the rows of ∇φ
    moved = np.where(is_held[corners], 0.0, depths)
    edges = vertices[corners[:, 1:]] - vertices[corners[:, :1]]
    gradients = np.linalg.solve(edges, (moved[:, 1:] - moved[:, :1])[:, :, None])[:, :, 0]
    strain = (gradients * normal).sum(axis=1)
    factors[beside] = np.maximum(1.0 / np.maximum(strain, 1.0), LEAST_FACTOR)
    return factors
