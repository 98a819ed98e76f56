# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of runs with many substeps: slow to compute, so ``scripts/validate --converge`` keeps them in a file."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from blender_xpbd.jobs.version import SOLVER_VERSION

from .shot import Baked

RECORD = Path(__file__).with_name("converged.json")


@dataclass(frozen=True)
class Converged:
    """A number and where it comes from.

    Attributes:
        value: in its label's unit.
        substeps: a frame.
        solver: ``SOLVER_VERSION``.
        date: year, month and day.
    """

    value: float
    substeps: int
    solver: int
    date: str

    @classmethod
    def of_today(cls, value: float, baked: Baked) -> Converged:
        """A number that was just computed."""
        return cls(value, baked.substeps, SOLVER_VERSION, dt.datetime.now(tz=dt.UTC).date().isoformat())


@cache
def _recorded() -> Mapping[str, Converged]:
    if not RECORD.is_file():
        return {}
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    return {key: Converged(**values) for key, values in record.items()}


def converged_number(key: str) -> float | None:
    """A recorded number; None where none was recorded yet."""
    found = _recorded().get(key)
    return None if found is None else found.value


def converged_versions(keys: Iterable[str]) -> str:
    """Versions of the solver that the recorded ones of these numbers are of, as "5 and 6"; "" where none is."""
    found = (_recorded().get(key) for key in keys)
    versions = [str(version) for version in sorted({number.solver for number in found if number is not None})]
    return " and ".join(filter(None, [", ".join(versions[:-1]), *versions[-1:]]))


def record_converged(found: Mapping[str, Converged]) -> None:
    """Add numbers to the record, in place of older ones."""
    # another process may have added to it
    _recorded.cache_clear()
    merged = dict(sorted({**_recorded(), **found}.items()))
    text = json.dumps({key: asdict(number) for key, number in merged.items()}, indent=1, ensure_ascii=False)
    RECORD.write_text(text + "\n", encoding="utf-8")
    _recorded.cache_clear()
