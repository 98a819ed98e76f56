# SPDX-License-Identifier: GPL-3.0-or-later
"""Closed meshes that are cut into closed pieces, for jelly that tears."""

import numpy as np
import pytest

from blender_xpbd.geometry.cage.fragments import places_of, touching
from blender_xpbd.scene.errors import XpbdError


def shape(bpy, kind):
    """A mesh of some kind; "HOLLOW" is a ball with a cavity."""
    import bmesh

    made = bmesh.new()
    if kind == "CUBE":
        bmesh.ops.create_cube(made, size=1.0)
    elif kind == "CONE":
        bmesh.ops.create_cone(made, cap_ends=True, segments=12, radius1=1.0, radius2=0.2, depth=3.0)
    elif kind == "BALL":
        bmesh.ops.create_uvsphere(made, u_segments=20, v_segments=12, radius=1.0)
    else:
        bmesh.ops.create_icosphere(made, subdivisions=3, radius=1.0)
        inner = bmesh.ops.create_icosphere(made, subdivisions=2, radius=0.6)["verts"]
        bmesh.ops.reverse_faces(made, faces=list({face for vertex in inner for face in vertex.link_faces}))
    mesh = bpy.data.meshes.new(kind)
    made.to_mesh(mesh)
    made.free()
    return mesh


def arrays(mesh):
    """Vertices and triangles."""
    places = np.empty((len(mesh.vertices), 3), np.float32)
    mesh.vertices.foreach_get("co", places.ravel())
    mesh.calc_loop_triangles()
    return places.astype(np.float64), np.array([list(one.vertices) for one in mesh.loop_triangles], np.int32)


def volume(places, triangles):
    a, b, c = (places[triangles[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c))) / 6.0


def area(places, triangles):
    a, b, c = (places[triangles[:, k]] for k in range(3))
    return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum()) / 2.0


@pytest.mark.parametrize("kind", ["CUBE", "CONE", "BALL", "HOLLOW"])
@pytest.mark.parametrize(("count", "seed"), [(3, 0), (15, 1)])
def test_closed_pieces_fill_the_mesh(bpy, kind, count, seed):
    """Each edge has two faces, volumes sum up, and what is not the old surface lies on another piece."""
    from blender_xpbd.addon.data.cut_mesh import cut_into_pieces
    from blender_xpbd.addon.data.link_attributes import SEAM

    mesh = shape(bpy, kind)
    places, triangles = arrays(mesh)
    whole, outside = volume(places, triangles), area(places, triangles)
    assert cut_into_pieces(mesh, count, seed) == count
    assert not mesh.validate()
    places, triangles = arrays(mesh)
    pieces = np.array([item.value for item in mesh.attributes[SEAM].data])
    assert (pieces[triangles] == pieces[triangles[:, :1]]).all()
    uses = np.bincount([loop.edge_index for loop in mesh.loops], minlength=len(mesh.edges))
    assert (uses == 2).all()
    volumes = [volume(places, triangles[pieces[triangles[:, 0]] == piece]) for piece in range(1, count + 1)]
    assert min(volumes) > 0.2 * whole / count
    assert sum(volumes) == pytest.approx(whole, rel=1e-6)
    inner, _ = touching(places_of(places), pieces, triangles)
    outer = np.setdiff1d(np.arange(len(triangles)), inner)
    assert area(places, triangles[outer]) == pytest.approx(outside, rel=1e-6)


