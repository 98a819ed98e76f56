# SPDX-License-Identifier: GPL-3.0-or-later
"""Strain as an attribute that plays with the keys, and is taken back."""

from __future__ import annotations

import numpy as np
import pytest


def strains(bpy, body):
    depsgraph = bpy.context.evaluated_depsgraph_get()
    mesh = body.evaluated_get(depsgraph).data
    values = np.zeros(len(mesh.vertices), np.float32)
    mesh.attributes["xpbd_strain"].data.foreach_get("value", values)
    colours = np.zeros(4 * len(mesh.vertices), np.float32)
    mesh.attributes["xpbd_strain_color"].data.foreach_get("color", colours)
    return values, colours.reshape(-1, 4)


def expected(body, factor):
    """Mean strain of the edges of each vertex, from the coordinates themselves."""
    rest = np.array([vertex.co for vertex in body.data.vertices])
    shown = rest * [factor, 1.0, 1.0]
    sums, counts = np.zeros(len(rest)), np.zeros(len(rest))
    for edge in body.data.edges:
        a, b = edge.vertices
        strain = abs(np.linalg.norm(shown[a] - shown[b]) / np.linalg.norm(rest[a] - rest[b]) - 1.0)
        sums[[a, b]] += strain
        counts[[a, b]] += 1
    return sums / counts


def stretched(body, factor):
    body.shape_key_add(name="Basis")
    block = body.shape_key_add(name="Stretched")
    for point in block.points:
        point.co.x *= factor
    return block


def test_it_goes_with_what_is_shown(bpy, make_body):
    from blender_xpbd.addon.keys.strain_map import show_strain

    body = make_body("A", scale=(1.0, 3.0, 1.0))
    block = stretched(body, 1.3)
    show_strain(body, 0.15)
    for value, is_red in ((1.0, True), (0.0, False), (0.5, True)):
        block.value = value
        bpy.context.view_layer.update()
        found, colours = strains(bpy, body)
        np.testing.assert_allclose(found, expected(body, 1.0 + 0.3 * value), atol=1e-5)
        red, _, blue, _ = colours[found.argmax()]
        assert (red > blue) == is_red


def test_what_is_scaled_unevenly_is_not_strained_as_it_turns(bpy, make_body):
    from blender_xpbd.addon.keys.strain_map import show_strain

    body = make_body("A", scale=(1.0, 3.0, 2.0))
    body.shape_key_add(name="Basis")
    block = body.shape_key_add(name="Turned")
    block.value = 1.0
    world = np.array(body.matrix_world)[:3, :3]
    turn = np.array([[0.6, -0.8, 0.0], [0.8, 0.6, 0.0], [0.0, 0.0, 1.0]])
    for point, vertex in zip(block.points, body.data.vertices, strict=True):
        point.co = np.linalg.solve(world, turn @ world @ np.array(vertex.co))
    show_strain(body, 0.1)
    bpy.context.view_layer.update()
    assert strains(bpy, body)[0].max() < 1e-5


@pytest.mark.parametrize("kinds", [(), ("LATTICE", "SUBSURF")])
def test_a_bake_sees_nothing_of_it(bpy, make_body, kinds):
    from blender_xpbd.addon.baking.scene_reader import read_scene
    from blender_xpbd.addon.data.bake_options import BakeOptions
    from blender_xpbd.addon.keys.strain_map import show_strain

    def read():
        reader = read_scene(bpy.context, BakeOptions(frame_end=3))
        while True:
            try:
                next(reader)
            except StopIteration as end:
                return end.value

    body = make_body("A")
    body.xpbd.goal_source = "DEFORMED"
    for kind in kinds:
        body.modifiers.new(kind, kind)
    before = read()
    show_strain(body, 0.1)
    after = read()
    assert after.notices == before.notices
    np.testing.assert_array_equal(after.scene.bodies[0].positions, before.scene.bodies[0].positions)


