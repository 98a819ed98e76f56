# SPDX-License-Identifier: GPL-3.0-or-later
"""Fill with Grains: how many, where, and what comes with them."""

from __future__ import annotations

import numpy as np
import pytest


def ball(bpy, location=(0.2, 0.0, 0.5)):
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.2, location=location, segments=32, ring_count=16)
    return bpy.context.object


def places(obj):
    coordinates = np.empty((len(obj.data.vertices), 3), np.float32)
    obj.data.vertices.foreach_get("co", coordinates.ravel())
    return coordinates + np.array(obj.location)


@pytest.mark.parametrize("packing", ["RANDOM", "LATTICE"])
def test_grains_fill_a_ball_without_overlap_and_never_outside(bpy, packing):
    source = ball(bpy)
    source.scale = (1.0, 1.0, 0.5)
    bpy.context.view_layer.update()
    assert bpy.ops.xpbd.fill_with_grains(radius=0.015, packing=packing) == {"FINISHED"}
    made = bpy.context.object
    assert made != source
    assert made.xpbd.role == "GRAINS"
    assert made.xpbd.radius == pytest.approx(0.015)
    points = places(made)
    apart = np.linalg.norm(points[:, None] - points[None], axis=2) + np.eye(len(points))
    assert apart.min() >= 2.0 * 0.015
    # inside the ellipsoid that the mesh lies in, and not only in its middle
    reached = ((points - [0.2, 0.0, 0.5]) / [0.2, 0.2, 0.1]) ** 2
    assert reached.sum(axis=1).max() < 1.0
    assert np.ptp(points, axis=0) == pytest.approx([0.36, 0.36, 0.16], abs=0.04)
    share = len(points) * 0.015**3 / (0.2 * 0.2 * 0.1)
    assert share > (0.4 if packing == "LATTICE" else 0.28)


def test_grains_are_seen_at_the_radius_of_the_object(bpy):
    ball(bpy)
    bpy.ops.xpbd.fill_with_grains(radius=0.03)
    made = bpy.context.object
    made.xpbd.radius = 0.01
    bpy.context.view_layer.update()
    depsgraph = bpy.context.evaluated_depsgraph_get()
    # an instance is gone when the next one is asked for
    shown = [
        max(one.object.dimensions)
        for one in depsgraph.object_instances
        if one.is_instance and one.parent.original == made
    ]
    assert len(shown) == len(made.data.vertices)
    assert shown[0] == pytest.approx(0.02, rel=0.05)


@pytest.mark.parametrize("size", [0.01, 1.0, 10.0])
def test_a_first_try_makes_a_handful_of_grains_whatever_the_size(bpy, size):
    """Of 2 cm they were 60,948 in a ball as Blender adds it, which took minutes, and none in one of 1 cm."""
    for name in ("uv_sphere", "cube", "torus"):
        getattr(bpy.ops.mesh, f"primitive_{name}_add")()
        source = bpy.context.object
        source.dimensions = size * np.array(source.dimensions)
        bpy.context.view_layer.update()
        assert bpy.ops.xpbd.fill_with_grains() == {"FINISHED"}
        assert 100 < len(bpy.context.object.data.vertices) < 2500


def test_the_radius_is_that_of_the_mesh_to_two_digits(bpy):
    """A cube of 1 m: 2,000 balls that take half of its volume."""
    bpy.ops.mesh.primitive_cube_add(size=1.0)
    bpy.ops.xpbd.fill_with_grains()
    assert bpy.context.object.xpbd.radius == pytest.approx(0.039, rel=1e-6)


def test_a_radius_of_one_mesh_is_none_for_the_next_one(bpy):
    radius = bpy.ops.xpbd.fill_with_grains.get_rna_type().properties["radius"]
    assert radius.is_skip_save


def test_a_flat_mesh_is_refused_for_its_holes_without_a_radius(bpy):
    bpy.ops.mesh.primitive_grid_add(size=1.0)
    with pytest.raises(RuntimeError, match="E_TET_OPEN"):
        bpy.ops.xpbd.fill_with_grains()


def test_a_mesh_with_a_hole_is_refused(bpy):
    bpy.ops.mesh.primitive_grid_add(size=1.0)
    with pytest.raises(RuntimeError, match="E_TET_OPEN"):
        bpy.ops.xpbd.fill_with_grains(radius=0.02)


def test_a_mesh_that_no_grain_fits_into_is_told(bpy):
    ball(bpy)
    with pytest.raises(RuntimeError, match="No grain of this radius fits"):
        bpy.ops.xpbd.fill_with_grains(radius=0.3)


def test_a_slip_of_the_radius_is_refused(bpy):
    ball(bpy)
    with pytest.raises(RuntimeError, match="use a greater radius"):
        bpy.ops.xpbd.fill_with_grains(radius=1e-4)


def test_vertices_with_faces_are_grains_and_the_faces_are_named(bpy):
    source = ball(bpy)
    source.xpbd.role = "GRAINS"
    bpy.context.scene.xpbd.use_floor = True
    bpy.ops.xpbd.check()
    assert "Fill with Grains" in bpy.context.scene.xpbd.findings
