# SPDX-License-Identifier: GPL-3.0-or-later
"""Make Tearable: what it changes of a mesh, and what it leaves."""

import numpy as np
import pytest

from tests.addon.selection import select_edges


@pytest.fixture
def cloth(bpy, make_body):
    """An active cloth with weights, a UV map, materials and a shape key."""
    obj = make_body("Sheet")
    mesh = obj.data
    group = obj.vertex_groups.new(name="Half")
    for vertex in mesh.vertices:
        group.add([vertex.index], 0.25 + 0.5 * (vertex.co.x > 0.0), "REPLACE")
    layer = mesh.uv_layers.new(name="Map")
    layer.uv.foreach_set("vector", np.random.default_rng(0).random(2 * len(mesh.loops)).astype(np.float32))
    for name in ("A", "B"):
        mesh.materials.append(bpy.data.materials.new(name))
    mesh.polygons.foreach_set("material_index", np.arange(len(mesh.polygons), dtype=np.int32) % 2)
    bpy.context.view_layer.objects.active = obj
    return obj


def loops(mesh):
    """Place, UV and material of each corner of each face."""
    places = [tuple(mesh.vertices[loop.vertex_index].co) for loop in mesh.loops]
    uvs = [tuple(item.vector) for item in mesh.uv_layers["Map"].uv]
    return places, uvs, [polygon.material_index for polygon in mesh.polygons]


def evaluated(bpy, obj):
    """The mesh as it is shown: places of corners, and their normals."""
    mesh = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    places = np.array([mesh.vertices[loop.vertex_index].co for loop in mesh.loops])
    return len(mesh.vertices), places, np.array([normal.vector for normal in mesh.corner_normals])


def test_each_face_gets_its_vertices_and_all_else_stays(bpy, cloth):
    for polygon in cloth.data.polygons:
        polygon.use_smooth = True
    before, shown = loops(cloth.data), evaluated(bpy, cloth)
    weights = {tuple(v.co): v.groups[0].weight for v in cloth.data.vertices}
    assert bpy.ops.xpbd.make_tearable() == {"FINISHED"}
    assert len(cloth.data.vertices) == 4 * len(cloth.data.polygons)
    assert loops(cloth.data) == before
    assert {tuple(v.co): v.groups[0].weight for v in cloth.data.vertices} == weights
    count, places, normals = evaluated(bpy, cloth)
    assert count == shown[0]
    np.testing.assert_allclose(places, shown[1], atol=1e-6)
    np.testing.assert_allclose(normals, shown[2], atol=1e-5)
    assert cloth.xpbd.tear_strain == pytest.approx(20.0)
    # a second time there is nothing left to split
    assert bpy.ops.xpbd.make_tearable() == {"CANCELLED"}
    assert [modifier.type for modifier in cloth.modifiers] == ["WELD"]


def test_shape_keys_stay(bpy, cloth):
    cloth.shape_key_add(name="Basis")
    key = cloth.shape_key_add(name="Up")
    for point in key.points:
        point.co.z += 1.0
    cloth.xpbd.tear_strain = 5.0
    assert bpy.ops.xpbd.make_tearable() == {"FINISHED"}
    blocks = cloth.data.shape_keys.key_blocks
    assert [block.name for block in blocks] == ["Basis", "Up"]
    assert len(blocks["Up"].points) == len(cloth.data.vertices)
    lifts = [up.co.z - low.co.z for up, low in zip(blocks["Up"].points, blocks["Basis"].points, strict=True)]
    np.testing.assert_allclose(lifts, 1.0, atol=1e-6)
    assert cloth.xpbd.tear_strain == 5.0


def test_selected_edges_and_groups(bpy, cloth):
    vertices, edges = cloth.data.vertices, cloth.data.edges
    select_edges(cloth.data, [edge.index for edge in edges if all(abs(vertices[v].co.x) < 0.01 for v in edge.vertices)])
    assert bpy.ops.xpbd.make_tearable(along="SELECTED") == {"FINISHED"}
    assert len(cloth.data.vertices) == 30
    group = cloth.vertex_groups.new(name="Middle")
    group.add([v.index for v in cloth.data.vertices if abs(v.co.y) < 0.01], 1.0, "REPLACE")
    assert bpy.ops.xpbd.make_tearable(along="GROUP", group="Middle") == {"FINISHED"}
    assert len(cloth.data.vertices) == 36
    assert bpy.ops.xpbd.make_tearable(along="GROUP", group="None") == {"CANCELLED"}


def test_the_weld_comes_before_subdivision_and_after_rigs(bpy, cloth):
    for kind in ("LATTICE", "SUBSURF"):
        cloth.modifiers.new(kind, kind)
    bpy.ops.xpbd.make_tearable()
    assert [modifier.type for modifier in cloth.modifiers] == ["LATTICE", "WELD", "SUBSURF"]


@pytest.mark.parametrize("role", ["NONE", "GRAINS", "COLLIDER"])
def test_only_cloth_and_jelly_tear(bpy, cloth, role):
    cloth.xpbd.role = role
    assert not bpy.ops.xpbd.make_tearable.poll()


def test_the_solver_sees_what_was_one(bpy, cloth):
    from blender_xpbd.addon.reading.body_reader import read_cloth

    count = len(cloth.data.vertices)
    bpy.ops.xpbd.make_tearable()
    body = read_cloth(cloth, 1.0)
    assert len(np.unique(body.seams)) == count
    assert len(body.seams) == len(cloth.data.vertices)
    assert not [notice for notice in body.notices if notice.code == "W_SEAM"]


