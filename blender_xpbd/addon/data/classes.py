# SPDX-License-Identifier: GPL-3.0-or-later
"""Registering classes in order."""

from __future__ import annotations

from collections.abc import Sequence

import bpy


def register_classes(classes: Sequence[type]) -> None:
    """Make Blender know them, the first one first."""
    for cls in classes:
        bpy.utils.register_class(cls)


def unregister_classes(classes: Sequence[type]) -> None:
    """Make Blender forget them, the last one first."""
    for cls in reversed(classes):
        bpy.utils.unregister_class(cls)
