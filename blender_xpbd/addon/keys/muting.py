# SPDX-License-Identifier: GPL-3.0-or-later
"""Modifiers that are muted while an object is baked, and shown again when the bake is cleared."""

from __future__ import annotations

import json
from collections.abc import Iterable

import bpy

from ..data.bake_record import BakeRecord


def muted_text(obj: bpy.types.Object, names: Iterable[str]) -> str:
    """What a record keeps of modifiers before they are muted; "" for none.

    Args:
        obj: whose modifiers they are.
        names: of the modifiers.
    """
    rows = [[name, obj.modifiers[name].show_viewport, obj.modifiers[name].show_render] for name in _there(obj, names)]
    return json.dumps(rows) if rows else ""


def mute(obj: bpy.types.Object, names: Iterable[str]) -> None:
    """Hide modifiers in viewports and renders."""
    for name in _there(obj, names):
        obj.modifiers[name].show_viewport = obj.modifiers[name].show_render = False


def unmute(obj: bpy.types.Object, record: BakeRecord) -> None:
    """Show again what a bake has muted, as it was shown before."""
    for name, (in_viewport, in_render) in record.muted_modifiers().items():
        modifier = obj.modifiers.get(name)
        if modifier is not None:
            modifier.show_viewport, modifier.show_render = in_viewport, in_render


def _there(obj: bpy.types.Object, names: Iterable[str]) -> list[str]:
    return [name for name in names if name in obj.modifiers]
