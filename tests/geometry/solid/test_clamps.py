# SPDX-License-Identifier: GPL-3.0-or-later
"""Tetrahedra beside a clamp make up for what is held inside the body."""

from __future__ import annotations

import numpy as np
import pytest

from blender_xpbd.geometry.cage.cage import build_cage
from blender_xpbd.geometry.solid.clamps import LEAST_FACTOR, clamped_shares, held_face_normals
from blender_xpbd.geometry.solid.embedding import bind
from tests.geometry.elasticity import POISSONS_RATIO, bar, end_samples, nodal_forces, stiffness_matrix
from tests.geometry.surfaces import cube, rotation_of_seed

UP = np.array([0.0, 0.0, 1.0])
# three corners at height 0 and one at 1
SINGLE = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.3, 0.3, 1.0]])
WIDTH = 1.0


def single_factor(height, normals, held=(0, 1, 2)):
    """Of one tetrahedron whose lower corners hold points of a surface at a height."""
    points = SINGLE[list(held)] * [1.0, 1.0, 0.0] + height * UP
    elements = np.repeat(np.array(held)[:, None], 4, axis=1)
    weights = np.tile([1.0, 0.0, 0.0, 0.0], (len(held), 1))
    one = np.ones(1)
    found = clamped_shares(SINGLE, np.array([[0, 1, 2, 3]]), one, one, points, np.asarray(normals), elements, weights)
    return float(found[0])


@pytest.mark.parametrize(("depth", "factor"), [(0.0, 1.0), (0.5, 1.0 / 1.5), (2.0, 1.0 / 3.0), (20.0, LEAST_FACTOR)])
def test_the_factor_is_the_share_of_what_may_deform(depth, factor):
    """A corner at depth d + 1 moves by d + 1 in a uniform strain; the tetrahedron alone would take 1 of it."""
    for normal in (UP, -UP):
        assert single_factor(-depth, np.tile(normal, (3, 1))) == pytest.approx(factor)


def test_what_is_held_outside_the_surface_is_left_alone():
    assert single_factor(0.5, np.tile(UP, (3, 1))) == 1.0


def test_single_points_and_sheets_that_are_held_on_both_sides_are_left_alone():
    assert single_factor(-0.5, np.zeros((3, 3))) == 1.0
    assert single_factor(-0.5, [UP, -UP, 0.0 * UP]) == 1.0


def test_only_whole_faces_that_are_held_have_normals():
    positions, triangles = cube()
    top = np.flatnonzero(positions[:, 2] > 0.0)
    normals = held_face_normals(positions, triangles, top)
    np.testing.assert_allclose(normals[top], np.tile(UP, (4, 1)), atol=1e-12)
    assert not normals[positions[:, 2] < 0.0].any()
    assert not held_face_normals(positions, triangles, top[:2]).any()


def clamped_bar(rotation, cells, along=0):
    """The work of a unit load on the end of a bar that is held at the other: without and with softer clamps.

    Args:
        rotation: of the bar.
        cells: that it is thick.
        along: axis of the bar's own along which it is loaded, 0 to pull it.
    """
    positions, triangles = bar(WIDTH, rotation)
    cage = build_cage(positions, triangles, round(cells * float(np.ptp(positions, axis=0).max())))
    _, held = end_samples(WIDTH, rotation, -1.0)
    _, loaded = end_samples(WIDTH, rotation, 1.0)
    found, weights = bind(held, cage.vertices, cage.tetrahedra)
    elements, normals = cage.tetrahedra[found], np.tile(rotation[:, 0], (len(held), 1))
    clamped = clamped_shares(
        cage.vertices, cage.tetrahedra, cage.stiffness, cage.fill, held, normals, elements, weights
    )
    forces = np.tile(rotation[:, along] / len(loaded), (len(loaded), 1))
    load = nodal_forces(cage.vertices, cage.tetrahedra, loaded, forces).ravel()
    free = np.repeat(~np.isin(np.arange(len(cage.vertices)), elements), 3)
    works = []
    for shares in (cage.stiffness, clamped):
        matrix = stiffness_matrix(cage.vertices, cage.tetrahedra, shares)
        moved = np.linalg.solve(matrix[np.ix_(free, free)], load[free])
        works.append(float(load[free] @ moved))
    return works


def rotation_of(seed):
    return np.eye(3) if seed is None else rotation_of_seed(seed)


@pytest.mark.parametrize("seed", [None, 3, 4])
def test_a_clamped_bar_is_as_long_as_its_mesh(seed):
    """Half a cell is held inside the body, of 12 that the bar is long; a free bar stretches by 2 % too much.

    A clamp stretches by two points more than that: where it softens the sides, their stiffness is not moved inwards.
    """
    without, now = np.array(clamped_bar(rotation_of(seed), 2.4)) / (5.0 / WIDTH**2)
    assert without < 0.98
    assert now == pytest.approx(1.0, abs=0.045)


def test_clamped_bars_bend_as_theory_has_it_in_the_mean_over_directions():
    """Of 1.6 cells, by a load on their end: F L³/(3EI) + F L/(κGA); two rings leave 0.91, and a clamp alone 0.74."""
    shear = 2.0 * (12.0 + 11.0 * POISSONS_RATIO) / 10.0
    exact = (5.0**3 * 12.0 / 3.0 + 5.0 * shear) / WIDTH**2
    sags = [clamped_bar(rotation_of(seed), 1.6, axis)[1] / exact for seed in (None, 3, 4) for axis in (1, 2)]
    assert np.mean(sags) == pytest.approx(1.0, abs=0.075)
    assert max(sags) < 1.05


def test_weights_that_cancel_say_nothing():
    points, elements = np.zeros((2, 3)), np.zeros((2, 4), np.int64)
    weights = np.array([[1.0, 0.0, 0.0, 0.0], [-1.0, 1e-300, 0.0, 0.0]])
    one = np.ones(1)
    found = clamped_shares(SINGLE, np.array([[0, 1, 2, 3]]), one, one, points, np.tile(UP, (2, 1)), elements, weights)
    assert found[0] == 1.0
