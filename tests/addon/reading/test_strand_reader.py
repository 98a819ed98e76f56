# SPDX-License-Identifier: GPL-3.0-or-later
"""What is read of meshes of edges, curves and hair."""

from __future__ import annotations

import numpy as np
import pytest

from blender_xpbd.scene.errors import XpbdError
from tests.addon.strands import linked, make_curve, make_hair, make_line


@pytest.fixture
def read_one(bpy):
    from blender_xpbd.addon.reading.strand_reader import read_strand

    return lambda obj: read_strand(obj, 1.0)


def plane(bpy, name="Ground", size=1.0):
    """A quad around the origin that is no body."""
    mesh = bpy.data.meshes.new(name)
    corners = [(-size, -size, 0.0), (size, -size, 0.0), (size, size, 0.0), (-size, size, 0.0)]
    mesh.from_pydata(corners, [], [(0, 1, 2, 3)])
    obj = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(obj)
    bpy.context.view_layer.update()
    return obj


def test_edges_of_a_mesh_are_segments(bpy, read_one):
    line = make_line(4)
    line.vertex_groups.new(name="Pin").add([0], 1.0, "REPLACE")
    line.xpbd.pin_group = "Pin"
    body = read_one(line)
    assert body.loose_edges.tolist() == [[0, 1], [1, 2], [2, 3]]
    assert (len(body.face_sizes), body.pin_vertices.tolist()) == (0, [0])
    assert body.material.radius == pytest.approx(line.xpbd.radius)


@pytest.mark.parametrize("kind", [1, 2, 3])
def test_an_edge_that_is_a_link_is_no_segment(bpy, read_one, kind):
    """It was both, so that a rope pushed and its compliance did nothing."""
    line = make_line(6)
    kinds = line.data.attributes.new("xpbd_link", "INT", "EDGE")
    kinds.data[2].value = kind
    body = read_one(line)
    assert body.loose_edges.tolist() == [[0, 1], [1, 2], [3, 4], [4, 5]]
    assert (body.links.pairs.tolist(), body.links.kinds.tolist()) == ([[2, 3]], [kind])
    kinds.data.foreach_set("value", [kind] * 5)
    with pytest.raises(XpbdError, match="E_GEOM_EMPTY"):
        read_one(line)


def test_control_points_are_joined_in_the_order_of_splines(bpy, read_one):
    curve = make_curve(count=3)
    curve.data.splines[2].use_cyclic_u = True
    body = read_one(curve)
    assert body.loose_edges.tolist() == [[0, 1], [1, 2], [3, 4], [4, 5], [6, 7], [7, 8], [8, 6]]
    np.testing.assert_allclose(body.rest_shape[[0, 5, 6]], [(0, 0, 0), (0.2, 0.2, 0), (0, 0.4, 0)], atol=1e-6)
    assert len(body.pin_vertices) == 0


def test_point_radii_taper_the_radius(bpy, read_one):
    curve = make_curve(("POLY",), count=3)
    for point, radius in zip(curve.data.splines[0].points, (2.0, 1.0, 0.0), strict=True):
        point.radius = radius
    np.testing.assert_allclose(read_one(curve).vertex_factors["radius"], [1.0, 0.5, 0.1])
    hair = make_hair()
    assert "radius" not in read_one(hair).vertex_factors
    attribute = hair.data.attributes.new("radius", "FLOAT", "POINT")
    attribute.data.foreach_set("value", [0.004, 0.003, 0.002, 0.001, 0.004, 0.004, 0.004])
    np.testing.assert_allclose(read_one(hair).vertex_factors["radius"][:4], [1.0, 0.75, 0.5, 0.25])


@pytest.mark.parametrize(
    ("ends", "hold_direction", "pinned"),
    [
        ("AUTO", True, []),
        ("START", True, [0, 1, 5, 6]),
        ("START", False, [0, 5]),
        ("END", False, [4, 9]),
        ("BOTH", False, [0, 4, 5, 9]),
        ("NONE", True, []),
    ],
)
def test_ends_of_a_curve_are_held(bpy, read_one, ends, hold_direction, pinned):
    curve = make_curve()
    curve.data.splines[2].use_cyclic_u = True
    curve.xpbd.pinned_ends, curve.xpbd.hold_direction = ends, hold_direction
    body = read_one(curve)
    assert sorted(body.pin_vertices.tolist()) == pinned
    assert (body.pin_weights == 1.0).all()


def test_a_curve_is_attached_by_its_start(bpy, read_one, make_body):
    body = make_body()
    curve = make_curve(("POLY",))
    curve.xpbd.attach_object, curve.xpbd.hold_direction = body, False
    local = read_one(curve)
    assert (local.attachment.target_name, local.attachment.vertices.tolist()) == ("Body", [0])
    assert len(local.pin_vertices) == 0
    assert local.notices == ()
    curve.xpbd.pinned_ends = "NONE"
    local = read_one(curve)
    assert local.attachment is None
    assert [notice.code for notice in local.notices] == ["W_GROUP"]


