# SPDX-License-Identifier: GPL-3.0-or-later
"""Progress on standard error: a moving bar on a terminal, lines in a log."""

from __future__ import annotations

import time
from types import TracebackType
from typing import TextIO

from .progress import Progress

WIDTH = 30
TERMINAL_SECONDS = 0.1
LOG_SECONDS = 5.0


class ProgressBar:
    """Shows the progress of one bake."""

    def __init__(self, stream: TextIO) -> None:
        """Nothing is written yet."""
        self._stream = stream
        self._moves = stream.isatty()
        self._last_time = -LOG_SECONDS
        self._last_stage = ""
        self._last: Progress | None = None
        self._shown: Progress | None = None
        self._length = 0

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._last is not None and self._last is not self._shown:
            self._write(self._last)
        if self._moves and self._length:
            self._stream.write("\n")
            self._stream.flush()

    def show(self, progress: Progress) -> None:
        """Show it, unless something was shown just now."""
        now = time.monotonic()
        pause = TERMINAL_SECONDS if self._moves else LOG_SECONDS
        self._last = progress
        if progress.stage == self._last_stage and now - self._last_time < pause:
            return
        self._last_time, self._last_stage = now, progress.stage
        self._write(progress)

    def _write(self, progress: Progress) -> None:
        text = progress_text(progress)
        if self._moves:
            self._stream.write(f"\r{text.ljust(self._length)}")
            self._length = len(text)
        else:
            self._stream.write(f"{text}\n")
        self._stream.flush()
        self._shown = progress


def progress_text(progress: Progress) -> str:
    """One line: bar, frames, rate, time left, message."""
    if not progress.frames_total:
        return progress.message
    filled = round(progress.fraction * WIDTH)
    parts = [
        f"[{'#' * filled}{'.' * (WIDTH - filled)}] {progress.fraction:4.0%}",
        f"{progress.frames_done}/{progress.frames_total} frames",
    ]
    if progress.frames_per_second > 0.0:
        parts.append(f"{progress.frames_per_second:.1f} frames/s")
    if progress.seconds_left is not None:
        parts.append(f"{time_text(progress.seconds_left)} left")
    return "  ".join([*parts, progress.message])


def time_text(seconds: float) -> str:
    """Minutes and seconds, and hours where there are any."""
    minutes, rest = divmod(max(round(seconds), 0), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
