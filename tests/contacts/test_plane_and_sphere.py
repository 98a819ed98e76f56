# SPDX-License-Identifier: GPL-3.0-or-later
"""Planes and spheres: normal, distance and displacement."""

import numpy as np
import pytest
import taichi as ti

from blender_xpbd.contacts import CONTACTS
from blender_xpbd.contacts.plane import PLANE, query_plane
from blender_xpbd.contacts.sphere import SPHERE, query_sphere

pytestmark = pytest.mark.usefixtures("taichi_cpu")


@ti.kernel
def query(values: ti.types.ndarray(dtype=ti.f64, ndim=2), radius: ti.f64, offset: ti.f64, is_plane: ti.template()):
    for i in range(values.shape[0]):
        point = ti.Vector([values[i, 0], values[i, 1], values[i, 2]])
        hit, moved, may_be_more = ti.Vector([0.0, 0.0, 0.0, 0.0]), ti.Vector([1.0, 1.0, 1.0]), True
        if ti.static(is_plane):
            hit, moved, may_be_more = query_plane(0, 0, radius, point, point, offset, 0)
        else:
            hit, moved, may_be_more = query_sphere(0, 0, radius, point, point, offset, 0)
        for k in ti.static(range(4)):
            values[i, k] = hit[k]
        for k in ti.static(range(3)):
            values[i, 4 + k] = moved[k]
        values[i, 7] = may_be_more


def found(points, radius=0.0, offset=0.0, is_plane=False):
    values = np.zeros((len(points), 8))
    values[:, :3] = points
    query(values, radius, offset, is_plane)
    np.testing.assert_array_equal(values[:, 4:], 0.0)
    return values[:, :3], values[:, 3]


def test_sphere():
    """Outside, inside, on the surface and at the centre, where any normal will do."""
    points = np.array([[0.0, 3.0, 4.0], [0.1, 0.0, 0.0], [0.0, 0.0, -2.0], [0.0, 0.0, 0.0]])
    normals, distances = found(points, 2.0, 0.5)
    np.testing.assert_allclose(normals[:3], points[:3] / np.linalg.norm(points[:3], axis=1)[:, None])
    np.testing.assert_allclose(distances, [2.5, -2.4, -0.5, -2.5])
    assert np.linalg.norm(normals[3]) == 1.0


def test_plane():
    normals, distances = found([[5.0, -3.0, 0.2], [0.0, 0.0, -0.1]], offset=0.05, is_plane=True)
    np.testing.assert_array_equal(normals, [[0.0, 0.0, 1.0]] * 2)
    np.testing.assert_allclose(distances, [0.15, -0.15])


@pytest.mark.parametrize("contact", [PLANE, SPHERE], ids=["plane", "sphere"])
def test_distances_in_numpy_are_those_of_the_kernel(contact):
    points = np.random.default_rng(0).normal(size=(50, 3))
    expected = found(points, 0.75, is_plane=contact is PLANE)[1]
    np.testing.assert_allclose(contact.distances(points, np.array([0.75])), expected, atol=1e-12)


def test_all_shapes_but_meshes_tell_their_distance():
    assert [contact.shape for contact in CONTACTS if contact.distances is None] == ["MESH", "DEFORMING_MESH"]
