# SPDX-License-Identifier: GPL-3.0-or-later
"""Solids that touch without a gap are found, wherever they are; what keeps a gap is not."""

import numpy as np
import pytest

from blender_xpbd.contacts.search.crossings import CrossingSearch
from blender_xpbd.contacts.search.touching import are_tied, possible_ties, touching_solids
from tests.contacts.pairs.tangled_sheets import surfaces_of
from tests.geometry.surfaces import cube
from tests.solver.scenes import cloth

pytestmark = pytest.mark.usefixtures("taichi_cpu")


def touching_of(*shifts, solids=None, far=0.0):
    """The pairs of cubes of 2 m that touch, beside a triangle that is far away."""
    corners, triangles = cube()
    ground = np.array([[far, 0.0, -9.0], [far, 1.0, -9.0], [far + 1.0, 0.0, -9.0]])
    meshes = [(corners + np.array(shift), triangles) for shift in shifts]
    surfaces, positions = surfaces_of([*meshes, (ground, np.array([[0, 1, 2]], np.int32))])
    are_solid = np.array([True] * len(shifts) if solids is None else solids)
    return touching_solids(CrossingSearch(surfaces), surfaces, positions, np.append(are_solid, False))


@pytest.mark.parametrize("shift", [(0.0, 0.0, 2.0), (0.3, 0.7, 2.0), (-2.0, 0.5, 0.0)])
def test_cubes_face_on_face_touch(shift):
    assert touching_of((0.0, 0.0, 0.0), shift) == {(0, 1)}
    assert touching_of((0.0, 0.0, 0.0), shift, solids=[True, False]) == set()


def test_each_of_a_row_touches_its_neighbours():
    assert touching_of((0.0, 0.0, 0.0), (0.0, 0.0, 2.0), (0.0, 0.0, 4.0)) == {(0, 1), (1, 2)}


@pytest.mark.parametrize("far", [0.0, 1e4])
def test_a_gap_is_no_touch_however_large_the_scene_is(far):
    """A ground of some kilometres made a gap of a millimetre a touch, and what keeps one was moved apart."""
    assert touching_of((0.0, 0.0, 0.0), (0.0, 0.0, 2.001), far=far) == set()


def grid(order=(0, 1, 2), at=(0.0, 0.0, 0.0)):
    """A grid of 9² vertices, level or with its axes exchanged; its lines meet at the origin."""
    sheet = cloth(9)
    triangles = sheet.corners.reshape(-1, 4)[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3)
    return sheet.positions[:, list(order)] + np.array(at), triangles


def tied(*meshes, solids=None):
    """The pairs of meshes that cross at vertices alone."""
    surfaces, positions = surfaces_of(meshes)
    are_solid = np.zeros(len(meshes), np.bool_) if solids is None else np.array(solids)
    search = CrossingSearch(surfaces)
    possible = possible_ties(search, surfaces, positions, are_solid)
    return [pair for pair, found in possible.items() if are_tied(search, surfaces, positions, found, pair)]


def test_grids_that_cross_along_their_lines_are_tied():
    upright, across = grid((2, 1, 0)), grid((0, 2, 1))
    assert tied(grid(), upright) == [(0, 1)]
    assert tied(upright, grid(), across) == [(0, 1), (0, 2), (1, 2)]
    assert tied(grid()) == []


def test_what_touches_or_passes_by_more_than_rounding_is_not_tied():
    assert tied(grid(), grid((2, 1, 0), at=(0.0, 0.0, 0.5))) == []
    assert tied(grid(), grid((2, 1, 0), at=(0.01, 0.02, 0.03))) == []
    assert tied(grid(), grid()) == []
    # of two solids the inside counts too, which is seen elsewhere
    corners, triangles = cube()
    assert tied((corners, triangles), (corners + np.array([1.0, 0.0, 2.0]), triangles), solids=[True, True]) == []
