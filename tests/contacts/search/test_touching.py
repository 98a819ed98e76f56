# SPDX-License-Identifier: GPL-3.0-or-later
"""Solids that touch without a gap are found, wherever they are; what keeps a gap is not."""

import numpy as np
import pytest

from blender_xpbd.contacts.search.crossings import CrossingSearch
from blender_xpbd.contacts.search.touching import touching_solids
from tests.contacts.pairs.tangled_sheets import surfaces_of
from tests.geometry.surfaces import cube

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
