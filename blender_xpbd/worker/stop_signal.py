# SPDX-License-Identifier: GPL-3.0-or-later
"""The wish that the worker stops: from a signal, or because whoever asked for the bake is gone."""

from __future__ import annotations

import os
import signal
import threading

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class StopSignal:
    """Set once, from any thread or signal handler; the worker looks at it between frames."""

    def __init__(self) -> None:
        """Not requested yet."""
        self._requested = threading.Event()
        self._is_by_system = False

    @property
    def is_by_system(self) -> bool:
        """Whether it came as a signal of the system, which asks the whole process to end."""
        return self._is_by_system

    @property
    def is_requested(self) -> bool:
        """Whether the worker shall stop after the frame that it computes."""
        return self._requested.is_set()

    def request(self) -> None:
        """Ask the worker to stop."""
        self._requested.set()

    def obey_signals(self) -> None:
        """Request a stop when SIGINT or SIGTERM comes."""
        for number in _SIGNALS:
            signal.signal(number, self._obey)

    def _obey(self, *_signal: object) -> None:
        self._is_by_system = True
        self.request()

    def watch(self, descriptor: int) -> None:
        """Request a stop when a file descriptor comes to its end."""
        threading.Thread(target=self._wait_for_end, args=(descriptor,), daemon=True).start()

    def _wait_for_end(self, descriptor: int) -> None:
        while os.read(descriptor, 4096):
            pass
        self.request()


def end_at_signals() -> None:
    """From now on SIGINT and SIGTERM end the process, for there is nothing to finish."""
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_DFL)
