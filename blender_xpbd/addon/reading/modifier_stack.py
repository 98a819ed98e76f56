# SPDX-License-Identifier: GPL-3.0-or-later
"""Which modifiers of an object move the vertices that are simulated."""

from __future__ import annotations

import bpy

from ..data.bake_record import read_record
from ..data.object_types import is_body
from .mesh_reader import RIG_MODIFIERS, TOPOLOGY_MODIFIERS
from .motion import animated_paths

# What moves vertices and neither adds nor removes any
DEFORMERS = RIG_MODIFIERS | {
    "CAST",
    "CORRECTIVE_SMOOTH",
    "DISPLACE",
    "LAPLACIANDEFORM",
    "LAPLACIANSMOOTH",
    "SHRINKWRAP",
    "SIMPLE_DEFORM",
    "SMOOTH",
    "WARP",
    "WAVE",
}
# What makes vertices of its own, or plays some, so that a collider has another shape without it. Subdivision is none:
# it is finer in renders by default, and makes the shape hardly smaller
_SHAPE_MAKERS = frozenset(
    (
        *("ARRAY", "BOOLEAN", "BUILD", "DECIMATE", "MASK", "MESH_CACHE", "MESH_SEQUENCE_CACHE", "MIRROR", "NODES"),
        *("OCEAN", "REMESH", "SCREW", "SKIN", "SOLIDIFY", "CLOTH", "SOFT_BODY"),
    )
)
# Nodes that give the geometry of the object itself
_OWN_GEOMETRY = frozenset({"NodeGroupInput", "GeometryNodeSelfObject"})
# Parents of these types deform their children as a modifier would
DEFORMING_PARENTS = frozenset({"ARMATURE", "LATTICE"})


def follows_deformed(obj: bpy.types.Object) -> bool:
    """Whether pins and goal of a body follow its deformed mesh, and its deformers are taken out of the result."""
    return bool(obj.type == "MESH" and obj.xpbd.goal_source == "DEFORMED")


def has_deforming_parent(obj: bpy.types.Object) -> bool:
    """Whether the object's parent deforms it."""
    return obj.parent is not None and obj.parent_type in DEFORMING_PARENTS


def deformers(obj: bpy.types.Object) -> list[bpy.types.Modifier]:
    """The modifiers that move the vertices of the mesh itself: those before any that changes the vertices.

    What a bake has muted counts as if it were not, and what keys turn on at some frames as if it were on.
    """
    muted, paths = muted_modifiers(obj), animated_paths(obj, with_muted=False, with_still=False)
    found = []
    for modifier in obj.modifiers:
        is_on = modifier.show_viewport or muted.get(modifier.name, (False, False))[0]
        if modifier.type in TOPOLOGY_MODIFIERS and is_on:
            break
        if modifier.type in DEFORMERS and (is_on or f"{modifier_path(modifier)}.show_viewport" in paths):
            found.append(modifier)
    return found


def modifier_path(modifier: bpy.types.Modifier) -> str:
    """What the paths of animation of a modifier of an object begin with."""
    return f'modifiers["{bpy.utils.escape_identifier(modifier.name)}"]'


def acts(modifier: bpy.types.Modifier) -> bool:
    """Whether a modifier is on, in viewports or in renders."""
    return bool(modifier.show_viewport or modifier.show_render)


def is_shown_in_two_ways(obj: bpy.types.Object) -> bool:
    """Whether a bake reads another shape of a collider, or of a body that follows its deformers, than renders show.

    A modifier that moves what is read is on in viewports alone, or in renders alone.
    """
    kinds, muted = (DEFORMERS if is_body(obj) else DEFORMERS | _SHAPE_MAKERS), muted_modifiers(obj)
    for modifier in obj.modifiers:
        if is_body(obj) and modifier.type in TOPOLOGY_MODIFIERS and acts(modifier):
            return False
        in_viewports, in_renders = muted.get(modifier.name, (modifier.show_viewport, modifier.show_render))
        if modifier.type in kinds and in_viewports != in_renders:
            return True
    return False


def subdivision_levels(modifier: bpy.types.Modifier) -> int:
    """How often a *Subdivision Surface* halves edges at most, where it is shown."""
    shown = modifier.levels if modifier.show_viewport else 0
    return max(shown, modifier.render_levels if modifier.show_render else 0)


def muted_modifiers(obj: bpy.types.Object) -> dict[str, tuple[bool, bool]]:
    """The modifiers that a bake has muted, by name, and whether they were shown in viewports and in renders."""
    record = read_record(obj)
    return record.muted_modifiers() if record is not None else {}


def makes_own_mesh(modifier: bpy.types.Modifier) -> bool:
    """Whether it is Geometry Nodes whose result has nothing of the object's own geometry.

    Nothing goes from an input of the group to its output; what nodes inside other groups do is not looked at.
    """
    group = modifier.node_group if modifier.type == "NODES" else None
    if group is None:
        return False
    reached = [node for node in group.nodes if node.bl_idname == "NodeGroupOutput" and node.is_active_output]
    seen = {node.name for node in reached}
    while reached:
        node = reached.pop()
        if node.bl_idname in _OWN_GEOMETRY:
            return False
        before = [link.from_node for link in group.links if link.to_node == node and not link.is_muted]
        for other in (one for one in before if one.name not in seen):
            seen.add(other.name)
            reached.append(other)
    return bool(seen)
