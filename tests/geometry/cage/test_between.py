# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
from contact_cases import shapes

from blender_xpbd.geometry.cage.between import points_between
from blender_xpbd.geometry.cage.cage import build_cage
from blender_xpbd.geometry.cage.fragments import build_fragments
from tests.geometry.surfaces import cube, join


def places(cage):
    """Of the points that other bodies meet, in the cage."""
    corners = cage.vertices[cage.tetrahedra[cage.surface_tetrahedra[cage.between.numbers]]]
    return np.einsum("pj,pjk->pk", cage.surface_weights[cage.between.numbers], corners)


def test_each_cell_without_a_vertex_gives_its_first_point():
    cells, vertex_cells = np.array([4, 2, 4, 7, 2, 9], np.int32), np.array([7, 1], np.int32)
    corners = np.arange(18, dtype=np.int32).reshape(6, 3)
    found = points_between(cells, vertex_cells, corners)
    assert found.numbers.tolist() == [0, 1, 5]
    assert np.array_equal(found.corners, corners[[0, 1, 5]])


def test_points_lie_on_the_triangles_that_they_name():
    positions, triangles = cube()
    cage = build_cage(positions, triangles, 8)
    assert len(cage.between) > 6 * 6 * 6
    a, b, c = (positions[cage.between.corners[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    offsets = np.einsum("pk,pk->p", places(cage) - a, normals / np.linalg.norm(normals, axis=1, keepdims=True))
    assert np.abs(offsets).max() < 1e-9


def test_they_are_as_far_apart_as_cells_and_cover_the_surface():
    positions, triangles = cube()
    cage = build_cage(positions, triangles, 8)
    found, cell = places(cage), 2.0 / 8.0
    top = found[found[:, 2] > 1.0 - 1e-9]
    line = np.linspace(-0.9, 0.9, 13)
    asked = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    nearest = np.linalg.norm(asked[:, None] - top[None, :, :2], axis=2).min(axis=1)
    assert nearest.max() < 1.5 * cell
    assert len(top) < 1.5 * 8 * 8


def test_a_mesh_as_fine_as_the_cage_has_few():
    mesh = shapes.box((2.0, 2.0, 2.0), (16, 16, 16))
    positions, triangles = mesh[0], shapes.triangles_of(mesh)
    cage = build_cage(positions, triangles, 8)
    assert len(cage.between) < 0.05 * len(positions)


def test_those_of_pieces_count_through_all_of_them():
    corners, faces = cube()
    positions, triangles = join((corners, faces), (corners + np.array([2.0, 0.0, 0.0]), faces))
    pieces = np.repeat(np.arange(2), len(corners)).astype(np.int32)
    found = build_fragments(positions, triangles, pieces, 8)
    assert (np.diff(found.between.numbers) > 0).all()
    owners = pieces[found.between.corners]
    assert (owners == owners[:, :1]).all()
    tetrahedra = found.tetrahedra[found.surface_elements[found.between.numbers]]
    at = np.einsum("pj,pjk->pk", found.surface_weights[found.between.numbers], found.vertices[tetrahedra])
    assert (at[owners[:, 0] == 0, 0] <= 1.0 + 1e-9).all()
    assert (at[owners[:, 0] == 1, 0] >= 1.0 - 1e-9).all()
