# SPDX-License-Identifier: GPL-3.0-or-later
"""What an artist may take for part of a bake is told before it starts, and what has no bearing on it is not."""

from __future__ import annotations

import math

import numpy as np
import pytest

SHAPES = ("GRID", "SPHERE", "SUZANNE")


@pytest.fixture
def told(bpy, read):
    """A function that reads the scene; it returns the texts of the warnings of a code."""

    def run(code="W_IGNORED"):
        return [notice.message for notice in read().notices if notice.code == code]

    return run


@pytest.fixture
def add(bpy):
    """A function that adds one of three unlike meshes with a role, high above all."""

    def make(shape="GRID", role="CLOTH", name="Body"):
        if shape == "GRID":
            bpy.ops.mesh.primitive_grid_add(x_subdivisions=6, y_subdivisions=6)
        elif shape == "SPHERE":
            bpy.ops.mesh.primitive_uv_sphere_add(segments=12, ring_count=8)
        else:
            bpy.ops.mesh.primitive_monkey_add()
        obj = bpy.context.object
        obj.name, obj.xpbd.role = name, role
        bpy.context.scene.xpbd.use_floor = True
        bpy.context.scene.xpbd.floor_height = -100.0
        return obj

    return make


def animate_keys(obj):
    """A shape key that lifts all vertices, keyed from 0 to 1."""
    obj.shape_key_add(name="Basis")
    block = obj.shape_key_add(name="Up")
    for point in block.data:
        point.co.z += 1.0
    for frame, value in ((1, 0.0), (5, 1.0)):
        block.value = value
        block.keyframe_insert("value", frame=frame)
    return block


def hang_on_vertices(obj, parent, kind="VERTEX"):
    obj.parent, obj.parent_type = parent, kind
    obj.parent_vertices = [0, 1, 2] if kind == "VERTEX_3" else [0, 0, 0]


@pytest.mark.parametrize("kind", ["VERTEX", "VERTEX_3"])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_body_without_pins_that_vertices_carry(bpy, add, told, shape, kind):
    body, carrier = add(shape), add("SPHERE", "NONE", "Carrier")
    hang_on_vertices(body, carrier, kind)
    assert told() == []
    animate_keys(carrier)
    (text,) = told()
    assert '"Body"' in text
    assert "do not move what nothing holds" in text


@pytest.mark.parametrize("kind", ["VERTEX", "VERTEX_3"])
@pytest.mark.parametrize("shape", SHAPES)
def test_pins_and_colliders_go_with_the_vertices_that_carry_them(bpy, add, read, told, shape, kind):
    body, carrier, collider = add(shape), add("SUZANNE", "NONE", "Carrier"), add("SPHERE", "COLLIDER", "Ball")
    body.vertex_groups.new(name="Pin").add([0], 1.0, "REPLACE")
    body.xpbd.pin_group = "Pin"
    for obj in (body, collider):
        hang_on_vertices(obj, carrier, kind)
    animate_keys(carrier)
    found = read().scene
    assert told() == []
    rise = found.bodies[0].pins.matrices[-1][2, 3] - found.bodies[0].pins.matrices[0][2, 3]
    ball = found.colliders[0].transforms
    assert rise == pytest.approx(1.0, abs=1e-5)
    assert ball[-1][2, 3] - ball[0][2, 3] == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("shape", SHAPES)
def test_what_vertices_of_a_simulated_object_carry(bpy, add, told, shape):
    add("GRID")
    other, carrier = add("SPHERE", "COLLIDER", "Ball"), add(shape, "CLOTH", "Carrier")
    hang_on_vertices(other, carrier)
    (text,) = told()
    assert '"Ball"' in text
    assert "as it is now" in text
    other.parent = None
    constraint = other.constraints.new("COPY_LOCATION")
    constraint.target = carrier
    assert told() == []
    carrier.vertex_groups.new(name="Here").add([0], 1.0, "REPLACE")
    constraint.subtarget = "Here"
    assert '"Ball"' in told()[0]


@pytest.mark.parametrize("shape", SHAPES)
def test_a_collider_that_is_shaped_by_what_is_simulated(bpy, add, told, shape):
    body, collider = add(shape), add("SPHERE", "COLLIDER", "Ball")
    modifier = collider.modifiers.new("Wrap", "SHRINKWRAP")
    assert told() == []
    modifier.target = body
    assert '"Ball"' in told()[0]
    hook = collider.modifiers.new("Hook", "HOOK")
    collider.modifiers.remove(modifier)
    hook.object = body
    assert told() == [], "it goes by the object, not by its vertices"
    collider.xpbd.role = "NONE"
    own = body.modifiers.new("Wrap", "SHRINKWRAP")
    own.target = add("GRID", name="Other")
    assert not any("as it is now" in text for text in told()), "modifiers of a body come after its simulation"


