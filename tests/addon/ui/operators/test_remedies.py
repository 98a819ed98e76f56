# SPDX-License-Identifier: GPL-3.0-or-later
"""Buttons that mend what a check found: afterwards the check no longer finds it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.addon.strands import make_curve


@pytest.fixture
def codes(bpy):
    def read():
        return [row["code"] for row in json.loads(bpy.context.scene.xpbd.findings)]

    return read


def found_after(bpy, codes, code, operator, **values):
    """Check, see that it is found, and mend it; what is found then."""
    bpy.ops.xpbd.check()
    assert code in codes()
    assert operator(**values) == {"FINISHED"}
    return codes()


@pytest.mark.parametrize("scale_length", [1.0, 0.01])
def test_lift_out_of_the_floor(bpy, make_body, codes, scale_length):
    scene = bpy.context.scene
    scene.unit_settings.system, scene.unit_settings.scale_length = "METRIC", scale_length
    scene.xpbd.use_floor, scene.xpbd.floor_height = True, 0.5 / scale_length
    body = make_body("Cloth", location=(0.0, 0.0, -1.0 / scale_length), rotation_euler=(0.0, 0.7, 0.0))
    assert "W_INSIDE" not in found_after(bpy, codes, "W_INSIDE", bpy.ops.xpbd.lift, object_name="Cloth")
    lowest = min((body.matrix_world @ vertex.co).z for vertex in body.data.vertices)
    assert lowest * scale_length == pytest.approx(0.5, abs=1e-5)


def test_lift_out_of_a_mesh_and_a_sphere(bpy, make_body, codes):
    bpy.ops.mesh.primitive_uv_sphere_add(radius=1.0)
    ball = bpy.context.object
    ball.xpbd.role = "COLLIDER"
    for shape in ("MESH", "SPHERE"):
        ball.xpbd.collider_shape = shape
        body = make_body("Cloth", location=(0.0, 0.0, 0.1), scale=(0.3, 0.3, 0.3))
        assert "W_INSIDE" not in found_after(bpy, codes, "W_INSIDE", bpy.ops.xpbd.lift, object_name=body.name)
        bpy.data.objects.remove(body)


def test_what_moves_by_itself_is_not_lifted(bpy, make_body, codes):
    bpy.context.scene.xpbd.use_floor = True
    body = make_body("Cloth", location=(0.0, 0.0, -1.0))
    body.keyframe_insert("location", frame=1)
    bpy.ops.xpbd.check()
    assert bpy.ops.xpbd.lift(object_name="Cloth") == {"CANCELLED"}
    assert body.location.z == -1.0
    assert "W_INSIDE" in codes()


@pytest.mark.parametrize("name", ["Nobody", "Cloth"])
def test_nothing_to_lift(bpy, make_body, name):
    make_body("Cloth", location=(0.0, 0.0, 1.0))
    assert bpy.ops.xpbd.lift(object_name=name) == {"CANCELLED"}


@pytest.mark.parametrize(("height", "floor"), [(3.0, 0.0), (-3.0, -3.1)])
def test_a_floor_under_all(bpy, make_body, codes, height, floor):
    make_body("Cloth", location=(0.0, 0.0, height))
    left = found_after(bpy, codes, "W_FALLS", bpy.ops.xpbd.add_floor)
    assert not {"W_FALLS", "W_INSIDE"} & set(left)
    assert bpy.context.scene.xpbd.use_floor
    assert bpy.context.scene.xpbd.floor_height == pytest.approx(floor)


@pytest.mark.parametrize("role", ["CLOTH", "JELLY"])
def test_a_coarse_mesh_is_subdivided(bpy, make_body, codes, role):
    add = bpy.ops.mesh.primitive_plane_add if role == "CLOTH" else bpy.ops.mesh.primitive_cube_add
    add()
    obj = bpy.context.object
    obj.xpbd.role = role
    obj.vertex_groups.new(name="Pin").add([0, 1], 1.0, "REPLACE")
    size = tuple(obj.dimensions)
    assert "W_COARSE" not in found_after(bpy, codes, "W_COARSE", bpy.ops.xpbd.subdivide, object_name=obj.name)
    assert 200 < len(obj.data.vertices) < 2000
    assert tuple(obj.dimensions) == pytest.approx(size)
    # the edge between pinned vertices stays pinned
    pinned = [vertex for vertex in obj.data.vertices if any(entry.weight == 1.0 for entry in vertex.groups)]
    assert len(pinned) > 2


def test_the_ends_of_a_cylinder_get_vertices_inside(bpy, codes):
    """Halved edges alone would leave a polygon without any."""
    for height in (0.0, 1.5):
        bpy.ops.mesh.primitive_cylinder_add(location=(0.0, 0.0, height))
        bpy.context.object.xpbd.role = "JELLY"
    below, obj = bpy.data.objects["Cylinder"], bpy.context.object
    assert "W_COARSE" in found_after(bpy, codes, "W_COARSE", bpy.ops.xpbd.subdivide, object_name=obj.name)
    assert max(len(face.vertices) for face in obj.data.polygons) == 4
    inside = [vertex for vertex in obj.data.vertices if vertex.co.z > 0.99 and vertex.co.xy.length < 0.9]
    assert len(inside) > 10
    assert bpy.ops.xpbd.subdivide(object_name=below.name) == {"FINISHED"}
    assert "W_COARSE" not in codes()


def test_a_polygon_that_is_not_convex_stays_as_it_is(bpy):
    """As those of letters are: a vertex in the middle of the corners would lie outside."""
    mesh = bpy.data.meshes.new("U")
    outline = [(0, 0), (3, 0), (3, 3), (2, 3), (2, 1), (1, 1), (1, 3), (0, 3)]
    mesh.from_pydata([(x, y, 0.0) for x, y in outline], [], [range(8)])
    obj = bpy.data.objects.new("U", mesh)
    bpy.context.collection.objects.link(obj)
    assert bpy.ops.xpbd.subdivide(object_name=obj.name) == {"FINISHED"}
    assert sum(face.area for face in mesh.polygons) == pytest.approx(7.0)
    assert len({face.normal.z > 0.0 for face in mesh.polygons}) == 1


@pytest.mark.parametrize("subdivisions", [2, 20])
def test_what_tears_is_subdivided_until_no_ball_shows(bpy, codes, subdivisions):
    bpy.ops.mesh.primitive_grid_add(size=0.3 * subdivisions, x_subdivisions=subdivisions, y_subdivisions=subdivisions)
    cloth = bpy.context.object
    cloth.location.z = 1.0
    cloth.xpbd.role, cloth.xpbd.tear_strain = "CLOTH", 5.0
    for edge in cloth.data.edges:
        edge.use_seam = True
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.3)
    bpy.context.object.xpbd.role, bpy.context.object.xpbd.collider_shape = "COLLIDER", "SPHERE"
    bpy.ops.xpbd.check()
    for _ in range(3):
        if "W_COARSE" in codes():
            count = len(cloth.data.vertices)
            assert bpy.ops.xpbd.subdivide(object_name=cloth.name) == {"FINISHED"}
            assert len(cloth.data.vertices) > 3 * count
    assert "W_COARSE" not in codes()
    assert sum(edge.use_seam for edge in cloth.data.edges) > subdivisions**2, "cuts stay"


def test_nothing_to_subdivide(bpy, make_body):
    make_body("Cloth")
    assert bpy.ops.xpbd.subdivide(object_name="Nobody") == {"CANCELLED"}


def test_the_frames_of_the_scene(bpy, make_body, codes):
    make_body("Cloth")
    bpy.context.scene.xpbd.frame_end = 77
    assert "W_RANGE" not in found_after(bpy, codes, "W_RANGE", bpy.ops.xpbd.use_scene_range)


def test_not_in_edit_mode(bpy, make_body, select):
    select(make_body("Cloth"))
    bpy.ops.object.mode_set(mode="EDIT")
    try:
        assert not bpy.ops.xpbd.lift.poll()
    finally:
        bpy.ops.object.mode_set(mode="OBJECT")


def test_a_scene_that_cannot_be_read_is_left_alone(bpy):
    assert bpy.ops.xpbd.add_floor() == {"CANCELLED"}
    assert not bpy.context.scene.xpbd.use_floor


def test_feel_like_another_size(bpy, codes):
    bpy.ops.mesh.primitive_cube_add(size=10.0)
    body = bpy.context.object
    body.xpbd.role = "JELLY"
    bpy.context.scene.xpbd.use_floor = True
    assert "W_SIZE" not in found_after(bpy, codes, "W_SIZE", bpy.ops.xpbd.feel_like, object_name=body.name)
    assert body.xpbd.feels_like == pytest.approx(1.0)
    assert bpy.ops.xpbd.feel_like(object_name=body.name) == {"CANCELLED"}
    assert bpy.ops.xpbd.feel_like(object_name="Nobody") == {"CANCELLED"}
    # a softer material asks for another size
    body.xpbd.preset = "GELATIN"
    assert "W_SIZE" not in found_after(bpy, codes, "W_SIZE", bpy.ops.xpbd.feel_like, object_name=body.name)


def test_lift_what_lies_on_the_floor(bpy, codes):
    bpy.ops.mesh.primitive_grid_add(size=1.0)
    body = bpy.context.object
    body.xpbd.role = "CLOTH"
    bpy.context.scene.xpbd.use_floor = True
    assert "W_LIES" not in found_after(bpy, codes, "W_LIES", bpy.ops.xpbd.lift, object_name=body.name)
    assert body.location.z == pytest.approx(0.5)


@pytest.mark.parametrize("kind", ["POLY", "BEZIER", "NURBS"])
@pytest.mark.parametrize("is_closed", [False, True])
def test_a_coarse_curve_is_subdivided(bpy, codes, kind, is_closed):
    obj = make_curve((kind,), count=2)
    (spline,) = obj.data.splines
    obj.xpbd.role, spline.use_cyclic_u = "STRAND", is_closed
    before = shape_of(obj)
    assert "W_COARSE" not in found_after(bpy, codes, "W_COARSE", bpy.ops.xpbd.subdivide, object_name=obj.name)
    points = spline.bezier_points if kind == "BEZIER" else spline.points
    assert len(points) == (64 if is_closed else 33)
    if kind == "BEZIER":
        # 12 segments per piece became 12 · 32: every 32nd vertex was there before
        np.testing.assert_allclose(shape_of(obj)[::32], before, atol=1e-6)
    else:
        steps = [(points[i + 1].co - points[i].co).length for i in range(len(points) - 1)]
        assert steps == pytest.approx([0.1 / 32] * len(steps), rel=1e-4)


def shape_of(obj):
    """Vertices of the curve that Blender shows, shape (vertices, 3)."""
    obj.data.resolution_u = 12
    mesh = obj.to_mesh()
    places = np.array([vertex.co for vertex in mesh.vertices])
    obj.to_mesh_clear()
    return places


@pytest.mark.parametrize("count", [2, 5])
def test_what_a_point_of_a_curve_has_is_in_the_middle(bpy, count):
    from blender_xpbd.addon.checking.halving import halve_segments

    obj = make_curve(("NURBS", "BEZIER"), count)
    for spline in obj.data.splines:
        for i, point in enumerate(spline.bezier_points or spline.points):
            point.radius, point.tilt = 1.0 + i, 0.1 * i
    halve_segments(obj.data)
    for spline in obj.data.splines:
        points = spline.bezier_points or spline.points
        assert [point.radius for point in points] == pytest.approx(np.arange(1.0, count + 0.25, 0.5))
        assert [point.tilt for point in points] == pytest.approx(0.1 * np.arange(0.0, count - 0.75, 0.5), abs=1e-6)


def test_a_curve_with_shape_keys_is_not_subdivided(bpy, codes):
    obj = make_curve(("BEZIER",), count=2)
    obj.xpbd.role = "STRAND"
    obj.shape_key_add(name="Basis")
    assert bpy.ops.xpbd.subdivide(object_name=obj.name) == {"CANCELLED"}
    assert len(obj.data.splines[0].bezier_points) == 2


def test_what_helps_a_curve_is_not_its_mesh(bpy, codes):
    obj = make_curve(("POLY",), count=2)
    obj.xpbd.role = "STRAND"
    bpy.ops.xpbd.check()
    (message,) = [row["message"] for row in json.loads(bpy.context.scene.xpbd.findings) if row["code"] == "W_COARSE"]
    assert "control points" in message
    assert "mesh" not in message


def test_a_rig_that_is_not_seen_is_followed_by_all(bpy, codes):
    from tests.addon.deformers import deform_by_armature

    bodies = []
    for name, role, pins in (("Cape", "CLOTH", "Pins"), ("Scarf", "CLOTH", ""), ("Belly", "JELLY", "Pins")):
        bpy.ops.mesh.primitive_cube_add()
        body = bpy.context.object
        body.name = name
        deform_by_armature(bpy, body)
        body.vertex_groups.new(name="Pins").add([0], 1.0, "REPLACE")
        body.xpbd.role, body.xpbd.pin_group = role, pins
        bodies.append(body)
    bpy.ops.xpbd.check()
    (told,) = [row for row in json.loads(bpy.context.scene.xpbd.findings) if row["code"] == "W_RIG"]
    assert told["object"] == ""
    assert all(f'"{body.name}"' in told["message"] for body in bodies)
    assert "W_RIG" not in found_after(bpy, codes, "W_RIG", bpy.ops.xpbd.follow_rig)
    assert [body.xpbd.goal_source for body in bodies] == ["DEFORMED"] * 3
    # pinned cloth hangs free, a belly is jelly all over
    assert [body.xpbd.goal_group for body in bodies] == ["Pins", "", ""]
    assert bpy.ops.xpbd.follow_rig() == {"CANCELLED"}


def test_what_may_be_pushed_out_is_a_quiet_line_until_it_is_elsewhere(bpy, make_body, codes):
    from blender_xpbd.addon.ui import panels
    from tests.addon.recorded_layout import draw

    def buttons():
        return {name for name, _ in draw(panels.XPBD_PT_main).operators} & {"xpbd.lift", "xpbd.let_out"}

    bpy.context.scene.xpbd.use_floor = True
    body = make_body("Cloth", location=(0.0, 0.0, -0.5))
    other = make_body("Other", location=(4.0, 0.0, -0.5))
    bpy.ops.xpbd.check()
    assert codes() == ["W_INSIDE", "W_INSIDE"]
    assert buttons() == {"xpbd.lift", "xpbd.let_out"}
    assert bpy.ops.xpbd.let_out(object_name="Cloth") == {"FINISHED"}
    assert sorted(codes()) == ["W_INSIDE", "W_LET_OUT"]
    other.location.z = 2.0
    bpy.ops.xpbd.check()
    assert codes() == ["W_LET_OUT"]
    assert buttons() == set()
    assert any("Starts inside" in words for words in draw(panels.XPBD_PT_main).words)
    # deeper, it is another finding; as it was before, nobody has said that it is fine
    for height in (-0.6, -0.5):
        body.location.z = height
        bpy.ops.xpbd.check()
        assert codes() == ["W_INSIDE"]
    bpy.ops.xpbd.let_out(object_name="Cloth")
    body.location.z = 3.0
    bpy.ops.xpbd.check()
    assert codes() == []
    assert body.xpbd.let_out == ""


def test_what_may_be_pushed_out_is_not_forgotten_where_a_check_could_read_nothing(bpy, make_body, codes):
    bpy.context.scene.xpbd.use_floor = True
    make_body("Cloth", location=(0.0, 0.0, -0.5))
    bpy.ops.xpbd.check()
    bpy.ops.xpbd.let_out(object_name="Cloth")
    empty = make_body("Empty", mesh=bpy.data.meshes.new("Empty"))
    bpy.ops.xpbd.check()
    assert codes() == ["E_GEOM_EMPTY"]
    bpy.data.objects.remove(empty)
    bpy.ops.xpbd.check()
    assert codes() == ["W_LET_OUT"]


def test_what_starts_inside_nothing_cannot_be_let_out(bpy, make_body):
    make_body("Cloth")
    assert bpy.ops.xpbd.let_out(object_name="Cloth") == {"CANCELLED"}
    assert bpy.ops.xpbd.let_out(object_name="None") == {"CANCELLED"}


def jelly_and(bpy, make_body, role):
    """A cube of jelly, and a small one of a role inside of it."""
    meshes = []
    for size in (2.0, 0.5):
        bpy.ops.mesh.primitive_cube_add(size=size)
        meshes.append(bpy.context.object.data)
        bpy.data.objects.remove(bpy.context.object)
    make_body("Outer", "JELLY", meshes[0])
    return make_body("Inner", role, meshes[1], location=(0.1, 0.0, 0.3))


@pytest.mark.parametrize("role", ["JELLY", "CLOTH"])
def test_what_is_inside_a_jelly_is_kept_there(bpy, make_body, codes, role):
    inner = jelly_and(bpy, make_body, role)
    left = found_after(bpy, codes, "W_WITHIN", bpy.ops.xpbd.keep_inside, object_name="Inner")
    assert "W_WITHIN" not in left
    assert inner.xpbd.attach_object == bpy.data.objects["Outer"]
    group = inner.vertex_groups[inner.xpbd.attach_group]
    assert [group.weight(vertex.index) for vertex in inner.data.vertices] == [1.0] * 8
    assert bpy.ops.xpbd.keep_inside(object_name="Inner") == {"CANCELLED"}


def test_what_is_inside_a_jelly_is_lifted_out(bpy, make_body, codes):
    inner = jelly_and(bpy, make_body, "CLOTH")
    assert "W_WITHIN" not in found_after(bpy, codes, "W_WITHIN", bpy.ops.xpbd.lift, object_name="Inner")
    assert inner.location.z == pytest.approx(1.25, abs=1e-5)


def test_what_is_attached_elsewhere_is_not_attached_again(bpy, make_body, codes):
    inner = jelly_and(bpy, make_body, "CLOTH")
    inner.xpbd.attach_object = other = bpy.data.objects.new("Empty", None)
    assert bpy.ops.xpbd.keep_inside(object_name="Inner") == {"CANCELLED"}
    assert inner.xpbd.attach_object == other
    assert len(inner.vertex_groups) == 0


@pytest.mark.parametrize("scale", [1.0, 1e-3])
def test_doubled_vertices_are_merged(bpy, make_body, codes, scale):
    bpy.ops.object.text_add(rotation=(0.4, 0.3, 0.2))
    bpy.context.object.data.body = "Xo"
    bpy.context.object.data.extrude = 0.06
    bpy.ops.object.convert(target="MESH")
    text = bpy.context.object
    text.name, text.scale, text.location.z, text.xpbd.role = "Text", (scale,) * 3, 2.0, "CLOTH"
    before = len(text.data.vertices)
    places = {tuple(round(x, 6) for x in vertex.co) for vertex in text.data.vertices}
    assert "W_DOUBLED" not in found_after(bpy, codes, "W_DOUBLED", bpy.ops.xpbd.merge_doubled, object_name="Text")
    assert len(text.data.vertices) == len(places) < before


def test_what_is_no_mesh_has_no_vertices_to_merge(bpy, make_body):
    curve = make_curve()
    assert bpy.ops.xpbd.merge_doubled(object_name=curve.name) == {"CANCELLED"}
    assert bpy.ops.xpbd.merge_doubled(object_name="Nobody") == {"CANCELLED"}


def test_what_is_linked_is_made_local(bpy, make_body, codes, tmp_path):
    from blender_xpbd.addon.checking.finding import findings_of

    body = make_body("Linked", location=(0.0, 0.0, 3.0))
    bpy.context.scene.xpbd.use_floor = True
    path = tmp_path / "library.blend"
    bpy.data.libraries.write(str(path), {body})
    bpy.data.objects.remove(body)
    with bpy.data.libraries.load(str(path), link=True) as (there, here):
        here.objects = there.objects
    override = here.objects[0].override_create()
    bpy.context.collection.objects.link(override)
    bpy.ops.xpbd.check()
    assert codes() == ["E_DATA_LINKED"]
    (finding,) = findings_of(bpy.context.scene.xpbd.findings) or ()
    assert finding.remedy == ("Make Local", "xpbd.make_local")
    with pytest.raises(RuntimeError, match="E_DATA_LINKED"):
        bpy.ops.xpbd.bake()
    assert _times_told(finding.message) == 1, "beside its button, and not again as the fault of the bake"
    assert bpy.ops.xpbd.make_local(object_name=override.name) == {"FINISHED"}
    assert codes() == []
    assert _times_told(finding.message) == 0, "by the report of that bake"


def test_what_is_shared_gets_a_mesh_of_its_own(bpy, make_body, codes):
    """Copied by Alt + D."""
    body = make_body("Body", location=(0.0, 0.0, 3.0))
    bpy.context.scene.xpbd.use_floor = True
    body.shape_key_add(name="Basis")
    key = body.shape_key_add(name="Big")
    key.keyframe_insert("value", frame=1)
    body.data.materials.append(bpy.data.materials.new("Paint"))
    twin = body.copy()
    bpy.context.collection.objects.link(twin)
    bpy.ops.xpbd.check()
    assert codes() == ["E_DATA_SHARED", "E_DATA_SHARED"]
    assert bpy.ops.xpbd.make_single_user(object_name="Body") == {"FINISHED"}
    assert "E_DATA_SHARED" not in codes()
    assert body.data != twin.data
    assert body.data.materials[0] == twin.data.materials[0]
    actions = [one.data.shape_keys.animation_data.action for one in (body, twin)]
    assert actions[0] != actions[1]
    assert bpy.ops.xpbd.make_single_user(object_name="Body") == {"CANCELLED"}


def test_keys_that_share_an_action_get_one_of_their_own(bpy, make_body, codes):
    """As after Object > Relations > Make Single User > Object & Data, which leaves the action."""
    bpy.context.scene.xpbd.use_floor = True
    bodies = [make_body(name, location=(x, 0.0, 3.0)) for name, x in (("Body", 0.0), ("Twin", 5.0))]
    for body in bodies:
        body.shape_key_add(name="Basis")
        body.shape_key_add(name="Big")
    keys, others = (body.data.shape_keys for body in bodies)
    keys.key_blocks["Big"].value = 0.5
    keys.key_blocks["Big"].keyframe_insert("value", frame=1)
    shared = keys.animation_data.action
    others.animation_data_create().action = shared
    if hasattr(shared, "slots"):
        others.animation_data.action_slot = keys.animation_data.action_slot
    mesh = bodies[0].data
    bpy.ops.xpbd.check()
    assert codes() == ["E_DATA_SHARED", "E_DATA_SHARED"]
    assert bpy.ops.xpbd.make_single_user(object_name="Body") == {"FINISHED"}
    assert "E_DATA_SHARED" not in codes(), "of the other one neither: its action is its own by now"
    assert (keys.animation_data.action != shared, others.animation_data.action) == (True, shared)
    assert bodies[0].data == mesh, "a mesh of its own is not copied"
    for one in (keys, others):
        one.key_blocks["Big"].value = 0.0
    bpy.context.scene.frame_set(5)
    assert [one.key_blocks["Big"].value for one in (keys, others)] == [0.5, 0.5], "both play as they did"
    assert bpy.ops.xpbd.make_single_user(object_name="Body") == {"CANCELLED"}


def _times_told(message):
    from blender_xpbd.addon.ui import panels
    from tests.addon.recorded_layout import draw

    return " ".join(draw(panels.XPBD_PT_main).words).count(message)


def test_what_has_no_doubled_vertices_is_left_as_it_is(bpy, make_body):
    sheet = make_body("Sheet")
    before = len(sheet.data.vertices)
    assert bpy.ops.xpbd.merge_doubled(object_name="Sheet") == {"CANCELLED"}
    assert len(sheet.data.vertices) == before


def lollipop(bpy, height=0.3):
    """A jelly ball of 40 cm on a stick of 4 cm."""
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.2, location=(0.0, 0.0, height + 0.19))
    ball = bpy.context.object
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=(0.0, 0.0, 0.5 * height), scale=(0.04, 0.04, height))
    ball.select_set(True)
    bpy.ops.object.join()
    body = bpy.context.object
    body.xpbd.role, body.xpbd.preset = "JELLY", "RUBBER"
    bpy.context.scene.xpbd.use_floor = True
    return body


def test_cells_enough_for_what_bears_a_body(bpy, codes):
    body = lollipop(bpy)
    assert body.xpbd.cage_resolution == 16
    assert "W_THIN" not in found_after(bpy, codes, "W_THIN", bpy.ops.xpbd.suit_resolution, object_name=body.name)
    assert body.xpbd.normal_resolution == body.xpbd.cage_resolution >= 26
    assert bpy.ops.xpbd.suit_resolution(object_name=body.name) == {"CANCELLED"}


@pytest.mark.parametrize("target", ["pins", "empty", "body"])
def test_automatic_goes_by_what_holds_a_body_as_the_finding_does(bpy, make_body, codes, select, target):
    """A lollipop upside down: it stands on its ball, and the stick bears nothing until it hangs on it."""
    body = lollipop(bpy)
    body.rotation_euler = (np.pi, 0.0, 0.0)
    body.location.z = 2.0
    points = np.array([vertex.co for vertex in body.data.vertices])
    foot = np.flatnonzero(points[:, 2] < points[:, 2].min() + 1e-3)
    body.vertex_groups.new(name="Foot").add(foot.tolist(), 1.0, "REPLACE")
    bpy.context.view_layer.update()
    bpy.ops.xpbd.check()
    assert "W_THIN" not in codes(), "it stands on its ball"
    if target == "pins":
        body.xpbd.pin_group = "Foot"
    else:
        body.xpbd.attach_group = "Foot"
        empty = bpy.data.objects.new("Empty", None)
        bpy.context.collection.objects.link(empty)
        body.xpbd.attach_object = empty if target == "empty" else make_body("Other", location=(0.0, 0.0, 5.0))
    suited = {"object_name": body.name}
    assert "W_THIN" not in found_after(bpy, codes, "W_THIN", bpy.ops.xpbd.suit_resolution, **suited)
    chosen = body.xpbd.cage_resolution
    assert chosen >= 26
    # and the choice of the Jelly button
    for name in ("role", "cage_resolution", "normal_resolution"):
        body.xpbd.property_unset(name)
    select(body)
    bpy.ops.xpbd.set_role(role="JELLY")
    assert body.xpbd.cage_resolution == chosen


def test_what_automatic_has_no_cells_for_is_told_and_left(bpy, codes):
    bpy.ops.mesh.primitive_cube_add(size=1.0, scale=(1.0, 1.0, 0.01))
    body = bpy.context.object
    body.xpbd.role = "JELLY"
    bpy.ops.xpbd.suit_mesh()
    chosen = body.xpbd.cage_resolution
    bpy.ops.xpbd.check()
    assert "W_THIN" in codes()
    assert bpy.ops.xpbd.suit_resolution(object_name=body.name) == {"CANCELLED"}
    assert body.xpbd.cage_resolution == chosen


@pytest.mark.parametrize("kind", ["monkey", "torus", "cone", "uv_sphere", "cylinder", "cube"])
def test_compact_meshes_are_not_told_as_thin(bpy, codes, select, kind):
    getattr(bpy.ops.mesh, f"primitive_{kind}_add")()
    body = bpy.context.object
    body.xpbd.role = "JELLY"
    for suit in (False, True):
        if suit:
            bpy.ops.xpbd.suit_mesh()
        bpy.ops.xpbd.check()
        assert "W_THIN" not in codes()


@pytest.mark.parametrize(
    ("name", "typed"),
    [("cow", True), ("cheburashka", True), ("rocker-arm", True), ("spot", False), ("stanford-bunny", False)],
)
def test_real_meshes_are_told_as_thin_at_16_where_they_are(bpy, codes, meshes_folder, name, typed):
    bpy.ops.wm.obj_import(filepath=str(meshes_folder / f"{name}.obj"))
    body = bpy.context.object
    body.xpbd.role = "JELLY"
    bpy.ops.xpbd.check()
    assert ("W_THIN" in codes()) == typed
    # the cow's legs are thinner than what bakes in seconds has cells for
    if name != "cow":
        bpy.ops.xpbd.suit_mesh()
        bpy.ops.xpbd.check()
        assert "W_THIN" not in codes()


def test_one_button_mends_all_objects_of_which_the_same_is_said(bpy, make_body, codes):
    from blender_xpbd.addon.data.bake_status import STATUS

    first = make_body("First")
    for name in ("Second", "Third"):
        make_body(name, mesh=first.data)
    bpy.ops.xpbd.check()
    assert codes().count("E_DATA_SHARED") == 3
    fault = 'E_DATA_SHARED: object "{}": Other objects use the same mesh.'
    STATUS.message = "\n".join(fault.format(name) for name in ("First", "Second", "Third"))
    assert bpy.ops.xpbd.make_single_user(object_name="First", with_alike=True) == {"FINISHED"}
    assert "E_DATA_SHARED" not in codes()
    assert len({obj.data for obj in bpy.data.objects if obj.type == "MESH"}) == 3
    # of the last one, which had the mesh for itself then, nothing is left to be told either
    assert STATUS.message == ""


def test_what_refuses_among_alike_ones_keeps_its_finding(bpy, make_body, codes):
    bpy.context.scene.xpbd.use_floor = True
    still, moving = make_body("Still", location=(0.0, 0.0, -1.0)), make_body("Moving", location=(5.0, 0.0, -1.0))
    moving.keyframe_insert("location", frame=1)
    bpy.ops.xpbd.check()
    assert codes().count("W_INSIDE") == 2
    assert bpy.ops.xpbd.lift(object_name="Still", with_alike=True) == {"FINISHED"}
    assert codes().count("W_INSIDE") == 1
    assert still.location.z > -1.0
    assert moving.location.z == -1.0
    # all alike ones refuse
    assert bpy.ops.xpbd.lift(object_name="Moving", with_alike=True) == {"CANCELLED"}
