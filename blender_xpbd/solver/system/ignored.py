# SPDX-License-Identifier: GPL-3.0-or-later
"""What a job may hold and the solver does not act on yet."""

from __future__ import annotations

from ...scene.errors import Notice
from ...scene.scene import Scene


def ignored(scene: Scene) -> tuple[Notice, ...]:
    """A warning for each object whose part of the job changes nothing."""
    names = {item.identifier: item.name for item in scene.objects}
    notices = [Notice("W_IGNORED", "The force field moves nothing.", force.name) for force in scene.forces]
    notices += [
        Notice("W_IGNORED", f"The track of {track.parameter} changes nothing.", names.get(track.target, ""))
        for track in scene.tracks
    ]
    return tuple(notices)
