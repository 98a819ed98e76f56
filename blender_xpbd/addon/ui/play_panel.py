# SPDX-License-Identifier: GPL-3.0-or-later
"""What the panel shows in the place of Bake while a run is played."""

from __future__ import annotations

from typing import Any

from ..baking.report_text import fault_paragraphs
from ..playing import window_play
from ..playing.player import PLAYING
from .play_header import TITLE, header_text
from .wrapped_text import draw_wrapped


def draw_playing(layout: Any, width: int) -> None:
    """Keep, pause, step, begin again, stop."""
    player = window_play.current()
    if player is None:
        return
    row = layout.row(align=True)
    row.scale_y = 1.8
    row.operator("xpbd.keep", text="Keep", icon="CHECKMARK")
    pause = "PLAY" if player.is_paused else "PAUSE"
    for action, icon in (("PAUSE", pause), ("STEP", "FRAME_NEXT"), ("RESTART", "LOOP_BACK"), ("CANCEL", "X")):
        button = row.row(align=True)
        # without a worker there is nothing to pause
        button.enabled = player.fault is None or action == "CANCEL"
        button.operator("xpbd.play_control", text="", icon=icon).action = action
    column = layout.column()
    column.enabled = player.state == PLAYING
    column.operator("xpbd.play_control", text="Use as Start", icon="ARMATURE_DATA").action = "START"
    column.operator("xpbd.play_control", text="Use as Rest Shape", icon="MESH_DATA").action = "REST_SHAPE"
    told = header_text(player).removeprefix(TITLE)
    if player.fault is not None:
        draw_wrapped(layout, "\n".join(fault_paragraphs(str(player.fault))), icon="ERROR", width=width)
    draw_wrapped(layout, f"{told[:1].upper()}{told[1:]}", icon="INFO", width=width)
