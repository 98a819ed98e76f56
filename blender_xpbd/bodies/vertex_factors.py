# SPDX-License-Identifier: GPL-3.0-or-later
"""Factors that vertex groups give, carried from the vertices of the mesh to particles and constraints."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..scene.body import Body

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

# keeps a constraint whose stiffness a group sets to 0 solvable: it is then a millionth as stiff
SMALLEST_FACTOR = 1e-6


def vertex_factors(body: Body, name: str) -> Floats | None:
    """Factor of each vertex of the mesh, shape (vertices,), or None where the body has no such group."""
    values = body.vertex_factors.get(name)
    return None if values is None else values.astype(np.float64)


def embedded_factors(factors: Floats, elements: Ints, weights: Floats, edges: Ints, particle_count: int) -> Floats:
    """Factors of the particles of a cage from those of the vertices that are embedded in it.

    A particle takes the mean of the vertices in its tetrahedra, weighted as they are embedded. Particles inside, where
    there is no vertex, take the mean of their neighbours, ring by ring.

    Args:
        factors: of the vertices, shape (vertices,).
        elements: particles of each vertex, shape (vertices, 4).
        weights: shape (vertices, 4); extrapolated ones count as 0.
        edges: shape (edges, 2).
        particle_count: number of particles.
    """
    shares = np.maximum(weights, 0.0)
    total = np.bincount(elements.ravel(), shares.ravel(), particle_count)
    mixed = np.bincount(elements.ravel(), (shares * factors[:, None]).ravel(), particle_count)
    known = total > 1e-9
    result = np.where(known, mixed / np.maximum(total, 1e-9), 0.0)
    ends, others = np.concatenate([edges[:, 0], edges[:, 1]]), np.concatenate([edges[:, 1], edges[:, 0]])
    while not known.all():
        count = np.bincount(ends, known[others].astype(np.float64), particle_count)
        near = np.bincount(ends, np.where(known[others], result[others], 0.0), particle_count)
        reached = ~known & (count > 0.0)
        if not reached.any():
            # a part of the cage without any vertex
            result[~known] = 1.0
            break
        result[reached] = near[reached] / count[reached]
        known = known | reached
    return result


def constraint_factors(particle_factors: Floats | None, indices: Ints) -> Floats | float:
    """Factor of each constraint: the mean of its particles', shape (constraints,); 1 without any."""
    if particle_factors is None:
        return 1.0
    mean: Floats = np.maximum(particle_factors[indices].mean(axis=1), SMALLEST_FACTOR)
    return mean
