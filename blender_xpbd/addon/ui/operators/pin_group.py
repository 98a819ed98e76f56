# SPDX-License-Identifier: GPL-3.0-or-later
"""Pin vertices."""

from __future__ import annotations

from typing import Any

import bpy

from ....scene.body_kinds import body_labels
from ...data.object_types import is_body

GROUP_NAME = "Pin"


class XPBD_OT_add_pin_group(bpy.types.Operator):
    """Pin the selected vertices: add them to the pin group, or to a new vertex group where there is none."""

    bl_idname = "xpbd.add_pin_group"
    bl_label = "Pin Selected Vertices"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether the active object can have pins."""
        obj = context.object
        if obj is None or not is_body(obj) or not obj.is_editable:
            cls.poll_message_set(f"Make the active object {body_labels()} first")
            return False
        if obj.type != "MESH":
            cls.poll_message_set("Only vertices of a mesh can be pinned")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> set[Any]:
        """Make the group."""
        obj = context.object
        if obj.mode == "EDIT":
            obj.update_from_editmode()
        selected = [vertex.index for vertex in obj.data.vertices if vertex.select]
        if not selected:
            self.report({"WARNING"}, "No vertex is selected: select those to pin in Edit Mode")
            return {"CANCELLED"}
        chosen = obj.xpbd.pin_group
        is_lost = bool(chosen) and chosen not in obj.vertex_groups
        if chosen and not is_lost and obj.vertex_groups[chosen].lock_weight:
            self.report({"WARNING"}, f'The weights of "{chosen}" are locked: unlock the vertex group first')
            return {"CANCELLED"}
        mode = obj.mode
        if mode == "EDIT":
            # Weights cannot be written while the mesh is being edited
            bpy.ops.object.mode_set(mode="OBJECT")
        group = obj.vertex_groups.get(chosen) or obj.vertex_groups.new(name=chosen or GROUP_NAME)
        group.add(selected, 1.0, "REPLACE")
        obj.xpbd.pin_group = group.name
        if mode == "EDIT":
            bpy.ops.object.mode_set(mode="EDIT")
        if is_lost:
            self.report(
                {"WARNING"},
                f'There was no vertex group "{chosen}" any more (renamed, or deleted), so a new one pins '
                f"{len(selected)} vertices: if others were pinned, choose their group as pin group",
            )
        else:
            self.report({"INFO"}, f'{len(selected)} vertices are pinned by "{group.name}" with weight 1')
        return {"FINISHED"}
