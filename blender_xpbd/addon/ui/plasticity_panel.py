# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel of what changes a body for good."""

from __future__ import annotations

import bpy

from ...scene.body_kinds import body_kind
from ...scene.roles import CLOTH, JELLY
from ..data.material_names import hindrances, plasticity_names, preset_names
from .sidebar import SubPanel, draw_value


class XPBD_PT_plasticity(SubPanel, bpy.types.Panel):
    """When it keeps a new shape, how fast, and when it tears."""

    bl_label = "Plasticity and Tearing"
    roles = (JELLY, CLOTH)

    def draw(self, context: bpy.types.Context) -> None:
        """Draw."""
        settings = context.object.xpbd
        column = self.layout.column()
        preset = preset_names(settings.preset)
        mode = context.scene.xpbd.solver_mode
        for name in plasticity_names(settings, mode):
            row = column.row()
            row.enabled = name not in preset
            row.active = not hindrances(settings, mode, name)
            draw_value(row, settings, name)
        if body_kind(settings.role).tears:
            column.operator("xpbd.make_tearable", icon="MOD_EDGESPLIT")
