# SPDX-License-Identifier: GPL-3.0-or-later
"""What a part of the proof is: numbered trials, each with a seed of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Outcome:
    """What came of one trial.

    Attributes:
        kind: what was tried and how it ended, for the counts.
        faults: what did not hold; none where all did.
        figures: numbers, of which the report tells the greatest.
        counts: numbers, of which the report tells the sum.
    """

    kind: str
    faults: tuple[str, ...] = ()
    figures: dict[str, float] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Part:
    """Trials of one subject.

    Attributes:
        name: for the command line.
        what: is tried, and what must hold.
        count: trials by default.
        run: gets the number of the trial, by which it is seeded, and an empty folder.
        limit: after which a trial hangs [s].
        missing: tells what it lacks on this machine, "" for nothing; a part that lacks something is skipped.
    """

    name: str
    what: str
    count: int
    run: Callable[[int, Path], Outcome]
    limit: float = 600.0
    missing: Callable[[], str] = lambda: ""
