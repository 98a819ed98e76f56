# SPDX-License-Identifier: GPL-3.0-or-later
"""Over which frames a scene is played."""

from __future__ import annotations

import bpy

from ..data.bake_options import BakeOptions
from ..data.frame_range import baked_range
from ..reading.modifier_stack import follows_deformed
from ..reading.motion import has_animation, has_frame_handlers, may_deform, may_move

# where nothing is animated: five minutes at 24 frames per second
MOST_FRAMES = 7200


def playing_range(context: bpy.types.Context, options: BakeOptions) -> tuple[int, int, bool]:
    """The first and the last frame, and whether the scene's time goes with them.

    Where something is animated they are those of a bake, for it is read for each of them. Elsewhere a run goes on.
    """
    scene = context.scene
    start, end = baked_range(scene, options)
    taking_part = [obj for obj in scene.objects if obj.xpbd.role != "NONE" or obj.field is not None]
    moves = has_frame_handlers() or has_animation(scene)
    moves = moves or any(may_move(obj) or has_animation(obj) or _deforms(obj) for obj in taking_part)
    moves = moves or any(_follows(obj) for obj in taking_part)
    return start, end if moves or options.frame_end is not None else start + MOST_FRAMES - 1, moves


def _follows(obj: bpy.types.Object) -> bool:
    """Whether an object follows others: a rig, what it is attached to, the surface that hair hangs on."""
    hangs = obj.type == "CURVES" and obj.data.surface is not None
    return follows_deformed(obj) or obj.xpbd.attach_object is not None or hangs


def _deforms(obj: bpy.types.Object) -> bool:
    """Whether a collider may change its shape with the frame."""
    return obj.type == "MESH" and obj.xpbd.role == "COLLIDER" and may_deform(obj)
