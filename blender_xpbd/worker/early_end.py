# SPDX-License-Identifier: GPL-3.0-or-later
"""Ends the process with whoever started it while it imports: an import may never return, and then nothing is heard.

A thread watches the input without reading from it, for the job may stand there already. Code of a library that holds
the interpreter's lock stops that thread too, so Linux is asked to end the process where its parent dies.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time

from ..scene.errors import ExitCode

if sys.platform == "win32":
    import msvcrt
else:
    import select

# how often it is looked [s], where no system call waits for the end of an input
_PAUSE = 0.5
# what an import that does not hang may still take [s]: an input that holds a job may end behind it
_GRACE = 5.0
# of Linux: prctl's option for the signal that a process gets when its parent dies
_SIGNAL_OF_PARENT = 1


class EarlyEnd:
    """The end of this process before it has begun: because its input has ended."""

    def __init__(self, descriptor: int) -> None:
        """Watch a file descriptor, from now on until ``leave_off``."""
        self._is_over = threading.Event()
        _end_with_parent(signal.SIGKILL)
        threading.Thread(target=self._wait, args=(descriptor,), daemon=True).start()

    def leave_off(self) -> None:
        """Everything is imported: from now on, the end of the input is for others, who finish what is begun."""
        self._is_over.set()
        _end_with_parent(0)

    def _wait(self, descriptor: int) -> None:
        _wait_for_end(descriptor)
        if not self._is_over.wait(_GRACE):
            os._exit(int(ExitCode.INTERRUPTED))


if sys.platform == "win32":

    def _wait_for_end(descriptor: int) -> None:
        handle = ctypes.c_void_p(msvcrt.get_osfhandle(descriptor))
        while ctypes.windll.kernel32.PeekNamedPipe(handle, None, 0, None, None, None):
            time.sleep(_PAUSE)

else:

    def _wait_for_end(descriptor: int) -> None:
        poll = select.poll()
        # an end is told unasked; macOS knows no terminals here, and says so at once
        poll.register(descriptor, 0)
        while not any(told & (select.POLLHUP | select.POLLERR) for _, told in poll.poll()):
            time.sleep(_PAUSE)


def _end_with_parent(number: int) -> None:
    """Have Linux send a signal when the thread ends that has started this process; 0 for none."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(_SIGNAL_OF_PARENT, int(number), 0, 0, 0)
