# SPDX-License-Identifier: GPL-3.0-or-later
"""What the worker prints, Taichi's own words among it: the log of the job."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

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
