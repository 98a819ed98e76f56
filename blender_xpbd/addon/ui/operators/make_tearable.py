# SPDX-License-Identifier: GPL-3.0-or-later
"""Prepare a body for tearing: its mesh is cut, and what was cut holds together until it tears.

Along an edge of a cloth each face gets vertices of its own. Jelly is cut into closed pieces.
"""

from __future__ import annotations

from typing import Any

import bmesh
import bpy

from ....scene.body_kinds import body_kind
from ....scene.errors import XpbdError
from ...baking.report_text import plain_words
from ...data.bake_record import read_record
from ...data.cut_mesh import cut_into_pieces
from ...data.link_attributes import SEAM, WELD, WELD_DISTANCE
from ...data.object_types import is_body
from ...reading.mesh_reader import RIG_MODIFIERS, editing_mode, is_shared, read_rest_shape
from .idle import is_idle

# a cut into more takes a minute and longer; cracks are as fine as the cage in any case
MOST_PIECES = 200
# what rounds each piece by itself, for nothing joins pieces before the solver does
_ROUNDING = frozenset({"BEVEL", "CORRECTIVE_SMOOTH", "LAPLACIANSMOOTH", "MULTIRES", "REMESH", "SMOOTH", "SUBSURF"})
_AREAS = (
    ("ALL", "All Edges", "It may tear along each of its edges"),
    ("SELECTED", "Selected Edges", "It may tear along the selected edges"),
    ("GROUP", "Vertex Group", "It may tear along the edges whose two vertices are in a vertex group"),
)


