# SPDX-License-Identifier: GPL-3.0-or-later
"""Install Taichi where the artist agrees to it."""

from __future__ import annotations

import functools
import time
from typing import Any

import bpy

from ....scene.errors import XpbdError
from ...data.extension import own_folder, wheels_folder, worker_python_path
from ...process import solver_setup
from ...process.solver_setup import SETUP
from ...process.taichi_install import install_taichi
from ..redraw import redraw_panels
from ..wrapped_text import draw_wrapped, popup_text
from .idle import is_idle

_WIDTH = 520
_LETTERS = 78
_PAUSE_SECONDS = 0.02
_OFFLINE = (
    "Blender may not go online: allow it under Edit > Preferences > System > Network, or name a folder that has the "
    "wheels in the add-on's preferences"
)


class XPBD_OT_install_taichi(bpy.types.Operator):
    """Install Taichi, which the solver runs on, into a folder of the add-on's own. Asks first."""

    bl_idname = "xpbd.install_taichi"
    bl_label = "Install Taichi"

    wheels_folder: bpy.props.StringProperty(
        name="Folder of Wheels",
        description="Install from the files in this folder. Empty: download them",
        subtype="DIR_PATH",
        options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        """Whether nothing else goes on."""
        if SETUP.is_installing:
            cls.poll_message_set("Taichi is being installed")
            return False
        return is_idle(cls)

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[Any]:
        """Ask."""
        self.wheels_folder = self.wheels_folder or wheels_folder(context)
        if self._may_not():
            return {"CANCELLED"}
        if bpy.app.background:
            return self.execute(context)
        return context.window_manager.invoke_props_dialog(
            self, width=_WIDTH, title="Install Taichi?", confirm_text="Install"
        )

    def draw(self, _context: bpy.types.Context) -> None:
        """What will be done."""
        source = self.wheels_folder or "the Python Package Index, pypi.org: about 75 MB"
        for text in (
            "Taichi compiles and runs the solver. It has a process of its own, outside Blender.",
            f"From {source}",
            f"Into {own_folder()}",
            "Nothing else is changed. Blender removes it together with the add-on.",
        ):
            draw_wrapped(self.layout, text, width=_LETTERS)

    def execute(self, context: bpy.types.Context) -> set[Any]:
        """Install it; with a window, while the artist goes on working."""
        if self._may_not():
            return {"CANCELLED"}
        installation = install_taichi(worker_python_path(context), bpy.path.abspath(self.wheels_folder))
        if not bpy.app.background:
            solver_setup.begin_installation(installation, functools.partial(redraw_panels, bpy.context))
            return {"FINISHED"}
        try:
            for _ in solver_setup.run_installation(installation):
                time.sleep(_PAUSE_SECONDS)
        except XpbdError as fault:
            self.report({"ERROR"}, str(fault))
            return {"CANCELLED"}
        return {"FINISHED"}

    def _may_not(self) -> bool:
        """Whether it would have to go online and may not, which is told."""
        if self.wheels_folder or bpy.app.online_access:
            return False
        self.report({"ERROR"}, _OFFLINE if bpy.app.background else popup_text(_OFFLINE))
        return True


class XPBD_OT_cancel_install(bpy.types.Operator):
    """Stop the installation of Taichi. Nothing is left of it."""

    bl_idname = "xpbd.cancel_install"
    bl_label = "Cancel the Installation"

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        """Whether there is one."""
        return SETUP.is_installing

    def execute(self, context: bpy.types.Context) -> set[Any]:
        """End it."""
        solver_setup.cancel()
        redraw_panels(context)
        return {"FINISHED"}
