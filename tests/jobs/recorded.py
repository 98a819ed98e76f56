# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests of the records of objects share: an object written as in a job, and what came back of it."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from blender_xpbd.jobs.array_record import ARRAYS_FOLDER, Arrays, write_arrays
from blender_xpbd.jobs.files import make_folder
from blender_xpbd.jobs.record import Record


def recorded(folder: Path, identifier: str, described: Mapping[str, Any], arrays: Arrays) -> Record:
    """The record of an object, by way of JSON, with its arrays in the folder."""
    make_folder(folder / ARRAYS_FOLDER)
    write_arrays(folder, identifier, arrays, described["arrays"])
    return edited(described, lambda value: None)


def edited(described: Mapping[str, Any], change: Callable[[dict[str, Any]], object]) -> Record:
    """The record of an object, changed as a forger would."""
    value = json.loads(json.dumps(described))
    change(value)
    return Record(value, Path("job.json"), "E_JOB")


def names(**values: str) -> Record:
    """The names of objects, by identifier."""
    return Record(values, Path("job.json"), "E_JOB")


def assert_same(a: object, b: object) -> None:
    """Equal to the last byte, types of arrays included."""
    if isinstance(a, np.ndarray):
        assert isinstance(b, np.ndarray)
        assert (a.dtype, a.shape, a.tobytes()) == (b.dtype, b.shape, b.tobytes())
    elif isinstance(a, tuple):
        assert isinstance(b, tuple)
        for one, other in zip(a, b, strict=True):
            assert_same(one, other)
    elif isinstance(a, dict):
        assert isinstance(b, dict)
        assert a.keys() == b.keys()
        for key in a:
            assert_same(a[key], b[key])
    elif dataclasses.is_dataclass(a):
        assert type(a) is type(b)
        for field in dataclasses.fields(a):
            assert_same(getattr(a, field.name), getattr(b, field.name))
    else:
        assert a == b
