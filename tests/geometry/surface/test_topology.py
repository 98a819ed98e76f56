# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import numpy as np

from blender_xpbd.geometry.surface.topology import (
    bending_pairs,
    boundary_edges,
    face_diagonals,
    hinges,
    triangulate,
    unique_edges,
)
from tests.geometry.surfaces import cube, grid_of_quads

TWO_TRIANGLES = np.array([[0, 1, 2], [2, 1, 3]])


def as_faces(triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return np.full(len(triangles), 3), triangles.reshape(-1)


def test_a_polygon_becomes_a_fan() -> None:
    triangles = triangulate(np.array([3, 5]), np.array([9, 8, 7, 0, 1, 2, 3, 4]))
    assert triangles.tolist() == [[9, 8, 7], [0, 1, 2], [0, 2, 3], [0, 3, 4]]
    assert triangles.dtype == np.int32


def test_the_reference_cloth_has_59002_constraints() -> None:
    faces = grid_of_quads(100, 100)
    edges, diagonals, bends = unique_edges(*faces), face_diagonals(*faces), bending_pairs(*faces)
    assert (len(edges), len(diagonals), len(bends)) == (19_800, 19_602, 19_600)
    assert len(np.unique(np.concatenate([edges, diagonals, bends]), axis=0)) == 59_002


def test_bending_pairs_of_a_grid_are_two_apart_in_a_row() -> None:
    pairs = bending_pairs(*grid_of_quads(4, 5))
    difference = np.abs(np.stack(np.divmod(pairs[:, 1], 5)) - np.stack(np.divmod(pairs[:, 0], 5)))
    assert set(map(tuple, difference.T.tolist())) == {(0, 2), (2, 0)}


def test_bending_pairs_of_triangles_are_the_opposite_vertices() -> None:
    assert bending_pairs(*as_faces(TWO_TRIANGLES)).tolist() == [[0, 3]]
    assert bending_pairs(*as_faces(np.array([[0, 1, 2], [1, 2, 3]]))).tolist() == [[0, 3]]


def test_triangles_have_no_diagonals_and_a_pentagon_has_five() -> None:
    assert len(face_diagonals(*as_faces(TWO_TRIANGLES))) == 0
    pairs = face_diagonals(np.array([5]), np.arange(5))
    assert pairs.tolist() == [[0, 2], [0, 3], [1, 3], [1, 4], [2, 4]]


def test_a_hinge_names_first_the_triangle_that_runs_along_it() -> None:
    assert hinges(TWO_TRIANGLES).tolist() == [[1, 2, 0, 3]]


def test_hinges_of_a_closed_surface_are_its_edges() -> None:
    _, triangles = cube()
    found = hinges(triangles)
    assert np.array_equal(np.unique(np.sort(found[:, :2], axis=1), axis=0), unique_edges(*as_faces(triangles)))
    rows = {tuple(np.roll(triangle, -turn)) for triangle in triangles for turn in range(3)}
    assert all((a, b, c) in rows and (b, a, d) in rows for a, b, c, d in found)


def test_an_edge_of_three_triangles_is_no_hinge() -> None:
    assert len(hinges(np.array([[0, 1, 2], [1, 0, 3], [0, 1, 4]]))) == 0


def test_boundary_edges_run_with_their_triangle() -> None:
    assert sorted(map(tuple, boundary_edges(TWO_TRIANGLES).tolist())) == [(0, 1), (1, 3), (2, 0), (3, 2)]
    assert len(boundary_edges(cube()[1])) == 0


def test_nothing_comes_of_nothing() -> None:
    sizes, corners = np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int32)
    assert triangulate(sizes, corners).shape == (0, 3)
    assert unique_edges(sizes, corners).shape == (0, 2)
    assert face_diagonals(sizes, corners).shape == (0, 2)
    assert bending_pairs(sizes, corners).shape == (0, 2)
    assert hinges(np.zeros((0, 3), dtype=np.int32)).shape == (0, 4)
    assert boundary_edges(np.zeros((0, 3), dtype=np.int32)).shape == (0, 2)
