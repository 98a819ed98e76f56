# SPDX-License-Identifier: GPL-3.0-or-later
"""Finding Blender's data again: undo, renaming and deletion leave Python references that may not be touched.

``session_uid`` (Blender 4.2 and later) stays with a data-block through renaming and undo, and no other data-block of
the session gets it, not even after another file has been opened.
"""

from __future__ import annotations

import bpy

# under which name an object was found last: a bake asks ten times per frame, and files have thousands of objects
_last_names: dict[int, str] = {}


def object_by_uid(uid: int) -> bpy.types.Object | None:
    """The object of a session, or None where it has been deleted or another file opened."""
    likely = bpy.data.objects.get(_last_names.get(uid, ""))
    if likely is not None and likely.session_uid == uid:
        return likely
    found = next((candidate for candidate in bpy.data.objects if candidate.session_uid == uid), None)
    if found is not None:
        _last_names[uid] = found.name
    return found


def scene_by_uid(uid: int) -> bpy.types.Scene | None:
    """The scene of a session, or None where it has been deleted or another file opened."""
    return next((candidate for candidate in bpy.data.scenes if candidate.session_uid == uid), None)
