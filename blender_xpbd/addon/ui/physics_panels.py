# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings of an object in the Physics tab of the Properties editor too, where artists look for them."""

from __future__ import annotations

from typing import Any

import bpy

from ..data.classes import register_classes, unregister_classes
from . import panels
from .sidebar import active_object
from .wrapped_text import draw_wrapped, letters_across

_WHERE_TO_BAKE = "Bake and Play: sidebar of the viewport (N) › XPBD"

# those of the sidebar that are of one object
_OF_OBJECTS = (
    panels.XPBD_PT_material,
    panels.XPBD_PT_structure,
    panels.XPBD_PT_motion,
    panels.XPBD_PT_pins,
    panels.XPBD_PT_goal,
    panels.XPBD_PT_pose,
    panels.XPBD_PT_groups,
    panels.XPBD_PT_tetrahedra,
    panels.XPBD_PT_collision,
    panels.XPBD_PT_forces,
    panels.XPBD_PT_links,
    panels.XPBD_PT_plasticity,
    panels.XPBD_PT_mode,
    panels.XPBD_PT_region,
)
_PLACE: dict[str, Any] = {
    "bl_space_type": "PROPERTIES",
    "bl_region_type": "WINDOW",
    "bl_context": "physics",
    "bl_options": {"DEFAULT_CLOSED"},
}


class XPBD_PT_physics(bpy.types.Panel):
    """Role and material of the object; what is of the scene stands in the sidebar."""

    bl_idname = "XPBD_PT_physics"
    bl_label = "XPBD"
    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "physics"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether the object can take part."""
        return active_object(context) is not None

    def draw(self, context: bpy.types.Context) -> None:
        """Draw."""
        obj = active_object(context)
        panels.draw_roles(self.layout, obj)
        panels.draw_material_choice(self.layout, obj, context.scene.xpbd.solver_mode)
        if obj.xpbd.role != "NONE":
            draw_wrapped(self.layout, _WHERE_TO_BAKE, icon="INFO", width=letters_across(context))


def _physics_panel(panel: Any) -> Any:
    """A panel of the sidebar in the Physics tab."""
    name = panel.__name__.replace("XPBD_PT_", "XPBD_PT_physics_")
    members = {
        **_PLACE,
        "__doc__": panel.__doc__,
        "bl_idname": name,
        "bl_label": panel.bl_label,
        "bl_parent_id": XPBD_PT_physics.bl_idname,
        "poll": classmethod(lambda _cls, context: panel.poll(context)),
        "draw": panel.draw,
    }
    return type(name, (bpy.types.Panel,), members)


CLASSES = (XPBD_PT_physics, *map(_physics_panel, _OF_OBJECTS))


def register() -> None:
    """Add the panels."""
    register_classes(CLASSES)


def unregister() -> None:
    """Remove the panels."""
    unregister_classes(CLASSES)
