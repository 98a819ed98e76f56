# SPDX-License-Identifier: GPL-3.0-or-later
"""The arrays of a job: their types, and how their shapes hang together.

A forged shape may say anything. Here shapes are compared with each other, with the frames and with free memory, before
a file is opened.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..scene.errors import XpbdError
from ..scene.scene import MULTIPLIERS
from .free_memory import free_memory
from .record import Record

# Type and shape. A word stands for a length, the same one wherever it stands among the arrays of one body
Spec = tuple[str, tuple[int | str, ...]]
BODY_ARRAYS: dict[str, Spec] = {
    "positions": ("<f8", ("vertices", 3)),
    "face_sizes": ("<i4", ("faces",)),
    "corners": ("<i4", ("corners",)),
    "pin_vertices": ("<i4", ("pins",)),
    "pin_weights": ("<f4", ("pins",)),
    "pin_targets": ("<f8", ("rows", "pins", 3)),
    "tetrahedra_vertices": ("<f8", ("nodes", 3)),
    "tetrahedra": ("<i4", ("tetrahedra", 4)),
    "uvs": ("<f4", ("uvs", 2)),
    "loose_edges": ("<i4", ("loose edges", 2)),
    "attach_vertices": ("<i4", ("attached",)),
    "attach_weights": ("<f4", ("attached",)),
    **{f"multiplier_{name}": ("<f4", (f"factors of {name}",)) for name in MULTIPLIERS},
}
COLLIDER_ARRAYS: dict[str, Spec] = {
    "transforms": ("<f8", ("rows", 4, 4)),
    "positions": ("<f8", ("vertices", 3)),
    "triangles": ("<i4", ("triangles", 3)),
}


def _none_or_all(name: str) -> Callable[[Mapping[str, int]], bool]:
    return lambda n: n[name] in (0, n["vertices"])


# What is known of a length from the others
_RULES: dict[str, Callable[[Mapping[str, int]], bool]] = {
    "rows": lambda n: n["rows"] in (1, n["frames"]),
    "faces": lambda n: 3 * n["faces"] <= n["corners"],
    "pins": lambda n: n["pins"] <= n["vertices"],
    "uvs": lambda n: n["uvs"] in (0, n["corners"]),
    "attached": lambda n: n["attached"] <= n["vertices"],
    # An empty array stands for none
    **{f"factors of {name}": _none_or_all(f"factors of {name}") for name in MULTIPLIERS},
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


def read_descriptions(record: Record, specs: Mapping[str, Spec], frame_count: int) -> dict[str, ArrayDescription]:
    """What a body or collider says of its arrays.

    Args:
        record: of the body or collider.
        specs: ``BODY_ARRAYS`` or ``COLLIDER_ARRAYS``.
        frame_count: that the job has.

    Raises:
        XpbdError: the record's code, where types or shapes do not fit together.
    """
    items = record.record("arrays", specs)
    lengths = {"frames": frame_count}
    descriptions: dict[str, ArrayDescription] = {}
    for name, (dtype, wanted) in specs.items():
        item = items.record(name, _ARRAY_KEYS)
        found = ArrayDescription(item.text("dtype"), item.integers("shape"), item.text("digest"))
        if found.dtype != dtype or not _fits(found.shape, wanted, lengths):
            item.refuse(f"should be {dtype} of shape {wanted}")
        descriptions[name] = found
    for name, rule in _RULES.items():
        if name in lengths and not rule(lengths):
            items.refuse(f"{lengths[name]} {name} do not fit the other arrays")
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


def _fits(shape: tuple[int, ...], wanted: tuple[int | str, ...], lengths: dict[str, int]) -> bool:
    """Whether a shape is as wanted; lengths that are met for the first time are noted."""
    return len(shape) == len(wanted) and all(
        number == (lengths.setdefault(word, number) if isinstance(word, str) else word)
        for number, word in zip(shape, wanted, strict=True)
    )
