# SPDX-License-Identifier: GPL-3.0-or-later
"""One process per job folder, by a lock of the operating system: it ends with its holder, however that ends."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from pathlib import Path
from types import TracebackType

from ..scene.errors import XpbdError
from .files import inside, io_error, open_regular, remove_leftovers
from .frames import FRAMES_FOLDER

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

LOCK_FILE = "lock"

_HELD = {errno.EACCES, errno.EAGAIN, errno.EWOULDBLOCK, errno.EDEADLK}


class JobLock:
    """The right to compute a job, for as long as the block runs.

    The file ``lock`` stays: deleting it would let two processes lock two files of one name. Whoever gets the lock
    clears the temporary files that a killed holder left.
    """

    def __init__(self, folder: Path) -> None:
        """Name the job folder; nothing is locked yet."""
        self._folder = folder
        self._held = contextlib.ExitStack()

    def __enter__(self) -> JobLock:
        """Take the lock at once or not at all.

        Raises:
            XpbdError: E_LOCKED when another holds it, E_CACHE when it is no regular file, E_IO when the system refuses.
        """
        path = inside(self._folder, LOCK_FILE, code="E_CACHE")
        with contextlib.ExitStack() as stack:
            try:
                descriptor = stack.enter_context(open_regular(path, "E_CACHE", os.O_RDWR | os.O_CREAT))
            except OSError as fault:
                raise io_error("open", path, 0, fault) from fault
            try:
                _lock(descriptor)
            except OSError as fault:
                if fault.errno in _HELD:
                    raise XpbdError(
                        "E_LOCKED", f"Another bake is computing {self._folder}; wait for it, or stop it."
                    ) from fault
                raise io_error("lock", path, 0, fault) from fault
            remove_leftovers(self._folder)
            remove_leftovers(inside(self._folder, FRAMES_FOLDER, code="E_CACHE"))
            self._held = stack.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Give the lock back: closing the only descriptor of the file unlocks it."""
        self._held.close()


if sys.platform == "win32":

    def _lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
