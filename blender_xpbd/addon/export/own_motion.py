# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion of the artist's own shape keys, which an export does not hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...scene.errors import Notice
from ..data.bake_record import RELATIVE
from ..keys.key_animation import value_path
from ..reading.mesh_reader import own_keys, own_shape_keys
from ..reading.motion import animated_paths
from .baked_object import BakedObject


def lost_motion(objects: Sequence[BakedObject]) -> Iterator[Notice]:
    """A warning for each object whose own keys are animated below relative baked ones: both together are shown.

    The cache has what was simulated, from what the keys were at the first frame.
    """
    for baked in objects:
        keys = own_shape_keys(baked.obj.data)
        if keys is None or baked.record.style != RELATIVE:
            continue
        paths = animated_paths(keys)
        moving = [block.name for block in own_keys(baked.obj) if value_path(block.name) in paths]
        if moving:
            text = (
                f"The file holds what was simulated, without the animation of the object's own shape keys "
                f"({', '.join(moving)}), which is shown on top of it. A modifier that plays the file hides them."
            )
            yield Notice("W_OWN_KEYS", text, baked.obj.name)
