# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of a job folder: written whole or not at all, read with limits.

Every file of a job folder is opened here and nowhere else, by ``open_regular``: a folder may come from a stranger, and
a link, a pipe or a device in the place of a file would lead out of it, or hang whoever opens it.

A rename is enough against a killed process. Against a power cut only what cannot be had again is flushed to the disk:
checkpoints and the frames that they vouch for (``publish(…, lasting=True)``, ``flush``). For all else digests and
strict readers tell what is damaged, and the next bake writes or computes it again.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import BinaryIO, TypeVar

from ..scene.errors import XpbdError

_LEFTOVER = re.compile(r"\..+\.[0-9a-f]{8}\.tmp", re.DOTALL)

Buffer = bytes | bytearray | memoryview
_Answer = TypeVar("_Answer")

# Absent on Windows, where the check of `inside` stands alone. Opening a pipe without O_NONBLOCK would hang.
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_NONBLOCK = getattr(os, "O_NONBLOCK", 0)
_BINARY = getattr(os, "O_BINARY", 0)

# A mount point or junction, which leads elsewhere as a symbolic link does (IO_REPARSE_TAG_MOUNT_POINT)
_JUNCTION = 0xA0000003

_PIECE = 2**20

# Several files are flushed at once: a disk commits them together, in half of the time or less
_FLUSHING_THREADS = 8
# What file systems answer that do not know how to flush (a folder): there is nothing to be done then
_CANNOT_FLUSH = {errno.EINVAL, errno.ENOTSUP}

_WINDOWS_TRIES = 50
_WINDOWS_PAUSE = 0.01

_ADVICE = {
    errno.ENOSPC: "free space on the disk, or choose another cache folder",
    errno.EDQUOT: "free space within your quota, or choose another cache folder",
    errno.EFBIG: "choose a cache folder where files may be larger",
    errno.EROFS: "the disk is read-only, choose another cache folder",
    errno.EACCES: "you may not write there, choose another cache folder",
    errno.EPERM: "you may not write there, choose another cache folder",
    errno.ENAMETOOLONG: "choose a cache folder with shorter names",
    errno.ENOTDIR: "a file has the name of a folder there, choose another cache folder",
    errno.EEXIST: "something else has that name, choose another cache folder",
}


def inside(folder: Path, *names: str, code: str) -> Path:
    """The path of something in a folder that may come from a stranger.

    Args:
        folder: trusted as it is given; it may be reached through links.
        names: one name for each level below it.
        code: of the error.

    Raises:
        XpbdError: a name that leads elsewhere (a separator, ``..``, a drive), or a symbolic link or junction on
            the way.
    """
    path = folder
    for name in names:
        if name in {"", ".", ".."} or any(character in name for character in "/\\:\0"):
            raise XpbdError(code, f"{name!r} is not a file name within {folder}.")
        path = path / name
        if _status_says(path, _is_link):
            raise XpbdError(code, f"{path} is a symbolic link; a job folder must hold its files itself.")
    return path


def is_there(path: Path) -> bool:
    """Whether something has this name.

    Raises:
        XpbdError: E_IO, when the system does not tell.
    """
    return _status_says(path, lambda status: True)


def _is_link(status: os.stat_result) -> bool:
    return stat.S_ISLNK(status.st_mode) or getattr(status, "st_reparse_tag", 0) == _JUNCTION


def _status_says(path: Path, test: Callable[[os.stat_result], bool]) -> bool:
    try:
        return test(path.lstat())
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


def publish(path: Path, chunks: Iterable[Buffer], *, lasting: bool = False) -> None:
    """Write a file that appears under its name whole or not at all, in place of what was there.

    Args:
        path: of the file, from ``inside``; its folder exists.
        chunks: the content, in order.
        lasting: it shall survive a power cut: wait until the disk has the content, and then its name.

    Raises:
        XpbdError: E_IO, with path and bytes. The former file is then as it was, unless what failed is to flush
            the new one's name.
    """
    parts = [memoryview(chunk) for chunk in chunks]
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        _write(temporary, parts, lasting=lasting)
        _patiently(lambda: temporary.replace(path))
        if lasting:
            _flush_folder(path.parent)
    except BaseException as fault:
        with contextlib.suppress(OSError):
            temporary.unlink()
        if isinstance(fault, OSError):
            raise io_error("write", path, sum(part.nbytes for part in parts), fault) from fault
        raise


def _write(path: Path, parts: list[memoryview], *, lasting: bool) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NOFOLLOW | _BINARY
    with os.fdopen(os.open(path, flags, 0o666), "wb") as file:
        for part in parts:
            file.write(part)
        if lasting:
            file.flush()
            os.fsync(file.fileno())


def share(source: Path, target: Path, code: str) -> None:
    """Let a file have another name, or a copy where the disk cannot do that; what has the name already stays.

    For files that are replaced, and never written into.

    Args:
        source: from ``inside``, as the target.
        target: in a folder that exists.
        code: of the error for a source that is missing or no regular file.

    Raises:
        XpbdError: ``code``, or E_IO.
    """
    with reading(source, code) as (_, length):
        pass
    try:
        os.link(source, target, follow_symlinks=False)
    except FileExistsError:
        return
    except OSError:
        # another disk, or one without links
        publish(target, (read_bytes(source, length, code),))


