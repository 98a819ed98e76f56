# SPDX-License-Identifier: GPL-3.0-or-later
"""The arrays of one object of a job: how they are named, described in ``job.json``, written and read.

What ``job.json`` may say of them, ``array_shapes`` holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..scene.errors import XpbdError
from .array_shapes import ArraySpec, read_descriptions
from .arrays import array_digest, check_array, load_array, save_array
from .files import inside
from .record import Record

ARRAYS_FOLDER = "arrays"

Array = npt.NDArray[Any]
Arrays = dict[str, Array]


def describe_arrays(arrays: Mapping[str, Array]) -> dict[str, Any]:
    """Type, shape and digest of each."""
    return {
        name: {"dtype": array.dtype.str, "shape": list(array.shape), "digest": array_digest(array)}
        for name, array in arrays.items()
    }


def typed(arrays: Mapping[str, npt.ArrayLike], specs: Mapping[str, ArraySpec]) -> Arrays:
    """The arrays in the types of the file."""
    return {name: np.asarray(arrays[name], dtype) for name, (dtype, _) in specs.items()}


def write_arrays(folder: Path, identifier: str, arrays: Mapping[str, Array], described: Mapping[str, Any]) -> None:
    """Write the arrays of an object; what is there and has the digest is kept.

    Raises:
        XpbdError: E_IO when the disk refuses; E_MEMORY; E_JOB when a link stands in the way.
    """
    for name, array in arrays.items():
        path = array_path(folder, identifier, name)
        try:
            check_array(path, array.dtype, array.shape, described[name]["digest"])
        except XpbdError as fault:
            if fault.code != "E_JOB":
                raise
            save_array(path, array)


def read_arrays(
    folder: Path, identifier: str, record: Record, specs: Mapping[str, ArraySpec], frame_count: int
) -> Arrays:
    """Read the arrays of an object; no file is opened before all their shapes are known to fit together.

    Args:
        folder: the job folder.
        identifier: by which the files are named, checked.
        record: of the object, with its ``arrays``.
        specs: type and shape of each.
        frame_count: frames of the job.

    Raises:
        XpbdError: E_JOB, E_IO.
    """
    described = read_descriptions(record, specs, frame_count)
    return {
        name: load_array(array_path(folder, identifier, name), item.dtype, item.shape, item.digest)
        for name, item in described.items()
    }


def array_path(folder: Path, identifier: str, name: str) -> Path:
    """The file of an array of an object.

    Raises:
        XpbdError: E_JOB, for a link.
    """
    # The identifier first, and no dot after it: Windows takes "con.npy" and its like for devices
    return inside(folder, ARRAYS_FOLDER, f"{identifier}_{name}.npy", code="E_JOB")
