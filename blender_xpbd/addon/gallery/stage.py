# SPDX-License-Identifier: GPL-3.0-or-later
"""What scenes of the gallery are made of, all by Blender's data: no operator, no selection, no active object."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bmesh
import bpy
import numpy as np
import numpy.typing as npt
from mathutils import Vector

from ..data.grain_display import show_grains
from .gallery_scene import View
from .looks import paint
from .shapes import Points

Colour = tuple[float, float, float]

BLUE: Colour = (0.05, 0.25, 0.75)
GREY: Colour = (0.55, 0.55, 0.53)
ORANGE: Colour = (0.95, 0.28, 0.03)
PURPLE: Colour = (0.36, 0.06, 0.72)
STRAW: Colour = (0.75, 0.55, 0.2)
_SKY: Colour = (0.55, 0.68, 0.8)
_FLOOR: Colour = (0.3, 0.37, 0.43)
PIN_GROUP = "Pin"
_ATTACH_GROUP = "Attached"


def set_frames(scene: bpy.types.Scene, end: int, fps: int = 24) -> None:
    """Let a scene play and bake from frame 1 to ``end``."""
    scene.render.fps, scene.render.fps_base = fps, 1.0
    scene.frame_start, scene.frame_end = 1, end
    scene.xpbd.frame_start, scene.xpbd.frame_end = 1, end


def set_solver(scene: bpy.types.Scene, substeps: int, iterations: int = 1, mode: str = "XPBD") -> None:
    """Bake with these substeps and iterations."""
    scene.xpbd.quality = "FIXED"
    scene.xpbd.substeps, scene.xpbd.iterations, scene.xpbd.solver_mode = substeps, iterations, mode


def add_object(scene: bpy.types.Scene, name: str, data: bpy.types.ID | None, colour: Colour | None = None) -> Any:
    """Link a new object of some data, with a material of that colour."""
    obj = bpy.data.objects.new(name, data)
    scene.collection.objects.link(obj)
    if colour is not None:
        obj.data.materials.append(_material(name, colour))
    return obj


def add_mesh(
    scene: bpy.types.Scene,
    name: str,
    points: npt.ArrayLike,
    faces: npt.NDArray[np.integer] | Sequence[Sequence[int]] = (),
    edges: npt.ArrayLike = (),
    colour: Colour = BLUE,
) -> Any:
    """Link a mesh of points [m], polygons and loose edges, shaded smooth."""
    mesh = bpy.data.meshes.new(name)
    polygons = faces.tolist() if isinstance(faces, np.ndarray) else faces
    mesh.from_pydata(np.asarray(points).tolist(), np.asarray(edges).tolist(), polygons)
    mesh.polygons.foreach_set("use_smooth", np.ones(len(mesh.polygons), bool))
    return add_object(scene, name, mesh, colour)


def add_curve(
    scene: bpy.types.Scene,
    name: str,
    lines: Sequence[Points],
    thickness: float,
    colour: Colour = BLUE,
    *,
    cyclic: bool = False,
) -> Any:
    """Link a curve of a Poly spline for each line of points, shapes (points, 3) [m], shown so thick [m]."""
    curve: Any = bpy.data.curves.new(name, "CURVE")
    curve.dimensions, curve.bevel_depth = "3D", 0.5 * thickness
    for line in lines:
        spline = curve.splines.new("POLY")
        spline.points.add(len(line) - 1)
        spline.points.foreach_set("co", np.column_stack((line, np.ones(len(line)))).ravel())
        spline.use_cyclic_u = cyclic
    return add_object(scene, name, curve, colour)


def add_grains(
    scene: bpy.types.Scene, name: str, points: npt.ArrayLike, radius: float, colour: Colour, edges: npt.ArrayLike = ()
) -> Any:
    """Link grains of a radius [m] at points, shape (grains, 3) [m], shown as balls of that colour."""
    grains = add_mesh(scene, name, points, edges=edges, colour=colour)
    grains.xpbd.role, grains.xpbd.radius = "GRAINS", radius
    show_grains(grains)
    paint(grains)
    return grains


def add_ball(scene: bpy.types.Scene, name: str, radius: float, place: Sequence[float], colour: Colour) -> Any:
    """Link a round mesh of triangles that are about equally large."""
    shape = bmesh.new()
    bmesh.ops.create_icosphere(shape, subdivisions=4, radius=radius)
    return _add_shape(scene, name, shape, place, colour)


def add_sphere(scene: bpy.types.Scene, name: str, radius: float, place: Sequence[float], colour: Colour) -> Any:
    """Link a sphere that others bump into."""
    shape = bmesh.new()
    bmesh.ops.create_uvsphere(shape, u_segments=48, v_segments=24, radius=radius)
    sphere = _add_shape(scene, name, shape, place, colour)
    sphere.xpbd.role, sphere.xpbd.collider_shape = "COLLIDER", "SPHERE"
    return sphere


def _add_shape(
    scene: bpy.types.Scene, name: str, shape: bmesh.types.BMesh, place: Sequence[float], colour: Colour
) -> Any:
    """Link an object of a shape, shaded smooth, and free the shape."""
    mesh = bpy.data.meshes.new(name)
    shape.to_mesh(mesh)
    shape.free()
    mesh.polygons.foreach_set("use_smooth", np.ones(len(mesh.polygons), bool))
    obj = add_object(scene, name, mesh, colour)
    obj.location = place
    return obj


def add_floor(scene: bpy.types.Scene, friction: float = 0.5, restitution: float = 0.0) -> Any:
    """Give the scene its level floor at height 0, and answer a plane that shows it."""
    settings = scene.xpbd
    settings.use_floor, settings.floor_height = True, 0.0
    settings.floor_friction, settings.floor_restitution = friction, restitution
    corners = [(-40.0, -40.0, 0.0), (40.0, -40.0, 0.0), (40.0, 40.0, 0.0), (-40.0, 40.0, 0.0)]
    return add_mesh(scene, "Floor", corners, [(0, 1, 2, 3)], colour=_FLOOR)


def pin(obj: bpy.types.Object, vertices: Sequence[int] | npt.NDArray[np.integer]) -> None:
    """Hold vertices of a mesh where they are."""
    obj.vertex_groups.new(name=PIN_GROUP).add(np.asarray(vertices).tolist(), 1.0, "REPLACE")
    obj.xpbd.pin_group = PIN_GROUP


def attach(obj: bpy.types.Object, vertices: Sequence[int] | npt.NDArray[np.integer], holder: bpy.types.Object) -> None:
    """Weld vertices of a mesh to another object, where they are at the first frame."""
    obj.vertex_groups.new(name=_ATTACH_GROUP).add(np.asarray(vertices).tolist(), 1.0, "REPLACE")
    obj.xpbd.attach_object, obj.xpbd.attach_group = holder, _ATTACH_GROUP


def dress(scene: bpy.types.Scene, view: View) -> None:
    """Give a scene its camera, its light and its sky."""
    camera = add_object(scene, "Camera", bpy.data.cameras.new("Camera"))
    camera.data.lens = view.lens
    camera.location = view.place
    direction = Vector(view.target) - Vector(view.place)
    camera.rotation_euler = direction.to_track_quat("-Z", "Y").to_euler()
    scene.camera = camera
    sun: Any = bpy.data.lights.new("Sun", "SUN")
    sun.energy, sun.angle = 3.0, 0.2
    add_object(scene, "Sun", sun).rotation_euler = (0.7, 0.2, -0.5)
    world = bpy.data.worlds.new("World")
    world.use_nodes = True
    world.color = _SKY
    world.node_tree.nodes["Background"].inputs["Color"].default_value = (*_SKY, 1.0)
    world.node_tree.nodes["Background"].inputs["Strength"].default_value = 0.6
    scene.world = world
    scene.unit_settings.system, scene.unit_settings.scale_length = "METRIC", 1.0


def _material(name: str, colour: Colour) -> bpy.types.Material:
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    material.diffuse_color = (*colour, 1.0)
    shader = material.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = (*colour, 1.0)
    shader.inputs["Roughness"].default_value = 0.5
    return material
