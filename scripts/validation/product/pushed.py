# SPDX-License-Identifier: GPL-3.0-or-later
"""How jelly jiggles that a goal carries, as an ear or a belly on a figure: it is pushed, and then swings on."""

from __future__ import annotations

import numpy as np

from .meshes import ball, values
from .shot import FRAMES_PER_SECOND, Baked, Floats, Shot, Thing

# of the ball, and how far what carries it goes [m] in how many frames, and all frames. A push that lasts longer gives
# the more or the less the better it is in time with the swing, which tells of that
RADIUS, WAY, PUSHED, FRAMES = 0.15, 0.05, 2, 3 * FRAMES_PER_SECOND


def carried_ball(kind: str) -> Shot:
    """A ball of 30 cm of jelly *Medium*, held at its lower end, all of which is drawn to its object, by 3 Hz."""
    positions, faces = ball(kind, RADIUS, 0.0)
    places = np.zeros((FRAMES + 1, 3))
    places[:, 0] = WAY * np.minimum(np.arange(FRAMES + 1) / PUSHED, 1.0)
    held = np.flatnonzero(positions[:, 2] < positions[:, 2].min() + 0.3 * RADIUS).astype(np.int32)
    settings = values("JELLY", goal_source="DEFORMED", goal_frequency=3.0)
    return Shot((Thing("Ball", positions, faces, settings, pinned=held, places=places),), FRAMES)


def swing(baked: Baked) -> float:
    """Root of the mean square of how far vertices are from where they are in the mean, after the push [mm].

    Over all of three seconds: two modes of nearly the same frequency beat, so that a shorter time tells of their phase.
    """
    after: Floats = baked.motion[PUSHED + 1 :]
    return float(1e3 * np.sqrt(((after - after.mean(axis=0)) ** 2).sum(axis=2).mean()))
