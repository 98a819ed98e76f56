# SPDX-License-Identifier: GPL-3.0-or-later
"""The button that installs Taichi, and how far that is."""

from __future__ import annotations

from typing import Any

from ..process.solver_setup import SETUP
from .wrapped_text import draw_wrapped


def draw_setup(layout: Any, width: int) -> None:
    """The button, or the progress in its place.

    Args:
        layout: where to.
        width: letters per line.
    """
    if not SETUP.is_installing:
        layout.operator("xpbd.install_taichi", icon="IMPORT")
        return
    row = layout.row(align=True)
    row.progress(factor=SETUP.progress.fraction, type="BAR", text="Installing Taichi")
    row.operator("xpbd.cancel_install", text="", icon="CANCEL")
    draw_wrapped(layout, SETUP.progress.text, width=width)
