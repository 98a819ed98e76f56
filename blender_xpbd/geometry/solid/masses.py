# SPDX-License-Identifier: GPL-3.0-or-later
"""Masses of particles: bodies and cloth lumped on their vertices."""

from __future__ import annotations

import numpy as np

from ..chunks import chunks
from .tetrahedra import signed_volumes

# A particle is never lighter than this share of what its tetrahedra would weigh if they were full: a cage's outer
# vertices, whose tetrahedra hold next to nothing, would otherwise have next to no inertia and the solver would
# divide by it.
MASS_FLOOR_SHARE = 0.02


def tetrahedron_masses(
    vertices: np.ndarray, tetrahedra: np.ndarray, density: float, fill: np.ndarray | None = None
) -> np.ndarray:
    """Lump the mass of tetrahedra on their vertices, a quarter on each.

    The total is density · Σ volume · fill. A particle whose tetrahedra are (nearly) empty is raised to a small floor,
    and all masses are then scaled so that the total is kept.

    Args:
        vertices: positions [m], shape (vertices, 3).
        tetrahedra: shape (tetrahedra, 4).
        density: [kg/m³], positive.
        fill: share of each tetrahedron that lies inside the body, shape (tetrahedra,), 0…1; None for full ones.

    Returns:
        Masses [kg], shape (vertices,), float64. Positive for every vertex of a tetrahedron, if anything is filled; 0
        for a vertex of none.
    """
    full = density * np.abs(signed_volumes(vertices, tetrahedra))
    filled = full if fill is None else full * fill
    masses = _lump(filled, tetrahedra, len(vertices))
    raised = np.maximum(masses, MASS_FLOOR_SHARE * _lump(full, tetrahedra, len(vertices)))
    total = raised.sum()
    return raised * (filled.sum() / total) if total > 0.0 else raised


def surface_masses(positions: np.ndarray, triangles: np.ndarray, area_density: float) -> np.ndarray:
    """Lump the mass of a cloth on its vertices, a third of each triangle on each corner.

    Args:
        positions: vertices [m], shape (vertices, 3).
        triangles: shape (triangles, 3).
        area_density: [kg/m²], positive.

    Returns:
        Masses [kg], shape (vertices,), float64. A loose vertex has mass 0 here: whoever makes particles of them
        must pin it or give it a mass.
    """
    positions = np.asarray(positions, dtype=np.float64)
    areas = np.empty(len(triangles))
    for part in chunks(len(triangles)):
        a, b, c = (positions[triangles[part, i]] for i in range(3))
        areas[part] = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)
    return _lump(area_density * areas, triangles, len(positions))


def _lump(element_masses: np.ndarray, elements: np.ndarray, vertex_count: int) -> np.ndarray:
    """Share the mass of every element evenly among its vertices."""
    elements = np.asarray(elements)
    shares = element_masses / elements.shape[1]
    masses = np.zeros(vertex_count)
    for part in chunks(len(elements)):
        np.add.at(masses, elements[part], shares[part, None])
    return masses
