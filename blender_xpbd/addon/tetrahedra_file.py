# SPDX-License-Identifier: GPL-3.0-or-later
"""Tetrahedral meshes in TetGen's ``.node`` and ``.ele`` files.

Format: Si, TetGen 1.6 manual, section 5.2. Lines are "points dimensions attributes markers" and then
"index x y z …"; "tetrahedra corners attributes" and then "index a b c d …"; ``#`` begins a comment; indices begin at
0 or 1, as that of the first point does.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from ..scene.errors import XpbdError

MAXIMUM_BYTES = 2**30
# Volume of a tetrahedron as a share of the mesh's cubed size
FLATTEST = 1e-18


def read_tetrahedra(path: Path, object_name: str = "") -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int32]]:
    """Read a pair of files.

    Args:
        path: either of the two; the other one lies beside it.
        object_name: for messages.

    Returns:
        Vertices, shape (n, 3), and tetrahedra, shape (m, 4).

    Raises:
        XpbdError: E_TET_FILE, when one is missing or not what it should be; E_TET_VOLUME for flat tetrahedra.
    """
    points, first = _read_table(path.with_suffix(".node"), 3, float, object_name)
    tetrahedra, _ = _read_table(path.with_suffix(".ele"), 4, int, object_name)
    indices = tetrahedra.astype(np.int64) - first
    if len(indices) == 0 or indices.min() < 0 or indices.max() >= len(points):
        raise _fault(path.with_suffix(".ele"), "its tetrahedra do not fit the points", object_name)
    if not np.isfinite(points).all():
        raise _fault(path.with_suffix(".node"), "a coordinate is not finite", object_name)
    corners = points[indices]
    volumes = np.linalg.det(corners[:, 1:] - corners[:, :1]) / np.ptp(points, axis=0).max() ** 3
    if (flat := np.flatnonzero(np.abs(volumes) < FLATTEST)).size:
        raise XpbdError(
            "E_TET_VOLUME",
            f"{path.with_suffix('.ele')}: {flat.size} tetrahedra have no volume, the first is number "
            f"{int(flat[0]) + first}; remove them.",
            object_name,
        )
    return points, indices.astype(np.int32)


def _read_table(path: Path, columns: int, kind: type, object_name: str) -> tuple[npt.NDArray[np.float64], int]:
    """Columns 1 … ``columns`` of the rows, and the first row's index."""
    try:
        if path.stat().st_size > MAXIMUM_BYTES:
            raise _fault(path, f"it has more than {MAXIMUM_BYTES} bytes", object_name)
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as fault:
        raise _fault(path, fault.strerror or str(fault), object_name) from fault
    rows = [words for line in lines if (words := line.partition("#")[0].split())]
    try:
        count = int(rows[0][0])
        if int(rows[0][1]) != columns or count != len(rows) - 1:
            raise _fault(path, f"its first line does not announce {len(rows) - 1} rows of {columns}", object_name)
        table = np.array([[kind(word) for word in row[1 : columns + 1]] for row in rows[1:]], np.float64)
        if table.shape != (count, columns):
            raise ValueError
        return table, int(rows[1][0])
    except (ValueError, IndexError) as fault:
        raise _fault(path, "it is not in TetGen's format", object_name) from fault


def _fault(path: Path, reason: str, object_name: str) -> XpbdError:
    return XpbdError(
        "E_TET_FILE",
        f"Cannot use {path}: {reason}; choose TetGen's .node or .ele file, both side by side.",
        object_name,
    )
