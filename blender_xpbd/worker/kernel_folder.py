# SPDX-License-Identifier: GPL-3.0-or-later
"""The folder of compiled kernels where it is damaged, or is no folder: a bake goes on without what is of no use.

Taichi keeps each kernel in a file that ends with a digest of its content, and lists them in a table. It compiles a
kernel anew whose file is damaged or missing, but keeps nothing that the table lists already: each bake would compile
for up to half a minute again.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import struct
import tempfile
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
_TAKES_LONG = "so each bake compiles them anew, which takes up to half a minute"


class KernelFolder:
    """Where a run keeps its kernels: in the folder that is asked for, or else in one of its own, which ends with it."""

    def __init__(self, wanted: Path) -> None:
        """Make the folder where it is missing.

        Raises:
            XpbdError: E_IO, when there is no place for another one either.
        """
        self.notice: Notice | None = None
        self._spare: Path | None = None
        self.path = wanted
        reason = _refusal(wanted)
        if reason:
            try:
                self._spare = Path(tempfile.mkdtemp(prefix="xpbd-kernels-"))
            except OSError as fault:
                raise io_error("make a folder for kernels in", Path(tempfile.gettempdir()), 0, fault) from fault
            self.path = self._spare
            text = f"The solver's compiled kernels cannot be kept in {wanted} ({reason}), {_TAKES_LONG}."
            self.notice = Notice(
                "W_KERNELS", f"{text} Make it a folder that you may write to, or name one in XPBD_TAICHI_CACHE."
            )

    def forget_damaged(self) -> bool:
        """Empty the folder of kernels where one is damaged or missing, so that what was compiled meanwhile is kept.

        Not while another process writes there.

        Returns:
            Whether there was one.
        """
        if (self.path / _LOCK).exists() or all(_is_whole(path) for path in self._listed()):
            return False
        for path in (self.path / _TABLE, *self.path.glob(_KERNELS)):
            # another worker may have removed it; what may not be removed costs no more than time
            with contextlib.suppress(OSError):
                path.unlink()
        return True

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
    return "" if os.access(folder, os.W_OK | os.X_OK) else "it may not be written to"


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
