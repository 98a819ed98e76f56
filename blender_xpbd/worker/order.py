# SPDX-License-Identifier: GPL-3.0-or-later
"""The job that a worker which was started ahead is told over its standard input."""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

from ..jobs.log import open_log


@dataclass(frozen=True)
class Order:
    """What to compute.

    Attributes:
        job: the job folder, whose log gets what the process prints.
        is_played: an artist plays it, and gives an input for each frame.
    """

    job: Path
    is_played: bool = False

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


def wait_for_order(descriptor: int, seconds: float) -> Order | None:
    """Wait for one line of JSON, and read no further.

    Args:
        descriptor: of the input.
        seconds: how long at most.

    Returns:
        The order; None where the input ends without one, or none comes.
    """
    lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    # select() knows no pipes on Windows
    threading.Thread(target=lambda: lines.put(_read_line(descriptor)), daemon=True).start()
    try:
        line = lines.get(timeout=seconds)
    except queue.Empty:
        return None
    if not line.endswith(b"\n"):
        return None
    order = json.loads(line)
    return Order(Path(order["job"]), is_played=bool(order.get("play", False)))


def _read_line(descriptor: int) -> bytes:
    line = b""
    while not line.endswith(b"\n") and (byte := os.read(descriptor, 1)):
        line += byte
    return line
