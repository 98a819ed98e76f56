# SPDX-License-Identifier: GPL-3.0-or-later
"""What a job may hold and the solver does not act on."""

from __future__ import annotations

from collections.abc import Iterable

from ...scene.errors import Notice
from ...scene.scene import Scene
from ...scene.track import Track


def ignored(scene: Scene, tracks: Iterable[Track]) -> tuple[Notice, ...]:
    """A warning for each track that changes nothing.

    Args:
        scene: whose objects are named.
        tracks: those that nothing follows.
    """
    names = {item.identifier: item.name for item in scene.objects}
    return tuple(
        Notice("W_IGNORED", f"The track of {track.parameter} changes nothing.", names.get(track.target, ""))
        for track in tracks
    )
