# SPDX-License-Identifier: GPL-3.0-or-later
"""Let jellies feel like others of a size at which their material looks like jelly."""

from __future__ import annotations

from collections.abc import Iterable

import bpy

from ..baking.scene_reader import unit_scale_of
from ..data.bake_options import BakeOptions
from ..reading.feel import FLAT, felt_length, is_felt, length_of, looks_hard, squashed_share, wobbly_length
from .check_scene import read_first_frame


def suit_size(context: bpy.types.Context, objects: Iterable[bpy.types.Object]) -> bool:
    """Set *Feels Like* of those that are squashed flat by their weight, or look hard.

    Args:
        context: whose scene is read.
        objects: to look at.

    Returns:
        Whether one was changed.

    Raises:
        XpbdError: as a bake that would be refused.
    """
    wanted = {obj.session_uid: obj for obj in objects}
    reading = read_first_frame(context, BakeOptions())
    scene, unit_scale, changed = reading.scene, unit_scale_of(context.scene), False
    for body, target in zip(scene.bodies, reading.targets, strict=True):
        obj = wanted.get(target.object_uid)
        if obj is None or not is_felt(body, scene.settings.solver_mode):
            continue
        share = squashed_share(body, scene.gravity)
        if share > FLAT or looks_hard(body, share):
            length = felt_length(obj.xpbd, unit_scale) or length_of(body.positions, body.axes)
            obj.xpbd.feels_like = wobbly_length(length, share) / unit_scale
            changed = True
    return changed
