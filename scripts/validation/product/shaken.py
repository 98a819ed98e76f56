# SPDX-License-Identifier: GPL-3.0-or-later
"""How jelly jiggles that a goal carries, as an ear or a belly on a figure: it is shaken, and then swings on."""

from __future__ import annotations

import numpy as np

from .meshes import ball, values
from .shot import FRAMES_PER_SECOND, Baked, Floats, Shot, Thing

# of the ball [m], of the shake [m, Hz], and for how long it lasts and the ball swings on [s]
RADIUS, WAY, RATE, SHAKEN, FRAMES = 0.15, 0.05, 2.0, 1, 3 * FRAMES_PER_SECOND


def carried_ball(kind: str) -> Shot:
    """A ball of 30 cm of jelly *Medium*, held at its lower end, all of which is drawn to its shaken object, by 3 Hz."""
    positions, faces = ball(kind, RADIUS, 0.0)
    times = np.arange(FRAMES + 1) / FRAMES_PER_SECOND
    places = np.zeros((FRAMES + 1, 3))
    places[:, 0] = np.where(times < SHAKEN, WAY * np.sin(2.0 * np.pi * RATE * times), 0.0)
    held = np.flatnonzero(positions[:, 2] < positions[:, 2].min() + 0.3 * RADIUS).astype(np.int32)
    settings = values("JELLY", goal_source="DEFORMED", goal_frequency=3.0)
    return Shot((Thing("Ball", positions, faces, settings, pinned=held, places=places),), FRAMES)


def swing(baked: Baked) -> float:
    """Root of the mean square of how far vertices are from where they are in the mean, in the last second [mm]."""
    late: Floats = baked.motion[-FRAMES_PER_SECOND:]
    return float(1e3 * np.sqrt(((late - late.mean(axis=0)) ** 2).sum(axis=2).mean()))
