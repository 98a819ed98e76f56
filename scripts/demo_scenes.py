# SPDX-License-Identifier: GPL-3.0-or-later
"""The demo's scenes, made from Blender's primitives: Suzanne as jelly, a cloth over a sphere, and both together."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import bpy
from mathutils import Vector

FRAME_END = 84

JELLY_PLACE = Vector((-1.8, 0.0, 2.5))
CLOTH_PLACE = Vector((1.65, 0.0, 2.15))
SPHERE_RADIUS = 0.85


def build() -> tuple[bpy.types.Scene, bpy.types.Scene, bpy.types.Scene]:
    """Make the file's contents.

    Returns:
        The scene to bake jelly in, the scene to bake cloth in, and one that shows both, on the same floor.
    """
    bpy.ops.wm.read_factory_settings(use_empty=True)
    stage = _collection("Stage", [_floor(), *_lights(), _camera()])
    jelly = _collection("Jelly", [_suzanne()])
    cloth = _collection("Cloth", [_sphere(), _cloth()])
    together = bpy.context.scene
    together.name = "Together"
    world = _world()
    scenes = (bpy.data.scenes.new("Jelly"), bpy.data.scenes.new("Cloth"), together)
    for scene, collections in zip(scenes, ((stage, jelly), (stage, cloth), (stage, jelly, cloth)), strict=True):
        for collection in collections:
            scene.collection.children.link(collection)
        scene.camera = bpy.data.objects["Camera"]
        scene.world = world
        scene.render.fps = 24
        scene.frame_start, scene.frame_end = 1, FRAME_END
        settings = scene.xpbd
        settings.frame_start, settings.frame_end = 1, FRAME_END
        settings.use_floor = True
        settings.floor_height = 0.0
    return scenes


def _suzanne() -> bpy.types.Object:
    bpy.ops.mesh.primitive_monkey_add(
        size=2.0, location=JELLY_PLACE, rotation=(math.radians(-35), 0.2, math.radians(15))
    )
    suzanne = _finished("Suzanne", _material("Jelly", (0.36, 0.06, 0.72), roughness=0.18, subsurface=0.35))
    _subdivide(suzanne, levels=1)
    suzanne.xpbd.role = "JELLY"
    suzanne.xpbd.preset = "JELLY_FIRM"
    suzanne.xpbd.cage_resolution = 16
    return suzanne


def _cloth() -> bpy.types.Object:
    bpy.ops.mesh.primitive_grid_add(
        x_subdivisions=64, y_subdivisions=64, size=3.0, location=CLOTH_PLACE, rotation=(0.0, 0.0, math.radians(20))
    )
    cloth = _finished("Cloth", _material("Cloth", (0.95, 0.28, 0.03), roughness=0.75))
    _subdivide(cloth, levels=1)
    cloth.xpbd.role = "CLOTH"
    cloth.xpbd.preset = "COTTON"
    return cloth


def _sphere() -> bpy.types.Object:
    place = (CLOTH_PLACE.x, CLOTH_PLACE.y, SPHERE_RADIUS)
    bpy.ops.mesh.primitive_uv_sphere_add(segments=48, ring_count=24, radius=SPHERE_RADIUS, location=place)
    sphere = _finished("Sphere", _material("Sphere", (0.8, 0.8, 0.78), roughness=0.4))
    sphere.xpbd.role = "COLLIDER"
    sphere.xpbd.collider_shape = "SPHERE"
    sphere.xpbd.friction = 0.3
    return sphere


def _floor() -> bpy.types.Object:
    # a little under the floor that the bodies rest on, so that nothing that lies on it flickers through
    bpy.ops.mesh.primitive_plane_add(size=80.0, location=(0.0, 0.0, -0.01))
    return _finished("Floor", _material("Floor", (0.3, 0.37, 0.43), roughness=0.6))


def _lights() -> Iterable[bpy.types.Object]:
    for name, place, power, size in (
        ("Key", (-5.0, -4.5, 7.0), 480.0, 3.0),
        ("Fill", (6.5, -5.0, 4.0), 110.0, 5.0),
        ("Rim", (2.0, 6.0, 6.0), 260.0, 3.0),
    ):
        bpy.ops.object.light_add(type="AREA", location=place)
        light = _finished(name)
        light.data.energy = power
        light.data.size = size
        light.rotation_euler = _towards(place, (0.0, 0.0, 0.8))
        yield light


def _camera() -> bpy.types.Object:
    place = (0.0, -10.2, 4.0)
    bpy.ops.object.camera_add(location=place, rotation=_towards(place, (0.0, 0.0, 1.4)))
    camera = _finished("Camera")
    camera.data.lens = 45.0
    return camera


def _world() -> bpy.types.World:
    world = bpy.data.worlds.new("World")
    world.use_nodes = True
    world.color = (0.3, 0.36, 0.42)  # the same, for engines that read no nodes
    background = world.node_tree.nodes["Background"]
    background.inputs["Color"].default_value = (0.55, 0.68, 0.8, 1.0)
    background.inputs["Strength"].default_value = 0.35
    return world


def _towards(place: Sequence[float], target: Sequence[float]) -> tuple[float, float, float]:
    rotation = (Vector(target) - Vector(place)).to_track_quat("-Z", "Y").to_euler()
    return rotation.x, rotation.y, rotation.z


def _finished(name: str, material: bpy.types.Material | None = None) -> bpy.types.Object:
    """Name the object that an operator has just added, take it out of the scene and give it its material."""
    thing = bpy.context.object
    thing.name = thing.data.name = name
    if material is not None:
        thing.data.materials.append(material)
        thing.data.shade_smooth()
    for collection in tuple(thing.users_collection):
        collection.objects.unlink(thing)
    return thing


def _collection(name: str, objects: Iterable[bpy.types.Object]) -> bpy.types.Collection:
    collection = bpy.data.collections.new(name)
    for thing in objects:
        collection.objects.link(thing)
    return collection


def _subdivide(thing: bpy.types.Object, levels: int) -> None:
    """Round the shape after the simulation: the bake leaves modifiers alive on top of its result."""
    modifier = thing.modifiers.new("Subdivision", "SUBSURF")
    modifier.levels = modifier.render_levels = levels


def _material(
    name: str, colour: tuple[float, float, float], *, roughness: float, subsurface: float = 0.0
) -> bpy.types.Material:
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    material.diffuse_color = (*colour, 1.0)
    material.roughness = roughness
    shader = material.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = (*colour, 1.0)
    shader.inputs["Roughness"].default_value = roughness
    shader.inputs["Subsurface Weight"].default_value = subsurface
    shader.inputs["Subsurface Radius"].default_value = (0.3, 0.15, 0.4)
    return material
