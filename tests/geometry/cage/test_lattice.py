# SPDX-License-Identifier: GPL-3.0-or-later
"""The lattice fills space with tetrahedra that fit face to face."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.geometry.cage.lattice import TETRAHEDRON_VOLUME, Lattice
from blender_xpbd.geometry.solid.tetrahedra import signed_volumes
from tests.geometry.surfaces import minimum_dihedral_angles

LATTICE = Lattice((4, 5, 6))
SHAPE = np.array(LATTICE.shape)
EVERY = np.arange(LATTICE.tetrahedron_count)


def apart() -> tuple[np.ndarray, np.ndarray]:
    """Every tetrahedron by itself: vertices in lattice units, and tetrahedra."""
    return LATTICE.corners(EVERY).reshape(-1, 3) * 0.5, np.arange(4 * len(EVERY)).reshape(-1, 4)


def test_all_tetrahedra_are_congruent_and_well_shaped() -> None:
    vertices, tetrahedra = apart()
    np.testing.assert_allclose(signed_volumes(vertices, tetrahedra), TETRAHEDRON_VOLUME, rtol=1e-12)
    corners = vertices[tetrahedra]
    lengths = np.sort(
        [np.linalg.norm(corners[:, a] - corners[:, b], axis=1) for a in range(4) for b in range(a)], axis=0
    )
    np.testing.assert_allclose(lengths, np.repeat(lengths[:, :1], len(EVERY), axis=1), rtol=1e-12)
    np.testing.assert_allclose(np.degrees(minimum_dihedral_angles(vertices, tetrahedra)), 60.0, rtol=1e-6)


@given(st.integers(0, 100_000))
def test_a_point_is_in_the_tetrahedron_that_is_located(seed: int) -> None:
    points = np.random.default_rng(seed).uniform(0.5, SHAPE - 0.5, (20, 3))
    found = LATTICE.locate(points)
    corners = LATTICE.corners(found) * 0.5
    edges = np.swapaxes(corners[:, 1:] - corners[:, :1], 1, 2)
    weights = np.linalg.solve(edges, (points - corners[:, 0])[..., None])[..., 0]
    assert (weights > -1e-9).all()
    assert (weights.sum(axis=1) < 1.0 + 1e-9).all()


def test_the_centre_of_each_inner_tetrahedron_is_located_in_it() -> None:
    middles = LATTICE.corners(EVERY).mean(axis=1) * 0.5
    inner = ((middles > 0.5) & (middles < SHAPE - 0.5)).all(axis=1)
    assert inner.sum() > 300
    np.testing.assert_array_equal(LATTICE.locate(middles[inner]), EVERY[inner])


def test_neighbours_share_the_face_opposite_the_corner_and_know_each_other() -> None:
    across = LATTICE.neighbours(EVERY)
    numbers = LATTICE.corner_numbers(EVERY)
    for corner in range(4):
        own = np.flatnonzero(across[:, corner] >= 0)
        other = across[own, corner]
        face = np.delete(numbers[own], corner, axis=1)
        assert (face[:, :, None] == numbers[other][:, None, :]).any(axis=2).all()
        assert (across[other] == own[:, None]).any(axis=1).all()
        assert (other != own).all()


def test_only_faces_at_the_border_have_no_neighbour() -> None:
    corners = LATTICE.corners(EVERY)
    lone = np.argwhere(LATTICE.neighbours(EVERY) < 0)
    faces = np.stack([np.delete(corners[tetrahedron], corner, axis=0) for tetrahedron, corner in lone])
    # a lattice's lower cells own the tetrahedra, so those of its last cells reach half a cell beyond the box
    at_border = (faces.min(axis=1) <= 1) | (faces.max(axis=1) >= 2 * SHAPE - 1)
    assert at_border.any(axis=1).all()


def test_lattice_points_have_one_number_each() -> None:
    points = LATTICE.corners(EVERY)
    numbers = LATTICE.vertex_numbers(points)
    np.testing.assert_array_equal(numbers, LATTICE.corner_numbers(EVERY))
    np.testing.assert_array_equal(LATTICE.vertex_positions(numbers), points * 0.5)
    assert len(np.unique(numbers)) == len(np.unique(points.reshape(-1, 3), axis=0))
