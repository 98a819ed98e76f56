# SPDX-License-Identifier: GPL-3.0-or-later
"""What the worker prints, Taichi's own words among it: the log of the job."""

from __future__ import annotations

import contextlib
import sys
from typing import Any, TextIO


class _LossyStream:
    """A text stream that loses what its file does not take, where others fail."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        with contextlib.suppress(OSError):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError):
            self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def bear_a_full_disk() -> None:
    """From now on, words that the log does not take are lost, and the work goes on."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        # a Python without a console has none
        if stream is not None:
            setattr(sys, name, _LossyStream(stream))
