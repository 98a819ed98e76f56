# SPDX-License-Identifier: GPL-3.0-or-later
"""The add-on's preferences: which Python runs the solver."""

from __future__ import annotations

import bpy

from ..baking.report_text import plain_words
from ..data.bake_status import STATUS
from ..data.classes import register_classes, unregister_classes
from ..data.extension import BASE_PACKAGE
from ..process.worker_python import known_python
from .redraw import redraw_panels
from .wrapped_text import draw_wrapped, letters_across


def _forget_fault(_preferences: bpy.types.AddonPreferences, context: bpy.types.Context) -> None:
    """A fault of the Python that was named before says nothing of this one."""
    if STATUS.message.startswith("E_DEP"):
        STATUS.message = ""
        redraw_panels(context)


class XPBD_preferences(bpy.types.AddonPreferences):
    """What is set once for all files."""

    bl_idname = BASE_PACKAGE

    worker_python: bpy.props.StringProperty(
        name="Solver's Python",
        description="A Python 3.11 or later with the package taichi, which runs the solver. Empty: the one inside "
        "Blender, or one found on this machine",
        subtype="FILE_PATH",
        update=_forget_fault,
    )

    def draw(self, context: bpy.types.Context) -> None:
        """The path, and what was found."""
        layout = self.layout
        layout.prop(self, "worker_python")
        layout.operator("xpbd.check_worker", icon="VIEWZOOM")
        width = letters_across(context)
        found = known_python(self.worker_python)
        if found is not None:
            draw_wrapped(layout, f"Python {found.version} with Taichi: {found.executable}", "CHECKMARK", width)
        elif STATUS.message.startswith("E_DEP"):
            draw_wrapped(layout, plain_words(STATUS.message), "ERROR", width)


CLASSES = (XPBD_preferences,)


def register() -> None:
    """Add the preferences."""
    register_classes(CLASSES)


def unregister() -> None:
    """Remove the preferences."""
    unregister_classes(CLASSES)
