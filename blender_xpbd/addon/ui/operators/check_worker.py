# SPDX-License-Identifier: GPL-3.0-or-later
"""Look for the Python that runs the solver."""

from __future__ import annotations

from typing import Any

import bpy

from ....scene.errors import XpbdError
from ...data.bake_status import STATUS
from ...data.extension import worker_python_path
from ...process.solver_setup import SETUP
from ...process.worker_python import find_python, forget_python
from ..redraw import redraw_panels
from ..wrapped_text import popup_text


class XPBD_OT_check_worker(bpy.types.Operator):
    """Look for a Python with Taichi, which runs the solver, and tell which one it is."""

    bl_idname = "xpbd.check_worker"
    bl_label = "Check Solver"

    def execute(self, context: bpy.types.Context) -> set[Any]:
        """Search anew."""
        forget_python()
        SETUP.fault = ""
        STATUS.message = ""
        try:
            found = find_python(worker_python_path(context))
        except XpbdError as error:
            STATUS.message = str(error)
            self.report({"ERROR"}, popup_text(str(error)))
            return {"CANCELLED"}
        finally:
            redraw_panels(context)
        self.report({"INFO"}, f"The solver runs in Python {found.version}: {found.executable}")
        return {"FINISHED"}
