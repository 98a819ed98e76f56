# SPDX-License-Identifier: GPL-3.0-or-later
"""What a case is, and what it answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Row:
    """One number that is compared.

    Attributes:
        label: what it is, with its unit.
        expected: as text, for the table.
        got: the number.
        error: how far off it is, as text.
        tolerance: stated, as text.
        is_within: whether it is inside the tolerance.
        off: how far off it is, in the tolerance's unit.
        is_share: whether that is a share of the expected value.
        bound: how far off it may be before it fails, where the tolerance is a goal that is known to be missed, in the
            tolerance's unit; None where it is not.
        converged: the same number of a run with many more substeps, where there is one.
        settings: substeps × iterations, where the bake chose them.
    """

    label: str
    expected: str
    got: float
    error: str
    tolerance: str
    is_within: bool
    off: float
    is_share: bool = False
    bound: float | None = None
    converged: float | None = None
    settings: str = ""

    @property
    def has_failed(self) -> bool:
        """Whether it is outside its tolerance, and further than it is known to be."""
        return not self.is_within and not (self.bound is not None and self.off <= self.bound)

    @property
    def is_reached(self) -> bool:
        """Whether a goal that is recorded as missed is reached: its bound should go."""
        return self.is_within and self.bound is not None

    @property
    def bound_text(self) -> str:
        """The bound in the tolerance's unit, "" where there is none."""
        if self.bound is None:
            return ""
        return percent(self.bound) if self.is_share else f"{self.bound:g}"


def relative(label: str, expected: float, got: float, tolerance: float) -> Row:
    """A number that may differ by a share of the expected one."""
    error = got / expected - 1.0
    within = bool(abs(error) <= tolerance)
    return Row(
        label, f"{expected:.5g}", float(got), percent(error), f"± {percent(tolerance)}", within, abs(error), True
    )


def absolute(label: str, expected: float, got: float, tolerance: float) -> Row:
    """A number that may differ by an amount of its own unit."""
    error = got - expected
    within = bool(abs(error) <= tolerance)
    return Row(label, f"{expected:.5g}", float(got), f"{error:.2g}", f"± {tolerance:g}", within, abs(error))


def at_most(label: str, maximum: float, got: float) -> Row:
    """A number that may not exceed a limit."""
    return Row(label, f"≤ {maximum:g}", float(got), "", "", bool(got <= maximum), float(got - maximum))


def between(label: str, low: float, high: float, got: float) -> Row:
    """A number that was measured to lie in a range."""
    off, within = got - min(max(got, low), high), bool(low <= got <= high)
    return Row(
        label, f"{low:g} to {high:g}", float(got), f"{off:+.3g}" if off else "", "in the range", within, abs(off)
    )


def percent(share: float) -> str:
    """A share as a percentage with as many digits as matter."""
    return f"{100.0 * share:.2g} %" if np.isfinite(share) else "not finite"


@dataclass(frozen=True)
class Curve:
    """A line, or points, of a plot."""

    label: str
    x: npt.ArrayLike
    y: npt.ArrayLike
    style: str = "-"


@dataclass(frozen=True)
class Plot:
    """A picture: curves over axes with units."""

    x_label: str
    y_label: str
    curves: tuple[Curve, ...]
    is_log_x: bool = False
    is_log_y: bool = False
    is_equal: bool = False


@dataclass(frozen=True)
class Result:
    """What a case found.

    Attributes:
        rows: the numbers.
        plot: the picture.
        note: what the reader must know about them, "" if nothing.
    """

    rows: tuple[Row, ...]
    plot: Plot
    note: str = ""


@dataclass(frozen=True)
class Case:
    """One case.

    Attributes:
        name: of its plot's file and for ``--only``.
        title: its heading.
        text: what is simulated, what is expected, and from where.
        run: computes it; Taichi runs already.
        quick: whether it takes less than two seconds, so that the tests run it.
    """

    name: str
    title: str
    text: str
    run: Callable[[], Result]
    quick: bool = False
    sources: tuple[str, ...] = field(default=())