class XPBD_OT_make_tearable(bpy.types.Operator):
    """Let it tear: cloth along its edges, jelly into pieces. What is cut holds together until the tear strain."""

    bl_idname = "xpbd.make_tearable"
    bl_label = "Make Tearable"
    bl_options = {"REGISTER", "UNDO"}

    along: bpy.props.EnumProperty(
        name="Along", description="Which edges it may tear along", items=_AREAS, default="ALL"
    )
    group: bpy.props.StringProperty(name="Group", description="Vertex group of what may tear")
    tear_strain: bpy.props.FloatProperty(
        name="Tear Strain [%]",
        description="Tear strain of what has none yet",
        default=20.0,
        min=0.0,
        soft_max=200.0,
    )
    pieces: bpy.props.IntProperty(
        name="Pieces",
        description="How many pieces jelly is cut into",
        default=20,
        min=2,
        soft_max=100,
        max=MOST_PIECES,
    )
    seed: bpy.props.IntProperty(name="Seed", description="Another one cuts jelly elsewhere", default=0, min=0)

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether the active object is a cloth or jelly whose mesh may be changed."""
        if not is_idle(cls):
            return False
        obj = context.object
        if obj is None or not is_body(obj) or not body_kind(obj.xpbd.role).tears or not obj.is_editable:
            cls.poll_message_set("Make the active object a Cloth or Jelly first: only these tear")
            return False
        if editing_mode(obj):
            cls.poll_message_set("Go back to Object Mode (Tab) first")
            return False
        if read_record(obj) is not None:
            cls.poll_message_set("Clear the bake first: its shape keys are for the mesh as it is")
            return False
        if is_shared(obj):
            cls.poll_message_set("Other objects use the same mesh: make it single-user first")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> set[Any]:
        """Split the edges of a cloth, or cut jelly."""
        obj = context.object
        if body_kind(obj.xpbd.role).is_solid:
            return self._cut(obj)
        if self.along == "GROUP" and obj.vertex_groups.get(self.group) is None:
            self.report({"WARNING"}, f'There is no vertex group "{self.group}"')
            return {"CANCELLED"}
        before = len(obj.data.vertices)
        split = self._split(obj)
        if not split:
            self.report({"WARNING"}, "There is no edge between two faces to tear along")
            return {"CANCELLED"}
        _add_weld(obj)
        more = len(obj.data.vertices) - before
        self._finish(obj, f"{split} edges may tear", more)
        return {"FINISHED"}

    def _cut(self, obj: bpy.types.Object) -> set[Any]:
        """Cut jelly into pieces."""
        if SEAM in obj.data.attributes:
            self.report({"WARNING"}, "It is cut already: undo that first")
            return {"CANCELLED"}
        if obj.data.shape_keys is not None:
            self.report({"WARNING"}, "Shape keys cannot be cut: apply or delete them first")
            return {"CANCELLED"}
        before = len(obj.data.vertices)
        try:
            # refuses what is at no finite place
            read_rest_shape(obj)
            made = cut_into_pieces(obj.data, self.pieces, self.seed, obj.name, _held_groups(obj))
        except XpbdError as fault:
            self.report({"WARNING"}, plain_words(str(fault)))
            return {"CANCELLED"}
        self._finish(obj, f"{made} pieces may part", len(obj.data.vertices) - before)
        if names := [f'"{modifier.name}"' for modifier in obj.modifiers if modifier.type in _ROUNDING]:
            text = f"{', '.join(names)} rounds each piece by itself, so cuts show before anything tears"
            self.report({"WARNING"}, f"{text}: undo, apply or remove it, and cut again")
        return {"FINISHED"}

    def _finish(self, obj: bpy.types.Object, what: str, more: int) -> None:
        """Give it a tear strain, and tell what was done."""
        if obj.xpbd.tear_strain == 0.0:
            obj.xpbd.tear_strain = self.tear_strain
        self.report({"INFO"}, f"{what} from {obj.xpbd.tear_strain:g} % strain on; {more} vertices more")

    def _split(self, obj: bpy.types.Object) -> int:
        """Split the chosen edges between faces; how many they are."""
        mesh, data = obj.data, bmesh.new()
        try:
            data.from_mesh(mesh)
            index = obj.vertex_groups[self.group].index if self.along == "GROUP" else -1
            # of the mesh: faces that are selected would select their edges in the copy
            selected = [edge.select for edge in mesh.edges]
            edges = [
                edge
                for edge in data.edges
                if len(edge.link_faces) > 1
                and (self.along != "SELECTED" or selected[edge.index])
                and (self.along != "GROUP" or _is_in_group(data, edge, index))
            ]
            if edges:
                layer = data.verts.layers.int.get(SEAM)
                if layer is None:
                    layer = data.verts.layers.int.new(SEAM)
                    # a new layer moves the elements of others
                    edges = [data.edges[number] for number in _indices(data, edges)]
                    for vertex in data.verts:
                        vertex[layer] = vertex.index + 1
                bmesh.ops.split_edges(data, edges=edges)
                data.to_mesh(mesh)
                mesh.update()
            return len(edges)
        finally:
            data.free()

    def draw(self, context: bpy.types.Context) -> None:
        """The options of the last step."""
        column = self.layout.column()
        if body_kind(context.object.xpbd.role).is_solid:
            column.prop(self, "pieces")
            column.prop(self, "seed")
        else:
            column.prop(self, "along")
            if self.along == "GROUP":
                column.prop(self, "group")
        column.prop(self, "tear_strain")


def _held_groups(obj: bpy.types.Object) -> list[int]:
    """Numbers of the vertex groups that hold vertices wherever they have a weight."""
    own = obj.xpbd
    groups = [obj.vertex_groups.get(name) for name in (own.pin_group, own.goal_group, own.attach_group) if name]
    return sorted({group.index for group in groups if group is not None})


def _is_in_group(data: bmesh.types.BMesh, edge: bmesh.types.BMEdge, group: int) -> bool:
    """Whether both vertices of an edge are in a vertex group."""
    layer = data.verts.layers.deform.active
    return layer is not None and all(vertex[layer].get(group, 0.0) > 0.0 for vertex in edge.verts)


def _indices(data: bmesh.types.BMesh, edges: list[bmesh.types.BMEdge]) -> list[int]:
    """Numbers of edges, whose table is made valid."""
    data.edges.index_update()
    data.edges.ensure_lookup_table()
    return [edge.index for edge in edges]


def _add_weld(obj: bpy.types.Object) -> None:
    """Let what is joined be shown as one vertex, below what deforms: so shading and subdivision are as before."""
    if any(modifier.type == "WELD" and modifier.name.startswith(WELD) for modifier in obj.modifiers):
        return
    weld = obj.modifiers.new(WELD, "WELD")
    weld.merge_threshold = WELD_DISTANCE
    rigs = [number for number, modifier in enumerate(obj.modifiers) if modifier.type in RIG_MODIFIERS]
    obj.modifiers.move(len(obj.modifiers) - 1, rigs[-1] + 1 if rigs else 0)
