# SPDX-License-Identifier: GPL-3.0-or-later
"""Show what crosses at the first frame."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import numpy.typing as npt

from ....scene.errors import XpbdError
from ...baking.crossings import crossing_vertices
from ...baking.report_text import plain_words, summary_of
from ...data.overlay_settings import CROSSINGS

# Blender's own attributes of vertices, edges and polygons
SELECTIONS = (".select_vert", ".select_edge", ".select_poly")

Ints = npt.NDArray[np.int32]


class XPBD_OT_select_crossings(bpy.types.Operator):
    """Select what crosses at the first frame of the last bake, and make it the vertex group XPBD Crossings."""

    bl_idname = "xpbd.select_crossings"
    bl_label = "Select What Crosses"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether there was a bake, and objects can be changed."""
        if context.mode not in {"OBJECT", "EDIT_MESH"}:
            cls.poll_message_set("Go to Object Mode or Edit Mode first")
            return False
        if "cache" in summary_of(context.scene.xpbd.report):
            return True
        cls.poll_message_set("Bake first")
        return False

    def execute(self, context: bpy.types.Context) -> set[Any]:
        """Select them, and make the groups."""
        is_editing = context.mode == "EDIT_MESH"
        if is_editing:
            # Weights and selections cannot be written while the mesh is being edited
            bpy.ops.object.mode_set(mode="OBJECT")
        try:
            return self._show(context.scene)
        finally:
            if is_editing:
                bpy.ops.object.mode_set(mode="EDIT")

    def _show(self, scene: bpy.types.Scene) -> set[Any]:
        try:
            found = crossing_vertices(scene)
        except XpbdError as fault:
            self.report({"WARNING"}, plain_words(str(fault)))
            return {"CANCELLED"}
        crossing = {name: vertices for name, vertices in found.items() if len(vertices)}
        for name, vertices in found.items():
            obj = scene.objects[name]
            if obj.is_editable and obj.data.is_editable:
                _select(obj.data, vertices)
                _group(obj, vertices)
        if crossing:
            scene.xpbd.show_crossings = True
            count = sum(map(len, crossing.values()))
            self.report({"INFO"}, f'{count} vertices cross at the first frame: they are in "{CROSSINGS}"')
        else:
            self.report({"INFO"}, "Nothing crosses at the first frame of the last bake")
        return {"FINISHED"}


def _select(mesh: Any, vertices: Ints) -> None:
    """Select these vertices, and the edges and polygons that have no other."""
    # Blender 5.0 crashes where the edges' selection of a mesh made by a script is written: it holds one value for all
    for name in SELECTIONS:
        if (attribute := mesh.attributes.get(name)) is not None:
            mesh.attributes.remove(attribute)
    chosen = np.zeros(len(mesh.vertices), bool)
    chosen[vertices] = True
    mesh.vertices.foreach_set("select", chosen)
    ends = np.empty(2 * len(mesh.edges), np.int32)
    mesh.edges.foreach_get("vertices", ends)
    mesh.edges.foreach_set("select", chosen[ends].reshape(-1, 2).all(axis=1))
    corners = np.empty(len(mesh.loops), np.int32)
    mesh.loops.foreach_get("vertex_index", corners)
    starts = np.empty(len(mesh.polygons), np.int32)
    mesh.polygons.foreach_get("loop_start", starts)
    whole = np.logical_and.reduceat(chosen[corners], starts) if len(starts) else np.zeros(0, bool)
    mesh.polygons.foreach_set("select", whole)
    mesh.update()


def _group(obj: bpy.types.Object, vertices: Ints) -> None:
    """The vertices as a vertex group in place of what an earlier bake has left; none where nothing crosses."""
    if (group := obj.vertex_groups.get(CROSSINGS)) is not None:
        obj.vertex_groups.remove(group)
    if len(vertices):
        obj.vertex_groups.new(name=CROSSINGS).add(vertices.tolist(), 1.0, "REPLACE")
