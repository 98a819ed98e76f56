# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a cache can be kept in a folder, as far as that is told without writing anything."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

from ...jobs.cache_contents import entries
from ...jobs.files import io_error
from ...scene.errors import XpbdError

# of a name on Windows' own file systems [UTF-16 units], which do not tell it
_LONGEST_NAME = 255


def folder_fault(folder: Path) -> XpbdError | None:
    """What keeps a bake from writing to a cache folder: E_IO, as the bake itself would say; None where nothing is seen.

    A folder that may not be written to and holds something is no fault: the bake may be there already.

    Args:
        folder: absolute; it need not be there.
    """
    try:
        there = next((path for path in (folder, *folder.parents) if _is_there(path)), None)
        if there is None:
            # a drive that is not there
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), folder.anchor)
        if not there.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(there))
        for name in folder.relative_to(there).parts:
            if _is_too_long(name, there):
                raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG), name)
        if not os.access(there, os.W_OK | os.X_OK) and not (there == folder and entries(folder)):
            number = errno.EROFS if _is_read_only(there) else errno.EACCES
            raise OSError(number, os.strerror(number), str(there))
    except OSError as fault:
        return io_error("create the folder", folder, 0, fault)
    except XpbdError as fault:
        return fault
    return None


def _is_there(path: Path) -> bool:
    """Whether something has this name; unlike ``Path.exists``, links that lead nowhere count."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def _is_too_long(name: str, there: Path) -> bool:
    if sys.platform == "win32":
        return len(name.encode("utf-16-le", "surrogatepass")) // 2 > _LONGEST_NAME
    return len(os.fsencode(name)) > os.pathconf(there, "PC_NAME_MAX")


def _is_read_only(folder: Path) -> bool:
    return sys.platform != "win32" and bool(os.statvfs(folder).f_flag & os.ST_RDONLY)
