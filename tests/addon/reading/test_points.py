# SPDX-License-Identifier: GPL-3.0-or-later
"""How polygons are cut into what is simulated."""

from __future__ import annotations

import numpy as np
import pytest


def drawn(bpy, points, polygons):
    """The triangles that Blender draws of a mesh, each from its least corner on."""
    mesh = bpy.data.meshes.new("polygons")
    mesh.from_pydata(points, [], polygons)
    mesh.calc_loop_triangles()
    return {_turned(triangle.vertices) for triangle in mesh.loop_triangles}, mesh


def cut(mesh):
    from blender_xpbd.addon.measures.solid_measures import fans
    from blender_xpbd.addon.reading.points import read_points, read_polygons, shown_faces

    sizes, corners = shown_faces(read_points(mesh), *read_polygons(mesh))
    assert sizes.dtype == corners.dtype == np.int32
    assert sizes.sum() == len(corners)
    return {_turned(triangle) for triangle in fans(sizes, corners).tolist()}, sizes.tolist()


def _turned(triangle):
    least = min(range(3), key=lambda place: triangle[place])
    return tuple(triangle[(least + step) % 3] for step in range(3))


L_SHAPE = [(2, 1, 0), (1, 1, 0), (1, 2, 0), (0, 2, 0), (0, 0, 0), (2, 0, 0)]
ARROWS = [[(0, 0, 0), (2, -1, 0), (0.5, 0, 0), (2, 1, 0)], [(2, 1, 0), (0, 0, 0), (2, -1, 0), (0.5, 0, 0)]]


@pytest.mark.parametrize("points", [L_SHAPE, *ARROWS, [(0, 0, 0), (1, 0, 0.4), (1, 1, 0), (0, 1, 0.4)]])
def test_faces_are_cut_as_blender_draws_them(bpy, points):
    expected, mesh = drawn(bpy, points, [range(len(points))])
    found, _ = cut(mesh)
    assert found == expected


def test_a_mesh_of_all_sizes_is_cut_as_it_is_drawn_and_quads_stay_quads(bpy):
    rng = np.random.default_rng(5)
    angles = np.sort(rng.uniform(0.0, 2.0 * np.pi, (60, 9)), axis=1)
    radii = rng.uniform(0.2, 1.0, (60, 9))
    stars = np.stack([radii * np.cos(angles), radii * np.sin(angles), rng.uniform(0.0, 0.1, (60, 9))], axis=2)
    polygons = [range(9 * star, 9 * star + 3 + star % 7) for star in range(60)]
    expected, mesh = drawn(bpy, stars.reshape(-1, 3).tolist(), polygons)
    found, sizes = cut(mesh)
    assert found == expected
    assert sizes.count(4) == sum(len(polygon) == 4 for polygon in polygons)


def test_what_is_cut_right_already_stays_as_it_is(bpy):
    from blender_xpbd.addon.reading.points import read_points, read_polygons, shown_faces

    bpy.ops.mesh.primitive_uv_sphere_add()
    mesh = bpy.context.object.data
    triangles = [(0, 1, 2), (2, 1, 3)]
    for each in (mesh, drawn(bpy, [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)], triangles)[1]):
        polygons = read_polygons(each)
        for before, after in zip(polygons, shown_faces(read_points(each), *polygons), strict=True):
            np.testing.assert_array_equal(after, before)


def test_a_polygon_that_uses_a_vertex_twice_is_cut_as_well(bpy):
    from blender_xpbd.addon.reading.points import shown_faces

    points = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0.5, 0.5, 0), (0, 1, 0)], float)
    sizes, corners = np.array([6, 6], np.int32), np.array([0, 1, 2, 3, 4, 3] * 2, np.int32)
    cut_sizes, cut_corners = shown_faces(points, sizes, corners)
    assert cut_sizes.tolist() == [3] * 8
    assert len(cut_corners) == 24


def test_a_concave_polygon_reads_as_it_is_seen(bpy):
    """A fan about its first corner would cover what is outside of the L."""
    from blender_xpbd.addon.measures.solid_measures import fans
    from blender_xpbd.addon.reading.body_reader import read_cloth

    _, mesh = drawn(bpy, L_SHAPE, [range(6)])
    obj = bpy.data.objects.new("L", mesh)
    bpy.context.scene.collection.objects.link(obj)
    obj.xpbd.role = "CLOTH"
    body = read_cloth(obj, 1.0)
    a, b, c = (body.rest_shape[fans(body.face_sizes, body.corners)[:, corner]] for corner in range(3))
    assert np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2.0 == pytest.approx(3.0)
