# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies whose finished result a modifier evens out, so that they may be shown inside what they lie on.

Over a plane nothing is told: a mean of points over it is over it. Nor is anything of a body that meets itself alone:
layers that are shown a little inside each other look alike.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy

from ...scene.collider import Collider
from ...scene.errors import Notice
from ...scene.listing import quoted
from ...scene.scene import Scene
from ..reading.modifier_stack import acts, deformers, follows_deformed
from .lying import PLANE
from .reach import Boxes, within_reach

# modifiers that even a surface out, and how much of it they do
_SMOOTHERS = {
    "SMOOTH": ("factor",),
    "CORRECTIVE_SMOOTH": ("factor",),
    "LAPLACIANSMOOTH": ("lambda_factor", "lambda_border"),
}


def shown_smooth(scene: bpy.types.Scene, read: Scene) -> Iterator[Notice]:
    """A warning for each body of which it is so.

    Args:
        scene: whose objects have modifiers.
        read: the same, as it was read at its first frame.
    """
    boxes = Boxes(read.gravity)
    for body in read.bodies:
        obj = scene.objects.get(body.name)
        if obj is None or not smoothers(obj):
            continue
        near = within_reach(body, read, boxes)
        names = [one.name for one in near if not isinstance(one, Collider) or one.shape != PLANE]
        if names:
            text = (
                "Smooth, Corrective Smooth or Laplacian Smooth moves the finished result, so that it may be shown "
                f"inside {quoted(names)}. Turn it off, or choose Deformed Mesh as Goal."
            )
            yield Notice("W_SHOWN_SMOOTH", text, body.name)


def smoothers(obj: bpy.types.Object) -> list[bpy.types.Modifier]:
    """The modifiers that even out the finished result of a body: all, but for deformers that its goal follows."""
    followed = {one.name for one in deformers(obj)} if follows_deformed(obj) else set()
    return [one for one in obj.modifiers if one.name not in followed and acts(one) and _evens(one)]


def turn_smoothing_off(obj: bpy.types.Object) -> str:
    """Turn off what evens out the finished result of a body; why not, where nothing does."""
    found = smoothers(obj)
    for modifier in found:
        modifier.show_viewport = modifier.show_render = False
    return "" if found else f'No modifier smooths the result of "{obj.name}"'


def _evens(modifier: Any) -> bool:
    """Whether a modifier evens anything out, as it is set."""
    factors = _SMOOTHERS.get(modifier.type, ())
    return any(getattr(modifier, name) != 0.0 for name in factors) and modifier.iterations > 0
