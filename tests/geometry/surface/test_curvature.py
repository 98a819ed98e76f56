# SPDX-License-Identifier: GPL-3.0-or-later
"""A plate has the bending stiffness of its material in every direction, however its triangles lie."""

import numpy as np
import pytest

from blender_xpbd.geometry.surface.curvature import plate_areas
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
    """Across them, where it is diagonals that fold, every other vertex has all of the curvature."""
    positions, triangles = grid_sheet("alternately")
    matrix = sheet_matrix(positions, triangles, STIFFNESS)
    per_area = 0.5 * STIFFNESS * CURVATURE**2
    for angle in (0.0, np.pi / 2.0):
        assert energy(matrix, bent(positions, angle)) / per_area == pytest.approx(SIZE**2, rel=0.03)


def test_areas_share_out_the_surface():
    """Borders count two thirds; an obtuse triangle gives half of itself to the obtuse corner."""
    positions, triangles = jittered(equilateral_sheet(12)[0], 0.3), equilateral_sheet(12)[1]
    areas = plate_areas(positions, triangles)
    assert (areas > 0.0).all()
    assert 0.85 * area(positions, triangles) < areas.sum() < area(positions, triangles)
    one = np.array([[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [2.0, 1.0, 0.0]])
    np.testing.assert_allclose(plate_areas(one, np.array([[0, 1, 2]])), 2.0 / 3.0 * np.array([0.5, 0.5, 1.0]))


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
