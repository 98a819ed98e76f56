# SPDX-License-Identifier: GPL-3.0-or-later
"""A plate has the bending stiffness of its material in every direction, however its triangles lie."""

import numpy as np
import pytest
from validation.meshes import grid

from blender_xpbd.constraints.bending.isometric_bending import hinge_coefficients
from blender_xpbd.geometry.solid.masses import surface_masses
from blender_xpbd.geometry.surface.curvature import plate_areas, sheet_bending
from blender_xpbd.geometry.surface.topology import hinges, triangulate
from tests.constraints.bent_sheets import CURVATURE, area, equilateral_sheet, jittered, sheet_matrix

STIFFNESS = 0.02
SIZE = 25


def grid_sheet(cut):
    """Unit squares: all cut the same way, or alternately."""
    x, y = np.meshgrid(np.arange(SIZE + 1), np.arange(SIZE + 1), indexing="ij")
    positions = np.stack([x, y, 0 * x], axis=-1).reshape(-1, 3).astype(float)
    number = np.arange(len(positions)).reshape(SIZE + 1, SIZE + 1)
    a, b, c, d = number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]
    one = np.stack([np.stack([a, b, c], -1), np.stack([a, c, d], -1)], axis=2)
    other = np.stack([np.stack([a, b, d], -1), np.stack([b, c, d], -1)], axis=2)
    odd = (np.indices(a.shape).sum(axis=0) % 2 == 1) & (cut == "alternately")
    return positions, np.where(odd[..., None, None], other, one).reshape(-1, 3)


def irregular_sheet():
    positions, triangles = equilateral_sheet(SIZE + 1)
    return jittered(positions, 0.2), triangles


SHEETS = {
    "squares, cut one way": lambda: grid_sheet("one way"),
    "equilateral": lambda: equilateral_sheet(SIZE + 1),
    "irregular": irregular_sheet,
}


def energy(matrix, heights):
    return 0.5 * float((matrix.values * heights[matrix.rows] * heights[matrix.columns]).sum())


def bent(positions, angle, twist=0.0):
    u = positions[:, :2] @ [np.cos(angle), np.sin(angle)]
    v = positions[:, :2] @ [-np.sin(angle), np.cos(angle)]
    return CURVATURE * (0.5 * u**2 + twist * u * v)


@pytest.mark.parametrize("name", SHEETS)
def test_a_cylinder_stores_the_same_in_every_direction(name):
    """Hinges alone are 3 times stiffer along a diagonal of the squares than across it."""
    positions, triangles = SHEETS[name]()
    matrix = sheet_matrix(positions, triangles, STIFFNESS)
    per_area = 0.5 * STIFFNESS * CURVATURE**2
    found = np.array([energy(matrix, bent(positions, angle)) for angle in np.radians(np.arange(0, 180, 15))])
    np.testing.assert_allclose(found / per_area, area(positions, triangles), rtol=0.08)
    assert np.ptp(found) < 0.1 * found.mean()


def test_squares_cut_alternately_are_right_along_their_sides():
    """Across them, where it is diagonals that fold, every other vertex has all of the curvature.

    At the two free ends, where a plate has no moment, half a cell stays flat.
    """
    positions, triangles = grid_sheet("alternately")
    matrix = sheet_matrix(positions, triangles, STIFFNESS)
    per_area = 0.5 * STIFFNESS * CURVATURE**2
    for angle in (0.0, np.pi / 2.0):
        assert energy(matrix, bent(positions, angle)) / per_area == pytest.approx(SIZE * (SIZE - 1), rel=1e-3)


