# SPDX-License-Identifier: GPL-3.0-or-later
"""What a part of the proof is: numbered trials, each with a seed of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
class LeastShare:
    """How many of the trials must end in a way.

    Attributes:
        what: for the report.
        kind: of the outcomes that are counted.
        among: how the kinds begin of which that is a share.
        least: from 0 to 1.
    """

    what: str
    kind: str
    among: str
    least: float

    def of(self, kinds: Sequence[str]) -> float:
        """The share among trials that ended so; 1 where none is of these kinds."""
        chosen = [kind for kind in kinds if kind.startswith(self.among)]
        return chosen.count(self.kind) / len(chosen) if chosen else 1.0


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
        share: of its trials that must end in a way; None where any may.
    """

    name: str
    what: str
    count: int
    run: Callable[[int, Path], Outcome]
    limit: float = 600.0
    missing: Callable[[], str] = lambda: ""
    share: LeastShare | None = None

    def faults(self, kinds: Sequence[str]) -> list[str]:
        """What does not hold of all trials together, by how they ended."""
        share = self.share
        if share is None or share.of(kinds) >= share.least:
            return []
        return [f"{share.what}: {100.0 * share.of(kinds):.1f} %, less than {100.0 * share.least:.0f} %"]