def test_it_stands_after_deformers_and_before_what_adds_vertices(bpy, make_body):
    from blender_xpbd.addon.keys.strain_map import MODIFIER, hide_strain, show_strain, shows_strain

    body = make_body("A")
    for name, kind in (("Rig", "LATTICE"), ("Fine", "SUBSURF")):
        body.modifiers.new(name, kind)
    stretched(body, 1.3).value = 1.0
    show_strain(body, 0.1)
    show_strain(body, 0.1)
    assert [modifier.name for modifier in body.modifiers] == ["Rig", MODIFIER, "Fine"]
    assert len(strains(bpy, body)[0]) > len(body.data.vertices)
    assert shows_strain(body)
    assert hide_strain(body)
    assert [modifier.name for modifier in body.modifiers] == ["Rig", "Fine"]
    assert not body.add_rest_position_attribute
    assert len(bpy.data.node_groups) == 0
    assert not hide_strain(body)


@pytest.mark.parametrize("renamed", ["modifier", "tree", "both"])
def test_it_is_found_by_another_name(bpy, make_body, renamed):
    from blender_xpbd.addon.keys.strain_map import MODIFIER, hide_strain, show_strain, shows_strain

    body = make_body("A")
    own = body.modifiers.new("Own", "NODES")
    own.node_group = bpy.data.node_groups.new("Own", "GeometryNodeTree")
    show_strain(body, 0.1)
    modifier = body.modifiers[MODIFIER]
    if renamed != "modifier":
        modifier.node_group.name = "Stress"
    if renamed != "tree":
        modifier.name = "Stress"
    assert shows_strain(body)
    assert hide_strain(body)
    assert [left.name for left in body.modifiers] == ["Own"]
    assert [tree.name for tree in bpy.data.node_groups] == ["Own"]
    assert not body.add_rest_position_attribute


@pytest.mark.parametrize("had_rest", [False, True])
def test_the_button_shows_hides_and_clear_takes_it_back(bpy, make_body, select, had_rest):
    from blender_xpbd.addon.keys.strain_map import shows_strain

    body, other = make_body("A"), make_body("B", role="COLLIDER")
    body.add_rest_position_attribute = had_rest
    select(body, other)
    assert bpy.ops.xpbd.show_strain() == {"FINISHED"}
    assert (shows_strain(body), shows_strain(other)) == (True, False)
    bpy.ops.xpbd.show_strain()
    assert not shows_strain(body)
    bpy.ops.xpbd.show_strain(full_strain=2.0)
    assert bpy.ops.xpbd.clear() == {"FINISHED"}
    assert not shows_strain(body)
    assert body.add_rest_position_attribute == had_rest
    select(other)
    assert not bpy.ops.xpbd.show_strain.poll()


@pytest.mark.parametrize("is_sewn", [False, True])
def test_a_seam_that_closes_is_not_strained(bpy, make_body, is_sewn):
    """Two strips joined by loose edges, which close to a tenth; and a vertex that hangs on a loose edge alone."""
    from blender_xpbd.addon.keys.strain_map import show_strain

    points = [(x, y, 0.0) for y in (0.0, 1.0, 3.0, 4.0) for x in (0.0, 1.0, 2.0)]
    strips = [(0, 1, 4, 3), (1, 2, 5, 4), (6, 7, 10, 9), (7, 8, 11, 10)]
    mesh = bpy.data.meshes.new("Panels")
    mesh.from_pydata([*points, (0.0, -2.0, 0.0)], [(3, 6), (4, 7), (5, 8), (0, 12)], strips)
    body = make_body("Panels", mesh=mesh)
    body.xpbd.use_stitches = is_sewn
    body.shape_key_add(name="Basis")
    block = body.shape_key_add(name="Closed")
    block.value = 1.0
    for point in list(block.points)[6:12]:
        point.co.y -= 1.8
    # one face is stretched too: along the border that no seam has
    for number in (2, 5):
        block.points[number].co.x += 0.5
    block.points[12].co.y += 1.0
    show_strain(body, 0.1)
    bpy.context.view_layer.update()
    found, _ = strains(bpy, body)
    # edges of vertex 2: one stretched by half, one as it was
    assert found[2] == pytest.approx(0.25, abs=1e-5)
    if is_sewn:
        np.testing.assert_allclose(found[[0, 3, 6, 12]], 0.0, atol=1e-5)
        assert found[4] == pytest.approx(0.5 / 3.0, abs=1e-5)
    else:
        assert min(found[3], found[6], found[12]) > 0.2
