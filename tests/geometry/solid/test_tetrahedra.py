# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.geometry.solid.tetrahedra import (
    orient_positive,
    signed_volumes,
    surface_triangles,
    tetrahedron_edges,
)
from tests.geometry.surfaces import enclosed_volume, minimum_dihedral_angles

CORNER = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=float)


def random_tetrahedra(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(12, 3)), np.stack([rng.permutation(12)[:4] for _ in range(20)])


def test_the_corner_of_a_cube_has_a_sixth_of_its_volume() -> None:
    assert np.allclose(signed_volumes(CORNER, np.array([[0, 1, 2, 3], [0, 1, 3, 2]])), [1 / 6, -1 / 6], rtol=1e-15)


@given(st.integers(0, 10_000))
def test_orienting_keeps_vertices_and_size(seed: int) -> None:
    vertices, tetrahedra = random_tetrahedra(seed)
    oriented = orient_positive(vertices, tetrahedra)
    assert (signed_volumes(vertices, oriented) >= 0).all()
    assert np.array_equal(np.sort(oriented, axis=1), np.sort(tetrahedra, axis=1))
    assert np.allclose(signed_volumes(vertices, oriented), np.abs(signed_volumes(vertices, tetrahedra)))


def test_edges_and_surface_of_two_tetrahedra() -> None:
    vertices = np.concatenate([CORNER, [[1.0, 1.0, 1.0]]])
    tetrahedra = orient_positive(vertices, np.array([[0, 1, 2, 3], [1, 2, 3, 4]]))
    assert len(tetrahedron_edges(tetrahedra)) == 9
    surface = surface_triangles(tetrahedra)
    assert len(surface) == 6
    assert np.isclose(enclosed_volume(vertices, surface), signed_volumes(vertices, tetrahedra).sum(), rtol=1e-14)


def test_dihedral_angles() -> None:
    regular = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]], dtype=float)
    flat = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0.001]])
    every = np.array([[0, 1, 2, 3]])
    assert np.isclose(minimum_dihedral_angles(regular, every)[0], np.arccos(1 / 3))
    assert np.isclose(minimum_dihedral_angles(CORNER, every)[0], np.arccos(1 / 3**0.5))
    assert minimum_dihedral_angles(flat, every)[0] < 0.01
