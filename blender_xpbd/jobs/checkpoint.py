# SPDX-License-Identifier: GPL-3.0-or-later
"""The solver's state after a frame, from which a bake goes on bit for bit."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from ..scene.errors import XpbdError
from .arrays import MAXIMUM_ARRAY_BYTES, check_size, raw
from .files import Buffer, in_pieces, inside, is_there, publish, read_exactly, reading
from .record import Record
from .strict_json import parse_json
from .version import SOLVER_VERSION, VERSION

CHECKPOINT_FILE = "checkpoint.bin"
DIGEST_BYTES = 16

_KEYS = ("software", "solver_version", "frame", "arrays")
_MAGIC = b"XPBDSTA2"
_MAXIMUM_HEADER_BYTES = 2**20
_START = len(_MAGIC) + 8
_DTYPE = re.compile(r"[<>|][biuf](1|2|4|8|16)")


def write_checkpoint(
    folder: Path, frame: int, arrays: Mapping[str, npt.NDArray[Any]], *, lasting: bool = False
) -> None:
    """Keep the state after a frame, in place of an earlier one.

    The file is a magic number, the length of the header (8 bytes, little-endian), the header in JSON, the bytes of
    each array, and a BLAKE2b digest (16 bytes) over all before it.

    Args:
        folder: the job folder.
        frame: the last frame that is contained in the state and published.
        arrays: the state, numbers of any shape and byte order; NaN is kept as it is.
        lasting: it shall survive a power cut; then ``FrameCache.flush`` comes before, for the frames that it vouches
            for. One that is torn is found by its digest, and the frames are computed again from the first.

    Raises:
        XpbdError: E_IO, when the disk refuses it, E_MEMORY, when it is too large; the former checkpoint stays.
        ValueError: for an array that is not of numbers.
    """
    plain = {name: np.ascontiguousarray(array).reshape(array.shape) for name, array in arrays.items()}
    for name, array in plain.items():
        if not _DTYPE.fullmatch(array.dtype.str):
            raise ValueError(f"the array {name} of {array.dtype} cannot be kept")
    check_size(sum(array.nbytes for array in plain.values()), folder)
    described = [{"name": n, "dtype": a.dtype.str, "shape": list(a.shape)} for n, a in plain.items()]
    values = {"software": VERSION, "solver_version": SOLVER_VERSION, "frame": int(frame), "arrays": described}
    header = json.dumps(values).encode("utf-8")
    blocks: list[Buffer] = [
        _MAGIC,
        len(header).to_bytes(8, "little"),
        header,
        *(raw(array) for array in plain.values()),
    ]
    digest = hashlib.blake2b(digest_size=DIGEST_BYTES)
    for block in blocks:
        digest.update(block)
    publish(inside(folder, CHECKPOINT_FILE, code="E_CACHE"), (*blocks, digest.digest()), lasting=lasting)


def read_checkpoint(folder: Path, limit: int = MAXIMUM_ARRAY_BYTES) -> tuple[int, dict[str, npt.NDArray[Any]]] | None:
    """The frame and the state that were kept last, or None where there is none.

    Args:
        folder: the job folder.
        limit: bytes that the state may have: what the job's own system has. Nothing of them is held before the digest
            of the whole is known to fit.

    Raises:
        XpbdError: E_CACHE when the file is too large, truncated, corrupt, or of another version of the software (which
            might go on differently): compute from the start. E_IO when the system cannot read it.
    """
    path = inside(folder, CHECKPOINT_FILE, code="E_CACHE")
    if not is_there(path):
        return None
    with reading(path, "E_CACHE") as (file, length):
        end = length - DIGEST_BYTES
        if length > limit + _START + _MAXIMUM_HEADER_BYTES + DIGEST_BYTES:
            raise XpbdError("E_CACHE", f"{path} has {length} bytes, more than a state of this job may have.")
        _check(file, end, path)
        header, start = _read_header(file, end, path)
        return header.integer("frame"), _read_arrays(header, file, end - start, path)


def checkpoint_frame(folder: Path) -> int | None:
    """The frame of the state that was kept last, or None where there is none; only the header is read.

    Raises:
        XpbdError: E_CACHE where it is none of ours or of another version; E_IO.
    """
    path = inside(folder, CHECKPOINT_FILE, code="E_CACHE")
    if not is_there(path):
        return None
    with reading(path, "E_CACHE") as (file, length):
        return _read_header(file, length - DIGEST_BYTES, path)[0].integer("frame")


def _check(file: BinaryIO, end: int, path: Path) -> None:
    """See that a file is one of ours and whole, a piece at a time."""
    if end < _START:
        raise XpbdError("E_CACHE", f"{path} is no checkpoint.")
    digest = hashlib.blake2b(digest_size=DIGEST_BYTES)
    for piece in in_pieces(file, end, path, "E_CACHE"):
        digest.update(piece)
    if digest.digest() != file.read(DIGEST_BYTES):
        raise XpbdError("E_CACHE", f"{path} is corrupt: its bytes do not fit their digest.")


def _read_header(file: BinaryIO, end: int, path: Path) -> tuple[Record, int]:
    """The header, and where the data begins; the file stands there then."""
    file.seek(0)
    if file.read(len(_MAGIC)) != _MAGIC:
        raise XpbdError("E_CACHE", f"{path} is no checkpoint.")
    length = int.from_bytes(file.read(_START - len(_MAGIC)), "little")
    if length > min(_MAXIMUM_HEADER_BYTES, end - _START):
        raise XpbdError("E_CACHE", f"{path} has a header of {length} bytes, more than it may have.")
    header = Record(parse_json(file.read(length), path, "E_CACHE"), path, "E_CACHE", _KEYS)
    version = header.text("software"), header.integer("solver_version")
    if version != (VERSION, SOLVER_VERSION):
        raise XpbdError(
            "E_CACHE",
            f"{path} is of version {version[0]} (solver {version[1]}), this is {VERSION} (solver {SOLVER_VERSION}).",
        )
    return header, _START + length


def _read_arrays(header: Record, file: BinaryIO, size: int, path: Path) -> dict[str, npt.NDArray[Any]]:
    """The arrays that a header describes, which fill the rest of the file."""
    described = [_describe(item, path) for item in header.records("arrays", ("name", "dtype", "shape"))]
    if len({name for name, _, _ in described}) != len(described):
        raise XpbdError("E_CACHE", f"{path} holds an array twice.")
    if sum(math.prod(shape) * dtype.itemsize for _, dtype, shape in described) != size:
        raise XpbdError("E_CACHE", f"{path} has another length than its arrays.")
    arrays: dict[str, npt.NDArray[Any]] = {}
    for name, dtype, shape in described:
        try:
            arrays[name] = np.empty(shape, dtype)
        except ValueError as fault:
            raise XpbdError("E_CACHE", f"{path} holds an array of impossible shape {shape}.") from fault
        read_exactly(file, raw(arrays[name]), path, "E_CACHE")
    return arrays


def _describe(item: Record, path: Path) -> tuple[str, np.dtype[Any], tuple[int, ...]]:
    """Name, type and shape of one array."""
    name, text, shape = item.text("name"), item.text("dtype"), item.integers("shape")
    if not _DTYPE.fullmatch(text) or len(shape) > 8:
        raise XpbdError("E_CACHE", f"{path} holds an array that cannot be read.")
    try:
        return name, np.dtype(text), shape
    except TypeError as fault:
        raise XpbdError("E_CACHE", f"{path} holds an array of unknown type {text}.") from fault
