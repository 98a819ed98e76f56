# SPDX-License-Identifier: GPL-3.0-or-later
"""Read tetrahedra from TetGen's text files, ``name.node`` and ``name.ele``.

Format: https://wias-berlin.de/software/tetgen/fformats.html. Numbers are separated by blanks, ``#`` begins a comment,
nodes are counted from 0 or from 1.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

import numpy as np

from .errors import XpbdError

# A file above this size is refused before it is read: about six million nodes.
FILE_SIZE_LIMIT = 512 * 1024 * 1024
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def read_node_ele(path: str | Path, object_name: str = "") -> tuple[np.ndarray, np.ndarray]:
    """Read a pair of TetGen files.

    Attributes and boundary markers are passed over.

    Args:
        path: the name of either file, or what both have before ``.node`` and ``.ele``.
        object_name: named in errors.

    Returns:
        Vertices [m], shape (vertices, 3), float64, and tetrahedra as the file winds them, shape (tetrahedra, 4), int32.

    Raises:
        XpbdError: ``E_TET_FILE`` with the line for what cannot be read, ``E_TET_VOLUME`` for flat tetrahedra.
    """
    path = Path(path)
    stem = path.with_suffix("") if path.suffix in (".node", ".ele") else path
    vertices, first_node = _read_nodes(Path(f"{stem}.node"), object_name)
    elements_file = Path(f"{stem}.ele")
    tetrahedra, lines = _read_elements(elements_file, object_name)
    tetrahedra = (tetrahedra - first_node).astype(np.int32)
    bad = ((tetrahedra < 0) | (tetrahedra >= len(vertices))).any(axis=1)
    if bad.any():
        row = int(np.argmax(bad))
        raise _fault(elements_file, "names a node that the .node file does not hold", object_name, int(lines[row]))
    size = max(float(np.ptp(vertices, axis=0).max()), np.finfo(float).tiny)
    corners = vertices[tetrahedra] / size
    flat = np.linalg.det(corners[:, 1:] - corners[:, :1]) == 0.0
    if flat.any():
        row = int(np.argmax(flat))
        message = f"{elements_file.name}: {int(flat.sum())} tetrahedra have no volume, the first in line {lines[row]}"
        raise XpbdError("E_TET_VOLUME", f"{message}; remove them", object_name)
    return vertices, tetrahedra


def _read_nodes(path: Path, object_name: str) -> tuple[np.ndarray, int]:
    """The nodes' positions, shape (nodes, 3), and the number of the first node."""
    header, rows, lines = _read_numbers(path, object_name)
    count, dimension = int(header[0]), int(header[1]) if len(header) > 1 else 3
    if dimension != 3:
        raise _fault(path, f"has nodes of {dimension} dimensions; 3 are needed", object_name, lines[0])
    table = _table(path, rows, lines[1:], count, 4, object_name)
    numbers, first = _numbering(path, table, lines[1:], object_name)
    finite = np.isfinite(table[:, 1:4]).all(axis=1)
    if not finite.all():
        raise _fault(path, "has a coordinate that is not finite", object_name, lines[1 + int(np.argmin(finite))])
    positions = np.empty((count, 3))
    positions[numbers] = table[:, 1:4]
    return positions, first


def _read_elements(path: Path, object_name: str) -> tuple[np.ndarray, np.ndarray]:
    """The node numbers of each tetrahedron, shape (elements, 4), int64, and the line of each."""
    header, rows, lines = _read_numbers(path, object_name)
    count, corners = int(header[0]), int(header[1]) if len(header) > 1 else 4
    if corners != 4:
        message = f"has elements of {corners} nodes; only linear tetrahedra (4 nodes) are supported"
        raise _fault(path, message, object_name, lines[0])
    table = _table(path, rows, lines[1:], count, 5, object_name)
    whole = (
        np.isfinite(table).all(axis=1) & (table == np.floor(table)).all(axis=1) & (np.abs(table) < 2**31).all(axis=1)
    )
    if not whole.all():
        raise _fault(path, "has a node number that is not whole", object_name, lines[1 + int(np.argmin(whole))])
    return table[:, 1:5].astype(np.int64), np.array(lines[1 : 1 + count])


