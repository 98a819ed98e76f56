# SPDX-License-Identifier: GPL-3.0-or-later
"""Overlays of the viewport: pins, goal, cage, thickness, floor, crossings, strain and stress.

They are switched in Blender's own overlay popover.
"""

from __future__ import annotations

from typing import Any

import bpy
import gpu
import numpy as np
import numpy.typing as npt
from gpu_extras.batch import batch_for_shader

from ...scene.body_kinds import body_kind
from ..data.object_types import is_body
from ..data.overlay_settings import CROSSINGS, OVERLAYS
from .overlay_shapes import (
    NOTHING,
    cage_lines,
    floor_lines,
    group_points,
    shown_points,
    strain_triangles,
    thickness_lines,
)

Floats = npt.NDArray[np.float64]

_PIN, _GOAL, _CROSSING = (1.0, 0.35, 0.1), (0.2, 0.8, 1.0), (1.0, 0.0, 0.5)
_CAGE, _THICKNESS, _FLOOR = (1.0, 1.0, 1.0, 0.35), (0.3, 1.0, 0.4, 0.6), (0.9, 0.9, 0.9, 0.4)
_POINT_PIXELS = 6.0
# whether a shader says how large points are; Vulkan knows no other way, and earlier versions have no such shader
_SIZES_POINTS = bpy.app.version >= (4, 5)
# by which share of its distance a colour is nearer to the eye than the surface that it is of
_NEARER = 1e-3
_handle: Any = None


def draw_switches(self: Any, context: bpy.types.Context) -> None:
    """The switches, at the end of the popover."""
    column = self.layout.column()
    column.label(text="XPBD")
    column.active = context.space_data.overlay.show_overlays
    flow = column.grid_flow(columns=2, even_columns=True)
    for name in OVERLAYS:
        flow.prop(context.scene.xpbd, name)
    if context.scene.xpbd.show_strain:
        row = column.row(align=True)
        row.operator("xpbd.show_strain", icon="COLOR")
        row.operator("xpbd.show_stress")


def _draw() -> None:
    context = bpy.context
    settings = context.scene.xpbd
    if not context.space_data.overlay.show_overlays or not any(getattr(settings, name) for name in OVERLAYS):
        return
    gpu.state.blend_set("ALPHA")
    gpu.state.depth_test_set("LESS_EQUAL")
    gpu.state.program_point_size_set(_SIZES_POINTS)
    try:
        _draw_all(context)
    finally:
        # what stays set changes how Blender draws itself
        gpu.state.program_point_size_set(False)
        gpu.state.depth_test_set("NONE")
        gpu.state.blend_set("NONE")


def _draw_all(context: bpy.types.Context) -> None:
    settings, depsgraph = context.scene.xpbd, context.evaluated_depsgraph_get()
    bodies = [obj for obj in context.visible_objects if obj.type == "MESH" and is_body(obj) and obj.mode == "OBJECT"]
    if settings.show_floor and settings.use_floor:
        places = [shown_points(obj, depsgraph) for obj in bodies]
        _lines(floor_lines(settings.floor_height, np.concatenate(places) if places else NOTHING), _FLOOR)
    for obj in bodies:
        if settings.show_strain:
            _strain(obj, depsgraph)
        kind = body_kind(obj.xpbd.role)
        if settings.show_cage and kind.is_solid and obj.xpbd.tetrahedralizer == "CAGE":
            _lines(cage_lines(obj), _CAGE)
        if settings.show_thickness and kind.is_sheet:
            _lines(thickness_lines(obj, depsgraph), _THICKNESS)
    gpu.state.depth_test_set("NONE")
    for obj in bodies:
        if settings.show_pins:
            _points(*group_points(obj, obj.xpbd.pin_group, depsgraph), _PIN)
        if settings.show_goal and obj.xpbd.goal_source != "NONE":
            _points(*group_points(obj, obj.xpbd.goal_group, depsgraph), _GOAL)
        if settings.show_crossings:
            _points(*group_points(obj, CROSSINGS, depsgraph), _CROSSING)


def _shader(name: str) -> Any:
    # what the stubs say of it is that it returns nothing
    built: Any = gpu.shader
    return built.from_builtin(name)


def _lines(points: Floats, colour: tuple[float, float, float, float]) -> None:
    if len(points):
        shader = _shader("UNIFORM_COLOR")
        batch = batch_for_shader(shader, "LINES", {"pos": points.astype(np.float32)})
        shader.uniform_float("color", colour)
        batch.draw(shader)


def _points(points: Floats, weights: npt.NDArray[np.float32], colour: tuple[float, float, float]) -> None:
    """Points whose colour is as strong as their weight."""
    if len(points):
        colours = np.column_stack([np.tile(np.array(colour, np.float32), (len(points), 1)), 0.25 + 0.75 * weights])
        shader = _shader("POINT_FLAT_COLOR" if _SIZES_POINTS else "FLAT_COLOR")
        content = {"pos": points.astype(np.float32), "color": colours.astype(np.float32)}
        batch = batch_for_shader(shader, "POINTS", content)
        if _SIZES_POINTS:
            shader.uniform_float("size", _POINT_PIXELS)
        else:
            gpu.state.point_size_set(_POINT_PIXELS)
        batch.draw(shader)


def _strain(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> None:
    found = strain_triangles(obj, depsgraph)
    if found is not None:
        points, colours, triangles = found
        points = _nearer(points)
        shader = _shader("SMOOTH_COLOR")
        content = {"pos": points.astype(np.float32), "color": colours}
        batch_for_shader(shader, "TRIS", content, indices=triangles).draw(shader)


def _nearer(points: Floats) -> Floats:
    view = bpy.context.region_data
    eye = np.array(view.view_matrix.inverted())
    if view.is_perspective:
        return points + _NEARER * (eye[:3, 3] - points)
    return points + _NEARER * view.view_distance * eye[:3, 2]


def register() -> None:
    """Add the switches and draw."""
    global _handle  # noqa: PLW0603 - Blender has one list of handlers
    bpy.types.VIEW3D_PT_overlay.append(draw_switches)
    if not bpy.app.background:
        _handle = bpy.types.SpaceView3D.draw_handler_add(_draw, (), "WINDOW", "POST_VIEW")


def unregister() -> None:
    """Take both away."""
    global _handle  # noqa: PLW0603
    if _handle is not None:
        bpy.types.SpaceView3D.draw_handler_remove(_handle, "WINDOW")
        _handle = None
    bpy.types.VIEW3D_PT_overlay.remove(draw_switches)
