# SPDX-License-Identifier: GPL-3.0-or-later
"""Where processes are started: a current folder in which nobody else can lay anything down."""

from __future__ import annotations

import atexit
import os
import shutil
import stat
import sys
import tempfile
from pathlib import Path

from ...scene.errors import XpbdError

_OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH

_folder: Path | None = None


def private_folder() -> Path:
    """An empty folder that belongs to this user and that no other may write to.

    It is made for this session and removed with it. Some systems clear away old temporary files, after which others
    could take its name: so it is looked at each time, and made anew where it is not as it was.

    Raises:
        XpbdError: E_IO, when there is no place for one.
    """
    global _folder  # noqa: PLW0603 - one for the whole session
    if _folder is None or not is_private(_folder):
        try:
            _folder = Path(tempfile.mkdtemp(prefix="xpbd-"))
        except OSError as fault:
            raise XpbdError(
                "E_IO", f"Cannot make a folder for the worker in {tempfile.gettempdir()}: {fault.strerror or fault}."
            ) from fault
        atexit.register(shutil.rmtree, _folder, ignore_errors=True)
    return _folder


def is_private(folder: Path) -> bool:
    """Whether it is a folder, no link, that is this user's and that no other user may write to."""
    try:
        status = folder.lstat()
    except OSError:
        return False
    if not stat.S_ISDIR(status.st_mode):
        return False
    # On Windows the temporary folder is the user's own
    return sys.platform == "win32" or (status.st_uid == os.geteuid() and not status.st_mode & _OTHERS_MAY_WRITE)
