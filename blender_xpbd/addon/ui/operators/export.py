# SPDX-License-Identifier: GPL-3.0-or-later
"""Baked motion to a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy

from ....scene.errors import XpbdError
from ...baking.report_text import plain_words
from ...data.bake_record import read_record
from ...export.export import POINT_CACHES, export
from .idle import has_bake, is_idle

FORMATS = (
    (".pc2", "PC2", "Points in the object's coordinates, for Mesh Cache modifiers; a file for each object"),
    (".mdd", "MDD", "As PC2, for other applications"),
    (".abc", "Alembic", "Meshes with their motion, for other applications and renderers"),
    (".usdc", "USD", "Universal Scene Description, binary"),
    (".glb", "glTF", "Morph targets, for engines and the web; within the key tolerance"),
    (".npz", "NumPy", "Positions in the world and metres, for scripts"),
)


class XPBD_OT_export(bpy.types.Operator):
    """Write the motion of the selected baked objects, or of all where none is selected, to a file."""

    bl_idname = "xpbd.export"
    bl_label = "Export XPBD Bake"
    bl_options = {"REGISTER", "UNDO"}

    filepath: bpy.props.StringProperty(name="File", description="The file to write", subtype="FILE_PATH")
    file_format: bpy.props.EnumProperty(name="Format", description="The kind of file", items=FORMATS)
    use_modifier: bpy.props.BoolProperty(
        name="Replace Keys",
        description="Clear the shape keys and play the file with a Mesh Cache modifier, so that the .blend file stays "
        "small; PC2 and MDD only",
        default=False,
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether there is a finished bake."""
        return is_idle(cls) and has_bake(cls, context)

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[Any]:
        """Ask for the file."""
        if not self.filepath:
            self.filepath = str(Path(bpy.data.filepath).with_suffix(self.file_format)) if bpy.data.filepath else ""
            self.filepath = self.filepath or f"untitled{self.file_format}"
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def check(self, _context: bpy.types.Context) -> bool:
        """Let the ending of the file follow the format."""
        path = Path(self.filepath)
        if not path.name or path.suffix.lower() == self.file_format:
            return False
        known = path.suffix.lower() in {ending for ending, *_ in FORMATS}
        stem = str(path.with_suffix("")) if known else str(path)
        self.filepath = f"{stem}{self.file_format}"
        return True

    def draw(self, _context: bpy.types.Context) -> None:
        """Format and, where it has a meaning, the modifier."""
        self.layout.prop(self, "file_format")
        if self.file_format in POINT_CACHES:
            self.layout.prop(self, "use_modifier")

    def execute(self, context: bpy.types.Context) -> set[Any]:
        """Write it."""
        try:
            paths = export(
                context,
                Path(bpy.path.abspath(self.filepath)),
                _objects(context),
                replaces_keys=self.use_modifier,
                warn=lambda notice: self.report({"WARNING"}, str(notice)),
            )
        except XpbdError as error:
            self.report({"ERROR"}, plain_words(str(error)))
            return {"CANCELLED"}
        self.report({"INFO"}, f"Wrote {', '.join(path.name for path in paths)}")
        return {"FINISHED"}


def _objects(context: bpy.types.Context) -> list[bpy.types.Object]:
    selected = [obj for obj in context.selected_objects if read_record(obj) is not None]
    return selected or list(context.scene.objects)