def test_areas_share_out_the_surface():
    """An obtuse triangle gives half of itself to the obtuse corner."""
    positions, triangles = jittered(equilateral_sheet(12)[0], 0.3), equilateral_sheet(12)[1]
    areas = plate_areas(positions, triangles)
    assert (areas > 0.0).all()
    assert areas.sum() == pytest.approx(area(positions, triangles))
    one = np.array([[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [2.0, 1.0, 0.0]])
    np.testing.assert_allclose(plate_areas(one, np.array([[0, 1, 2]])), [0.5, 0.5, 1.0])


def test_areas_end_at_a_clamp():
    positions, triangles = grid_sheet("one way")
    fixed = positions[:, 0] < 3.5
    areas, whole = plate_areas(positions, triangles, fixed), plate_areas(positions, triangles)
    edge, inside, free = (np.isclose(positions[:, 0], 3.0), positions[:, 0] < 2.5, positions[:, 0] > 3.5)
    np.testing.assert_allclose(areas[edge], 0.5 * whole[edge])
    np.testing.assert_array_equal(areas[inside], 0.0)
    np.testing.assert_array_equal(areas[free], whole[free])
    # a row alone holds no slope
    np.testing.assert_array_equal(plate_areas(positions, triangles, np.isclose(positions[:, 0], 3.0)), whole)


def clamped_strip(pattern, cells, across):
    """A strip of 1 m beyond its clamp, in which two more columns of vertices are."""
    positions, sizes, corners = grid(1.0 + 1.0 / cells, across / cells, cells + 1, across, pattern)
    triangles = triangulate(sizes, corners)
    if pattern == "triangles":
        # not only mirror images of themselves
        inner = (positions[:, 0] > 1.5 / cells) & (positions[:, 0] < 1.0) & (positions[:, 1] > 0.0)
        inner &= positions[:, 1] < positions[:, 1].max()
        noise = np.random.default_rng(0).uniform(-0.15, 0.15, (len(positions), 2)) / cells
        positions[inner, :2] += noise[inner]
    return positions - np.array([1.0 / cells, 0.0, 0.0]), triangles


@pytest.mark.parametrize(("cells", "across"), [(8, 4), (16, 3), (20, 10)])
@pytest.mark.parametrize("pattern", ["quads", "triangles", "crossed", "equilateral"])
def test_a_clamped_strip_sinks_as_a_beam(pattern, cells, across):
    """q L⁴/(8EI) at the tip; with a clamp that ends half a cell before its last vertices it was a quarter too much."""
    positions, triangles = clamped_strip(pattern, cells, across)
    fixed = positions[:, 0] < 1e-9
    folds = hinges(triangles)
    areas = plate_areas(positions, triangles, fixed)
    coefficients, _ = hinge_coefficients(positions, folds)
    matrix = sheet_bending(positions, folds, coefficients, areas, np.full(len(positions), STIFFNESS)).matrix
    dense = np.zeros((len(positions), len(positions)))
    dense[matrix.rows, matrix.columns] = matrix.values
    load = surface_masses(positions, triangles, 1.0)
    sunk = np.linalg.solve(dense[np.ix_(~fixed, ~fixed)], load[~fixed])
    tip = positions[~fixed, 0] > 1.0 - 1e-9
    assert sunk[tip].mean() == pytest.approx(1.0 / (8.0 * STIFFNESS), rel=0.03)


@pytest.mark.parametrize("name", SHEETS)
def test_a_twist_costs_as_in_a_plate_without_lateral_contraction(name):
    positions, triangles = SHEETS[name]()
    matrix = sheet_matrix(positions, triangles, STIFFNESS)
    alone, twisted = (energy(matrix, bent(positions, 0.4, twist)) for twist in (0.0, 1.0))
    # |S|² = κ² + 2 (twist κ)²
    assert twisted / alone == pytest.approx(3.0, rel=0.08)


@pytest.mark.parametrize("name", SHEETS)
def test_what_stays_flat_stores_nothing(name):
    positions, triangles = SHEETS[name]()
    matrix = sheet_matrix(positions, triangles, STIFFNESS)
    heights = 3.0 + 0.7 * positions[:, 0] - 0.2 * positions[:, 1]
    largest = energy(matrix, np.random.default_rng(0).normal(size=len(positions)))
    assert abs(energy(matrix, heights)) < 1e-12 * largest
