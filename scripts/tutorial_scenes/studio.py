# SPDX-License-Identifier: GPL-3.0-or-later
"""Light, backdrop and looks of the tutorials."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from mathutils import Vector

from blender_xpbd.addon.gallery.gallery_scene import View
from blender_xpbd.addon.gallery.stage import Colour, add_mesh, add_object

CREAM: Colour = (0.86, 0.78, 0.66)
MINT: Colour = (0.55, 0.74, 0.68)
SKY: Colour = (0.50, 0.66, 0.82)
ROSE: Colour = (0.86, 0.62, 0.58)
WOOD: Colour = (0.60, 0.38, 0.20)
_HALF_WIDTH, _BEND_STEPS = 14.0, 12


def set_studio(scene: bpy.types.Scene, view: View, colour: Colour) -> None:
    """Stand a scene, which ``dress`` has given its camera, before a paper backdrop, in the light of three lamps.

    Args:
        scene: with a floor at height 0, or none.
        view: of the camera; its target is what is lit.
        colour: of the backdrop.
    """
    target, place = Vector(view.target), Vector(view.place)
    forward = Vector((target.x - place.x, target.y - place.y, 0.0))
    distance = forward.length
    forward.normalize()
    _add_backdrop(scene, target, forward, distance, colour)
    sun = next(obj for obj in scene.objects if obj.type == "LIGHT")
    bpy.data.objects.remove(sun)
    side = Vector((forward.y, -forward.x, 0.0))
    for name, across, along, height, strength, size in (
        ("Key", -0.9, -0.6, 1.3, 16.0, 0.5),
        ("Fill", 1.1, -0.7, 0.5, 2.5, 1.2),
        ("Rim", 0.5, 0.9, 1.2, 9.0, 0.5),
    ):
        way = across * side + along * forward + Vector((0.0, 0.0, height))
        lamp: Any = bpy.data.lights.new(name, "AREA")
        # of what is twice as far away a lamp is to light four times as much
        lamp.energy, lamp.size = strength * distance**2, size * distance
        light = add_object(scene, name, lamp)
        light.location = target + distance * way
        light.rotation_euler = (-way).to_track_quat("-Z", "Y").to_euler()
    sky = scene.world.node_tree.nodes["Background"]
    sky.inputs["Color"].default_value, sky.inputs["Strength"].default_value = (1.0, 0.96, 0.9, 1.0), 0.22


def set_look(obj: Any, *, roughness: float, subsurface: float = 0.0, coat: float = 0.0, sheen: float = 0.0) -> None:
    """Let an object shine as gum, varnish or cloth does; its first material has its colour."""
    inputs = obj.data.materials[0].node_tree.nodes["Principled BSDF"].inputs
    inputs["Roughness"].default_value = roughness
    inputs["Subsurface Weight"].default_value = subsurface
    inputs["Subsurface Scale"].default_value = 0.1 * max(obj.dimensions)
    inputs["Subsurface Radius"].default_value = inputs["Base Color"].default_value[:3]
    inputs["Coat Weight"].default_value, inputs["Sheen Weight"].default_value = coat, sheen


def subdivide(obj: Any, levels: int = 1) -> None:
    """Round what is shown, after the simulation."""
    modifier = obj.modifiers.new("Subdivision", "SUBSURF")
    modifier.levels = modifier.render_levels = levels


def thicken(obj: Any, thickness: float) -> None:
    """Show cloth so thick [m], after the simulation."""
    modifier = obj.modifiers.new("Solidify", "SOLIDIFY")
    modifier.thickness, modifier.offset = thickness, 0.0


def _add_backdrop(scene: bpy.types.Scene, target: Vector, forward: Vector, distance: float, colour: Colour) -> None:
    """A sheet of paper that lies under the scene and bends up behind it."""
    bend, behind = 1.2 * distance, 1.0 * distance
    angles = np.linspace(0.0, 0.5 * np.pi, _BEND_STEPS)
    along = np.concatenate([[-6.0 * distance], behind + bend * np.sin(angles), [behind + bend]])
    heights = np.concatenate([[0.0], bend * (1.0 - np.cos(angles)), [8.0 * distance]]) - 0.001 * distance
    side = np.array((forward.y, -forward.x, 0.0))
    foot = np.array((target.x, target.y, 0.0))
    line = foot + along[:, None] * np.array(forward) + heights[:, None] * np.array((0.0, 0.0, 1.0))
    points = np.concatenate([line - _HALF_WIDTH * side, line + _HALF_WIDTH * side])
    first = np.arange(len(line) - 1)
    quads = np.column_stack((first + len(line), first + len(line) + 1, first + 1, first))
    paper = add_mesh(scene, "Backdrop", points, quads, colour=colour)
    set_look(paper, roughness=0.9)
