# SPDX-License-Identifier: GPL-3.0-or-later
"""When a frame is due, and how coarse it must be computed to come in time."""

from __future__ import annotations

import math

# of the duration of a frame: what the worker may take for it, and what is aimed at where it takes more
_BUSY, _AIM = 0.85, 0.7
# frames in a row that come too late before substeps are fewer: one may be late for another reason
_PATIENCE = 6
# frames after which they may be more again, where each took less than this share of its duration
_LONG_PATIENCE, _IDLE = 24, 0.4
# frames that do not count, at the start and after a change: what they need is not in the caches yet
_UNCOUNTED, _AFTER_CHANGE = 8, 2
LEAST_SUBSTEPS = 2
# share of its substeps that a jelly keeps at least: a ball that falls 2 m onto a floor flies apart with a fifth of them
# and holds with a quarter (docs/experiments.md, Fewer substeps in Play)
_SOLID_SHARE = 1.0 / 3.0
# frames by which the clock may be behind before it goes on from now
_MOST_BEHIND = 2.0


class Pace:
    """The clock of a run, and its substeps.

    Attributes:
        full_substeps: of a frame of a bake.
        least_substeps: as few as there may be.
        substeps: of the next frame.
        fewest_substeps: of a frame that was asked for since the run began.
    """

    def __init__(self, frame_duration: float) -> None:
        """Nothing is known of the worker yet.

        Args:
            frame_duration: [s].
        """
        self._duration = frame_duration
        self._next = 0.0
        self._late: list[float] = []
        self._early, self._uncounted = 0, _UNCOUNTED
        self.full_substeps = 0
        self.least_substeps = LEAST_SUBSTEPS
        self.substeps = self.fewest_substeps = 0

    @property
    def is_coarser(self) -> bool:
        """Whether there are fewer substeps than the quality asks for."""
        return self.substeps < self.full_substeps

    @property
    def was_coarser(self) -> bool:
        """Whether a frame of the run had fewer."""
        return self.fewest_substeps < self.full_substeps

    def begin(self, substeps: int, *, has_solids: bool) -> None:
        """Take the substeps that the worker has begun with.

        Args:
            substeps: of a frame.
            has_solids: whether a body is of tetrahedra, which fly apart with too few.
        """
        self.full_substeps = self.substeps = self.fewest_substeps = substeps
        if has_solids:
            self.least_substeps = max(LEAST_SUBSTEPS, math.ceil(_SOLID_SHARE * substeps))

    def begin_again(self) -> None:
        """Forget how few substeps earlier frames had: the run begins anew, with as many as there are now."""
        self.fewest_substeps = self.substeps

    def is_due(self, now: float) -> bool:
        """Whether the next frame shall be asked for."""
        return now >= self._next

    def note_asked(self, now: float) -> None:
        """The next frame was asked for."""
        self.fewest_substeps = min(self.fewest_substeps, self.substeps)
        behind = now - self._next
        self._next = (now if behind > _MOST_BEHIND * self._duration else self._next) + self._duration

    def note_frame(self, seconds: float) -> bool:
        """Note what the worker took for a frame; whether substeps are other from now on."""
        if self._uncounted > 0:
            self._uncounted -= 1
            return False
        late = seconds > _BUSY * self._duration
        self._late = [*self._late, seconds] if late else []
        self._early = self._early + 1 if seconds < _IDLE * self._duration else 0
        if len(self._late) >= _PATIENCE and self.substeps > self.least_substeps:
            # the middle one: a single frame may have waited for other programs
            fewer = int(self.substeps * _AIM * self._duration / sorted(self._late)[_PATIENCE // 2])
            return self._change(max(self.least_substeps, min(fewer, self.substeps - 1)))
        if self._early >= _LONG_PATIENCE and self.is_coarser:
            return self._change(min(self.full_substeps, self.substeps + max(self.substeps // 2, 1)))
        return False

    def _change(self, substeps: int) -> bool:
        self.substeps = substeps
        self._late, self._early, self._uncounted = [], 0, _AFTER_CHANGE
        return True
