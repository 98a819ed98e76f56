# SPDX-License-Identifier: GPL-3.0-or-later
"""What is measured of a bake, what it should be, and the case that compares."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..case import Case, Curve, Plot, Result, Row, absolute, at_most, relative
from .converged import Converged, converged_number, converged_versions
from .running import bake, with_substeps
from .shot import Baked, Shot

SHARE, AMOUNT, AT_MOST = range(3)


@dataclass(frozen=True)
class Measure:
    """One number of a bake.

    Attributes:
        label: what it is, with its unit.
        of: computes it.
        expected: what it should be, from theory; None for what the converged run gives.
        tolerance: the goal: how far off it may be; not read where the number may be at most what is expected.
        kind: whether the tolerance is a SHARE of what is expected, an AMOUNT, or the number AT_MOST the expected one.
    """

    label: str
    of: Callable[[Baked], float]
    expected: float | None
    tolerance: float = 0.1
    kind: int = SHARE


@dataclass(frozen=True)
class Probe:
    """A scene and what is measured of it.

    Attributes:
        name: what is special about it, as text.
        shot: to bake.
        measures: numbers of it.
        substeps: of the converged run; 0 for none.
    """

    name: str
    shot: Shot
    measures: tuple[Measure, ...]
    substeps: int = 0


def product_case(name: str, title: str, text: str, probes: Sequence[Probe], note: str = "") -> Case:
    """A case whose scenes are baked through the add-on."""
    return Case(name, f"Through the add-on: {title}", text, Comparison(name, tuple(probes), note))


@dataclass(frozen=True)
class Comparison:
    """What a case runs; ``converge`` computes the converged numbers that it reads."""

    name: str
    probes: tuple[Probe, ...]
    note: str

    def __call__(self) -> Result:
        """Bake at default settings and compare."""
        rows = []
        for probe, baked in zip(self.probes, bake([probe.shot for probe in self.probes]), strict=True):
            rows += [self._row(probe, measure, baked) for measure in probe.measures]
        numbers = np.arange(1, len(rows) + 1)
        curves = [Curve("default settings", numbers, [row.got for row in rows], "o")]
        if any(row.converged is not None for row in rows):
            known = [np.nan if row.converged is None else row.converged for row in rows]
            curves.append(Curve("converged", numbers, known, "x"))
        return Result(tuple(rows), Plot("row", "value", tuple(curves)), " ".join(filter(None, [self.note, self._of()])))

    def converge(self) -> dict[str, Converged]:
        """The numbers of the converged runs, by ``key``."""
        chosen = [probe for probe in self.probes if probe.substeps]
        found = {}
        shots = [with_substeps(probe.shot, probe.substeps) for probe in chosen]
        for probe, baked in zip(chosen, bake(shots), strict=True):
            for measure in probe.measures:
                found[self.key(probe, measure)] = Converged.of_today(measure.of(baked), baked)
        return found

    def key(self, probe: Probe, measure: Measure) -> str:
        """Of a converged number."""
        return f"{self.name} / {probe.name} / {measure.label}"

    @property
    def versions(self) -> str:
        """Of the solver that the converged numbers are of, as ``converged_versions``."""
        return converged_versions(
            self.key(probe, measure) for probe in self.probes if probe.substeps for measure in probe.measures
        )

    def _of(self) -> str:
        return f"Converged numbers are of version {self.versions} of the solver." if self.versions else ""

    def _row(self, probe: Probe, measure: Measure, baked: Baked) -> Row:
        known = converged_number(self.key(probe, measure)) if probe.substeps else None
        label = f"{probe.name}: {measure.label}"
        expected = measure.expected if measure.expected is not None else (np.nan if known is None else known)
        got = measure.of(baked)
        if measure.kind == SHARE:
            row = relative(label, expected, got, measure.tolerance)
        elif measure.kind == AMOUNT:
            row = absolute(label, expected, got, measure.tolerance)
        else:
            row = at_most(label, expected, got)
        return replace(row, converged=known, settings=f"{baked.substeps} × {baked.iterations}")
