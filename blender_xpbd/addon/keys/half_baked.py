# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects as they were in the middle of a bake, as an undo or a file that was saved then brings them back."""

from __future__ import annotations

import bpy

from ...scene.errors import XpbdError
from ..data.bake_record import BakeRecord, read_record

_ADVICE = (
    "This is the middle of a bake: nothing plays the keys that are there. Undo once more, or bake again, which takes "
    "what is solved from the cache."
)


def half_baked() -> list[XpbdError]:
    """A fault for each object that has keys of a bake which came to no end: curves are written there."""
    return [
        XpbdError("E_INTERRUPTED", _ADVICE, obj.name)
        for obj in bpy.data.objects
        if obj.xpbd.bake_record and (record := read_record(obj)) is not None and _is_half_baked(obj, record)
    ]


def _is_half_baked(obj: bpy.types.Object, record: BakeRecord) -> bool:
    keys = getattr(obj.data, "shape_keys", None)
    # curves among the artist's own do not tell
    if keys is None or not record.created_action or obj.xpbd.cache_modifier:
        return False
    animation = keys.animation_data
    is_played = animation is not None and (animation.action is not None or len(animation.nla_tracks) > 0)
    return not is_played and any(block.name.startswith(f"{record.prefix} ") for block in keys.key_blocks)
