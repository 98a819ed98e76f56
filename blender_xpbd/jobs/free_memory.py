# SPDX-License-Identifier: GPL-3.0-or-later
"""How much memory a process may still take, and whether a fault tells that it was too little."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

if sys.platform == "win32":
    import ctypes
else:
    import resource

_MEMINFO = Path("/proc/meminfo")
# The limit of a container or of a farm's job (control groups, version 2), as seen from inside it
_GROUP_LIMIT = Path("/sys/fs/cgroup/memory.max")

# What Python, C++, the system, its loader and Taichi say
_OUT_OF_MEMORY = (
    "memoryerror",
    "bad_alloc",
    "out of memory",
    "cannot allocate memory",
    "failed to map segment",
    "memory allocation",
)


def tells_of_memory(words: str) -> bool:
    """Whether the words of a fault, or the last ones of a process, say that memory ran out."""
    return any(sign in words.lower() for sign in _OUT_OF_MEMORY)


def free_memory() -> int:
    """Bytes that this process may take before the system refuses, swaps or ends it, as far as the system tells."""
    if sys.platform == "win32":
        return _free_on_windows()
    bounds = [_available()]
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    if soft != resource.RLIM_INFINITY:
        bounds.append(soft)
    with contextlib.suppress(OSError, ValueError):
        # "max" is no number: then there is no limit
        bounds.append(int(_GROUP_LIMIT.read_text()))
    return min(bounds)


if sys.platform == "win32":

    class _MemoryStatus(ctypes.Structure):
        """MEMORYSTATUSEX of the Windows API."""

        _fields_ = (
            ("length", ctypes.c_ulong),
            ("load", ctypes.c_ulong),
            *(
                (name, ctypes.c_ulonglong)
                for name in ("total", "free", "total_page", "free_page", "all", "left", "more")
            ),
        )

    def _free_on_windows() -> int:
        status = _MemoryStatus(length=ctypes.sizeof(_MemoryStatus))
        ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status))
        return int(status.free_page)

else:

    def _available() -> int:
        """What Linux says that programs may take; elsewhere all that is built in."""
        with contextlib.suppress(OSError):
            for line in _MEMINFO.read_text().splitlines():
                if line.startswith("MemAvailable:"):
                    return 1024 * int(line.split()[1])
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
