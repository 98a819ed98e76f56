# SPDX-License-Identifier: GPL-3.0-or-later
"""Points and lines of the overlays; that they look right was seen in the application."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.fixture
def shapes(bpy):
    from blender_xpbd.addon.ui import overlay_shapes

    return overlay_shapes


def test_points_of_a_group_are_where_they_are_shown(bpy, make_body, shapes):
    body = make_body("A", location=(1.0, 2.0, 3.0), scale=(2.0, 1.0, 1.0))
    group = body.vertex_groups.new(name="Pins")
    group.add([0, 4], 0.5, "REPLACE")
    depsgraph = bpy.context.evaluated_depsgraph_get()
    points, weights = shapes.group_points(body, "Pins", depsgraph)
    np.testing.assert_allclose(points, [body.matrix_world @ body.data.vertices[n].co for n in (0, 4)], atol=1e-6)
    np.testing.assert_allclose(weights, 0.5)
    assert [len(part) for part in shapes.group_points(body, "None", depsgraph)] == [0, 0]
    body.modifiers.new("Fine", "SUBSURF")
    bpy.context.view_layer.update()
    points, _ = shapes.group_points(body, "Pins", bpy.context.evaluated_depsgraph_get())
    assert len(points) == 2, "as modelled, where modifiers change how many there are"


def test_the_floor_lies_under_what_stands_on_it(shapes):
    lines = shapes.floor_lines(-1.0, np.array([[2.0, 3.0, 0.0], [4.0, 4.0, 5.0]]))
    assert len(lines) % 2 == 0
    assert (lines[:, 2] == -1.0).all()
    assert (lines.min(axis=0)[:2] < [2.0, 3.0]).all()
    assert (lines.max(axis=0)[:2] > [4.0, 4.0]).all()
    assert np.isfinite(shapes.floor_lines(0.0, np.zeros((0, 3)))).all()


def test_the_cells_of_a_cage_are_cubes_around_the_mesh(make_body, shapes):
    body = make_body("A", role="JELLY", location=(5.0, 0.0, 0.0))
    body.xpbd.cage_resolution = 4
    lines = shapes.cage_lines(body).reshape(-1, 2, 3)
    assert (np.count_nonzero(np.abs(lines[:, 1] - lines[:, 0]) > 1e-9, axis=1) == 1).all()
    low, high = lines.min(axis=(0, 1)), lines.max(axis=(0, 1))
    np.testing.assert_allclose((low, high), [(4.0, -1.0, -0.25), (6.0, 1.0, 0.25)], atol=1e-6)


@pytest.mark.parametrize("scale", [(3.0, 3.0, 3.0), (0.5, 2.0, 6.0), (-1.0, 1.0, 8.0)])
def test_the_cells_are_those_that_the_bake_fills(bpy, make_body, shapes, scale):
    from blender_xpbd.addon.reading.motion import rotation_of
    from blender_xpbd.geometry.cage.cage import build_cage
    from tests.geometry.surfaces import sphere

    positions, triangles = sphere()
    mesh = bpy.data.meshes.new("Ball")
    mesh.from_pydata(positions.tolist(), [], triangles.tolist())
    turn = (0.3, 0.5, 1.0)
    body = make_body("A", role="JELLY", mesh=mesh, location=(5.0, 1.0, 0.0), rotation_euler=turn, scale=scale)
    body.xpbd.cage_resolution = 6
    bpy.context.view_layer.update()
    axes = rotation_of(np.array(body.matrix_world)[:3, :3])
    places = np.array([body.matrix_world @ vertex.co for vertex in body.data.vertices]) @ axes
    lines = (shapes.cage_lines(body) @ axes).reshape(-1, 2, 3)
    assert (np.count_nonzero(np.abs(lines[:, 1] - lines[:, 0]) > 1e-5, axis=1) == 1).all()
    cage, cell = build_cage(places, triangles, 6), np.ptp(places, axis=0).max() / 6
    for axis in range(3):
        # of the cage, whose cells have a vertex in their middle too
        levels = np.unique(cage.vertices[:, axis])
        drawn = np.unique(lines[:, :, axis].round(4))
        np.testing.assert_allclose(np.diff(drawn), cell, atol=1e-3)
        assert np.abs(levels[:, None] - drawn).min(axis=0).max() < 1e-3
        assert drawn[0] < places[:, axis].min() + 1e-3 < places[:, axis].max() - 1e-3 < drawn[-1]


def test_lines_of_the_thickness_stand_across_the_cloth(bpy, make_body, shapes):
    body = make_body("A", scale=(1.0, 1.0, 4.0))
    body.xpbd.thickness = 0.2
    lines = shapes.thickness_lines(body, bpy.context.evaluated_depsgraph_get()).reshape(-1, 2, 3)
    np.testing.assert_allclose(np.linalg.norm(lines[:, 1] - lines[:, 0], axis=1), 0.2, atol=1e-6)
    np.testing.assert_allclose(lines.mean(axis=1), [body.matrix_world @ v.co for v in body.data.vertices], atol=1e-6)


def test_a_flattened_cloth_has_its_thickness(bpy, make_body, shapes):
    def lines():
        bpy.context.view_layer.update()
        drawn = shapes.thickness_lines(body, bpy.context.evaluated_depsgraph_get()).reshape(-1, 2, 3)
        return drawn[:, 1] - drawn[:, 0]

    body = make_body("A", scale=(1.0, 2.0, 0.0), rotation_euler=(0.3, 0.5, 1.0))
    body.xpbd.thickness = 0.2
    np.testing.assert_allclose(np.linalg.norm(lines(), axis=1), 0.2, atol=1e-6)
    flat = np.array(body.matrix_world)[:3, :2]
    np.testing.assert_allclose(lines() @ flat, 0.0, atol=1e-6)
    body.scale = (0.0, 0.0, 0.0)
    np.testing.assert_array_equal(lines(), 0.0)


def test_a_mesh_that_shows_its_strain_has_triangles(bpy, make_body, shapes):
    from blender_xpbd.addon.keys.strain_map import show_strain

    body = make_body("A")
    show_strain(body, 0.1)
    bpy.context.view_layer.update()
    points, colours, triangles = shapes.strain_triangles(body, bpy.context.evaluated_depsgraph_get())
    assert (points.shape, colours.shape, triangles.shape) == ((25, 3), (25, 4), (32, 3))
    assert triangles.max() == 24


def test_the_switches_stand_in_the_popover(bpy, make_body):
    from types import SimpleNamespace

    from blender_xpbd.addon.data.overlay_settings import OVERLAYS
    from blender_xpbd.addon.ui.overlays import draw_switches
    from tests.addon.recorded_layout import RecordedLayout

    layout = RecordedLayout()
    space = SimpleNamespace(overlay=SimpleNamespace(show_overlays=True))
    draw_switches(SimpleNamespace(layout=layout), SimpleNamespace(space_data=space, scene=bpy.context.scene))
    assert layout.properties == list(OVERLAYS)


@pytest.mark.parametrize("is_sewn", [False, True])
@pytest.mark.parametrize("shape", ["grid", "monkey", "torus"])
def test_strain_is_shown_without_its_map_as_with_it(bpy, shapes, shape, is_sewn):
    from blender_xpbd.addon.keys.strain_map import show_strain

    if shape == "grid":
        bpy.ops.mesh.primitive_grid_add(x_subdivisions=6, y_subdivisions=6)
    else:
        getattr(bpy.ops.mesh, f"primitive_{shape}_add")()
    body = bpy.context.object
    body.xpbd.role, body.xpbd.use_stitches, body.scale = "CLOTH", is_sewn, (1.0, 2.0, 0.5)
    body.shape_key_add(name="Basis")
    key = body.shape_key_add(name="Bent")
    for number, point in enumerate(key.data):
        point.co *= 1.0 + 0.02 * (number % 7)
    key.value = 1.0
    if shape == "grid":
        mesh = body.data
        mesh.edges.add(1)
        mesh.edges[-1].vertices = (0, len(mesh.vertices) - 1)
    bpy.context.view_layer.update()
    _, without, _ = shapes.strain_triangles(body, bpy.context.evaluated_depsgraph_get())
    show_strain(body, 0.1)
    bpy.context.view_layer.update()
    _, colours, _ = shapes.strain_triangles(body, bpy.context.evaluated_depsgraph_get())
    assert np.ptp(colours[:, 0]) > 0.1
    np.testing.assert_allclose(without, colours, atol=2e-3)


def test_strain_needs_a_map_where_modifiers_make_vertices(bpy, make_body, shapes):
    body = make_body("A")
    body.modifiers.new("Smooth", "SUBSURF")
    bpy.context.view_layer.update()
    assert shapes.strain_triangles(body, bpy.context.evaluated_depsgraph_get()) is None
