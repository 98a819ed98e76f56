# SPDX-License-Identifier: GPL-3.0-or-later
"""Fill a mesh with grains."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from ....scene.errors import XpbdError
from ....scene.parameter import Choice
from ....scene.parameters.material_parameters import GRAINS
from ...baking.report_text import plain_words
from ...data.extension import worker_python_path
from ...data.grain_display import show_grains
from ...data.properties import enum_items
from ...process.waiting_worker import start_ahead
from ...reading.inside_mesh import fill_places

PACKINGS = (
    Choice("RANDOM", "Loose", "As poured: no rows, and some room in between"),
    Choice("LATTICE", "Lattice", "Rows and layers, as close as balls can be"),
)
# Where no radius is typed, about so many grains would fill the box around the mesh: they bake in seconds. Of 2 cm they
# would be 60,948 in a ball as Blender adds it, and none in a ball of 1 cm
_COUNT = 2000
# [Blender units]
_SMALLEST = 1e-6
# share of a box that is poured full
_SHARE = 0.5


class XPBD_OT_fill_with_grains(bpy.types.Operator):
    """Fill the inside of the active mesh with balls that do not overlap, as a new object of grains."""

    bl_idname = "xpbd.fill_with_grains"
    bl_label = "Fill with Grains"
    bl_options = {"REGISTER", "UNDO"}

    radius: bpy.props.FloatProperty(
        name="Radius",
        description="Radius of each grain",
        default=0.02,
        min=_SMALLEST,
        soft_min=0.001,
        soft_max=1.0,
        subtype="DISTANCE",
        # a radius of another file, of another unit, is none for this one
        options={"SKIP_SAVE"},
    )
    packing: bpy.props.EnumProperty(name="Packing", description="How grains lie", items=enum_items(PACKINGS))
    seed: bpy.props.IntProperty(name="Seed", description="Another one places loose grains otherwise", default=0, min=0)

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether there is a mesh to fill."""
        if context.object is None or context.object.type != "MESH":
            cls.poll_message_set("Select a closed mesh first")
            return False
        if context.mode != "OBJECT":
            cls.poll_message_set("Go back to Object Mode (Tab) first")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> set[Any]:
        """Make the object, select it, and say how many grains there are."""
        source = context.object
        if not self.properties.is_property_set("radius"):
            self.radius = _suiting_radius(source)
        try:
            depsgraph = context.evaluated_depsgraph_get()
            places = fill_places(source, depsgraph, self.radius, self.packing, self.seed)
        except XpbdError as fault:
            self.report({"ERROR"}, plain_words(str(fault)))
            return {"CANCELLED"}
        if len(places) == 0:
            self.report({"ERROR"}, f"No grain of this radius fits into {source.name}: use a smaller one")
            return {"CANCELLED"}
        made = _object_of_points(context, f"{source.name} Grains", places, self.radius)
        made.xpbd.role = GRAINS
        made.xpbd.radius = self.radius
        show_grains(made)
        # once evaluated, the balls follow the radius
        context.view_layer.update()
        start_ahead(worker_python_path(context))
        self.report({"INFO"}, f"{len(places)} grains fill {source.name}")
        return {"FINISHED"}


def _suiting_radius(obj: bpy.types.Object) -> float:
    """A radius with which a handful of grains fills an object, in Blender units, to two digits."""
    volume = float(np.prod(np.array(obj.dimensions)))
    radius = (_SHARE * volume / _COUNT / (4.0 / 3.0 * np.pi)) ** (1.0 / 3.0)
    # 0 of a mesh without a volume, which the property makes its least and ``fill_places`` refuses
    return float(f"{radius:.2g}")


def _object_of_points(
    context: bpy.types.Context, name: str, places: np.ndarray[Any, np.dtype[np.float64]], radius: float
) -> bpy.types.Object:
    """A new object of loose vertices in the context's collection, which becomes the only one that is selected."""
    mesh = bpy.data.meshes.new(name)
    middle = places.mean(axis=0)
    mesh.from_pydata((places - middle).tolist(), [], [])
    made = bpy.data.objects.new(name, mesh)
    made.location = middle.tolist()
    context.collection.objects.link(made)
    for other in context.selected_objects:
        other.select_set(False)
    made.select_set(True)
    context.view_layer.objects.active = made
    return made
