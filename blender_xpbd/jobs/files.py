# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of a job folder: written whole or not at all, read with limits, in strict JSON where they are text.

Nothing waits for the disk (fsync): that protects against a power cut, not against a killed process, for which a
rename is enough. After a power cut digests tell what is damaged, and the next bake writes or computes it again; to
flush a hundred bodies would take seconds before the first frame.
"""

from __future__ import annotations

import contextlib
import errno
import json
import math
import os
import re
import secrets
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from ..scene.errors import XpbdError

_LEFTOVER = re.compile(r"\..+\.[0-9a-f]{8}\.tmp", re.DOTALL)

Buffer = bytes | bytearray | memoryview
_Answer = TypeVar("_Answer")

# Absent on Windows, where the check of `inside` stands alone. Opening a pipe without O_NONBLOCK would hang.
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_NONBLOCK = getattr(os, "O_NONBLOCK", 0)
_BINARY = getattr(os, "O_BINARY", 0)

_WINDOWS_TRIES = 50
_WINDOWS_PAUSE = 0.01

_ADVICE = {
    errno.ENOSPC: "free space on the disk, or choose another cache folder",
    errno.EDQUOT: "free space within your quota, or choose another cache folder",
    errno.EFBIG: "choose a cache folder where files may be larger",
    errno.EROFS: "the disk is read-only, choose another cache folder",
    errno.EACCES: "you may not write there, choose another cache folder",
    errno.EPERM: "you may not write there, choose another cache folder",
}


def inside(folder: Path, *names: str, code: str) -> Path:
    """The path of something in a folder that may come from a stranger.

    Args:
        folder: trusted as it is given; it may be reached through links.
        names: one name for each level below it.
        code: of the error.

    Raises:
        XpbdError: a name that leads elsewhere (a separator, ``..``, a drive), or a symbolic link on the way.
    """
    path = folder
    for name in names:
        if name in {"", ".", ".."} or any(character in name for character in "/\\:\0"):
            raise XpbdError(code, f"{name!r} is not a file name within {folder}.")
        path = path / name
        if _mode(path, stat.S_ISLNK):
            raise XpbdError(code, f"{path} is a symbolic link; a job folder must hold its files itself.")
    return path


def is_there(path: Path) -> bool:
    """Whether something has this name.

    Raises:
        XpbdError: E_IO, when the system does not tell.
    """
    return _mode(path, lambda mode: True)


def _mode(path: Path, test: Callable[[int], bool]) -> bool:
    try:
        return test(path.lstat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as fault:
        raise io_error("look at", path, 0, fault) from fault


def make_folder(path: Path) -> None:
    """Create a folder and those above it, where they are missing.

    Raises:
        XpbdError: E_IO.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise io_error("create the folder", path, 0, fault) from fault


def publish(path: Path, chunks: Iterable[Buffer]) -> None:
    """Write a file that appears under its name whole or not at all, in place of what was there.

    Args:
        path: of the file; its folder exists.
        chunks: the content, in order.

    Raises:
        XpbdError: E_IO, with path and bytes. The former file is then as it was.
    """
    parts = [memoryview(chunk) for chunk in chunks]
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        _write(temporary, parts)
        _patiently(lambda: temporary.replace(path))
    except BaseException as fault:
        with contextlib.suppress(OSError):
            temporary.unlink()
        if isinstance(fault, OSError):
            raise io_error("write", path, sum(part.nbytes for part in parts), fault) from fault
        raise


def _write(path: Path, parts: list[memoryview]) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NOFOLLOW | _BINARY
    with os.fdopen(os.open(path, flags, 0o666), "wb") as file:
        for part in parts:
            file.write(part)


