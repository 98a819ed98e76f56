# SPDX-License-Identifier: GPL-3.0-or-later
"""Which pieces of a cloth bend as a whole, and how: flat ones as plates, curved ones as shells."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..constraints.bending.dihedral_bending import dihedral_angles
from ..constraints.bending.isometric_bending import hinge_coefficients
from ..geometry.components import connected_components
from ..geometry.surface.curvature import plate_areas, sheet_bending
from ..scene.body import Body
from ..scene.settings import SolverSettings
from .body_model import is_direct
from .plate import Plate
from .vertex_factors import SMALLEST_FACTOR, vertex_factors

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]

# folds that are smaller are flat [rad]; chosen by hand, a hundredth of what shows
FLAT = 1e-3
# a piece with a sharper fold bends by its hinges [rad]: there a vertex has no normal. Chosen by hand
SHARPEST = 1.6
# a piece with a triangle thinner than this (twice its area over the square of its longest side) bends by its hinges:
# cotangents of slivers are as large as all the rest together; chosen by hand
THINNEST = 0.02
# the factor of larger pieces takes too long to compute; chosen by hand
MOST_VERTICES = 50_000
# how much harder bending is than inertia, h² k/(ρ a²) for vertices of area a, up to which single precision solves both
# at once: sheets with edges of 0.1 mm diverge at a million. Chosen by hand, for substeps of a usual length [s]
HARDEST = 1e5
USUAL_STEP = 1.0 / 480.0


def cloth_plate(
    body: Body, triangles: Ints, folds: Ints, fixed: Mask, settings: SolverSettings
) -> tuple[Plate | None, Mask]:
    """The pieces of a cloth that rest flat or evenly curved, and which hinges are in none of them, shape (hinges,).

    Args:
        body: the cloth.
        triangles: shape (triangles, 3).
        folds: its hinges, shape (hinges, 4).
        fixed: which vertices are pinned, shape (vertices,).
        settings: of the solver.
    """
    material = body.material
    left = np.ones(len(folds), np.bool_)
    creases = material.bending_model == "DIHEDRAL" and material.yield_curvature > 0.0
    is_wanted = material.bending_model in ("DIHEDRAL", "ISOMETRIC") and not creases and settings.device != "GPU"
    if not is_wanted or is_direct(body, settings) or len(folds) == 0:
        return None, left
    coefficients, thickness = hinge_coefficients(body.positions, folds)
    angles = np.abs(dihedral_angles(body.positions, folds))
    is_rough = (thickness < THINNEST) | (angles > SHARPEST)
    labels = connected_components(body.vertex_count, np.concatenate([folds[:, [0, k]] for k in (1, 2, 3)]))
    sizes = np.bincount(labels, minlength=body.vertex_count)
    areas = plate_areas(body.positions, triangles, fixed)
    hinged = sizes > MOST_VERTICES
    hinged[labels[_hardness(material.bending_stiffness, material.area_density, areas) > HARDEST]] = True
    hinged[labels[folds[is_rough, 0]]] = True
    left = hinged[labels[folds[:, 0]]]
    flat = ~left
    if not flat.any():
        return None, left
    factors, damping = vertex_factors(body, "bending"), vertex_factors(body, "damping")
    shares = np.ones(body.vertex_count) if factors is None else np.maximum(factors, SMALLEST_FACTOR)
    bending = sheet_bending(
        body.positions,
        folds[flat],
        coefficients[flat],
        areas,
        material.bending_stiffness * shares,
    )
    damping_time = material.damping_time * (1.0 if damping is None else float(damping.max()))
    is_curved = np.isin(labels, labels[folds[angles > FLAT, 0]]) & (material.rest_angle != "FLAT")
    return Plate(bending.matrix, damping_time, bending.rest.of(is_curved) if is_curved.any() else None), left


def _hardness(stiffness: float, density: float, areas: Floats) -> Floats:
    """How much harder bending is than inertia, shape (vertices,)."""
    squares = density * areas**2
    return np.divide(USUAL_STEP**2 * stiffness, squares, out=np.zeros(len(areas)), where=squares > 0.0)
