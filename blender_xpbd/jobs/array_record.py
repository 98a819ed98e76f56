# SPDX-License-Identifier: GPL-3.0-or-later
"""The arrays of one object of a job: how they are named, described in ``job.json``, written and read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..scene.errors import XpbdError
from .arrays import array_digest, load_array, save_array
from .files import inside
from .record import Record

ARRAYS_FOLDER = "arrays"
FRAMES = "frames"
ARRAY_KEYS = ("dtype", "shape", "digest")

Array = npt.NDArray[Any]
Arrays = dict[str, Array]
# An array's type and shape. A name stands for a count that all arrays of an object share, which the first to have it
# tells; "frames" for the frames of the job, or one. Any length may be 0: what is not there.
ArraySpec = tuple[str, tuple[int | str, ...]]


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
        path = _array_path(folder, identifier, name)
        try:
            load_array(path, array.dtype, array.shape, described[name]["digest"])
        except XpbdError as fault:
            if fault.code != "E_JOB":
                raise
            save_array(path, array)


def read_arrays(
    folder: Path, identifier: str, record: Record, specs: Mapping[str, ArraySpec], frame_count: int
) -> Arrays:
    """Read the arrays of an object; nothing is allocated before the lengths have been compared with the job's counts.

    Args:
        folder: the job folder.
        identifier: by which the files are named, checked.
        record: of the object, with its ``arrays``.
        specs: type and shape of each.
        frame_count: frames of the job.

    Raises:
        XpbdError: E_JOB, E_IO.
    """
    described = record.record("arrays", specs)
    counts = {FRAMES: frame_count}
    arrays: Arrays = {}
    for name, (dtype, wanted) in specs.items():
        item = described.record(name, ARRAY_KEYS)
        shape = item.integers("shape")
        fits = len(shape) == len(wanted) and all(_fits(n, w, counts) for n, w in zip(shape, wanted, strict=True))
        if item.text("dtype") != dtype or not fits:
            item.refuse(f"should be {dtype} of shape {wanted} with {counts}")
        arrays[name] = load_array(_array_path(folder, identifier, name), dtype, shape, item.text("digest"))
    return arrays


def _fits(length: int, wanted: int | str, counts: dict[str, int]) -> bool:
    if isinstance(wanted, int):
        return length == wanted
    if wanted == FRAMES:
        return length in (0, 1, counts[FRAMES])
    return length in (0, counts.setdefault(wanted, length))


def _array_path(folder: Path, identifier: str, name: str) -> Path:
    # The identifier first, and no dot after it: Windows takes "con.npy" and its like for devices
    return inside(folder, ARRAYS_FOLDER, f"{identifier}_{name}.npy", code="E_JOB")
