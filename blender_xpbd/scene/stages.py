# SPDX-License-Identifier: GPL-3.0-or-later
"""What a simulation goes through before its first frame, and without gravity: a scene with these frames in it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from .body import Body, Pins
from .scene import Scene
from .settings import SCENE_PARAMETERS
from .track import SCENE_TARGET, Track

Floats = npt.NDArray[np.float64]


def staged(scene: Scene) -> Scene:
    """The scene as it is simulated: with its start frames, and without gravity while seams close.

    In start frames all that is animated stands as it does at the first frame.

    Args:
        scene: as an artist means it.
    """
    frames, lead = scene.frames, scene.settings.preroll
    if lead:
        scene = replace(
            scene,
            frames=replace(frames, start=frames.start - lead, hidden=frames.hidden + lead),
            bodies=tuple(_waiting(body, lead) for body in scene.bodies),
            colliders=tuple(
                replace(
                    collider,
                    transforms=_held(collider.transforms, lead),
                    positions=_held(collider.positions, lead),
                )
                for collider in scene.colliders
            ),
            forces=tuple(replace(force, transforms=_held(force.transforms, lead)) for force in scene.forces),
            tracks=tuple(replace(track, values=_held(track.values, lead)) for track in scene.tracks),
        )
    return _weightless(scene, min(scene.settings.sewing_frames, scene.frames.count))


def _waiting(body: Body, lead: int) -> Body:
    return replace(body, pins=_waiting_pins(body.pins, lead), goal=_waiting_pins(body.goal, lead))


def _waiting_pins(pins: Pins, lead: int) -> Pins:
    return replace(pins, targets=_held(pins.targets, lead), matrices=_held(pins.matrices, lead))


def _held(rows: Floats, lead: int) -> Floats:
    """Rows of frames with so many more of the first in front, where there is one for each frame."""
    return rows if len(rows) < 2 else np.concatenate([np.repeat(rows[:1], lead, axis=0), rows])


def _weightless(scene: Scene, count: int) -> Scene:
    """The scene without gravity in its first frames."""
    if not count:
        return scene
    tracks = {(track.target, track.parameter): track for track in scene.tracks}
    for parameter, built in zip(SCENE_PARAMETERS, scene.gravity.tolist(), strict=True):
        key = (SCENE_TARGET, parameter.name)
        values = tracks[key].values.copy() if key in tracks else np.full(scene.frames.count, built)
        values[:count] = 0.0
        tracks[key] = Track(*key, values)
    return replace(scene, tracks=tuple(tracks.values()))