@pytest.mark.parametrize("kind", ["CLOTH", "SOFT_BODY"])
@pytest.mark.parametrize("shape", SHAPES)
def test_blenders_own_simulation_on_top(bpy, add, told, shape, kind):
    add(shape).modifiers.new("Own", kind)
    assert '"Body"' in told()[0]
    assert "on top" in told()[0]


@pytest.mark.parametrize("kind", ["MIRROR", "ARRAY"])
@pytest.mark.parametrize("shape", SHAPES)
def test_copies_that_meet_nothing(bpy, add, told, shape, kind):
    modifier = add(shape).modifiers.new("Copies", kind)
    (text,) = told()
    assert '"Body"' in text
    assert "copies meet nothing" in text
    modifier.show_viewport = modifier.show_render = False
    assert told() == []


@pytest.mark.parametrize("kind", ["REMESH", "DECIMATE", "BOOLEAN", "WELD", "BEVEL"])
def test_meshes_that_are_made_anew_at_each_frame(bpy, add, told, kind):
    modifier = add("SUZANNE").modifiers.new("Anew", kind)
    (text,) = told()
    assert '"Body"' in text
    assert "at each frame" in text
    modifier.show_viewport = modifier.show_render = False
    assert told() == []


def test_the_weld_of_what_may_tear_is_no_mesh_made_anew(bpy, add, told):
    body = add("GRID")
    bpy.context.view_layer.objects.active = body
    bpy.ops.xpbd.make_tearable()
    (weld,) = body.modifiers
    assert weld.type == "WELD"
    assert not any("at each frame" in text for text in told())
    weld.merge_threshold = 1e-3
    assert any("at each frame" in text for text in told()), "it would join what has torn"


def test_a_bevel_of_all_edges_makes_the_same_mesh_at_each_frame(bpy, add, told):
    add("SUZANNE").modifiers.new("Bevel", "BEVEL").limit_method = "NONE"
    assert told() == []


def test_a_cache_in_place_of_the_result(bpy, add, told):
    body = add("SUZANNE")
    modifier = body.modifiers.new("Played", "MESH_CACHE")
    assert told() == [], "it plays no file"
    modifier.filepath = "//other.pc2"
    (text,) = told()
    assert '"Body"' in text
    assert "in place of the result" in text
    body.xpbd.cache_modifier = modifier.name
    assert told() == [], "it plays a bake"


def test_rigid_bodies_without_a_role(bpy, add, told):
    add("GRID")
    other = add("SUZANNE", name="Other", role="NONE")
    assert told() == []
    bpy.context.view_layer.objects.active = other
    bpy.ops.rigidbody.object_add(type="PASSIVE")
    (text,) = told()
    assert '"Other"' in text
    assert "rigid bodies meet nothing" in text
    bpy.context.scene.rigidbody_world.enabled = False
    assert told() == []
    bpy.context.scene.rigidbody_world.enabled = True
    other.xpbd.role = "COLLIDER"
    assert told() == []


@pytest.mark.parametrize("shape", SHAPES)
def test_nodes_that_show_a_mesh_of_their_own(bpy, add, told, shape):
    group = bpy.data.node_groups.new("Nodes", "GeometryNodeTree")
    for way in ("INPUT", "OUTPUT"):
        group.interface.new_socket("Geometry", in_out=way, socket_type="NodeSocketGeometry")
    own, ball, joined, shown = (
        group.nodes.new(name)
        for name in ("NodeGroupInput", "GeometryNodeMeshIcoSphere", "GeometryNodeJoinGeometry", "NodeGroupOutput")
    )
    group.links.new(ball.outputs[0], joined.inputs[0])
    modifier = add(shape).modifiers.new("Nodes", "NODES")
    assert told() == [], "it has no nodes"
    modifier.node_group = group
    group.links.new(joined.outputs[0], shown.inputs[0])
    (text,) = told()
    assert '"Body"' in text
    assert "does not follow what is simulated" in text
    group.links.new(own.outputs[0], joined.inputs[0])
    assert told() == [], "its own mesh is joined to the ball"