def _read_bytes(path: Path, object_name: str) -> bytes:
    """A file whole. Its name stands in a .blend file, and may be that of a pipe, which would hang, or of a device."""
    try:
        with os.fdopen(os.open(path, _FLAGS), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise _fault(path, "is not a regular file", object_name)
            content = file.read(FILE_SIZE_LIMIT + 1)
    except OSError as error:
        raise _fault(path, f"cannot be read ({error.strerror or error})", object_name) from error
    if len(content) > FILE_SIZE_LIMIT:
        raise _fault(path, f"is larger than {FILE_SIZE_LIMIT // 2**20} MiB", object_name)
    return content


def _read_numbers(path: Path, object_name: str) -> tuple[list[float], list[list[str]], list[int]]:
    """The header's numbers, the other rows' words, and the line number of each row (the header's first)."""
    try:
        text = _read_bytes(path, object_name).decode("ascii")
    except UnicodeDecodeError as error:
        raise _fault(path, "is no text file of TetGen's", object_name) from error
    rows, lines = [], []
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.partition("#")[0].split()
        if words:
            rows.append(words)
            lines.append(number)
    if not rows:
        raise _fault(path, "is empty", object_name)
    try:
        header = [float(int(word)) for word in rows[0]]
    except ValueError as error:
        raise _fault(path, "does not begin with whole numbers", object_name, lines[0]) from error
    if not 0 < header[0] < 2**31:
        raise _fault(path, "announces no rows", object_name, lines[0])
    return header, rows[1:], lines


def _table(
    path: Path, rows: list[list[str]], lines: list[int], count: int, columns: int, object_name: str
) -> np.ndarray:
    """The first columns of as many rows as the header announced, shape (count, columns), float64."""
    if len(rows) < count:
        raise _fault(path, f"ends after {len(rows)} of {count} rows; it is cut off", object_name, (lines or [1])[-1])
    if len(rows) > count:
        raise _fault(path, f"goes on after the {count} rows that it announces", object_name, lines[count])
    short = next((number for row, number in zip(rows, lines, strict=False) if len(row) < columns), None)
    if short is not None:
        raise _fault(path, f"has fewer than {columns} numbers", object_name, short)
    try:
        return np.array([row[:columns] for row in rows[:count]], dtype=np.float64)
    except ValueError as error:
        bad = next(number for row, number in zip(rows, lines, strict=False) if not _are_numbers(row[:columns]))
        raise _fault(path, "has something that is no number", object_name, bad) from error


def _numbering(path: Path, table: np.ndarray, lines: list[int], object_name: str) -> tuple[np.ndarray, int]:
    """Each row's place among the nodes (0 …), from the numbers in the first column, and the lowest number."""
    first = table[:, 0].min()
    if first not in (0.0, 1.0):
        raise _fault(path, "counts its nodes neither from 0 nor from 1", object_name, lines[0])
    places = table[:, 0] - first
    good = places == np.floor(places)
    good &= places < len(table)
    if good.all():
        times = np.bincount(places.astype(np.int64), minlength=len(table))
        good = times[places.astype(np.int64)] == 1
    if not good.all():
        message = "has a node number that is repeated or out of range"
        raise _fault(path, message, object_name, lines[int(np.argmin(good))])
    return places.astype(np.int64), int(first)


def _are_numbers(words: list[str]) -> bool:
    """Whether every word can be read as a number."""
    try:
        np.array(words, dtype=np.float64)
    except ValueError:
        return False
    return True


def _fault(path: Path, what: str, object_name: str, line: int | None = None) -> XpbdError:
    """An E_TET_FILE error that names the file and the line."""
    where = f"{path.name}, line {line}" if line is not None else path.name
    return XpbdError("E_TET_FILE", f"{where}: {what}; export the tetrahedra again", object_name)
