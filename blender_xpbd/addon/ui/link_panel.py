# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel of links between vertices."""

from __future__ import annotations

import bpy

from ...scene.body_kinds import body_roles
from .sidebar import SubPanel

_BUTTONS = (("EQUAL", "Rod (=)"), ("AT_MOST", "Rope (≤)"), ("AT_LEAST", "Bumper (≥)"))


class XPBD_PT_links(SubPanel, bpy.types.Panel):
    """Makes links of the selected edges."""

    bl_label = "Links"
    roles = body_roles()

    def draw(self, context: bpy.types.Context) -> None:
        """Draw."""
        column = self.layout.column()
        column.label(text="Selected Edges")
        row = column.row(align=True)
        for kind, label in _BUTTONS:
            row.operator("xpbd.set_link", text=label).kind = kind
        column.operator("xpbd.set_link", text="No Link", icon="X").kind = "NONE"
