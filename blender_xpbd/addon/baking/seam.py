# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a loop begins again."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Seam:
    """How far the last frame of a bake is from its first.

    Attributes:
        distance: greatest of a vertex [m].
        velocity: greatest difference of a vertex [m/s].
    """

    distance: float
    velocity: float
