# SPDX-License-Identifier: GPL-3.0-or-later
"""What draws bodies to a goal."""

from __future__ import annotations

from ..parameter import Parameter

GOAL_FREQUENCY = Parameter(
    "goal_frequency",
    "Goal Strength",
    "How firmly the object is drawn to its goal: the frequency at which it would swing about it. 0 lets it go; a "
    "vertex group scales the stiffness",
    3.0,
    "Hz",
    0.0,
    1e6,
    soft_maximum=20.0,
    animatable=True,
)
