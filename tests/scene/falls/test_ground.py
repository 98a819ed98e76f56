# SPDX-License-Identifier: GPL-3.0-or-later
"""What is straight below points, how slopes differ, and where ground ends."""

import numpy as np
import pytest

from blender_xpbd.scene.falls import ground
from blender_xpbd.scene.falls.ground import ground_of
from tests.scene.falls.grounds import sheet, turned
from tests.solver.scenes import mesh_box, plane

UPRIGHT = np.eye(3)
ANGLE = np.radians(30.0)


def test_the_first_surface_below_a_point():
    upper, lower = sheet([(-1.0, 1.0), (1.0, 1.0)]), sheet([(-3.0, 0.0), (3.0, 0.0)], identifier="c1", friction=0.2)
    both = ground_of([lower, upper], UPRIGHT)
    points = np.array([[0.0, 0.0, 3.0], [2.0, 0.0, 3.0], [0.0, 0.0, 0.4], [5.0, 0.0, 3.0]])
    found = both.below(points)
    np.testing.assert_allclose(found.drops, [2.0, 3.0, 0.4, np.inf])
    np.testing.assert_allclose(found.frictions[:3], [0.5, 0.2, 0.2])
    # what is a little too deep is on the surface
    inside = np.array([[0.0, 0.0, 0.95]])
    np.testing.assert_allclose([both.below(inside, reach).drops[0] for reach in (0.0, 0.1)], [0.95, 0.0])


@pytest.mark.parametrize("slope", [plane(angle=ANGLE), turned(sheet([(-4.0, 0.0), (4.0, 0.0)]), ANGLE)])
def test_slopes_are_met_where_they_are(slope):
    found = ground_of([slope], UPRIGHT).below(np.array([[1.0, 0.3, 1.0]]))
    np.testing.assert_allclose(found.drops, 1.0 + np.tan(ANGLE))
    np.testing.assert_allclose(found.normals, [[np.sin(ANGLE), 0.0, np.cos(ANGLE)]], atol=1e-12)


def test_many_triangles_are_asked_piece_by_piece(monkeypatch):
    waves = sheet([(x, np.sin(x)) for x in np.linspace(0.0, 6.0, 40)])
    points = np.stack([np.linspace(0.1, 5.9, 30), np.linspace(-1.9, 1.9, 30), np.full(30, 2.0)], axis=1)
    whole = ground_of([waves], UPRIGHT).below(points)
    monkeypatch.setattr(ground, "_CHUNK", 100)
    np.testing.assert_array_equal(ground_of([waves], UPRIGHT).below(points).drops, whole.drops)


def test_how_much_slopes_differ():
    valley = ground_of([sheet([(-2.0, 1.0), (0.0, 0.0), (2.0, 2.0)])], UPRIGHT)
    assert valley.bend(0.5) == pytest.approx(np.arctan(0.5) + np.arctan(1.0))
    assert valley.steepness(0.5) == pytest.approx(np.sqrt(0.5))
    assert ground_of([plane(angle=ANGLE)], UPRIGHT).bend(0.0) == 0.0
    assert ground_of([plane(angle=ANGLE), plane()], UPRIGHT).bend(0.0) == pytest.approx(ANGLE)
    box = ground_of([mesh_box(0.5)], UPRIGHT)
    assert box.bend(0.0) == pytest.approx(np.pi / 2.0)
    # what is above a body does not count
    step = ground_of([sheet([(-2.0, 0.0), (0.0, 0.0), (1.0, 0.0)]), sheet([(2.0, 3.0), (3.0, 4.0)])], UPRIGHT)
    assert (step.bend(1.0), step.steepness(1.0)) == (0.0, 0.0)


def test_where_ground_ends_above_other_ground():
    shelf, floor = sheet([(-1.0, 1.0), (1.0, 1.0)]), plane(height=0.25)
    assert ground_of([shelf, floor], UPRIGHT).ledge(2.0, 0.25) == pytest.approx(0.75)
    assert ground_of([shelf, floor], UPRIGHT).ledge(0.5, 0.25) == 0.0
    assert ground_of([shelf], UPRIGHT).ledge(2.0, 1.0) == 0.0
    # a closed mesh has no rim
    assert ground_of([mesh_box(0.5), plane(-2.0)], UPRIGHT).ledge(2.0, -2.0) == 0.0
