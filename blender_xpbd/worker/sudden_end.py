# SPDX-License-Identifier: GPL-3.0-or-later
"""Lets a process be ended at any moment, but while its cache of kernels is read or written.

The compiler answers nobody for up to half a minute, so a wish to stop would not be heard: the system itself ends the
process at a SIGTERM, as it does by default. Taichi keeps kernels under a lock that is a file. Where a process is ended
meanwhile the lock stays, and nobody else's kernels are kept (``device/kernel_cache.py``).
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from ..scene.errors import ExitCode


class SuddenEnd:
    """The end of this process: from a SIGTERM, or because whoever started it is gone."""

    def __init__(self) -> None:
        """It may come at once."""
        self._held_off = threading.Lock()
        self._is_wanted = False
        signal.signal(signal.SIGTERM, signal.SIG_DFL)

    def watch(self, descriptor: int) -> None:
        """End the process when a file descriptor comes to its end."""
        threading.Thread(target=self._wait_for_end, args=(descriptor,), daemon=True).start()

    @contextmanager
    def held_off(self) -> Iterator[None]:
        """Not now: where it is wanted meanwhile, it comes after that."""
        self.hold_off()
        try:
            yield
        finally:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            self._held_off.release()
            if self._is_wanted:
                _leave()

    def hold_off(self) -> None:
        """Not any more: the process ends by itself, and soon."""
        self._held_off.acquire()
        signal.signal(signal.SIGTERM, self._want)

    def _want(self, *_signal: object) -> None:
        self._is_wanted = True

    def _wait_for_end(self, descriptor: int) -> None:
        while os.read(descriptor, 4096):
            pass
        with self._held_off:
            _leave()


def _leave() -> NoReturn:
    os._exit(int(ExitCode.INTERRUPTED))
