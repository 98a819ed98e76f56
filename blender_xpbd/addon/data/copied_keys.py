# SPDX-License-Identifier: GPL-3.0-or-later
"""Shape keys of a copied mesh, taken away with nothing left in the file."""

from __future__ import annotations

from typing import Any

import bpy


def clear_copied_keys(copy: bpy.types.Object) -> None:
    """Remove the shape keys of an object whose mesh is a copy.

    Blender counts a user too many of copied keys: without a mesh they would stay in the file, and it warns on saving.
    """
    keys: Any = copy.data.shape_keys
    if keys is None:
        return
    uid = keys.session_uid
    # an action would have one more user, for as long as the file is open
    keys.animation_data_clear()
    copy.shape_key_clear()
    left: list[Any] = [other for other in bpy.data.shape_keys if other.session_uid == uid]
    if left:
        bpy.data.batch_remove(left)
