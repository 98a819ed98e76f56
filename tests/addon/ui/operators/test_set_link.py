# SPDX-License-Identifier: GPL-3.0-or-later
"""Links that are set in the edit mode's selection, and how a bake reads them."""

import numpy as np
import pytest

from tests.addon.selection import select_edges


@pytest.fixture
def cloth(bpy, make_body):
    obj = make_body("Net")
    bpy.context.view_layer.objects.active = obj
    select_edges(obj.data, range(3))
    return obj


def test_selected_edges_become_links(bpy, cloth):
    from blender_xpbd.addon.reading.body_reader import read_cloth
    from blender_xpbd.scene.links import AT_MOST

    assert bpy.ops.xpbd.set_link(kind="AT_MOST", rest_length=2.0, compliance=0.5, stiffness=0.25) == {"FINISHED"}
    links = read_cloth(cloth, 0.1).links
    assert links.kinds.tolist() == [AT_MOST] * 3
    np.testing.assert_allclose(links.lengths, 0.2)
    np.testing.assert_allclose(links.compliances, 0.5)
    np.testing.assert_allclose(links.shares, 0.25)
    np.testing.assert_array_equal(links.pairs, [list(edge.vertices) for edge in list(cloth.data.edges)[:3]])
    assert bpy.ops.xpbd.set_link(kind="NONE") == {"FINISHED"}
    assert len(read_cloth(cloth, 1.0).links) == 0


def test_a_loose_edge_that_is_a_link_is_no_seam_to_sew(bpy, make_body):
    from blender_xpbd.addon.reading.points import read_loose_edges

    mesh = bpy.data.meshes.new("Rope")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 0, 1)], [(0, 3), (1, 3)], [(0, 1, 2)])
    obj = make_body("Rope", mesh=mesh)
    assert len(read_loose_edges(obj.data)) == 2
    kinds = mesh.attributes.new("xpbd_link", "INT", "EDGE")
    loose = next(edge.index for edge in mesh.edges if set(edge.vertices) == {0, 3})
    kinds.data[loose].value = 1
    assert read_loose_edges(obj.data).tolist() == [[1, 3]]


@pytest.mark.parametrize(
    ("name", "data_type", "domain", "value"),
    [
        ("xpbd_link", "FLOAT", "EDGE", 1.0),
        ("xpbd_link", "INT", "POINT", 1),
        ("xpbd_link", "INT", "EDGE", 7),
        ("xpbd_rest_length", "FLOAT", "POINT", 1.0),
        ("xpbd_compliance", "FLOAT", "EDGE", -1.0),
        ("xpbd_stiffness", "FLOAT", "EDGE", float("nan")),
    ],
)
def test_what_does_not_count_is_told(bpy, cloth, name, data_type, domain, value):
    from blender_xpbd.addon.reading.body_reader import read_cloth

    mesh = cloth.data
    if name != "xpbd_link":
        mesh.attributes.new("xpbd_link", "INT", "EDGE").data[0].value = 1
    mesh.attributes.new(name, data_type, domain).data[0].value = value
    assert "W_LINK" in [notice.code for notice in read_cloth(cloth, 1.0).notices]


def test_nothing_selected(bpy, cloth):
    select_edges(cloth.data, [])
    assert bpy.ops.xpbd.set_link() == {"CANCELLED"}
