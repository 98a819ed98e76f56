# SPDX-License-Identifier: GPL-3.0-or-later
"""Cloth that Subdivision shows smoother than it is simulated is told where what it lies on would show through."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.fixture
def found(bpy):
    from blender_xpbd.addon.checking.check_scene import read_first_frame
    from blender_xpbd.addon.checking.smoothed import smoothed
    from blender_xpbd.addon.data.bake_options import BakeOptions

    def find():
        bpy.context.view_layer.update()
        scene = read_first_frame(bpy.context, BakeOptions()).scene
        return [(one.code, one.object_name, one.message.split('"')[1]) for one in smoothed(bpy.context.scene, scene)]

    return find


def sheet(bpy, cells, name="Sheet", kind="CATMULL_CLARK", levels=2):
    """A level sheet of 1 m in so many cells along each side, and a modifier that shows it smooth."""
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=cells, y_subdivisions=cells, size=1.0, location=(0.0, 0.0, 1.0))
    obj = bpy.context.object
    obj.name, obj.xpbd.role = name, "CLOTH"
    modifier = obj.modifiers.new("Subdivision", "SUBSURF")
    modifier.subdivision_type, modifier.levels, modifier.render_levels = kind, levels, levels
    return obj


def collider(bpy, name, add, **values):
    add(**values)
    obj = bpy.context.object
    obj.name, obj.xpbd.role = name, "COLLIDER"
    return obj


def test_a_coarse_cloth_over_a_box(bpy, found):
    sheet(bpy, 16)
    assert found() == []
    collider(bpy, "Box", bpy.ops.mesh.primitive_cube_add, size=0.5)
    assert found() == [("W_SMOOTHED", "Sheet", "Box")]


@pytest.mark.parametrize(("kind", "levels", "cells"), [("SIMPLE", 2, 16), ("CATMULL_CLARK", 0, 16),
                                                       ("CATMULL_CLARK", 2, 64)])  # fmt: skip
def test_what_is_not_smoothed_or_fine_enough(bpy, found, kind, levels, cells):
    sheet(bpy, cells, kind=kind, levels=levels)
    collider(bpy, "Box", bpy.ops.mesh.primitive_cube_add, size=0.5)
    assert found() == []


def test_a_wide_gap_is_enough(bpy, found):
    obj = sheet(bpy, 16)
    collider(bpy, "Box", bpy.ops.mesh.primitive_cube_add, size=0.5)
    obj.xpbd.contact_offset = 0.015
    assert found() == []


@pytest.mark.parametrize("shape", ["MESH", "SPHERE"])
@pytest.mark.parametrize(("radius", "is_told"), [(1.0, False), (0.08, True)])
def test_a_ball_by_its_radius(bpy, found, shape, radius, is_told):
    sheet(bpy, 16)
    ball = collider(bpy, "Ball", bpy.ops.mesh.primitive_uv_sphere_add, radius=radius, segments=64, ring_count=32)
    ball.location.z, ball.xpbd.collider_shape = -radius, shape
    assert found() == ([("W_SMOOTHED", "Sheet", "Ball")] if is_told else [])


def reaching(bpy, obj, held="", velocity=(0.0, 0.0, 0.0), gravity=(0.0, 0.0, -9.81)):
    """A sheet of 1 m that is held by a group of the first vertex, where it is named, or thrown."""
    bpy.context.scene.gravity = gravity
    obj.xpbd.initial_velocity = velocity
    if held:
        obj.vertex_groups.new(name=held).add([0], 1.0, "REPLACE")
        obj.xpbd.pin_group = held


SIDEWAYS, TILTED = (9.81, 0.0, 0.0), (6.9, 0.0, -6.9)


@pytest.mark.parametrize(("place", "values", "is_told"), [
    ((0.0, 0.0, -50.0), {}, True),
    ((0.0, 0.0, -50.0), {"held": "Pins"}, False),
    ((0.0, 0.0, 0.2), {"held": "Pins"}, True),
    ((1.55, 0.0, -50.0), {}, True),
    ((2.0, 0.0, 0.0), {}, False),
    ((500.0, 0.0, 0.0), {}, False),
    ((500.0, 0.0, 1.0), {"velocity": (3.0, 0.0, 0.0)}, True),
    ((-500.0, 0.0, 1.0), {"velocity": (3.0, 0.0, 0.0)}, False),
    ((500.0, 0.0, 1.0), {"gravity": SIDEWAYS}, True),
    ((50.0, 0.0, -49.0), {"gravity": TILTED}, True),
    ((50.0, 0.0, 0.0), {"gravity": TILTED}, False),
    ((0.0, 0.0, -50.0), {"gravity": (0.0, 0.0, 0.0)}, False),
])  # fmt: skip
@pytest.mark.parametrize("shape", ["MESH", "SPHERE"])
def test_only_what_is_within_reach(bpy, found, place, values, is_told, shape):
    reaching(bpy, sheet(bpy, 16), **values)
    add = bpy.ops.mesh.primitive_cube_add if shape == "MESH" else bpy.ops.mesh.primitive_uv_sphere_add
    box = collider(bpy, "Box", add, **({"size": 0.3} if shape == "MESH" else {"radius": 0.1}))
    box.location, box.xpbd.collider_shape = place, shape
    assert found() == ([("W_SMOOTHED", "Sheet", "Box")] if is_told else [])


@pytest.mark.parametrize(("lowest", "is_told"), [(0.75, False), (0.35, True)])
def test_a_curtain_does_not_come_to_what_stands_below_it(bpy, found, lowest, is_told):
    obj = sheet(bpy, 16)
    obj.rotation_euler.x, obj.location.z = 0.5 * np.pi, lowest + 0.5
    pins = [one.index for one in obj.data.vertices if one.co.y > 0.49]
    obj.vertex_groups.new(name="Pins").add(pins, 1.0, "REPLACE")
    obj.xpbd.pin_group = "Pins"
    collider(bpy, "Box", bpy.ops.mesh.primitive_cube_add, size=0.6)
    assert found() == ([("W_SMOOTHED", "Sheet", "Box")] if is_told else [])


@pytest.mark.parametrize(("place", "is_told"), [(0.0, False), (49.5, True)])
def test_the_edges_of_a_ground_count_where_the_cloth_comes_to_them(bpy, found, place, is_told):
    """Those of 100 m, whose middles are 50 m off."""
    obj = sheet(bpy, 16)
    ground = collider(bpy, "Ground", bpy.ops.mesh.primitive_cube_add, size=100.0)
    ground.location.z = -50.0
    obj.location.x, obj.location.y = place, 20.0
    assert found() == ([("W_SMOOTHED", "Sheet", "Ground")] if is_told else [])


def test_a_collider_is_prepared_once_for_all_cloths_that_reach_it(bpy, found, monkeypatch):
    from blender_xpbd.addon.checking import smoothed

    made, edge_sides = [], smoothed._edge_sides

    def counted(*surface):
        made.append(surface)
        return edge_sides(*surface)

    monkeypatch.setattr(smoothed, "_edge_sides", counted)
    for number in range(3):
        sheet(bpy, 16, name=f"Sheet{number}")
    collider(bpy, "Box", bpy.ops.mesh.primitive_cube_add, size=0.5)
    collider(bpy, "Far", bpy.ops.mesh.primitive_cube_add, size=0.5, location=(90.0, 0.0, 0.0))
    assert [name for _, name, _ in found()] == ["Sheet0", "Sheet1", "Sheet2"]
    assert len(made) == 1


def test_gaps_are_asked_for_only_where_something_is_reached(bpy, found, measured):
    for number in range(3):
        sheet(bpy, 16, name=f"Sheet{number}")
    jelly(bpy, 0.5).location.x = 90.0
    assert found() == []
    assert len(measured) == 3, "the jelly is far"
    bpy.data.objects["Toy"].location.x = 0.0
    assert len(found()) == 3
    assert len(measured) == 3 + 4, "each once"


@pytest.mark.parametrize("size", [0.004, 0.5])
def test_a_hollow_is_no_fold_and_roughness_is_no_edge(bpy, found, size):
    """A box of which the inside is seen; a plane with bumps that are small beside the cells of the sheet."""
    import bmesh

    sheet(bpy, 16)
    box = collider(bpy, "Box", bpy.ops.mesh.primitive_cube_add, size=2.0)
    mesh = bmesh.new()
    if size == 0.5:
        mesh.from_mesh(box.data)
        mesh.faces.remove(max(mesh.faces, key=lambda face: face.calc_center_median().z))
        bmesh.ops.reverse_faces(mesh, faces=list(mesh.faces))
    else:
        bmesh.ops.create_grid(mesh, x_segments=60, y_segments=60, size=size * 30)
        heights = np.random.default_rng(0).normal(scale=0.0005, size=len(mesh.verts))
        for vertex, height in zip(mesh.verts, heights, strict=True):
            vertex.co.z = height
    mesh.to_mesh(box.data)
    mesh.free()
    assert found() == []


def test_jelly_and_what_does_not_meet_it(bpy, found):
    obj = sheet(bpy, 16)
    box = collider(bpy, "Box", bpy.ops.mesh.primitive_cube_add, size=0.5)
    others = bpy.data.collections.new("Others")
    bpy.context.scene.collection.children.link(others)
    ball = collider(bpy, "Ball", bpy.ops.mesh.primitive_uv_sphere_add, radius=1.0, segments=64, ring_count=32)
    others.objects.link(ball)
    obj.xpbd.collision_collection = others
    assert found() == []
    others.objects.link(box)
    assert found() == [("W_SMOOTHED", "Sheet", "Box")]


def jelly(bpy, size):
    bpy.ops.mesh.primitive_cube_add(size=size)
    obj = bpy.context.object
    obj.name, obj.xpbd.role = "Toy", "JELLY"
    return obj


def test_a_jelly_with_sharp_edges(bpy, found):
    obj = sheet(bpy, 16)
    toy = jelly(bpy, 0.5)
    assert found() == [("W_SMOOTHED", "Sheet", "Toy")]
    toy.location.x = 5.0
    assert found() == []
    toy.location.x = 0.0
    for one in (obj, toy):
        one.xpbd.use_body_collision = False
        assert found() == [], "they pass through each other"
        one.xpbd.use_body_collision = True


def test_the_gap_to_a_jelly_is_half_of_each_thickness(bpy, found):
    """1.5 cm are enough for a collider."""
    obj = sheet(bpy, 16)
    toy = jelly(bpy, 0.5)
    obj.xpbd.contact_offset = 0.015
    assert found() == [("W_SMOOTHED", "Sheet", "Toy")]
    toy.xpbd.thickness = 0.015
    assert found() == []


def test_one_click_simulates_what_is_seen(bpy, found):
    obj = sheet(bpy, 16)
    collider(bpy, "Box", bpy.ops.mesh.primitive_cube_add, size=0.5)
    bpy.ops.xpbd.check()
    assert bpy.ops.xpbd.apply_subdivision(object_name="Sheet") == {"FINISHED"}
    assert len(obj.data.vertices) == 65 * 65
    assert len(obj.modifiers) == 0
    assert found() == []


def test_a_mesh_with_shape_keys_is_left_as_it_is(bpy):
    obj = sheet(bpy, 16)
    obj.shape_key_add(name="Basis")
    assert bpy.ops.xpbd.apply_subdivision(object_name="Sheet") == {"CANCELLED"}
    assert len(obj.modifiers) == 1
