# SPDX-License-Identifier: GPL-3.0-or-later
"""Seconds spent in each stage."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


class Stopwatch:
    """Adds up wall time by stage.

    Attributes:
        seconds: by stage, in the order of their first use.
    """

    def __init__(self) -> None:
        """Nothing measured yet."""
        self.seconds: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Add the time of the block to a stage."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start
