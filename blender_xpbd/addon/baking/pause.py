# SPDX-License-Identifier: GPL-3.0-or-later
"""How long a bake without a window waits before it looks again what the worker has done."""

from __future__ import annotations

import time

from .progress import Progress

# of the time since something was new, and no longer than that: frames that take long may be seen later
SHARE, LEAST_SECONDS, MOST_SECONDS = 0.02, 0.005, 0.02


class Pause:
    """Grows while nothing happens."""

    def __init__(self) -> None:
        """Something has just happened."""
        self._last: tuple[str, int] | None = None
        self._since = 0.0

    def seconds(self, progress: Progress, now: float | None = None) -> float:
        """How long to wait.

        Args:
            progress: of the bake.
            now: on a clock that only goes forward [s]; None for the time.
        """
        now = time.monotonic() if now is None else now
        state = progress.stage, progress.frames_done
        if state != self._last:
            self._last, self._since = state, now
        return min(max(SHARE * (now - self._since), LEAST_SECONDS), MOST_SECONDS)
