# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of a rigged character: which meshes an armature moves, and which of them is its skin."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import bpy
import numpy as np

# what artists call the vertex group that holds a part
_PIN_NAMES = frozenset(("pin", "pins", "pinned"))


def armatures_of(obj: bpy.types.Object) -> frozenset[bpy.types.Object]:
    """The armatures that deform or carry an object."""
    found = {one.object for one in obj.modifiers if one.type == "ARMATURE" and one.object is not None}
    parent, seen = obj.parent, set()
    while parent is not None and parent.session_uid not in seen:
        seen.add(parent.session_uid)
        if parent.type == "ARMATURE":
            found.add(parent)
        parent = parent.parent
    return frozenset(found)


def skin_of(parts: Collection[bpy.types.Object], objects: Iterable[bpy.types.Object]) -> bpy.types.Object | None:
    """The largest mesh with faces that an armature of some parts moves and that is none of them; None where none is.

    Args:
        parts: of a character.
        objects: among which it is looked for.
    """
    rigs = frozenset().union(*(armatures_of(part) for part in parts))
    others = [
        obj
        for obj in objects
        if obj not in parts and obj.type == "MESH" and len(obj.data.polygons) and armatures_of(obj) & rigs
    ]
    return max(others, key=lambda obj: float(obj.dimensions.length), default=None)


def is_closed(mesh: bpy.types.Mesh) -> bool:
    """Whether each edge has two faces, and there are faces."""
    edges = np.zeros(len(mesh.loops), np.int32)
    mesh.loops.foreach_get("edge_index", edges)
    return bool(len(edges)) and bool((np.bincount(edges, minlength=len(mesh.edges)) == 2).all())


def pins_of(obj: bpy.types.Object) -> str:
    """The name of the vertex group that is named after pins, "" where none is."""
    return next((group.name for group in obj.vertex_groups if group.name.lower() in _PIN_NAMES), "")
