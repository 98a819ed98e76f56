# SPDX-License-Identifier: GPL-3.0-or-later
"""Which vertices cross something at the first frame, beside the result of a bake."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from ..scene.errors import XpbdError
from .arrays import load_array, save_array
from .files import inside
from .result import Result, Tangled

TANGLED_FILE = "tangled.npy"

Ints = npt.NDArray[np.int32]


def write_tangled(folder: Path, vertices: Ints) -> Tangled:
    """Write the vertices, and return what the result says of them.

    Args:
        folder: the job folder.
        vertices: numbers among the vertices of a frame, ascending, shape (tangled,).

    Raises:
        XpbdError: E_IO.
    """
    vertices = np.asarray(vertices, "<i4")
    return Tangled(len(vertices), save_array(inside(folder, TANGLED_FILE, code="E_CACHE"), vertices))


def read_tangled(folder: Path, result: Result) -> Ints:
    """The vertices again.

    Raises:
        XpbdError: E_CACHE naming the file, where it is missing, damaged or not of this result; E_IO when the system
            cannot read it.
    """
    path = inside(folder, TANGLED_FILE, code="E_CACHE")
    vertices: Ints = load_array(path, "<i4", (result.tangled.count,), result.tangled.digest, code="E_CACHE")
    if len(vertices) and not (
        vertices[0] >= 0 and vertices[-1] < result.vertex_count and (np.diff(vertices) > 0).all()
    ):
        raise XpbdError("E_CACHE", f"{path} holds numbers that are none of the vertices.")
    return vertices
