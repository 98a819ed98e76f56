# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays as ``.npy`` files (format 1.0 of NumPy, NEP 1), checked before anything is allocated."""

from __future__ import annotations

import hashlib
import math
import re
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from ..scene.errors import XpbdError
from .files import check_length, in_pieces, publish, read_exactly, reading

Array = npt.NDArray[Any]

MAXIMUM_ARRAY_BYTES = 32 * 2**30
_MAXIMUM_HEADER_BYTES = 4096
_ALIGNMENT = 64
_MAGIC = b"\x93NUMPY\x01\x00"
_PREFIX = len(_MAGIC) + 2
# NumPy's own reader evaluates the header as Python text; this takes what NumPy writes and nothing else
_HEADER = re.compile(
    r"\{'descr': '(?P<dtype>[<>|][biuf][0-9]{1,2})', 'fortran_order': (?P<fortran>True|False), "
    r"'shape': \((?P<shape>(?:[0-9]{1,18}, ?)*(?:[0-9]{1,18})?)\), \} *\n"
)


def array_digest(array: Array) -> str:
    """A digest of type, shape and bytes of an array (BLAKE2b, 32 hexadecimal digits)."""
    array = _plain(array)
    digest = hashlib.blake2b(npy_header(array.dtype, array.shape), digest_size=16)
    digest.update(raw(array))
    return digest.hexdigest()


def save_array(path: Path, array: Array) -> str:
    """Write an array and return its digest.

    Raises:
        XpbdError: E_IO when the disk refuses it, E_MEMORY when it is too large.
        ValueError: for a type that is no plain number.
    """
    array = _plain(array)
    check_size(array.nbytes, path)
    publish(path, (npy_header(array.dtype, array.shape), raw(array)))
    return array_digest(array)


def load_array(path: Path, dtype: npt.DTypeLike, shape: tuple[int, ...], digest: str, *, code: str = "E_JOB") -> Array:
    """Read an array of known type, shape and digest. The digest is taken in pieces before anything is held.

    Raises:
        XpbdError: ``code`` when the file is missing, truncated, corrupt or something else; E_IO when the system
            cannot read it.
    """
    with reading(path, code) as (file, length):
        start = _check(file, length, path, np.dtype(dtype), shape, digest, code)
        file.seek(start)
        try:
            array = np.empty(shape, dtype)
        except ValueError as fault:
            raise XpbdError(code, f"{path} should have the impossible shape {shape}.") from fault
        read_exactly(file, raw(array), path, code)
    return array


def check_array(path: Path, dtype: npt.DTypeLike, shape: tuple[int, ...], digest: str, *, code: str = "E_JOB") -> None:
    """See that ``load_array`` would read an array, without holding it.

    Raises:
        XpbdError: as ``load_array``.
    """
    with reading(path, code) as (file, length):
        _check(file, length, path, np.dtype(dtype), shape, digest, code)


def check_size(size: int, path: Path) -> None:
    """Refuse to write what would not be read again.

    Raises:
        XpbdError: E_MEMORY.
    """
    if size > MAXIMUM_ARRAY_BYTES:
        raise XpbdError("E_MEMORY", f"{path} would hold {size} bytes, more than {MAXIMUM_ARRAY_BYTES}; bake less.")


def npy_header(dtype: npt.DTypeLike, shape: tuple[int, ...]) -> bytes:
    """The bytes before the data of a ``.npy`` file, the same under every version of NumPy.

    The data begins at a multiple of 64 bytes.
    """
    text = f"{{'descr': {np.dtype(dtype).str!r}, 'fortran_order': False, 'shape': {shape!r}, }}"
    padding = -(_PREFIX + len(text) + 1) % _ALIGNMENT
    header = text + " " * padding + "\n"
    return _MAGIC + len(header).to_bytes(2, "little") + header.encode("latin-1")


def raw(array: Array) -> memoryview:
    """The bytes of a contiguous array, not copied."""
    return memoryview(array.reshape(-1).view(np.uint8).data)


def _check(
    file: BinaryIO, length: int, path: Path, dtype: np.dtype[Any], shape: tuple[int, ...], digest: str, code: str
) -> int:
    """Compare header, length and digest with what is expected; return where the data begins."""
    size = math.prod(shape) * dtype.itemsize
    if size > MAXIMUM_ARRAY_BYTES:
        raise XpbdError(code, f"{path} should have {size} bytes, more than the {MAXIMUM_ARRAY_BYTES} possible.")
    start = _check_header(file.read(_PREFIX + _MAXIMUM_HEADER_BYTES), path, dtype, shape, code)
    check_length(length, start + size, path, code)
    file.seek(start)
    found = hashlib.blake2b(npy_header(dtype, shape), digest_size=16)
    for piece in in_pieces(file, size, path, code):
        found.update(piece)
    if found.hexdigest() != digest:
        raise XpbdError(code, f"{path} is corrupt: its bytes do not fit their digest.")
    return start


def _check_header(beginning: bytes, path: Path, dtype: np.dtype[Any], shape: tuple[int, ...], code: str) -> int:
    """Compare the header with what is expected; return where the data begins."""
    start = _PREFIX + int.from_bytes(beginning[8:_PREFIX], "little")
    header = _HEADER.fullmatch(beginning[_PREFIX:start].decode("latin-1"))
    if beginning[:8] != _MAGIC or header is None:
        raise XpbdError(code, f"{path} is no array of the .npy format 1.0.")
    found = tuple(int(number) for number in header["shape"].replace(",", " ").split())
    if (header["dtype"], header["fortran"], found) != (dtype.str, "False", shape):
        raise XpbdError(code, f"{path} holds {header['dtype']} {found} instead of {dtype.str} {shape}.")
    return start


def _plain(array: Array) -> Array:
    if array.dtype.kind not in "biuf":
        raise ValueError(f"arrays of {array.dtype} are not stored")
    little = array.dtype.newbyteorder("<")
    return np.ascontiguousarray(array, little).reshape(array.shape)