@pytest.mark.parametrize("shape", SHAPES)
def test_blenders_own_collision(bpy, add, told, shape):
    add("GRID")
    other = add(shape, "NONE", "Wall")
    other.modifiers.new("Collision", "COLLISION")
    assert '"Wall"' in told()[0]
    assert "Collider" in told()[0]
    other.collision.use = False
    assert told() == []
    other.collision.use = True
    other.modifiers["Collision"].show_viewport = other.modifiers["Collision"].show_render = False
    assert told() == []
    other.modifiers["Collision"].show_viewport = True
    other.xpbd.role = "COLLIDER"
    assert told() == []


def test_what_is_disabled_in_viewports_and_rendered(bpy, add, told):
    add("GRID")
    other = add("SPHERE", "COLLIDER", "Wall")
    other.hide_viewport = True
    assert '"Wall"' in told()[0]
    other.hide_render = True
    assert told() == []
    other.hide_render = False
    layer = put_into_collection(bpy, other)
    assert '"Wall"' in told()[0]
    layer.collection.hide_render = True
    assert told() == []
    layer.collection.hide_render, layer.exclude = False, True
    assert told() == []


def put_into_collection(bpy, obj):
    """Where it is nowhere else; its layer collection."""
    collection = bpy.data.collections.new("Apart")
    bpy.context.scene.collection.children.link(collection)
    for one in obj.users_collection:
        one.objects.unlink(obj)
    collection.objects.link(obj)
    return bpy.context.view_layer.layer_collection.children["Apart"]


def test_instances_of_colliders(bpy, add, told):
    add("GRID")
    group = bpy.data.collections.new("Walls")
    shown = bpy.data.objects.new("Copies", None)
    bpy.context.scene.collection.objects.link(shown)
    shown.instance_type, shown.instance_collection = "COLLECTION", group
    assert told() == []
    group.objects.link(add("SPHERE", "COLLIDER", "Wall"))
    assert '"Copies"' in told()[0]
    shown.instance_collection = None
    parent = add("GRID", "NONE", "Parent")
    bpy.data.objects["Wall"].parent = parent
    assert told() == []
    parent.instance_type = "VERTS"
    assert '"Parent"' in told()[0]


def test_instances_that_nodes_of_a_collider_make_beside_its_mesh(bpy, add, told):
    add("GRID")
    wall = add("SPHERE", "COLLIDER", "Wall")
    group = bpy.data.node_groups.new("Nodes", "GeometryNodeTree")
    for way in ("INPUT", "OUTPUT"):
        group.interface.new_socket("Geometry", in_out=way, socket_type="NodeSocketGeometry")
    names = ("Input", "MeshCube", "GeometryToInstance", "JoinGeometry", "Output")
    own, cube, placed, both, shown = (
        group.nodes.new(f"NodeGroup{name}" if "put" in name else f"GeometryNode{name}") for name in names
    )
    for start, end in ((own, both), (both, shown), (cube, placed)):
        group.links.new(start.outputs[0], end.inputs[0])
    wall.modifiers.new("Nodes", "NODES").node_group = group
    assert told() == []
    group.links.new(placed.outputs[0], both.inputs[0])
    assert '"Wall"' in told()[0]
    assert "Instances" in told()[0]


@pytest.mark.parametrize("shape", SHAPES)
def test_what_renders_show_otherwise_than_viewports(bpy, add, told, shape):
    body, wall = add(shape), add(shape, "COLLIDER", "Wall")
    wall.location.x = 9.0
    for obj in (body, wall):
        obj.modifiers.new("Smooth", "SUBSURF").show_viewport = False
        modifier = obj.modifiers.new("Bend", "SIMPLE_DEFORM")
        modifier.deform_method, modifier.angle = "BEND", 1.0
    body.modifiers.move(1, 0)
    body.xpbd.goal_source = "DEFORMED"
    assert told() == []
    for in_viewports, in_renders in ((False, True), (True, False)):
        for obj in (body, wall):
            obj.modifiers["Bend"].show_viewport, obj.modifiers["Bend"].show_render = in_viewports, in_renders
        found = [text for text in told() if "renders differ" in text]
        assert len(found) == 1
        assert '"Body"' in found[0]
        assert '"Wall"' in found[0]
    # a plane has no shape, and what follows no deformer is told otherwise
    wall.xpbd.collider_shape, body.xpbd.goal_source = "PLANE", "NONE"
    assert not any("renders differ" in text for text in told())


