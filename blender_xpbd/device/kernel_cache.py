# SPDX-License-Identifier: GPL-3.0-or-later
"""What a process that was ended as it kept its kernels leaves in their folder.

Taichi keeps kernels under a lock, which is a file, and each in a file that it makes anew. Where a worker is ended
meanwhile, the lock stays, and so does an empty file: no kernel would be kept any more, and each bake compile for
seconds.
"""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

_LOCK, _TABLE, _KERNELS = "ticache.lock", "ticache.tcb", "*.tic"
# [s]; all kernels of a scene are written within a second or two
_STALE = 60.0


def mend_kernel_cache(folder: Path) -> None:
    """Remove the lock and empty kernels that nobody can be writing any more.

    Args:
        folder: of compiled kernels; it need not be there.
    """
    before = time.time() - _STALE
    for path in (folder / _LOCK, *folder.glob(_KERNELS)):
        # another worker may have removed it; what may not be removed costs no more than time
        with contextlib.suppress(OSError):
            status = path.lstat()
            if status.st_mtime < before and (path.name == _LOCK or status.st_size == 0):
                path.unlink()


def kernel_table(folder: Path) -> tuple[int, int] | None:
    """By what the table of kernels of a folder is known to have changed, None where there is none.

    Args:
        folder: of compiled kernels.
    """
    try:
        status = (folder / _TABLE).stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size
