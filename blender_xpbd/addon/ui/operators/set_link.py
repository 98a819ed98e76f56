# SPDX-License-Identifier: GPL-3.0-or-later
"""Make links of edges: rods, ropes and bumpers."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from ....scene.links import AT_LEAST, AT_MOST, EQUAL
from ...data.link_attributes import LINK_COMPLIANCE, LINK_KIND, LINK_LENGTH, LINK_STIFFNESS, LINK_TYPES
from .idle import is_mesh_body

KINDS = {"NONE": 0, "EQUAL": EQUAL, "AT_MOST": AT_MOST, "AT_LEAST": AT_LEAST}
_ITEMS = (
    ("NONE", "None", "The edges hold nothing but what the body is made of"),
    ("EQUAL", "Rod (=)", "The edges keep their length"),
    ("AT_MOST", "Rope (≤)", "The edges only pull: their ends come no farther apart"),
    ("AT_LEAST", "Bumper (≥)", "The edges only push: their ends come no closer"),
)
_LABELS = {identifier: label for identifier, label, _ in _ITEMS}


class XPBD_OT_set_link(bpy.types.Operator):
    """Make links of the selected edges, that hold their two vertices at a distance."""

    bl_idname = "xpbd.set_link"
    bl_label = "Link Selected Edges"
    bl_options = {"REGISTER", "UNDO"}

    kind: bpy.props.EnumProperty(
        name="Link", description="What the edges hold their two vertices to", items=_ITEMS, default="EQUAL"
    )
    rest_length: bpy.props.FloatProperty(
        name="Rest Length",
        description="Distance that is held, 0 for how it is modelled",
        min=0.0,
        subtype="DISTANCE",
        unit="LENGTH",
    )
    compliance: bpy.props.FloatProperty(
        name="Compliance [m/N]", description="How far a link gives per newton. 0 is rigid", min=0.0, precision=6
    )
    stiffness: bpy.props.FloatProperty(
        name="PBD Stiffness",
        description="PBD mode: share of the error that one substep takes away",
        default=1.0,
        min=0.0,
        max=1.0,
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether the active object can have links."""
        return is_mesh_body(cls, context, "Only edges of a mesh can be links")

    def execute(self, context: bpy.types.Context) -> set[Any]:
        """Write the attributes."""
        obj, mode = context.object, context.object.mode
        if mode == "EDIT":
            obj.update_from_editmode()
        mesh = obj.data
        chosen = np.zeros(len(mesh.edges), np.bool_)
        mesh.edges.foreach_get("select", chosen)
        if not chosen.any():
            self.report({"WARNING"}, "No edge is selected: select those to link in Edit Mode")
            return {"CANCELLED"}
        if mode == "EDIT":
            # attributes cannot be written while the mesh is being edited
            bpy.ops.object.mode_set(mode="OBJECT")
        values = {
            LINK_KIND: KINDS[self.kind],
            LINK_LENGTH: self.rest_length,
            LINK_COMPLIANCE: self.compliance,
            LINK_STIFFNESS: self.stiffness,
        }
        for name, value in values.items():
            _write(obj.data, name, chosen, value)
        if mode == "EDIT":
            bpy.ops.object.mode_set(mode="EDIT")
        self.report({"INFO"}, f"{int(chosen.sum())} edges: {_LABELS[self.kind]}")
        return {"FINISHED"}


def _write(mesh: bpy.types.Mesh, name: str, chosen: np.ndarray, value: float) -> None:
    """Write an attribute of the chosen edges; one of another type gives way."""
    attribute = mesh.attributes.get(name)
    if attribute is not None and (attribute.domain, attribute.data_type) != ("EDGE", LINK_TYPES[name]):
        mesh.attributes.remove(attribute)
        attribute = None
    if attribute is None:
        attribute = mesh.attributes.new(name, LINK_TYPES[name], "EDGE")
        if name == LINK_STIFFNESS:
            attribute.data.foreach_set("value", np.ones(len(mesh.edges), np.float32))
    values = np.zeros(len(mesh.edges), np.int32 if LINK_TYPES[name] == "INT" else np.float32)
    attribute.data.foreach_get("value", values)
    values[chosen] = value
    attribute.data.foreach_set("value", values)
    mesh.update()
