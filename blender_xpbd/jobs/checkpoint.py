# SPDX-License-Identifier: GPL-3.0-or-later
"""The solver's state after a frame, from which a bake goes on bit for bit."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..scene.errors import XpbdError
from .arrays import MAXIMUM_ARRAY_BYTES, check_size, raw
from .files import Buffer, inside, is_there, parse_json, publish, read_bytes
from .record import Record
from .version import SOLVER_VERSION, VERSION

CHECKPOINT_FILE = "checkpoint.bin"
DIGEST_BYTES = 16

_KEYS = ("software", "solver_version", "frame", "arrays")
_MAGIC = b"XPBDSTA2"
_MAXIMUM_HEADER_BYTES = 2**20
_START = len(_MAGIC) + 8
_DTYPE = re.compile(r"[<>|][biuf](1|2|4|8|16)")


def write_checkpoint(folder: Path, frame: int, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Keep the state after a frame, in place of an earlier one.

    The file is a magic number, the length of the header (8 bytes, little-endian), the header in JSON, the bytes of
    each array, and a BLAKE2b digest (16 bytes) over all before it. It is not flushed to the disk: a state that a
    power cut tears is found by its digest, and the frames are computed again.

    Args:
        folder: the job folder.
        frame: the last frame that is contained in the state and published.
        arrays: the state, numbers of any shape and byte order; NaN is kept as it is.

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
    publish(inside(folder, CHECKPOINT_FILE, code="E_CACHE"), (*blocks, digest.digest()))


def read_checkpoint(folder: Path) -> tuple[int, dict[str, npt.NDArray[Any]]] | None:
    """The frame and the state that were kept last, or None where there is none.

    Raises:
        XpbdError: E_CACHE when the file is truncated, corrupt, or of another version of the software (which might
            go on differently): compute from the start. E_IO when the system cannot read it.
    """
    path = inside(folder, CHECKPOINT_FILE, code="E_CACHE")
    if not is_there(path):
        return None
    content = read_bytes(path, MAXIMUM_ARRAY_BYTES, "E_CACHE")
    end = len(content) - DIGEST_BYTES
    if end < _START or content[: len(_MAGIC)] != _MAGIC:
        raise XpbdError("E_CACHE", f"{path} is no checkpoint.")
    if hashlib.blake2b(memoryview(content)[:end], digest_size=DIGEST_BYTES).digest() != content[end:]:
        raise XpbdError("E_CACHE", f"{path} is corrupt: its bytes do not fit their digest.")
    length = int.from_bytes(content[len(_MAGIC) : _START], "little")
    if length > min(_MAXIMUM_HEADER_BYTES, end - _START):
        raise XpbdError("E_CACHE", f"{path} has a header of {length} bytes, more than it may have.")
    header = Record(parse_json(content[_START : _START + length], path, "E_CACHE"), path, "E_CACHE", _KEYS)
    version = header.text("software"), header.integer("solver_version")
    if version != (VERSION, SOLVER_VERSION):
        raise XpbdError(
            "E_CACHE",
            f"{path} is of version {version[0]} (solver {version[1]}), this is {VERSION} (solver {SOLVER_VERSION}).",
        )
    return header.integer("frame"), _arrays(header, content, _START + length, end, path)


def _arrays(header: Record, content: bytearray, start: int, end: int, path: Path) -> dict[str, npt.NDArray[Any]]:
    arrays: dict[str, npt.NDArray[Any]] = {}
    for item in header.records("arrays", ("name", "dtype", "shape")):
        name, text, shape = item.text("name"), item.text("dtype"), item.integers("shape")
        if not _DTYPE.fullmatch(text) or len(shape) > 8 or name in arrays:
            raise XpbdError("E_CACHE", f"{path} holds an array that cannot be read.")
        try:
            dtype = np.dtype(text)
        except TypeError as fault:
            raise XpbdError("E_CACHE", f"{path} holds an array of unknown type {text}.") from fault
        count = math.prod(shape)
        if start + count * dtype.itemsize > end:
            raise XpbdError("E_CACHE", f"{path} is too short for its arrays.")
        try:
            # Copied, for the bytes need not begin where the type may
            arrays[name] = np.frombuffer(content, dtype, count, start).reshape(shape).copy()
        except ValueError as fault:
            raise XpbdError("E_CACHE", f"{path} holds an array of impossible shape {shape}.") from fault
        start += count * dtype.itemsize
    if start != end:
        raise XpbdError("E_CACHE", f"{path} is too long for its arrays.")
    return arrays
