# SPDX-License-Identifier: GPL-3.0-or-later
"""A worker of which nothing is heard."""

from __future__ import annotations

import time
from collections.abc import Callable

# longer than a frame of most scenes takes, and as long as an artist waits without asking [s]
SHORTEST_SILENCE = 30.0
# as long as it takes to build and compile most scenes, by far [s]
LONGEST_BUILDING = 120.0
# times the duration of a frame so far
LATE_FRAMES = 20.0
_NOT_BEGUN = (
    "much to build, a solver that compiles for a new kind of scene, substeps that are tried, or the worker hangs. "
    "Cancel ends it"
)


class Silence:
    """Tells when a frame takes much longer than those before it, for a worker may hang."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        """Nothing is awaited yet.

        Args:
            clock: that tells seconds.
        """
        self._clock = clock
        self._newest: tuple[int, float] | None = None

    def words(self, done: int, rate: float) -> str:
        """What to tell the artist, "" for nothing.

        Args:
            done: frames that are there.
            rate: frames per second so far, 0 while it is unknown.
        """
        now = self._clock()
        if self._newest is None or self._newest[0] != done:
            self._newest = done, now
        quiet = now - self._newest[1]
        # the first one is the scene as it was read; what is compiled late is before the second one
        if done <= 1:
            what = "Only the first frame" if done else "No frame"
            return f"{what} after {quiet:.0f} s: {_NOT_BEGUN}" if quiet >= LONGEST_BUILDING else ""
        if quiet < max(SHORTEST_SILENCE, LATE_FRAMES / rate if rate > 0.0 else 0.0):
            return ""
        return f"No frame for {quiet:.0f} s: a hard one, or the worker hangs. Cancel ends it and keeps the frames"