def test_weights_and_uvs_are_cut_too(bpy):
    from blender_xpbd.addon.data.cut_mesh import cut_into_pieces

    mesh = shape(bpy, "CUBE")
    obj = bpy.data.objects.new("Cube", mesh)
    group = obj.vertex_groups.new(name="Up")
    for vertex in mesh.vertices:
        group.add([vertex.index], 0.5 + vertex.co.z, "REPLACE")
    layer = mesh.uv_layers.new(name="Map")
    for loop, item in zip(mesh.loops, layer.uv, strict=True):
        item.vector = mesh.vertices[loop.vertex_index].co.xy
    cut_into_pieces(mesh, 6, 0)
    outer = [v for v in mesh.vertices if max(abs(c) for c in v.co) > 0.499 and v.groups]
    assert len(outer) > 30
    for vertex in outer:
        assert vertex.groups[0].weight == pytest.approx(0.5 + vertex.co.z, abs=1e-4)
    places = {loop.index: mesh.vertices[loop.vertex_index].co for loop in mesh.loops}
    near = [
        np.abs(np.subtract(mesh.uv_layers["Map"].uv[index].vector, place.xy)).max() < 1e-4
        for index, place in places.items()
    ]
    assert np.mean(near) > 0.4


@pytest.mark.parametrize("kind", ["CUBE", "CONE", "BALL"])
def test_pieces_match_far_from_the_origin(bpy, kind):
    """As at the origin, but for the rounding of the coordinates."""
    from blender_xpbd.addon.data.cut_mesh import cut_into_pieces
    from blender_xpbd.addon.data.link_attributes import SEAM

    way, found = np.array([50.0, -20.0, 5.0]), []
    for offset in (np.zeros(3), way):
        mesh = shape(bpy, kind)
        for vertex in mesh.vertices:
            vertex.co = 0.2 * np.array(vertex.co) + offset
        outside = area(*arrays(mesh))
        assert cut_into_pieces(mesh, 12, 0) == 12
        places, triangles = arrays(mesh)
        pieces = np.array([item.value for item in mesh.attributes[SEAM].data])
        inner, _ = touching(places_of(places), pieces, triangles)
        outer = np.setdiff1d(np.arange(len(triangles)), inner)
        assert area(places, triangles[outer]) == pytest.approx(outside, rel=1e-4)
        found.append(len(np.unique(places_of(places))))
    assert found[1] == pytest.approx(found[0], rel=0.05)


@pytest.mark.parametrize("what", ["FACE", "EDGE", "VERTEX"])
def test_what_holds_does_not_spread(bpy, what):
    """A new vertex is held on a face or an edge that was held, and nowhere else."""
    from blender_xpbd.addon.data.cut_mesh import cut_into_pieces

    mesh = shape(bpy, "CUBE")
    obj = bpy.data.objects.new("Cube", mesh)
    group, other = obj.vertex_groups.new(name="Held"), obj.vertex_groups.new(name="Other")
    low = {"FACE": (-1.0, -1.0, 0.4), "EDGE": (-1.0, 0.4, 0.4), "VERTEX": (0.4, 0.4, 0.4)}[what]
    chosen = [v.index for v in mesh.vertices if all(c > limit for c, limit in zip(v.co, low, strict=True))]
    assert len(chosen) == {"FACE": 4, "EDGE": 2, "VERTEX": 1}[what]
    for each in (group, other):
        each.add(chosen, 0.7, "REPLACE")
    cut_into_pieces(mesh, 12, 0, held=[group.index])
    places, _ = arrays(mesh)
    weights = np.zeros((len(places), 2))
    for vertex in mesh.vertices:
        for element in vertex.groups:
            weights[vertex.index, element.group] = element.weight
    on_it = (places > np.where(np.array(low) > 0.0, 0.5 - 1e-5, -1.0)).all(axis=1)
    np.testing.assert_array_equal(weights[:, 0] > 0.0, on_it)
    assert (on_it.sum() > len(chosen)) == (what != "VERTEX")
    np.testing.assert_allclose(weights[on_it, 0], 0.7, atol=1e-4)
    # others are blended
    assert (weights[:, 1] > 0.0).sum() > on_it.sum()


@pytest.mark.parametrize("weight", [None, 0.0])
def test_a_group_that_holds_nothing_stays_empty(bpy, weight):
    from blender_xpbd.addon.data.cut_mesh import cut_into_pieces

    mesh = shape(bpy, "CUBE")
    obj = bpy.data.objects.new("Cube", mesh)
    group = obj.vertex_groups.new(name="Held")
    if weight is not None:
        group.add([0, 1], weight, "REPLACE")
    assert cut_into_pieces(mesh, 4, 0, held=[group.index]) == 4
    assert not [vertex for vertex in mesh.vertices for element in vertex.groups if element.weight > 0.0]


