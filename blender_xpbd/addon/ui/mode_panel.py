# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel of how an object's stiffness is given to the solver."""

from __future__ import annotations

import bpy

from ...scene.roles import CLOTH, JELLY
from ..data.material_names import mode_names
from .sidebar import SubPanel, draw_value


class XPBD_PT_mode(SubPanel, bpy.types.Panel):
    """XPBD or PBD, for this object alone."""

    bl_label = "Solver Mode"
    roles = (JELLY, CLOTH)

    def draw(self, context: bpy.types.Context) -> None:
        """Draw."""
        settings = context.object.xpbd
        column = self.layout.column()
        for name in mode_names(settings, context.scene.xpbd.solver_mode):
            draw_value(column, settings, name)