def test_roots_of_hair_hang_on_its_surface(bpy, read_one):
    ground = plane(bpy)
    hair = make_hair(surface=ground)
    local = read_one(hair)
    assert local.attachment.target_name == "Ground"
    assert local.attachment.vertices.tolist() == [0, 1, 4, 5]
    assert local.attachment.anchors.tolist() == [0, 0, 4, 4]
    assert len(local.pin_vertices) == 0
    hair.data.surface = None
    assert [notice.code for notice in read_one(hair).notices] == ["W_SURFACE"]


def test_attributes_of_hair_are_its_groups(bpy, read_one):
    hair = make_hair(surface=plane(bpy))
    hair.data.attributes.new("Tips", "FLOAT", "POINT").data.foreach_set("value", [0, 0, 0, 0.5, 0, 0, 0.5])
    hair.xpbd.pin_group = hair.xpbd.stiffness_group = "Tips"
    hair.xpbd.bending_group = "Gone"
    local = read_one(hair)
    pins = dict(zip(local.pin_vertices.tolist(), local.pin_weights.tolist(), strict=True))
    assert pins == {3: 0.5, 6: 0.5}
    assert local.vertex_factors["stiffness"].tolist() == [0, 0, 0, 0.5, 0, 0, 0.5]
    assert [notice.code for notice in local.notices] == ["W_GROUP"]


def test_what_is_no_strand_is_refused(bpy, read_one):
    flat = make_curve(("POLY",))
    flat.data.dimensions = "2D"
    with pytest.raises(XpbdError, match=r"E_CURVE.*2D"):
        read_one(flat)
    with pytest.raises(XpbdError, match=r"E_PARAM.*faces"):
        read_one(linked(plane(bpy).data, "Sheet"))
    for empty in (make_curve(()), make_curve(("POLY",), count=1), make_line(1), make_hair(())):
        with pytest.raises(XpbdError, match="E_GEOM_EMPTY"):
            read_one(empty)


def test_a_mesh_of_edges_is_no_cloth(bpy, read):
    make_line().xpbd.role = "CLOTH"
    with pytest.raises(XpbdError, match=r"E_GEOM_EMPTY.*can be a Strand"):
        read()


def test_own_shape_keys_of_a_curve_are_its_rest_shape(bpy, read_one):
    curve = make_curve()
    curve.shape_key_add(name="Basis", from_mix=False)
    up = curve.shape_key_add(name="Up", from_mix=False)
    for point in up.data:
        point.co = (point.co[0], point.co[1], 1.0)
    up.value = 0.5
    np.testing.assert_allclose(read_one(curve).rest_shape[:, 2], 0.5, atol=1e-6)


def world_pins(reading):
    (body,) = reading.scene.bodies
    return np.stack([body.pins.places(body.positions, frame) for frame in range(reading.scene.frames.count)])


def test_roots_follow_a_surface_that_moves_turns_and_deforms(bpy, read):
    ground = plane(bpy)
    make_hair(surface=ground)
    ground.shape_key_add(name="Basis", from_mix=False)
    tilted = ground.shape_key_add(name="Tilted", from_mix=False)
    # turned about Y by 30°
    turn = np.array(((0.75**0.5, 0.0, 0.5), (0.0, 1.0, 0.0), (-0.5, 0.0, 0.75**0.5)))
    for point, vertex in zip(tilted.points, ground.data.vertices, strict=True):
        point.co = turn @ np.array(vertex.co)
    for frame, height, value in ((1, 0.0, 0.0), (5, 2.0, 1.0)):
        ground.location[2], tilted.value = height, value
        ground.keyframe_insert("location", frame=frame)
        tilted.keyframe_insert("value", frame=frame)
    bpy.context.scene.frame_set(3)
    places = world_pins(read())
    np.testing.assert_allclose(places[0], [(0, 0, 0), (0, 0, 0.1), (0.1, 0, 0), (0.1, 0, 0.1)], atol=1e-6)
    np.testing.assert_allclose(places[-1], places[0] @ turn.T + (0.0, 0.0, 2.0), atol=1e-6)
    assert bpy.context.scene.frame_current == 3


def test_roots_on_a_surface_that_stands_have_one_row_of_targets(bpy, read):
    make_hair(surface=plane(bpy))
    (body,) = read().scene.bodies
    assert body.pins.targets.shape == (1, 4, 3)


def test_a_surface_without_faces_is_told(bpy, read):
    make_hair(surface=plane(bpy))
    bpy.data.objects["Ground"].data.clear_geometry()
    reading = read()
    assert "W_SURFACE" in {notice.code for notice in reading.notices}
    assert reading.scene.bodies[0].pins.follows_object
