# SPDX-License-Identifier: GPL-3.0-or-later
"""Add a scene of the gallery."""

from __future__ import annotations

from typing import Any

import bpy

from ....scene.errors import XpbdError
from ....scene.parameter import Choice
from ...baking.report_text import plain_words
from ...data.properties import enum_items
from ...gallery.gallery import GALLERY, add_gallery_scene, gallery_scene
from .idle import is_idle

_CHOICES = tuple(Choice(entry.identifier, entry.label, entry.description) for entry in GALLERY)


class XPBD_OT_add_gallery_scene(bpy.types.Operator):
    """Make a scene of its own, ready to be baked; nothing else in the file is changed."""

    bl_idname = "xpbd.add_gallery_scene"
    bl_label = "Add XPBD Scene"
    bl_options = {"REGISTER", "UNDO"}

    name: bpy.props.EnumProperty(name="Scene", description="Which scene of the gallery", items=enum_items(_CHOICES))
    filepath: bpy.props.StringProperty(
        name="File", description="The file that the scene needs", subtype="FILE_PATH", options={"SKIP_SAVE"}
    )
    filter_glob: bpy.props.StringProperty(
        name="Filter", description="Which files are shown", default="*.node;*.ele", options={"HIDDEN", "SKIP_SAVE"}
    )

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: Any) -> str:
        """The tooltip of each scene's own entry."""
        return gallery_scene(properties.name).description

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Not while a bake is writing to the scene that is shown."""
        if not is_idle(cls):
            return False
        return context.window is not None

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[Any]:
        """Ask for the file, where one is needed."""
        if gallery_scene(self.name).needs_file and not self.filepath:
            context.window_manager.fileselect_add(self)
            return {"RUNNING_MODAL"}
        return self.execute(context)

    def execute(self, context: bpy.types.Context) -> set[Any]:
        """Make it, and show it."""
        try:
            scene = add_gallery_scene(gallery_scene(self.name), bpy.path.abspath(self.filepath))
        except XpbdError as error:
            self.report({"ERROR"}, plain_words(str(error)))
            return {"CANCELLED"}
        context.window.scene = scene
        scene.frame_set(scene.frame_start)
        return {"FINISHED"}
