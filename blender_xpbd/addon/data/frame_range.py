# SPDX-License-Identifier: GPL-3.0-or-later
"""Which frames a bake has: those of the scene until others are typed."""

from __future__ import annotations

from typing import Any

import bpy

from .bake_options import BakeOptions

TYPED_FRAMES = ("frame_start", "frame_end")


def follows_scene(settings: Any) -> bool:
    """Whether the frames of the scene count; in a file from before there was a choice, unless some were typed.

    Args:
        settings: ``Scene.xpbd``.
    """
    if not settings.is_property_set("use_scene_range"):
        return not any(settings.is_property_set(name) for name in TYPED_FRAMES)
    return bool(settings.use_scene_range)


def keep_typed_frames(settings: Any, _context: Any = None) -> None:
    """Let the frames count of which one was just typed, or set by a script."""
    settings.use_scene_range = False


def baked_range(scene: bpy.types.Scene, options: BakeOptions | None = None) -> tuple[int, int]:
    """The first and the last frame of a bake.

    Args:
        scene: with its settings.
        options: whose frames count before those of the scene.
    """
    own: Any = scene if follows_scene(scene.xpbd) else scene.xpbd
    start, end = int(own.frame_start), int(own.frame_end)
    if options is not None:
        start = start if options.frame_start is None else options.frame_start
        end = end if options.frame_end is None else options.frame_end
    return start, end
