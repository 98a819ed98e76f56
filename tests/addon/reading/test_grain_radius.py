# SPDX-License-Identifier: GPL-3.0-or-later
"""The radius of grains: what the artist says, else what fits between their points."""

import numpy as np
import pytest


def grains(bpy, points):
    mesh = bpy.data.meshes.new("Grains")
    mesh.from_pydata(np.asarray(points).tolist(), [], [])
    obj = bpy.data.objects.new("Grains", mesh)
    bpy.context.collection.objects.link(obj)
    obj.xpbd.role = "GRAINS"
    return obj


def radius(bpy, obj):
    from blender_xpbd.addon.reading.body_reader import read_grains

    bpy.context.view_layer.update()
    return read_grains(obj, bpy.context.scene.unit_settings.scale_length).material.radius


def lattice(spacing):
    return spacing * np.stack(np.meshgrid(*[np.arange(4.0)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)


@pytest.mark.parametrize("spacing", [0.002, 0.1, 3.0])
def test_grains_fit_between_their_points(bpy, spacing):
    assert radius(bpy, grains(bpy, lattice(spacing))) == pytest.approx(0.5 * spacing, rel=1e-4)


def test_the_scale_of_the_object_and_of_the_scene_count(bpy):
    obj = grains(bpy, lattice(0.1))
    obj.scale = (2.0, 2.0, 2.0)
    bpy.context.scene.unit_settings.scale_length = 0.01
    assert radius(bpy, obj) == pytest.approx(0.001, rel=1e-4)


def test_points_that_lie_on_each_other_make_the_others_no_smaller(bpy):
    points = lattice(0.1)
    assert radius(bpy, grains(bpy, [*points, points[0], points[5] + 1e-6])) == pytest.approx(0.05, rel=1e-4)


def test_a_torus_has_room_along_its_inner_ring(bpy):
    """48 of 576 points are a little nearer to each other than the rest; they were thrown at 1 m/s."""
    bpy.ops.mesh.primitive_torus_add(major_radius=0.4, minor_radius=0.1)
    obj = bpy.context.object
    obj.xpbd.role = "GRAINS"
    assert radius(bpy, obj) == pytest.approx(0.3 * np.sin(np.pi / 48), rel=1e-4)


def test_a_radius_that_was_set_counts(bpy):
    obj = grains(bpy, lattice(0.1))
    obj.xpbd.radius = 0.002
    assert radius(bpy, obj) == pytest.approx(0.002)


def test_grains_that_were_a_rope_fit_between_their_points(bpy):
    obj = grains(bpy, lattice(0.1))
    obj.xpbd.role = "STRAND"
    assert obj.xpbd.radius == pytest.approx(0.005)
    obj.xpbd.role = "GRAINS"
    assert radius(bpy, obj) == pytest.approx(0.05, rel=1e-4)


def test_a_single_grain_has_the_default(bpy):
    obj = grains(bpy, [[0.0, 0.0, 1.0]])
    assert radius(bpy, obj) == pytest.approx(obj.xpbd.radius)
