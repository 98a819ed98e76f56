# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects that can be strands, made by Blender's data."""

from __future__ import annotations

from typing import Any

import numpy as np


def linked(data: Any, name: str) -> Any:
    """An object of some data with the role, in the scene."""
    import bpy

    obj = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(obj)
    obj.xpbd.role = "STRAND"
    bpy.context.view_layer.update()
    return obj


def make_line(count: int = 5, name: str = "Line") -> Any:
    """A mesh of edges along X."""
    import bpy

    mesh = bpy.data.meshes.new(name)
    points = [(0.1 * i, 0.0, 0.0) for i in range(count)]
    mesh.from_pydata(points, [(i, i + 1) for i in range(count - 1)], [])
    return linked(mesh, name)


def make_curve(kinds: tuple[str, ...] = ("POLY", "BEZIER", "NURBS"), count: int = 5, name: str = "Curve") -> Any:
    """A spline along X of each kind, 0.2 m apart; the handles of Bézier points are free and stand a little aside."""
    import bpy

    curve = bpy.data.curves.new(name, "CURVE")
    curve.dimensions = "3D"
    aside = np.array((0.03, 0.0, 0.01))
    for row, kind in enumerate(kinds):
        spline = curve.splines.new(kind)
        points = spline.bezier_points if kind == "BEZIER" else spline.points
        points.add(count - 1)
        for i, point in enumerate(points):
            place = np.array((0.1 * i, 0.2 * row, 0.0))
            if kind != "BEZIER":
                point.co = (*place, 1.0)
                continue
            point.handle_left_type = point.handle_right_type = "FREE"
            point.co, point.handle_left, point.handle_right = place, place - aside, place + aside
    return linked(curve, name)


def make_hair(counts: tuple[int, ...] = (4, 3), surface: Any = None, name: str = "Hair") -> Any:
    """Hairs that stand up, 0.1 m apart along X."""
    import bpy

    hair = bpy.data.hair_curves.new(name)
    if counts:
        hair.add_curves(list(counts))
        points = [(0.1 * row, 0.0, 0.1 * i) for row, count in enumerate(counts) for i in range(count)]
        hair.position_data.foreach_set("vector", np.array(points, np.float32).ravel())
    hair.surface = surface
    return linked(hair, name)


def shown(obj: Any) -> np.ndarray:
    """World places of the points of evaluated hair, or of the vertices of an evaluated mesh, shape (points, 3)."""
    import bpy

    bpy.context.view_layer.update()
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    data = evaluated.data
    count = len(data.points) if obj.type == "CURVES" else len(data.vertices)
    places = np.empty((count, 3), np.float32)
    if obj.type == "CURVES":
        data.position_data.foreach_get("vector", places.ravel())
    else:
        data.vertices.foreach_get("co", places.ravel())
    matrix = np.array(evaluated.matrix_world)
    return places @ matrix[:3, :3].T + matrix[:3, 3]
