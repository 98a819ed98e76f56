# SPDX-License-Identifier: GPL-3.0-or-later
"""The arrays of a job: their types, and how their shapes hang together.

A forged shape may say anything. Here shapes are compared with each other, with the frames and with free memory, before
a file is opened.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..scene.errors import XpbdError
from .free_memory import free_memory
from .record import Record

FRAMES = "frames"
# An array's type and shape. A name stands for a count that all arrays of an object share, which the first to have it
# tells; "frames" for the frames of the job, or one. Any length may be 0: what is not there.
ArraySpec = tuple[str, tuple[int | str, ...]]

# What else is known of a count: so many times it is at most another
_AT_MOST: dict[str, tuple[int, str]] = {
    "polygons": (3, "corners"),
    "pins": (1, "vertices"),
    "attached": (1, "vertices"),
    "left out": (1, "vertices"),
    "goals": (1, "vertices"),
}
_ARRAY_KEYS = ("dtype", "shape", "digest")


@dataclass(frozen=True)
class ArrayDescription:
    """What a job says of one array."""

    dtype: str
    shape: tuple[int, ...]
    digest: str

    @property
    def size(self) -> int:
        """Bytes."""
        return math.prod(self.shape) * np.dtype(self.dtype).itemsize


def read_descriptions(record: Record, specs: Mapping[str, ArraySpec], frame_count: int) -> dict[str, ArrayDescription]:
    """What an object of a job says of its arrays.

    Args:
        record: of the object, with its ``arrays``.
        specs: type and shape of each.
        frame_count: frames of the job.

    Raises:
        XpbdError: the record's code, where types or shapes do not fit together.
    """
    items = record.record("arrays", specs)
    counts = {FRAMES: frame_count}
    descriptions: dict[str, ArrayDescription] = {}
    for name, (dtype, wanted) in specs.items():
        item = items.record(name, _ARRAY_KEYS)
        found = ArrayDescription(item.text("dtype"), item.integers("shape"), item.text("digest"))
        if found.dtype != dtype or not _fits(found.shape, wanted, counts):
            item.refuse(f"should be {dtype} of shape {wanted} with {counts}")
        descriptions[name] = found
    for name, (factor, other) in _AT_MOST.items():
        if name in counts and factor * counts[name] > counts[other]:
            items.refuse(f"{counts[name]} {name} should be fewer, for there are {counts[other]} {other}")
    return descriptions


def require_memory(descriptions: Iterable[ArrayDescription], path: Path) -> None:
    """Refuse a job whose arrays alone would fill the memory.

    Raises:
        XpbdError: E_MEMORY.
    """
    size, free = sum(description.size for description in descriptions), free_memory()
    if size > free:
        raise XpbdError(
            "E_MEMORY",
            f"The arrays of {path} have {size} bytes, and only {free} are free: bake less, or on another machine.",
        )


def _fits(shape: tuple[int, ...], wanted: tuple[int | str, ...], counts: dict[str, int]) -> bool:
    return len(shape) == len(wanted) and all(_is(n, w, counts) for n, w in zip(shape, wanted, strict=True))


def _is(length: int, wanted: int | str, counts: dict[str, int]) -> bool:
    """Whether a length is as wanted; a count that is met for the first time is noted."""
    if isinstance(wanted, int):
        return length == wanted
    if wanted == FRAMES:
        return length in (0, 1, counts[FRAMES])
    return length in (0, counts.setdefault(wanted, length))
