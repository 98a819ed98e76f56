# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that touches Blender: properties, panels, operators, reading the scene, writing shape keys."""

from __future__ import annotations

import atexit
from types import ModuleType

import bpy

from . import command_line
from .baking import window_bake
from .data import migration, properties
from .playing import window_play
from .process import cache_moving, compiling_ahead, solver_setup, waiting_worker
from .ui import (
    cut_short,
    floor_gizmo,
    menus,
    operators,
    overlays,
    own_presets,
    panels,
    physics_panels,
    preferences,
    thumbnails,
)

# each has register() and unregister(); later ones need earlier ones
MODULES: tuple[ModuleType, ...] = (
    properties,
    migration,
    solver_setup,
    preferences,
    waiting_worker,
    compiling_ahead,
    cache_moving,
    operators,
    thumbnails,
    own_presets,
    menus,
    panels,
    physics_panels,
    overlays,
    floor_gizmo,
    cut_short,
    window_bake,
    window_play,
    command_line,
)


def register() -> None:
    """Add everything to Blender."""
    for module in MODULES:
        module.register()
    if not bpy.app.binary_path:  # no application, but pip's bpy in a Python of its own
        # pip's bpy 4.2 crashes, and 4.5 hangs, when a script ends with classes still registered
        atexit.register(unregister)


def unregister() -> None:
    """Remove everything from Blender that :func:`register` added."""
    atexit.unregister(unregister)
    for module in reversed(MODULES):
        module.unregister()
