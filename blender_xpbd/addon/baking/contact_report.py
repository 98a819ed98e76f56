# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bake tells of contact, object by object, and the sums that the panel shows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ...scene.errors import Notice


def add_contact(
    entries: list[dict[str, Any]],
    objects: Sequence[str],
    names: Sequence[str],
    statistics: npt.NDArray[np.float64],
    *,
    is_first: bool,
    is_last: bool,
) -> None:
    """Take a frame's contact into the entries of the objects; nothing where there are no columns of it.

    Args:
        entries: one for each object, in their order, empty at first. Of each: ``crossings_start`` and ``crossings_end``
            (edges through faces at the first and the last frame, None where unknown), ``tunnelled`` (how often
            something may have passed through, in all frames) and ``contacts`` (most in a frame).
        objects: their names.
        names: of the columns.
        statistics: a row for each object; of a stranger's frame any number.
        is_first: whether it is the first frame of the bake.
        is_last: whether it is the last one.
    """
    if "contacts" not in names:
        return
    if not entries:
        start = {"crossings_start": None, "crossings_end": None, "tunnelled": 0, "contacts": 0}
        entries.extend({"object": name, **start} for name in objects)
    for entry, row in zip(entries, statistics, strict=True):
        values = {name: int(value) for name, value in zip(names, row, strict=True) if 0.0 <= value < 2.0**53}
        entry["contacts"] = max(entry["contacts"], values["contacts"]) if "contacts" in values else entry["contacts"]
        entry["tunnelled"] += values.get("tunnelled", 0)
        for key, counts in (("crossings_start", is_first), ("crossings_end", is_last)):
            if counts and "crossings" in values:
                entry[key] = values["crossings"]


def crossing_notices(entries: Sequence[Mapping[str, Any]], frame: int) -> Iterator[Notice]:
    """A warning for each object that crosses something at the last frame of a bake.

    Args:
        entries: as ``add_contact`` keeps them.
        frame: the last one.
    """
    for entry in entries:
        if not (end := entry["crossings_end"]):
            continue
        start = entry["crossings_start"]
        begun = f" At the first frame there were {start}: part it by hand there." if start else ""
        text = (
            f"{end} {'crossing' if end == 1 else 'crossings'} of edges and faces {'is' if end == 1 else 'are'} left at "
            f"frame {frame}, the last one.{begun} Else take Final, slower motion or a greater thickness."
        )
        yield Notice("W_CROSSES", text, entry["object"])


def contact_rows(entries: Any) -> Iterable[tuple[str, str]]:
    """Labels and values for the panel; ``entries`` may be anything."""
    objects = [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    start, end = _total(objects, "crossings_start"), _total(objects, "crossings_end")
    if start or end:
        yield "Crossings", f"{start} → {end}"
    if tunnelled := _total(objects, "tunnelled"):
        yield "Passed Through", f"{tunnelled} times"


def _total(entries: Iterable[Mapping[str, Any]], key: str) -> int:
    values = (entry.get(key) for entry in entries)
    return sum(int(value) for value in values if isinstance(value, int | float) and math.isfinite(value))
