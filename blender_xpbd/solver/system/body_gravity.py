# SPDX-License-Identifier: GPL-3.0-or-later
"""Gravity as each body feels it: that of the scene by a factor of its own."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...scene.body import Body
from ...scene.scene import Scene
from .system import System
from .tracks import Tracks

Floats = npt.NDArray[np.float64]


def body_gravities(scene: Scene, tracks: Tracks, frame_index: int) -> Floats:
    """Gravity of each body at a frame, counted from the start [m/s²], shape (bodies, 3)."""
    factors = [_factor(body, tracks, frame_index) for body in scene.bodies]
    gravity: Floats = tracks.gravities(scene.gravity, [frame_index])[0]
    return np.array(factors, np.float64).reshape(-1, 1) * gravity


def particle_gravities(system: System, frame_index: int) -> Floats:
    """Gravity of each particle at a frame [m/s²], shape (particles, 3); of those of colliders that of the scene."""
    scene, tracks = system.scene, system.tracks
    result: Floats = np.repeat(tracks.gravities(scene.gravity, [frame_index]), len(system.inverse_masses), axis=0)
    of_bodies = np.repeat(body_gravities(scene, tracks, frame_index), np.diff(system.starts), axis=0)
    result[: len(of_bodies)] = of_bodies
    return result


def pull_of(scene: Scene, body: Body) -> float:
    """How strongly gravity pulls at a body at most [m/s²], of a scene that is built from the greatest values."""
    return abs(body.material.gravity_factor) * float(np.linalg.norm(scene.gravity))


def strongest_pull(scene: Scene) -> float:
    """How strongly gravity pulls at the body that it pulls at most [m/s²]."""
    return max((pull_of(scene, body) for body in scene.bodies), default=float(np.linalg.norm(scene.gravity)))


def _factor(body: Body, tracks: Tracks, frame_index: int) -> float:
    return tracks.at(body.identifier, "gravity_factor", body.material.gravity_factor, frame_index)
