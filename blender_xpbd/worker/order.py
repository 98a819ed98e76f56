# SPDX-License-Identifier: GPL-3.0-or-later
"""The jobs that a worker which was started ahead is told over its standard input, one after the other."""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..jobs.log import open_log


@dataclass(frozen=True)
class Order:
    """What to compute.

    Attributes:
        job: the job folder, whose log gets what the process prints.
        is_played: an artist plays it, and gives an input for each frame.
        is_preparation: nothing is wanted but that its kernels are loaded.
    """

    job: Path
    is_played: bool = False
    is_preparation: bool = False

    def take_output(self) -> None:
        """Print to the log from now on, Taichi's own code included.

        Raises:
            XpbdError: E_CACHE, when something else stands in the log's place; E_IO, when the system refuses.
        """
        sys.stdout.flush()
        sys.stderr.flush()
        with open_log(self.job) as log:
            os.dup2(log, 1)
            os.dup2(log, 2)


class Orders:
    """What comes over an input, line by line of JSON, until its end."""

    def __init__(self, descriptor: int, on_end: Callable[[], None]) -> None:
        """Read from now on.

        Args:
            descriptor: of the input.
            on_end: called where it ends, in a thread of its own.
        """
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        # select() knows no pipes on Windows
        threading.Thread(target=self._read, args=(descriptor, on_end), daemon=True).start()

    def next(self, seconds: float) -> Order | None:
        """Wait for the next order.

        Args:
            seconds: how long at most.

        Returns:
            None where the input has ended, or none comes.
        """
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            return None
        if not line.endswith(b"\n"):
            return None
        order = json.loads(line)
        return Order(
            Path(order["job"]),
            is_played=bool(order.get("play", False)),
            is_preparation=bool(order.get("prepare", False)),
        )

    def has_next(self) -> bool:
        """Whether an order waits, or the input has ended."""
        return not self._lines.empty()

    def _read(self, descriptor: int, on_end: Callable[[], None]) -> None:
        rest = b""
        while received := os.read(descriptor, 4096):
            *lines, rest = (rest + received).splitlines(keepends=True)
            if rest.endswith(b"\n"):
                lines, rest = [*lines, rest], b""
            for line in lines:
                self._lines.put(line)
        on_end()
        self._lines.put(b"")


def let_go_of_output() -> None:
    """Print nowhere from now on, so that nothing holds the log of a job that is done."""
    sys.stdout.flush()
    sys.stderr.flush()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    os.close(nowhere)
