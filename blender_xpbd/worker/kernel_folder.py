# SPDX-License-Identifier: GPL-3.0-or-later
"""The folder of compiled kernels where it is damaged, or is no folder: a bake goes on without what is of no use.

Taichi keeps each kernel in a file that ends with a digest of its content, and lists them in a table. It compiles a
kernel anew whose file is damaged or missing, but keeps nothing that the table lists already: each bake would compile
for up to half a minute again.
"""

from __future__ import annotations

import contextlib
import hashlib
import math
import os
import re
import shutil
import struct
import tempfile
from collections.abc import Iterable
from pathlib import Path

from ..jobs.files import io_error, read_bytes
from ..scene.errors import Notice, XpbdError

_TABLE, _LOCK, _KERNELS = "ticache.tcb", "ticache.lock", "*.tic"
_NAME = re.compile(rb"T[0-9a-f]{64}")
# what a kernel's file begins with: four letters, the device, and how long its two parts are [bytes]
_HEADER = struct.Struct("<4sIQQ")
_DIGEST_LENGTH = 64
# [bytes]; far more than there are
_LONGEST_TABLE, _LONGEST_KERNEL = 2**24, 2**28
# of a disk [bytes]; the kernels of a scene take some megabytes
_ROOM = 2**24
_TAKES_LONG = "so each bake compiles them anew, which takes up to half a minute"


class KernelFolder:
    """Where a run keeps its kernels: in the folder that is asked for, or else in one of its own, which ends with it."""

    def __init__(self, wanted: Path) -> None:
        """Make the folder where it is missing.

        Raises:
            XpbdError: E_IO, when there is no place for another one either.
        """
        self.notice: Notice | None = None
        self._wanted = wanted
        self._spare: Path | None = None
        self.path = wanted
        reason = _refusal(wanted)
        if reason:
            try:
                self._spare = Path(tempfile.mkdtemp(prefix="xpbd-kernels-"))
            except OSError as fault:
                raise io_error("make a folder for kernels in", Path(tempfile.gettempdir()), 0, fault) from fault
            self.path = self._spare
            self._note(reason, "Make it a folder that you may write to, or name one in XPBD_TAICHI_CACHE.")

    def note_full_disk(self) -> None:
        """Tell that what was compiled will not be kept, where there is hardly room: kernels are written at the end."""
        free = _free_bytes(self.path)
        if self.notice is None and free < _ROOM:
            self._note(f"{free} bytes are free", "Free space on the disk, or name another folder in XPBD_TAICHI_CACHE.")

    def drop_torn(self) -> None:
        """Remove what has found no room on the disk, which nothing reads; not while another process writes there."""
        if _free_bytes(self.path) < _ROOM and not (self.path / _LOCK).exists():
            _remove(path for path in self.path.glob(_KERNELS) if not _is_whole(path))

    def _note(self, reason: str, advice: str) -> None:
        text = f"The solver's compiled kernels cannot be kept in {self._wanted} ({reason}), {_TAKES_LONG}."
        self.notice = Notice("W_KERNELS", f"{text} {advice}")

    def forget_damaged(self) -> bool:
        """Empty the folder of kernels where one is damaged or missing, so that what was compiled meanwhile is kept.

        Not while another process writes there.

        Returns:
            Whether there was one.
        """
        if (self.path / _LOCK).exists() or all(_is_whole(path) for path in self._listed()):
            return False
        _remove((self.path / _TABLE, *self.path.glob(_KERNELS)))
        return True

    @property
    def is_own(self) -> bool:
        """Whether the folder ends with this run, for the one that is asked for is of no use."""
        return self._spare is not None

    def close(self) -> None:
        """Remove a folder of its own."""
        if self._spare is not None:
            shutil.rmtree(self._spare, ignore_errors=True)

    def _listed(self) -> list[Path]:
        """The files of the kernels that the table lists; none where there is no table, which Taichi then makes."""
        try:
            table = read_bytes(self.path / _TABLE, _LONGEST_TABLE, "E_CACHE")
        except XpbdError:
            return []
        return [self.path / f"{name.decode()}.tic" for name in sorted(set(_NAME.findall(table)))]


def _refusal(folder: Path) -> str:
    """Why kernels cannot be kept in a folder, which is made where it is missing; "" where they can."""
    try:
        # kernels are code: nobody else shall write there
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as fault:
        return fault.strerror or str(fault)
    if not os.access(folder, os.W_OK | os.X_OK):
        return "it may not be written to"
    # nobody gets that lock, and nobody removes it
    return f"its {_LOCK} is a folder, which is to be removed" if (folder / _LOCK).is_dir() else ""


def _free_bytes(folder: Path) -> float:
    """Of the disk on which a folder lies; infinite where the system does not tell."""
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return math.inf


def _remove(paths: Iterable[Path]) -> None:
    for path in paths:
        # another worker may have removed it; what may not be removed costs no more than time
        with contextlib.suppress(OSError):
            path.unlink()


def _is_whole(path: Path) -> bool:
    """Whether a kernel's file is as Taichi has written it."""
    try:
        content = read_bytes(path, _LONGEST_KERNEL, "E_CACHE")
    except XpbdError:
        return False
    if len(content) < _HEADER.size + _DIGEST_LENGTH:
        return False
    *_, first, second = _HEADER.unpack_from(content)
    if len(content) != _HEADER.size + first + second + _DIGEST_LENGTH:
        return False
    digest = hashlib.sha256(memoryview(content)[_HEADER.size : -_DIGEST_LENGTH]).hexdigest()
    return content[-_DIGEST_LENGTH:] == digest.encode()
