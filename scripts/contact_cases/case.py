# SPDX-License-Identifier: GPL-3.0-or-later
"""What a case is: a scene that can be built with a jitter of its own for each start."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from blender_xpbd.scene.body import Body
from blender_xpbd.scene.collider import Collider


@dataclass(frozen=True)
class Content:
    """What is in a scene.

    Attributes:
        bodies: what is simulated.
        colliders: what it meets.
    """

    bodies: tuple[Body, ...]
    colliders: tuple[Collider, ...] = ()


@dataclass(frozen=True)
class Case:
    """One scene of the suite.

    Attributes:
        name: on the command line.
        build: called with a generator of random numbers and the number of frames, makes the scene.
        frames: how many are simulated.
        pinch: the frames in which colliders squeeze, first and last; (0, 0) where they never do.
        recovery: frames after which nothing may cross any more of what crosses at the start; 0 where that was modelled
            so and counts at no frame.
    """

    name: str
    build: Callable[[np.random.Generator, int], Content]
    frames: int = 48
    pinch: tuple[int, int] = (0, 0)
    recovery: int = 0
