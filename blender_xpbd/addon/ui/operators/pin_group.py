# SPDX-License-Identifier: GPL-3.0-or-later
"""Pins as Blender keeps vertex groups: assign, remove and select vertices, and paint their weights."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import bpy

from ...checking.check_scene import renew_findings
from .idle import is_mesh_body

GROUP_NAME = "Pin"


class XPBD_OT_add_pin_group(bpy.types.Operator):
    """Pin the selected vertices: add them to the pin group, or to a new vertex group where there is none."""

    bl_idname = "xpbd.add_pin_group"
    bl_label = "Pin Selected Vertices"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether the active object can have pins."""
        return _can_be_pinned(cls, context)

    def execute(self, context: bpy.types.Context) -> set[Any]:
        """Make the group."""
        obj = context.object
        selected = _selected(obj)
        if not selected:
            self.report({"WARNING"}, "No vertex is selected: select those to pin in Edit Mode")
            return {"CANCELLED"}
        chosen = obj.xpbd.pin_group
        is_lost = bool(chosen) and chosen not in obj.vertex_groups
        if _is_locked(self, obj, chosen or GROUP_NAME):
            return {"CANCELLED"}
        with _in_object_mode(obj):
            group = _pin_group(obj)
            group.add(selected, 1.0, "REPLACE")
            # what is pinned does not fall any more; a mesh in Edit Mode cannot be read
            renew_findings(context)
        if is_lost:
            self.report(
                {"WARNING"},
                f'There was no vertex group "{chosen}" any more (renamed, or deleted), so a new one pins '
                f"{len(selected)} vertices: if others were pinned, choose their group as pin group",
            )
        else:
            self.report({"INFO"}, f'{_vertices(len(selected))} pinned by "{group.name}" with weight 1')
        return {"FINISHED"}


class XPBD_OT_remove_pins(bpy.types.Operator):
    """Let go of the selected vertices: remove them from the pin group."""

    bl_idname = "xpbd.remove_pins"
    bl_label = "Unpin Selected Vertices"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether the active object has pins."""
        return _is_pinned(cls, context)

    def execute(self, context: bpy.types.Context) -> set[Any]:
        """Remove them."""
        obj = context.object
        selected = _selected(obj)
        if not selected:
            self.report({"WARNING"}, "No vertex is selected: select those to unpin in Edit Mode")
            return {"CANCELLED"}
        if _is_locked(self, obj, obj.xpbd.pin_group):
            return {"CANCELLED"}
        with _in_object_mode(obj):
            obj.vertex_groups[obj.xpbd.pin_group].remove(selected)
            renew_findings(context)
        self.report({"INFO"}, f'{_vertices(len(selected))} not pinned by "{obj.xpbd.pin_group}" any more')
        return {"FINISHED"}


class XPBD_OT_select_pins(bpy.types.Operator):
    """Select the pinned vertices, besides those that are selected."""

    bl_idname = "xpbd.select_pins"
    bl_label = "Select Pinned Vertices"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether the active object has pins."""
        return _is_pinned(cls, context)

    def execute(self, context: bpy.types.Context) -> set[Any]:
        """Select them."""
        obj = context.object
        with _in_object_mode(obj):
            number = obj.vertex_groups[obj.xpbd.pin_group].index
            pinned = {
                vertex.index
                for vertex in obj.data.vertices
                if any(element.group == number and element.weight > 0.0 for element in vertex.groups)
            }
            # edges and faces follow as Edit Mode begins; bpy 5.0 crashes where edges are told to be selected
            chosen = [v.select or (v.index in pinned and not v.hide) for v in obj.data.vertices]
            obj.data.vertices.foreach_set("select", chosen)
        return {"FINISHED"}


class XPBD_OT_paint_pins(bpy.types.Operator):
    """Paint the weights of the pins: 1 holds a vertex where it is, less holds it softly."""

    bl_idname = "xpbd.paint_pins"
    bl_label = "Paint Pins"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether the active object can have pins."""
        return _can_be_pinned(cls, context)

    def execute(self, context: bpy.types.Context) -> set[Any]:
        """Go to Weight Paint with the pin group."""
        obj = context.object
        with _in_object_mode(obj):
            group = _pin_group(obj)
        obj.vertex_groups.active_index = group.index
        bpy.ops.object.mode_set(mode="WEIGHT_PAINT")
        return {"FINISHED"}


def _can_be_pinned(operator: Any, context: bpy.types.Context) -> bool:
    return is_mesh_body(operator, context, "Only vertices of a mesh can be pinned")


def _is_pinned(operator: Any, context: bpy.types.Context) -> bool:
    if not _can_be_pinned(operator, context):
        return False
    if context.object.xpbd.pin_group not in context.object.vertex_groups:
        operator.poll_message_set("Nothing is pinned yet")
        return False
    return True


def _selected(obj: bpy.types.Object) -> list[int]:
    if obj.mode == "EDIT":
        obj.update_from_editmode()
    return [vertex.index for vertex in obj.data.vertices if vertex.select]


def _pin_group(obj: bpy.types.Object) -> Any:
    """The pin group: the chosen one, else the one of the usual name, which is made where there is none."""
    name = obj.xpbd.pin_group or GROUP_NAME
    group = obj.vertex_groups.get(name) or obj.vertex_groups.new(name=name)
    obj.xpbd.pin_group = group.name
    return group


def _is_locked(operator: Any, obj: bpy.types.Object, name: str) -> bool:
    group = obj.vertex_groups.get(name)
    if group is None or not group.lock_weight:
        return False
    operator.report({"WARNING"}, f'The weights of "{name}" are locked: unlock the vertex group first')
    return True


def _vertices(count: int) -> str:
    return "1 vertex is" if count == 1 else f"{count} vertices are"


@contextmanager
def _in_object_mode(obj: bpy.types.Object) -> Iterator[None]:
    """Weights and selections cannot be written while the mesh is being edited."""
    mode = obj.mode
    if mode == "EDIT":
        bpy.ops.object.mode_set(mode="OBJECT")
    try:
        yield
    finally:
        if mode == "EDIT":
            bpy.ops.object.mode_set(mode="EDIT")
