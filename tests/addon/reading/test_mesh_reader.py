# SPDX-License-Identifier: GPL-3.0-or-later
"""A mesh as arrays."""

from __future__ import annotations

import numpy as np
import pytest

from blender_xpbd.scene.errors import XpbdError


def test_own_shape_keys_make_the_rest_shape(bpy, make_body, read):
    body = make_body()
    body.shape_key_add(name="Basis")
    smile = body.shape_key_add(name="Smile")
    smile.points[3].co = (2.0, 3.0, 4.0)
    frown = body.shape_key_add(name="Frown")
    frown.points[3].co = (2.0, 3.0, 6.0)
    frown.relative_key = smile
    half = body.vertex_groups.new(name="Half")
    half.add([3], 0.5, "REPLACE")
    frown.vertex_group = "Half"
    smile.value, frown.value = 0.5, 0.25
    bpy.context.view_layer.update()
    evaluated = body.evaluated_get(bpy.context.evaluated_depsgraph_get())
    shown = np.array([vertex.co[:] for vertex in evaluated.data.vertices])
    np.testing.assert_allclose(read().scene.bodies[0].positions, shown, atol=1e-6)
    smile.mute = True
    bpy.context.view_layer.update()
    evaluated = body.evaluated_get(bpy.context.evaluated_depsgraph_get())
    shown = np.array([vertex.co[:] for vertex in evaluated.data.vertices])
    np.testing.assert_allclose(read().scene.bodies[0].positions, shown, atol=1e-6)


def test_an_armature_before_a_subdivision_is_fine(bpy, make_body, read):
    body = make_body()
    body.modifiers.new("Armature", "ARMATURE")
    body.modifiers.new("Subdivision", "SUBSURF")
    read()


def mixed_mesh(bpy):
    """A quad, a triangle and a pentagon, an edge without a face, and a vertex without an edge."""
    mesh = bpy.data.meshes.new("Mixed")
    points = [(x, y, 0.1 * x * y) for x in range(3) for y in range(4)]
    mesh.from_pydata(points, [(9, 10)], [(0, 1, 5, 4), (1, 2, 5), (2, 3, 7, 6, 5)])
    return mesh


def test_polygons_and_edges_without_a_face(bpy):
    from blender_xpbd.addon.reading.points import read_loose_edges, read_points, read_polygons

    mesh = mixed_mesh(bpy)
    face_sizes, corners = read_polygons(mesh)
    assert face_sizes.tolist() == [4, 3, 5]
    assert corners.tolist() == [0, 1, 5, 4, 1, 2, 5, 2, 3, 7, 6, 5]
    assert [sorted(edge) for edge in read_loose_edges(mesh).tolist()] == [[9, 10]]
    np.testing.assert_allclose(read_points(mesh), [vertex.co[:] for vertex in mesh.vertices])


def test_the_topology_is_that_of_the_polygons_alone(bpy):
    from blender_xpbd.addon.reading.points import topology_of

    mesh, moved = mixed_mesh(bpy), mixed_mesh(bpy)
    moved.vertices[3].co = (9.0, 9.0, 9.0)
    assert topology_of(moved) == topology_of(mesh)
    more = bpy.data.meshes.new("More")
    more.from_pydata([vertex.co[:] for vertex in mesh.vertices], [], [(0, 1, 5, 4), (1, 2, 5), (2, 3, 7, 5, 6)])
    assert topology_of(more) != topology_of(mesh)


def test_uvs_of_the_named_map_or_the_active_one(bpy, make_body):
    from blender_xpbd.addon.reading.mesh_reader import read_uvs

    mesh = make_body().data
    assert read_uvs(mesh, "").shape == (0, 2)
    expected = {}
    for name in ("First", "Second"):
        layer = mesh.uv_layers.new(name=name)
        expected[name] = np.random.default_rng(len(name)).random((len(mesh.loops), 2)).astype(np.float32)
        layer.uv.foreach_set("vector", expected[name].ravel())
    mesh.uv_layers.active = mesh.uv_layers["Second"]
    np.testing.assert_array_equal(read_uvs(mesh, "First"), expected["First"])
    np.testing.assert_array_equal(read_uvs(mesh, ""), expected["Second"])
    assert read_uvs(mesh, "Missing").shape == (0, 2)


def test_weights_of_one_group_among_others(bpy, make_body):
    from blender_xpbd.addon.reading.mesh_reader import group_weights

    body = make_body()
    body.vertex_groups.new(name="Other").add(range(25), 0.75, "REPLACE")
    body.vertex_groups.new(name="Wanted").add([3, 7], 0.25, "REPLACE")
    body.vertex_groups["Wanted"].add([24], 1.0, "REPLACE")
    expected = np.zeros(25, np.float32)
    expected[[3, 7, 24]] = 0.25, 0.25, 1.0
    np.testing.assert_array_equal(group_weights(body, "Wanted"), expected)
    np.testing.assert_array_equal(group_weights(body, "Missing"), 0.0)


@pytest.mark.parametrize("time", [-10.0, 0.0, 5.0, 10.0, 17.5, 20.0, 90.0])
def test_absolute_keys_make_the_rest_shape(bpy, make_body, time):
    from blender_xpbd.addon.reading.mesh_reader import read_rest_shape

    body = make_body()
    for number in range(3):
        block = body.shape_key_add(name=f"Key {number}")
        block.interpolation = "KEY_LINEAR"
        for point in block.points:
            point.co.z += number * point.co.x**2
    keys = body.data.shape_keys
    keys.use_relative = False
    keys.eval_time = time
    bpy.context.view_layer.update()
    evaluated = body.evaluated_get(bpy.context.evaluated_depsgraph_get())
    shown = [vertex.co[:] for vertex in evaluated.data.vertices]
    np.testing.assert_allclose(read_rest_shape(body), shown, atol=1e-6)


def off(modifier):
    modifier.show_viewport = modifier.show_render = False


def in_renders_only(modifier):
    modifier.show_viewport = False


@pytest.mark.parametrize(("change", "is_refused"), [(off, False), (in_renders_only, True)])
@pytest.mark.parametrize("which", ["Changer", "Rig"])
def test_modifiers_that_are_off_are_no_matter(bpy, make_body, change, is_refused, which):
    from blender_xpbd.addon.reading.mesh_reader import check_modifiers

    body = make_body()
    body.modifiers.new("Changer", "SUBSURF")
    body.modifiers.new("Rig", "LATTICE")
    change(body.modifiers[which])
    if is_refused:
        with pytest.raises(XpbdError, match=r'E_MODIFIER_TOPOLOGY.*move "Changer" below "Rig"'):
            check_modifiers(body)
    else:
        check_modifiers(body)


def test_what_a_bake_added_is_not_the_artists(bpy, make_body, fake_worker, tmp_path):
    from blender_xpbd.addon.baking.bake import run_bake
    from blender_xpbd.addon.data.bake_options import BakeOptions
    from blender_xpbd.addon.reading.mesh_reader import own_keys

    plain, shaped = make_body("Plain"), make_body("Shaped")
    shaped.shape_key_add(name="Basis")
    shaped.shape_key_add(name="Smile")
    run_bake(bpy.context, BakeOptions(cache=tmp_path / "cache", frame_start=1, frame_end=3))
    assert len(plain.data.shape_keys.key_blocks) > 1
    assert own_keys(plain) == []
    assert [block.name for block in own_keys(shaped)] == ["Basis", "Smile"]
    plain.shape_key_add(name="Later", from_mix=False)
    assert [block.name for block in own_keys(plain)] == ["Basis", "Later"], "what it refers to is the artist's now"