def flush(paths: Iterable[Path], code: str) -> None:
    """See that files of one folder, which were published before, survive a power cut.

    Args:
        paths: from ``inside``.
        code: of the error for what is missing or no regular file.

    Raises:
        XpbdError: ``code``, or E_IO when the disk refuses.
    """
    paths = list(paths)
    # a share for each thread: a task for each file would hold a kilobyte for each
    shares = [paths[first::_FLUSHING_THREADS] for first in range(_FLUSHING_THREADS)]
    with ThreadPoolExecutor(_FLUSHING_THREADS) as threads:
        list(threads.map(lambda share: _flush_files(share, code), shares))
    for folder in {path.parent for path in paths}:
        try:
            _flush_folder(folder)
        except OSError as fault:
            raise io_error("flush", folder, 0, fault) from fault


def _flush_files(paths: Iterable[Path], code: str) -> None:
    for path in paths:
        try:
            # For writing: Windows flushes no other
            with open_regular(path, code, os.O_RDWR) as descriptor:
                os.fsync(descriptor)
        except OSError as fault:
            raise io_error("flush", path, 0, fault) from fault


def _flush_folder(path: Path) -> None:
    """Flush the names in a folder; Windows has no way to ask for that, and needs none."""
    if sys.platform == "win32":
        return
    descriptor = os.open(path, os.O_RDONLY | _NOFOLLOW | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    except OSError as fault:
        if fault.errno not in _CANNOT_FLUSH:
            raise
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def open_regular(path: Path, code: str, flags: int = os.O_RDONLY) -> Iterator[int]:
    """A file descriptor of a regular file, closed at the end.

    Args:
        path: of the file, from ``inside``.
        code: of the error for what is missing or no such file.
        flags: as of ``os.open``. Where they append, a file that has a second name (a hard link) is refused: that may
            stand elsewhere.

    Raises:
        XpbdError: ``code``, when it is missing, a link, a folder, a pipe or a device.
        OSError: whatever else the system says; also where there is no folder to create it in.
    """
    try:
        descriptor = _patiently(lambda: os.open(path, flags | _NOFOLLOW | _NONBLOCK | _BINARY, 0o666))
    except OSError as fault:
        if fault.errno == errno.ENOENT and not flags & os.O_CREAT:
            raise XpbdError(code, f"{path} is missing.") from fault
        if fault.errno in {errno.ELOOP, errno.EISDIR, errno.ENXIO, errno.ENOTDIR}:
            raise XpbdError(code, f"{path} is not a regular file; delete it.") from fault
        raise
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise XpbdError(code, f"{path} is not a regular file; delete it.")
        if flags & os.O_APPEND and status.st_nlink > 1:
            raise XpbdError(code, f"{path} has another name elsewhere (a hard link); delete it here.")
        yield descriptor
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def reading(path: Path, code: str) -> Iterator[tuple[BinaryIO, int]]:
    """A regular file to read from, and its length in bytes. What the system refuses in the block becomes E_IO.

    Raises:
        XpbdError: as ``open_regular``, or E_IO.
    """
    try:
        with (
            open_regular(path, code) as descriptor,
            os.fdopen(descriptor, "rb", buffering=0, closefd=False) as file,
        ):
            yield file, os.fstat(descriptor).st_size
    except OSError as fault:
        raise io_error("read", path, 0, fault) from fault


def read_exactly(file: BinaryIO, target: memoryview, path: Path, code: str) -> None:
    """Fill a buffer from a file that ``reading`` has opened.

    Raises:
        XpbdError: ``code``, when the file ends before.
    """
    done = 0
    while done < len(target):
        count = file.readinto(target[done:])  # type: ignore[attr-defined]
        if not count:
            raise XpbdError(code, f"{path} ended after {done} of {len(target)} bytes: it is truncated.")
        done += count


def in_pieces(file: BinaryIO, size: int, path: Path, code: str) -> Iterator[memoryview]:
    """The next bytes of a file, a megabyte at a time, so that no more is ever held.

    Raises:
        XpbdError: ``code``, when the file ends before.
    """
    buffer = memoryview(bytearray(min(size, _PIECE)))
    while size > 0:
        piece = buffer[: min(size, _PIECE)]
        read_exactly(file, piece, path, code)
        yield piece
        size -= len(piece)


def read_bytes(path: Path, limit: int, code: str, *, size: int | None = None) -> bytearray:
    """Read a regular file whole.

    Args:
        path: of the file, from ``inside``.
        limit: bytes that it may have at most.
        code: of the error for what is missing or no such file.
        size: bytes that it must have, checked before anything is allocated.

    Raises:
        XpbdError: ``code``, or E_IO when the system cannot read it.
    """
    with reading(path, code) as (file, length):
        if size is not None:
            check_length(length, size, path, code)
        if length > limit:
            raise XpbdError(code, f"{path} has {length} bytes, more than the {limit} that it may have.")
        content = bytearray(length)
        read_exactly(file, memoryview(content), path, code)
        return content


def check_length(length: int, size: int, path: Path, code: str) -> None:
    """Refuse a file of another length than it must have.

    Raises:
        XpbdError: ``code``.
    """
    if length != size:
        raise XpbdError(code, f"{path} has {length} bytes instead of {size}: it is truncated or not ours.")


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


def _patiently(operation: Callable[[], _Answer]) -> _Answer:
    """Do it; on Windows again for a while: there a file that another process is reading cannot be replaced."""
    tries = _WINDOWS_TRIES if sys.platform == "win32" else 1
    for _ in range(tries - 1):
        try:
            return operation()
        except PermissionError:
            time.sleep(_WINDOWS_PAUSE)
    return operation()
