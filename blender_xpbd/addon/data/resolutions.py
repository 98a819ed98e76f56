# SPDX-License-Identifier: GPL-3.0-or-later
"""Resolutions that were chosen from the mesh: they go with the quality of the scene; typed ones stay.

``Object.xpbd.normal_resolution`` is the one of Normal, 0 where the resolution was typed, or never chosen.
``cage_resolution`` is what the quality makes of it, so that the panel shows what counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...scene.body import RESOLUTION_RANGE
from .quality import quality_of

# cells along the longest side per those of Normal: 0.4 and 2 times as many tetrahedra. Qualities that are not named
# have those of Normal
SHARES: Mapping[str, float] = {"DRAFT": 0.75, "FINAL": 1.25}


def resolution_at(settings: Any, quality: str) -> int:
    """The resolution of an object at a quality, which a bake may have been given in place of the scene's.

    Args:
        settings: its ``Object.xpbd``.
        quality: that the bake goes by.
    """
    normal = int(settings.normal_resolution)
    return int(settings.cage_resolution) if normal == 0 else scaled(normal, quality)


def set_normal_resolution(settings: Any, normal: int, quality: str) -> None:
    """Choose the resolution of Normal for an object, by which it goes from now on.

    Args:
        settings: its ``Object.xpbd``.
        normal: cells along the longest side.
        quality: of its scene.
    """
    settings.cage_resolution = scaled(normal, quality)
    # to set the other one has made this 0, as if it were typed
    settings.normal_resolution = normal


def keep_typed_resolution(settings: Any, _context: Any = None) -> None:
    """Let the number count that was just typed, or set by a script."""
    settings.normal_resolution = 0


def follow_quality(settings: Any, _context: Any = None) -> None:
    """Let the resolutions that were chosen from meshes go with the quality of ``Scene.xpbd``."""
    quality = quality_of(settings)
    for obj in settings.id_data.objects:
        if obj.xpbd.normal_resolution and obj.is_editable:
            set_normal_resolution(obj.xpbd, obj.xpbd.normal_resolution, quality)


def scaled(normal: int, quality: str) -> int:
    """What a quality makes of a resolution of Normal."""
    lowest, highest = RESOLUTION_RANGE
    return min(max(round(normal * SHARES.get(quality, 1.0)), lowest), highest)
