# SPDX-License-Identifier: GPL-3.0-or-later
"""What a job may hold and the solver does not act on yet."""

from __future__ import annotations

from collections.abc import Iterable

from ...scene.errors import Notice
from ...scene.scene import Scene
from ...scene.track import Track


def ignored(scene: Scene, tracks: Iterable[Track]) -> tuple[Notice, ...]:
    """A warning for each object whose part of the job changes nothing.

    Args:
        scene: whose colliders and force fields are looked at.
        tracks: those that nothing follows.
    """
    names = {item.identifier: item.name for item in scene.objects}
    notices = [Notice("W_IGNORED", "The force field moves nothing.", force.name) for force in scene.forces]
    notices += [
        Notice("W_IGNORED", f"The track of {track.parameter} changes nothing.", names.get(track.target, ""))
        for track in tracks
    ]
    return tuple(notices)
