# SPDX-License-Identifier: GPL-3.0-or-later
"""Sheets bent to cylinders, for the energy of bending."""

import numpy as np

from blender_xpbd.constraints.bending.isometric_bending import hinge_coefficients
from blender_xpbd.geometry.surface.curvature import plate_areas, sheet_bending
from blender_xpbd.geometry.surface.topology import hinges

CURVATURE = 1e-3


def equilateral_sheet(size=24):
    """Positions and triangles of a flat lattice of side 1."""
    rows, columns = np.meshgrid(np.arange(size), np.arange(size), indexing="ij")
    positions = np.stack([rows + 0.5 * columns, columns * np.sqrt(0.75), 0.0 * rows], axis=-1).reshape(-1, 3)
    first = (rows * size + columns)[:-1, :-1].ravel()
    lower = np.stack([first, first + size, first + 1], axis=1)
    upper = np.stack([first + size, first + size + 1, first + 1], axis=1)
    return positions, np.concatenate([lower, upper])


def jittered(positions, amount=0.25):
    """The same sheet with its vertices moved in its plane."""
    noise = np.random.default_rng(0).uniform(-amount, amount, (len(positions), 2))
    return positions + np.c_[noise, np.zeros(len(noise))]


def rolled(positions, angle):
    """The flat sheet on a cylinder of ``CURVATURE`` along a direction."""
    along = positions[:, :2] @ [np.cos(angle), np.sin(angle)]
    return positions + 0.5 * CURVATURE * np.c_[np.zeros((len(along), 2)), along**2]


def area(positions, triangles):
    """Of the sheet [m²]."""
    a, b, c = (positions[triangles[:, corner]] for corner in range(3))
    return np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2.0


def bent_sheet(positions, triangles, stiffness):
    """How a sheet bends about its shape at rest."""
    folds = hinges(triangles)
    coefficients, _ = hinge_coefficients(positions, folds)
    areas = plate_areas(positions, triangles)
    return sheet_bending(positions, folds, coefficients, areas, np.full(len(positions), stiffness))


def sheet_matrix(positions, triangles, stiffness):
    """B of a sheet."""
    return bent_sheet(positions, triangles, stiffness).matrix


def strip_matrix(positions, stiffness):
    """B of a strip of pairs of vertices, one pair after the other."""
    first = np.arange(0, len(positions) - 2, 2)
    triangles = np.concatenate([first[:, None] + [0, 2, 3], first[:, None] + [0, 3, 1]])
    return sheet_matrix(positions, triangles, stiffness)