def test_a_mesh_with_holes_is_refused(bpy):
    from blender_xpbd.addon.data.cut_mesh import cut_into_pieces

    mesh = bpy.data.meshes.new("Sheet")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    with pytest.raises(XpbdError, match="E_TET_OPEN"):
        cut_into_pieces(mesh, 4, 0)
    assert len(mesh.vertices) == 3


def test_seeds_of_many_pieces_are_found_soon(bpy):
    """Each seed is near the middle of the points that are nearest to it, and no table of points by seeds is made."""
    import time

    import bmesh

    from blender_xpbd.addon.data.cut_mesh import _seeds

    source = bmesh.new()
    try:
        source.from_mesh(shape(bpy, "CUBE"))
        begin = time.process_time()
        seeds = _seeds(source, 500, np.random.default_rng(0), "")
        took = time.process_time() - begin
    finally:
        source.free()
    assert took < 5.0
    assert np.abs(seeds).max() < 0.5
    points = np.random.default_rng(1).uniform(-0.5, 0.5, (20000, 3))
    nearest = np.concatenate(
        [np.linalg.norm(part[:, None] - seeds, axis=2).argmin(axis=1) for part in np.split(points, 20)]
    )
    counts = np.bincount(nearest, minlength=500)
    assert counts.min() > 8


@pytest.mark.parametrize("kind", ["CUBE", "BALL", "HOLLOW"])
def test_a_mesh_that_is_turned_inside_out_is_cut_alike(bpy, kind):
    """It stays turned; its pieces are those of the mesh as it should be."""
    from blender_xpbd.addon.data.cut_mesh import cut_into_pieces

    found = []
    for is_turned in (False, True):
        mesh = shape(bpy, kind)
        if is_turned:
            mesh.flip_normals()
        sign = -1.0 if is_turned else 1.0
        whole = sign * volume(*arrays(mesh))
        assert whole > 0.0
        assert cut_into_pieces(mesh, 9, 0) == 9
        places, triangles = arrays(mesh)
        pieces = np.array([item.value for item in mesh.attributes["xpbd_seam"].data])
        of_triangle = pieces[triangles[:, 0]]
        found.append([sign * volume(places, triangles[of_triangle == piece]) for piece in range(1, 10)])
        assert min(found[-1]) > 0.2 * whole / 9
        assert sum(found[-1]) == pytest.approx(whole, rel=1e-6)
    if kind == "CUBE":
        np.testing.assert_allclose(found[1], found[0], rtol=1e-3)


def test_a_loose_vertex_far_away_changes_nothing(bpy):
    from blender_xpbd.addon.data.cut_mesh import cut_into_pieces

    found = []
    for is_loose in (False, True):
        mesh = shape(bpy, "BALL")
        if is_loose:
            mesh.vertices.add(1)
            mesh.vertices[-1].co = (300.0, 40.0, -70.0)
        assert cut_into_pieces(mesh, 9, 0) == 9
        places, triangles = arrays(mesh)
        found.append(places[np.sort(triangles, axis=1)])
    np.testing.assert_allclose(found[1], found[0], atol=1e-6)


def test_the_same_cut_has_the_same_order(bpy):
    """Blender's own follows addresses in memory, which other meshes shift."""
    from blender_xpbd.addon.data.cut_mesh import cut_into_pieces

    found, kept = [], []
    for others in range(12):
        kept.append([shape(bpy, "BALL"), *(bytearray(977 * (k + 1)) for k in range(29 * others))][:: 1 + others % 2])
        mesh = shape(bpy, "BALL")
        cut_into_pieces(mesh, 9, 0)
        found.append(arrays(mesh))
    for places, triangles in found[1:]:
        np.testing.assert_allclose(places, found[0][0], atol=1e-6)
        np.testing.assert_array_equal(np.sort(triangles, axis=1), np.sort(found[0][1], axis=1))