def test_a_tear_strain_without_seams_is_told(bpy, cloth):
    from blender_xpbd.addon.reading.body_reader import read_cloth

    cloth.xpbd.tear_strain = 10.0
    assert "W_SEAM" in [notice.code for notice in read_cloth(cloth, 1.0).notices]


def test_a_tear_strain_without_seams_that_comes_later_is_told(bpy, cloth):
    from blender_xpbd.addon.reading.body_reader import read_cloth

    cloth.keyframe_insert("xpbd.tear_strain", frame=1)
    cloth.xpbd.tear_strain = 10.0
    cloth.keyframe_insert("xpbd.tear_strain", frame=5)
    bpy.context.scene.frame_set(1)
    assert cloth.xpbd.tear_strain == 0.0
    assert "W_SEAM" in [notice.code for notice in read_cloth(cloth, 1.0).notices]


@pytest.fixture
def jelly(bpy):
    """An active cube of jelly."""
    bpy.ops.mesh.primitive_cube_add(size=0.2)
    obj = bpy.context.object
    obj.xpbd.role = "JELLY"
    return obj


def test_jelly_is_cut_into_pieces(bpy, jelly):
    from blender_xpbd.addon.reading.body_reader import read_jelly

    assert bpy.ops.xpbd.make_tearable(pieces=7, seed=2) == {"FINISHED"}
    body = read_jelly(jelly, 1.0)
    assert sorted(set(body.seams.tolist())) == list(range(1, 8))
    assert jelly.xpbd.tear_strain == pytest.approx(20.0)
    assert not [notice for notice in body.notices if notice.code == "W_SEAM"]
    # a second time it would be cut along its cuts
    assert bpy.ops.xpbd.make_tearable() == {"CANCELLED"}
    assert [modifier.type for modifier in jelly.modifiers] == []


@pytest.mark.parametrize("setting", ["pin_group", "goal_group", "attach_group"])
def test_what_was_held_before_is_all_that_is(bpy, jelly, setting):
    group = jelly.vertex_groups.new(name="Top")
    group.add([v.index for v in jelly.data.vertices if v.co.z > 0.0], 1.0, "REPLACE")
    setattr(jelly.xpbd, setting, "Top")
    assert bpy.ops.xpbd.make_tearable(pieces=8) == {"FINISHED"}
    held = [v.co.z for v in jelly.data.vertices if any(one.weight > 0.0 for one in v.groups)]
    assert len(held) > 8
    assert min(held) == pytest.approx(0.1, abs=1e-5)


def test_what_cannot_be_cut_is_told(bpy, jelly, cloth):
    from blender_xpbd.addon.reading.body_reader import read_jelly

    cloth.xpbd.role = "JELLY"
    before = len(cloth.data.vertices)
    assert bpy.ops.xpbd.make_tearable() == {"CANCELLED"}
    bpy.context.view_layer.objects.active = jelly
    jelly.shape_key_add(name="Basis")
    assert bpy.ops.xpbd.make_tearable() == {"CANCELLED"}
    assert (len(cloth.data.vertices), len(jelly.data.vertices)) == (before, 8)
    jelly.xpbd.tear_strain = 5.0
    assert "W_SEAM" in [notice.code for notice in read_jelly(jelly, 1.0).notices]


def test_what_was_cut_as_a_cloth_is_whole_as_jelly(bpy, jelly):
    from blender_xpbd.addon.reading.body_reader import read_jelly

    jelly.xpbd.role = "CLOTH"
    assert bpy.ops.xpbd.make_tearable() == {"FINISHED"}
    jelly.xpbd.role = "JELLY"
    body = read_jelly(jelly, 1.0)
    assert len(body.seams) == 0
    assert "W_SEAM" in [notice.code for notice in body.notices]


def test_pieces_are_not_more_than_can_be_cut_while_one_waits(bpy):
    assert bpy.ops.xpbd.make_tearable.get_rna_type().properties["pieces"].hard_max == 200


@pytest.mark.parametrize("kind", ["SUBSURF", "BEVEL", "SMOOTH", "LATTICE", None])
def test_what_rounds_each_piece_is_told(bpy, jelly, capfd, kind):
    if kind:
        jelly.modifiers.new("Mine", kind)
    assert bpy.ops.xpbd.make_tearable(pieces=3) == {"FINISHED"}
    told = capfd.readouterr().out
    assert "3 pieces may part" in told
    assert ('Warning: "Mine" rounds each piece' in told) == (kind not in ("LATTICE", None))


def test_what_was_cut_as_jelly_is_told_as_a_cloth(bpy, jelly):
    from blender_xpbd.addon.reading.body_reader import read_cloth

    assert bpy.ops.xpbd.make_tearable(pieces=4) == {"FINISHED"}
    jelly.xpbd.role = "CLOTH"
    body = read_cloth(jelly, 1.0)
    assert len(body.seams) == 0
    assert ["cut as jelly" in notice.message for notice in body.notices if notice.code == "W_SEAM"] == [True]


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e30])
def test_jelly_with_a_vertex_at_no_finite_place_is_refused(bpy, jelly, capfd, value):
    places = np.zeros(24, np.float32)
    jelly.data.vertices.foreach_get("co", places)
    places[10] = value
    jelly.data.vertices.foreach_set("co", places)
    assert bpy.ops.xpbd.make_tearable() == {"CANCELLED"}
    told = capfd.readouterr().out
    assert "Vertex 3 is at no finite place" in told
    assert "Warning: E_" not in told, "the code is for looking up"
    assert len(jelly.data.vertices) == 8