def test_attached_to_what_only_deforms(bpy, add, told):
    body = add("GRID")
    body.vertex_groups.new(name="Held").add([0, 1], 1.0, "REPLACE")
    lattice = bpy.data.objects.new("Frame", bpy.data.lattices.new("Frame"))
    bpy.context.scene.collection.objects.link(lattice)
    body.xpbd.attach_object, body.xpbd.attach_group = lattice, "Held"
    assert told() == []
    animate_keys_of_lattice(lattice)
    assert '"Frame"' in told()[0]
    assert "rides on the object" in told()[0]
    body.xpbd.attach_object = add("SUZANNE", "NONE", "Skin")
    animate_keys(bpy.data.objects["Skin"])
    assert told() == [], "they ride on the faces of a mesh"


def test_attached_to_what_has_no_shape_that_moves(bpy, add, told):
    body = add("GRID")
    body.vertex_groups.new(name="Held").add([0, 1], 1.0, "REPLACE")
    body.xpbd.attach_group = "Held"
    for data, path in (
        (bpy.data.cameras.new("Camera"), "lens"),
        (bpy.data.lights.new("Light", "POINT"), "energy"),
        (bpy.data.curves.new("Path", "CURVE"), "eval_time"),
    ):
        holder = bpy.data.objects.new(data.name, data)
        bpy.context.scene.collection.objects.link(holder)
        data.keyframe_insert(path, frame=1)
        body.xpbd.attach_object = holder
        assert told() == []


def animate_keys_of_lattice(obj):
    obj.shape_key_add(name="Basis")
    block = obj.shape_key_add(name="Up")
    for frame, value in ((1, 0.0), (5, 1.0)):
        block.value = value
        block.keyframe_insert("value", frame=frame)


@pytest.mark.parametrize("shape", SHAPES)
def test_animated_shape_keys_over_pins(bpy, add, told, shape):
    body = add(shape)
    body.vertex_groups.new(name="Pin").add([0], 1.0, "REPLACE")
    body.xpbd.pin_group = "Pin"
    block = body.shape_key_add(name="Basis") and body.shape_key_add(name="Up")
    assert told("W_RIG") == []
    # a new key has the value 0, and from Blender 5.0 on 1
    block.value = 0.0
    block.keyframe_insert("value", frame=1)
    block.value = 1.0
    block.keyframe_insert("value", frame=5)
    block.mute = True
    assert told("W_RIG") == []
    block.mute = False
    assert '"Body"' in told("W_RIG")[0]
    assert bpy.ops.xpbd.follow_rig() == {"FINISHED"}
    assert told("W_RIG") == []


@pytest.mark.parametrize("shape", SHAPES)
def test_what_counts_is_not_told(bpy, add, read, shape):
    """Deltas, mirrors, uneven scales and parents with an inverse place a body as they show it."""
    body, parent = add(shape), add("SPHERE", "NONE", "Parent")
    parent.location, parent.rotation_euler = (1.0, 2.0, 3.0), (0.3, 0.4, 0.5)
    body.scale, body.delta_location, body.delta_rotation_euler = (-1.0, 2.0, 0.5), (0.0, 0.0, 4.0), (0.0, math.pi, 0.3)
    bpy.context.view_layer.update()
    body.parent, body.matrix_parent_inverse = parent, parent.matrix_world.inverted()
    bpy.context.view_layer.update()
    found = read()
    shown = np.array([body.matrix_world @ vertex.co for vertex in body.data.vertices])
    np.testing.assert_allclose(found.scene.bodies[0].positions, shown, atol=1e-5)
    assert not [notice for notice in found.notices if notice.code != "W_GEOM_LOOSE"]


@pytest.mark.parametrize("shape", SHAPES)
def test_keys_that_stay_at_one_value_move_nothing(bpy, add, told, shape):
    body = add(shape)
    body.vertex_groups.new(name="Pin").add([0], 1.0, "REPLACE")
    body.xpbd.pin_group = "Pin"
    body.shape_key_add(name="Basis")
    block = body.shape_key_add(name="Up")
    for frame in (1, 5):
        block.value = 0.5
        block.keyframe_insert("value", frame=frame)
    assert told("W_RIG") == []
    block.value = 0.6
    block.keyframe_insert("value", frame=3)
    assert '"Body"' in told("W_RIG")[0]