def read_bytes(path: Path, limit: int, code: str, *, size: int | None = None) -> bytearray:
    """Read a regular file whole.

    Args:
        path: of the file.
        limit: bytes that it may have at most.
        code: of the error for what is missing or no such file.
        size: bytes that it must have, checked before anything is allocated.

    Raises:
        XpbdError: ``code``, or E_IO when the system cannot read it.
    """
    try:
        with open_regular(path, code) as descriptor:
            length = os.fstat(descriptor).st_size
            if size is not None and length != size:
                raise XpbdError(code, f"{path} has {length} bytes instead of {size}: it is truncated or not ours.")
            if length > limit:
                raise XpbdError(code, f"{path} has {length} bytes, more than the {limit} that it may have.")
            content = bytearray(length)
            _read_into(descriptor, memoryview(content), path, code)
            return content
    except OSError as fault:
        raise io_error("read", path, 0, fault) from fault


@contextlib.contextmanager
def open_regular(path: Path, code: str) -> Iterator[int]:
    """A file descriptor for reading a regular file, closed at the end.

    Raises:
        XpbdError: ``code``, when it is missing, a link, a folder, a pipe or a device.
        OSError: whatever else the system says.
    """
    try:
        descriptor = _patiently(lambda: os.open(path, os.O_RDONLY | _NOFOLLOW | _NONBLOCK | _BINARY))
    except FileNotFoundError as fault:
        raise XpbdError(code, f"{path} is missing.") from fault
    except OSError as fault:
        if fault.errno in {errno.ELOOP, errno.EISDIR, errno.ENXIO, errno.ENOTDIR}:
            raise XpbdError(code, f"{path} is not a regular file.") from fault
        raise
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise XpbdError(code, f"{path} is not a regular file.")
        yield descriptor
    finally:
        os.close(descriptor)


def _read_into(descriptor: int, target: memoryview, path: Path, code: str) -> None:
    with os.fdopen(descriptor, "rb", buffering=0, closefd=False) as file:
        done = 0
        while done < len(target):
            count = file.readinto(target[done:])
            if not count:
                raise XpbdError(code, f"{path} ended after {done} of {len(target)} bytes: it is truncated.")
            done += count


def remove_leftovers(folder: Path) -> None:
    """Delete temporary files that a killed writer left in a folder. For who holds the job's lock.

    Raises:
        XpbdError: E_IO.
    """
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if _LEFTOVER.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                    Path(entry.path).unlink()
    except FileNotFoundError:
        return
    except OSError as fault:
        raise io_error("clean", folder, 0, fault) from fault


def io_error(action: str, path: Path, size: int, fault: OSError) -> XpbdError:
    """The system's refusal as E_IO, with the path, the bytes and what to do."""
    amount = f" ({size} bytes)" if size else ""
    reason = fault.strerror or str(fault)
    advice = _ADVICE.get(fault.errno or 0, "check the disk and the cache folder")
    return XpbdError("E_IO", f"Cannot {action} {path}{amount}: {reason}; {advice}.")


def dump_json(value: Any) -> bytes:
    """JSON text in UTF-8, the same for the same value.

    Raises:
        ValueError: for NaN and infinity.
    """
    return (json.dumps(value, allow_nan=False, indent=1) + "\n").encode("utf-8")


def load_json(path: Path, limit: int, code: str) -> Any:
    """Read strict JSON: no NaN, no infinity, no key twice, no more bytes than the limit.

    Raises:
        XpbdError: ``code``, or E_IO when the system cannot read it.
    """
    return parse_json(read_bytes(path, limit, code), path, code)


def parse_json(content: Buffer, path: Path, code: str) -> Any:
    """Strict JSON that was read from a file.

    Raises:
        XpbdError: ``code``, naming the file.
    """
    try:
        return json.loads(
            bytes(content).decode("utf-8"),
            parse_constant=_refuse_constant,
            parse_float=_finite,
            object_pairs_hook=_unique,
        )
    # RecursionError: brackets nested by the thousand
    except (ValueError, RecursionError) as fault:
        raise XpbdError(code, f"{path} is not the JSON expected: {fault}.") from fault


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is too large")
    return number


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return mapping


def _patiently(operation: Callable[[], _Answer]) -> _Answer:
    """Do it; on Windows again for a while: there a file that another process is reading cannot be replaced."""
    tries = _WINDOWS_TRIES if sys.platform == "win32" else 1
    for _ in range(tries - 1):
        try:
            return operation()
        except PermissionError:
            time.sleep(_WINDOWS_PAUSE)
    return operation()
