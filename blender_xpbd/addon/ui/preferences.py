# SPDX-License-Identifier: GPL-3.0-or-later
"""The add-on's preferences: which Python runs the solver, and what it does before it is asked."""

from __future__ import annotations

import functools

import bpy

from ..baking.report_text import plain_words
from ..data.bake_status import STATUS
from ..data.classes import register_classes, unregister_classes
from ..data.extension import BASE_PACKAGE
from ..process import compiling_ahead
from ..process.solver_setup import SETUP, begin_search
from ..process.worker_python import known_python
from .redraw import redraw_panels
from .solver_setup import draw_setup
from .wrapped_text import draw_wrapped, letters_across

# [s] after Blender has started, which has other things to do until then
_FIRST_SECONDS = 1.0


def _forget_fault(_preferences: bpy.types.AddonPreferences, context: bpy.types.Context) -> None:
    """A fault of the Python that was named before says nothing of this one, which is tried."""
    SETUP.fault = ""
    begin_search(functools.partial(redraw_panels, bpy.context))
    if STATUS.message.startswith("E_DEP"):
        STATUS.message = ""
        redraw_panels(context)


def _stop_compiling(preferences: bpy.types.AddonPreferences, _context: bpy.types.Context) -> None:
    """What is switched off ends at once."""
    if not preferences.compile_ahead:
        compiling_ahead.stop()


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

    wheels_folder: bpy.props.StringProperty(
        name="Folder of Wheels",
        description="Where the files of Taichi are that Install Taichi takes, for a computer that is not online. "
        "Empty: it downloads them",
        subtype="DIR_PATH",
    )

    compile_ahead: bpy.props.BoolProperty(
        name="Compile Ahead",
        description="Compile the solver for the scene in the background once an object has a role, so that the first "
        "bake begins sooner",
        default=True,
        update=_stop_compiling,
    )

    def draw(self, context: bpy.types.Context) -> None:
        """The path, and what was found."""
        layout = self.layout
        layout.prop(self, "worker_python")
        layout.operator("xpbd.check_worker", icon="VIEWZOOM")
        layout.prop(self, "compile_ahead")
        width = letters_across(context)
        found = known_python(self.worker_python)
        if found is not None:
            draw_wrapped(layout, f"Python {found.version} with Taichi: {found.executable}", "CHECKMARK", width)
            return
        fault = SETUP.fault or STATUS.message
        if SETUP.is_searching:
            layout.label(text="Looking for a Python with Taichi", icon="SORTTIME")
        elif fault.startswith("E_DEP"):
            draw_wrapped(layout, plain_words(fault), "ERROR", width)
        layout.prop(self, "wheels_folder")
        draw_setup(layout, width)


CLASSES = (XPBD_preferences,)


def register() -> None:
    """Add the preferences, and find out what they are to show."""
    register_classes(CLASSES)
    begin_search(functools.partial(redraw_panels, bpy.context), _FIRST_SECONDS)


def unregister() -> None:
    """Remove the preferences."""
    unregister_classes(CLASSES)
