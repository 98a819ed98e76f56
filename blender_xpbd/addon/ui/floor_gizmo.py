# SPDX-License-Identifier: GPL-3.0-or-later
"""An arrow in the viewport that lifts and lowers the floor: one undo step for each drag."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from bpy_extras import view3d_utils
from mathutils import Matrix, Vector, geometry

from ...scene.transforms import transformed
from ..data.bake_status import STATUS
from ..data.classes import register_classes, unregister_classes
from ..data.object_types import is_body
from ..reading.motion import animated_paths
from .overlay_shapes import NOTHING, floor_square

_COLOUR, _BRIGHT = (0.35, 0.75, 1.0), (1.0, 1.0, 1.0)
# of the movement, with Shift held
_PRECISE = 0.1
# decimals that are kept with Ctrl held
_SNAPPED = 1
_UP = Vector((0.0, 0.0, 1.0))


class XPBD_GT_floor(bpy.types.Gizmo):
    """The arrow. Blender's own gives no undo step for a property that it changes."""

    bl_idname = "XPBD_GT_floor"
    __slots__ = ("before", "height", "last")
    before: float
    height: float
    last: float

    def draw(self, _context: bpy.types.Context) -> None:
        """Draw it."""
        self.draw_preset_arrow(self.matrix_world, axis="POS_Z")

    def draw_select(self, _context: bpy.types.Context, select_id: int | None = 0) -> None:
        """Draw what can be grabbed."""
        self.draw_preset_arrow(self.matrix_world, axis="POS_Z", select_id=select_id or 0)

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[Any]:
        """Grab it."""
        self.before = self.height = context.scene.xpbd.floor_height
        self.last = self._height_at(context, event)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event, tweak: set[Any] | None) -> set[Any]:
        """Follow the mouse; less with Shift held, in steps with Ctrl."""
        mouse, settings = self._height_at(context, event), context.scene.xpbd
        self.height += (mouse - self.last) * (_PRECISE if "PRECISE" in (tweak or ()) else 1.0)
        self.last = mouse
        settings.floor_height = round(self.height, _SNAPPED) if "SNAP" in (tweak or ()) else self.height
        context.area.header_text_set(f"Floor Height: {settings.floor_height:.4g}")
        return {"RUNNING_MODAL"}

    def exit(self, context: bpy.types.Context, cancel: bool | None) -> None:
        """Keep the height, or go back to what it was."""
        context.area.header_text_set(None)
        if cancel:
            context.scene.xpbd.floor_height = self.before
        elif context.scene.xpbd.floor_height != self.before:
            bpy.ops.ed.undo_push(message="Floor Height")

    def _height_at(self, context: bpy.types.Context, event: bpy.types.Event) -> float:
        """Where on the line of the arrow the mouse is; where it was last, looked at from above."""
        mouse = (event.mouse_region_x, event.mouse_region_y)
        region, view = context.region, context.region_data
        eye = view3d_utils.region_2d_to_origin_3d(region, view, mouse)
        ahead = view3d_utils.region_2d_to_vector_3d(region, view, mouse)
        foot = self.matrix_basis.translation
        nearest = geometry.intersect_line_line(foot, foot + _UP, eye, eye + ahead)
        return float(nearest[0].z) if nearest else getattr(self, "last", 0.0)


class XPBD_GGT_floor(bpy.types.GizmoGroup):
    """The arrow's place: an edge of the floor's overlay."""

    bl_idname = "XPBD_GGT_floor"
    bl_label = "XPBD Floor"
    bl_space_type: Any = "VIEW_3D"
    bl_region_type: Any = "WINDOW"
    bl_options = {"3D", "PERSISTENT", "SHOW_MODAL_ALL"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether there is a floor to be moved, where overlays are shown; gizmos Blender hides itself."""
        if STATUS.is_baking or STATUS.is_playing:
            return False
        # the animation would put back what is keyed
        if "xpbd.floor_height" in animated_paths(context.scene):
            return False
        return bool(context.scene.xpbd.use_floor and context.space_data.overlay.show_overlays)

    def setup(self, _context: bpy.types.Context) -> None:
        """Make it."""
        arrow = self.gizmos.new(XPBD_GT_floor.bl_idname)
        arrow.color, arrow.color_highlight = _COLOUR, _BRIGHT
        arrow.alpha, arrow.alpha_highlight = 0.8, 1.0
        arrow.use_draw_modal = True

    def draw_prepare(self, context: bpy.types.Context) -> None:
        """Move it to where the floor is."""
        arrow = self.gizmos[0]
        place = arrow.matrix_basis.translation
        x, y = (place.x, place.y) if arrow.is_modal else floor_edge(context)
        arrow.matrix_basis = Matrix.Translation((x, y, context.scene.xpbd.floor_height))


def floor_edge(context: Any) -> tuple[float, float]:
    """A point beside what stands on the floor."""
    bodies = [obj for obj in context.visible_objects if is_body(obj)]
    corners = [transformed(np.array(obj.matrix_world), np.array(obj.bound_box, np.float64)) for obj in bodies]
    x, y, half = floor_square(np.concatenate(corners) if corners else NOTHING)
    return x + half, y


CLASSES = (XPBD_GT_floor, XPBD_GGT_floor)


def register() -> None:
    """Add the arrow."""
    register_classes(CLASSES)


def unregister() -> None:
    """Remove the arrow."""
    unregister_classes(CLASSES)
