# SPDX-License-Identifier: GPL-3.0-or-later
"""The quick cases of scripts/validate, and its report."""

from __future__ import annotations

from pathlib import Path

import pytest
from validation import case as cases_module
from validation.case import Case, Plot, Result, absolute, at_most, between, relative
from validation.cases import CASES
from validation.report import anchor, write_report

QUICK = [case for case in CASES if case.quick]


@pytest.mark.usefixtures("taichi_cpu")
@pytest.mark.parametrize("case", QUICK, ids=[case.name for case in QUICK])
def test_quick_case_is_within_its_tolerance(case: Case) -> None:
    result = case.run()
    assert result.rows
    outside = [f"{row.label}: {row.got:g}, expected {row.expected}" for row in result.rows if not row.is_within]
    assert not outside


def test_names_are_unique() -> None:
    assert len({case.name for case in CASES}) == len({anchor(case.title) for case in CASES}) == len(CASES)


@pytest.mark.parametrize(
    ("row", "is_within"),
    [
        (relative("a", 2.0, 2.02, 0.02), True),
        (relative("a", 2.0, 2.05, 0.02), False),
        (absolute("a", 0.0, -0.1, 0.1), True),
        (absolute("a", 0.0, -0.2, 0.1), False),
        (at_most("a", 1.0, 1.0), True),
        (at_most("a", 1.0, float("nan")), False),
        (between("a", 1.0, 2.0, 2.1), False),
        (relative("a", 1.0, float("nan"), 0.1), False),
    ],
)
def test_rows_are_judged(row: cases_module.Row, is_within: bool) -> None:
    assert row.is_within is is_within


def test_report_has_every_number(tmp_path: Path) -> None:
    result = Result((relative("good", 1.0, 1.0, 0.1), relative("bad", 1.0, 3.0, 0.1)), Plot("x", "y", ()), "A note.")
    write_report([(Case("some_case", "Some case", "What it is.", lambda: result), result)], tmp_path / "report.md")
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    for part in ("[Some case](#some-case) | **1 of 2**", "| bad | 1 | 3 | 2e+02 % | ± 10 % | **outside** |", "A note."):
        assert part in text
    assert "![Some case](validation/some_case.png)" in text
