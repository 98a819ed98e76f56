# SPDX-License-Identifier: GPL-3.0-or-later
"""Finding Blender's data again: undo, renaming and deletion leave Python references that may not be touched.

``session_uid`` (Blender 4.2 and later) stays with a data-block through renaming and undo, and no other data-block of
the session gets it, not even after another file has been opened.
"""

from __future__ import annotations

import bpy


def object_by_uid(uid: int) -> bpy.types.Object | None:
    """The object of a session, or None where it has been deleted or another file opened."""
    return next((candidate for candidate in bpy.data.objects if candidate.session_uid == uid), None)


def object_uids() -> set[int]:
    """All objects of the file."""
    return {candidate.session_uid for candidate in bpy.data.objects}


def scene_by_uid(uid: int) -> bpy.types.Scene | None:
    """The scene of a session, or None where it has been deleted or another file opened."""
    return next((candidate for candidate in bpy.data.scenes if candidate.session_uid == uid), None)
