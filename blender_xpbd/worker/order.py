# SPDX-License-Identifier: GPL-3.0-or-later
"""The jobs that a worker which was started ahead is told over its standard input, one after the other."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..jobs.log import open_log
from .stop_signal import StopSignal


@dataclass(frozen=True)
class Order:
    """What to compute.

    Attributes:
        job: the job folder, whose log gets what the process prints.
        is_played: an artist plays it, and gives an input for each frame.
        is_preparation: nothing is wanted but that its kernels are loaded.
        stop: requested by whoever has told the order.
    """

    job: Path
    is_played: bool = False
    is_preparation: bool = False
    stop: StopSignal = field(default_factory=StopSignal, compare=False)

    @contextlib.contextmanager
    def output(self) -> Iterator[None]:
        """Print to the log of the job, Taichi's own code included; afterwards nothing holds it.

        Raises:
            XpbdError: E_CACHE, when something else stands in the log's place; E_IO, when the system refuses.
        """
        with open_log(self.job) as log:
            before = _redirected((log, log))
        try:
            yield
        finally:
            for descriptor in (*_redirected(before), *before):
                os.close(descriptor)


def _redirected(targets: tuple[int, int]) -> tuple[int, int]:
    """Print to other file descriptors from now on; return those of before."""
    sys.stdout.flush()
    sys.stderr.flush()
    before = os.dup(1), os.dup(2)
    for descriptor, target in zip((1, 2), targets, strict=True):
        os.dup2(target, descriptor)
    return before


class Orders:
    """What comes over an input, line by line of JSON, until its end.

    ``{"job": folder}`` is an order, ``{"stop": true}`` the wish that the newest order stops. So does the end.
    """

    def __init__(self, descriptor: int) -> None:
        """Read a file descriptor from now on."""
        self._orders: queue.SimpleQueue[Order | None] = queue.SimpleQueue()
        self._newest = StopSignal()
        self._has_ended = threading.Event()
        # select() knows no pipes on Windows
        threading.Thread(target=self._read, args=(descriptor,), daemon=True).start()

    @property
    def has_ended(self) -> bool:
        """Whether the input has."""
        return self._has_ended.is_set()

    def next(self, seconds: float) -> Order | None:
        """Wait for the next order.

        Args:
            seconds: how long at most.

        Returns:
            None where the input has ended, or none comes.
        """
        try:
            return self._orders.get(timeout=seconds)
        except queue.Empty:
            return None

    def has_next(self) -> bool:
        """Whether an order waits, or the input has ended."""
        return not self._orders.empty()

    def _read(self, descriptor: int) -> None:
        rest = b""
        while received := os.read(descriptor, 4096):
            *lines, rest = (rest + received).split(b"\n")
            for line in lines:
                self._take(json.loads(line))
        self._has_ended.set()
        self._newest.request()
        self._orders.put(None)

    def _take(self, told: dict[str, Any]) -> None:
        if told.get("stop"):
            self._newest.request()
            return
        order = Order(Path(told["job"]), is_played=bool(told.get("play")), is_preparation=bool(told.get("prepare")))
        self._newest = order.stop
        self._orders.put(order)
