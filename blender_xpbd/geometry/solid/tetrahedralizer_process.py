# SPDX-License-Identifier: GPL-3.0-or-later
"""The process that runs a tetrahedralizer.

Start: ``python -P tetrahedralizer_process.py NAME FOLDER EDGE_LENGTH``; it imports nothing of the package.

Reads ``positions.npy`` and ``triangles.npy`` in the folder and writes ``vertices.npy`` and ``tetrahedra.npy`` there.
Exits with status ``REFUSED`` if the library raises an error; the last line printed says why.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

REFUSED = 3


def run_ftetwild(positions: np.ndarray, triangles: np.ndarray, edge_length: float) -> tuple[np.ndarray, np.ndarray]:
    """Tetrahedra by fTetWild (Hu et al. 2020), which keeps to the surface within a thousandth of its size.

    Args:
        positions: vertices, shape (vertices, 3), of a body of size 1.
        triangles: shape (triangles, 3).
        edge_length: in units of the body's size.

    Returns:
        Vertices, shape (n, 3), and tetrahedra, shape (m, 4).
    """
    import pytetwild

    return pytetwild.tetrahedralize(positions, triangles, edge_length_abs=edge_length, quiet=True)


def run_tetgen(positions: np.ndarray, triangles: np.ndarray, edge_length: float) -> tuple[np.ndarray, np.ndarray]:
    """Tetrahedra by TetGen (Si 2015), which keeps the surface and may add vertices on it.

    Args:
        positions: vertices, shape (vertices, 3), of a body of size 1.
        triangles: shape (triangles, 3).
        edge_length: in units of the body's size.

    Returns:
        Vertices, shape (n, 3), and tetrahedra, shape (m, 4).
    """
    import tetgen

    mesher = tetgen.TetGen(positions, triangles)
    # The volume of a regular tetrahedron of that edge length.
    result = mesher.tetrahedralize(order=1, quality=True, fixedvolume=True, maxvolume=edge_length**3 / (6.0 * 2.0**0.5))
    return result[0], result[1]


LIBRARIES = {"FTETWILD": run_ftetwild, "TETGEN": run_tetgen}


def main(arguments: list[str]) -> int:
    """Run the library.

    Args:
        arguments: name, folder, edge length.

    Returns:
        The exit status.
    """
    name, folder, edge_length = arguments[0], Path(arguments[1]), float(arguments[2])
    positions = np.load(folder / "positions.npy", allow_pickle=False)
    triangles = np.load(folder / "triangles.npy", allow_pickle=False)
    try:
        vertices, tetrahedra = LIBRARIES[name](positions, triangles, edge_length)
    except (RuntimeError, ValueError) as error:
        print(f"{type(error).__name__}: {error}".replace("\n", " "), file=sys.stderr)
        return REFUSED
    np.save(folder / "vertices.npy", np.asarray(vertices, dtype=np.float64))
    np.save(folder / "tetrahedra.npy", np.asarray(tetrahedra, dtype=np.int32))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
