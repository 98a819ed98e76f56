# SPDX-License-Identifier: GPL-3.0-or-later
"""How fast bakes were on this machine, kept in a file of this user's beside the compiled kernels."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from ...jobs.files import make_folder, publish
from ...jobs.strict_json import dump_json, load_json
from ...jobs.version import SOLVER_VERSION
from ...scene.errors import XpbdError
from .worker_python import user_cache

_FILE = "speeds.json"
_MOST_BYTES = 1 << 16
_MOST_KINDS = 200
# of unlike scenes, so that their middle tells of the machine
_ENOUGH_KINDS = 3
# between the family of a kind, its roles and whether surfaces meet, and what else decides its kernels
FAMILY_END = "/"
# what a bake may take longer or shorter by than what was expected
_MOST_TIMES = 1000.0


@dataclass(frozen=True)
class Speeds:
    """What is known.

    Attributes:
        times: how many times as long as expected frames took, by the kind of scene: a digest of what decides which
            kernels it needs. All kernels of these have been compiled for this solver. The newest is the last.
        preparing: how many times as long as expected it took to compile kernels that were not there.
    """

    times: Mapping[str, float] = field(default_factory=dict)
    preparing: float = 1.0

    def of(self, kind: str) -> float:
        """How many times as long as expected a scene of a kind takes.

        As it did, or as those of its family do in the middle; else as all others do, if there are enough of them that
        one slow bake among them does not count.
        """
        if kind in self.times:
            return self.times[kind]
        alike = [times for other, times in self.times.items() if _family(other) == _family(kind)]
        others = list(self.times.values()) if len(self.times) >= _ENOUGH_KINDS else [1.0]
        return median(alike or others)


def read_speeds() -> Speeds:
    """What is known; nothing where no bake was made with this solver, or the file is not to be understood."""
    try:
        values = load_json(_path(), _MOST_BYTES, "E_IO")
    except XpbdError:
        return Speeds()
    if not isinstance(values, dict) or values.get("solver") != SOLVER_VERSION:
        return Speeds()
    times = values.get("times")
    known = times.items() if isinstance(times, dict) else ()
    preparing = values.get("preparing")
    return Speeds(
        {kind: float(value) for kind, value in known if _is_time(value)},
        float(preparing) if _is_time(preparing) else 1.0,
    )


def note_times(kind: str, times: float, preparing: float | None = None) -> None:
    """Keep how a bake went. Where the file cannot be written nothing is kept: a bake is not to fail for that.

    A machine that was slow for an hour shall not be thought slow for ever: each bake counts for half.

    Args:
        kind: of its scene.
        times: how many times as long as expected its frames took.
        preparing: the same of the kernels that it compiled, None where they were there.
    """
    before = read_speeds()
    known = dict(before.times)
    known[kind] = _mean(known.pop(kind, times), times)
    kept = dict(list(known.items())[-_MOST_KINDS:])
    prepared = before.preparing if preparing is None else _mean(before.preparing, preparing)
    with suppress(XpbdError):
        make_folder(_path().parent)
        publish(_path(), [dump_json({"solver": SOLVER_VERSION, "times": kept, "preparing": prepared})])


def _mean(before: float, now: float) -> float:
    """What is in the middle of two factors, not beyond all bounds."""
    return min(max(math.sqrt(before * now), 1.0 / _MOST_TIMES), _MOST_TIMES)


def _family(kind: str) -> str:
    """What kinds have in common that take about as long as expected, all of them or none."""
    return kind.rpartition(FAMILY_END)[0]


def _path() -> Path:
    return user_cache() / _FILE


def _is_time(value: Any) -> bool:
    return isinstance(value, float | int) and 1.0 / _MOST_TIMES <= value <= _MOST_TIMES
