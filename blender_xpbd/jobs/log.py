# SPDX-License-Identifier: GPL-3.0-or-later
"""What the worker prints, kept with the job."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from .files import inside, io_error, open_regular, reading

LOG_FILE = "worker.log"


@contextlib.contextmanager
def open_log(folder: Path) -> Iterator[int]:
    """A file descriptor to append to the log of a job folder, closed at the end.

    Raises:
        XpbdError: E_CACHE, when something else stands in its place; E_IO, when the system refuses.
    """
    path = inside(folder, LOG_FILE, code="E_CACHE")
    with contextlib.ExitStack() as stack:
        try:
            descriptor = stack.enter_context(open_regular(path, "E_CACHE", os.O_WRONLY | os.O_CREAT | os.O_APPEND))
        except OSError as fault:
            raise io_error("open", path, 0, fault) from fault
        yield descriptor


def read_log(folder: Path, start: int, limit: int) -> str:
    """The end of the log of a job folder.

    Args:
        folder: the job folder.
        start: nothing before this byte.
        limit: bytes at most.

    Raises:
        XpbdError: E_CACHE, when it is missing or something else stands in its place; E_IO, when the system refuses.
    """
    with reading(inside(folder, LOG_FILE, code="E_CACHE"), "E_CACHE") as (file, length):
        file.seek(max(length - limit, start))
        return file.read(limit).decode("utf-8", "replace")
