# SPDX-License-Identifier: GPL-3.0-or-later
"""The quick cases of scripts/validate, and its report."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from validation import case as cases_module
from validation.case import Case, Plot, Result, absolute, at_most, between, relative
from validation.cases import CASES
from validation.missed_goals import MISSED, judged
from validation.report import anchor, write_report

from blender_xpbd.jobs.version import SOLVER_VERSION

QUICK = [case for case in CASES if case.quick]


@pytest.mark.slow
@pytest.mark.usefixtures("taichi_cpu")
@pytest.mark.parametrize("case", QUICK, ids=[case.name for case in QUICK])
def test_quick_case_is_within_its_tolerance(case: Case) -> None:
    result = judged(case)
    assert result.rows
    outside = [f"{row.label}: {row.got:g}, expected {row.expected}" for row in result.rows if row.has_failed]
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


@pytest.mark.parametrize(
    ("row", "bound", "has_failed", "is_reached"),
    [
        (relative("a", 2.0, 2.5, 0.02), 0.3, False, False),
        (relative("a", 2.0, 1.0, 0.02), 0.3, True, False),
        (relative("a", 2.0, float("nan"), 0.02), 0.3, True, False),
        (relative("a", 2.0, 2.01, 0.02), 0.3, False, True),
        (absolute("a", 0.0, -0.3, 0.1), 0.2, True, False),
        (at_most("a", 1.0, 1.4), 0.5, False, False),
        (at_most("a", 1.0, 1.6), 0.5, True, False),
        (between("a", 1.0, 2.0, 0.4), 0.5, True, False),
        (relative("a", 2.0, 2.5, 0.02), None, True, False),
        (relative("a", 2.0, 2.0, 0.02), None, False, False),
    ],
)
def test_a_missed_goal_is_held_to_its_bound(
    row: cases_module.Row, bound: float | None, has_failed: bool, is_reached: bool
) -> None:
    held = replace(row, bound=bound)
    assert (held.has_failed, held.is_reached) == (has_failed, is_reached)


def test_a_case_is_judged_by_the_bounds_of_its_rows() -> None:
    result = Result((relative("near", 1.0, 1.2, 0.1), relative("far", 1.0, 1.5, 0.1)), Plot("x", "y", ()))
    case = Case("some_case", "Some case", "What it is.", lambda: result)
    assert [row.has_failed for row in judged(case, {}).rows] == [True, True]
    assert [row.has_failed for row in judged(case, {"some_case": {"near": 0.3}}).rows] == [False, True]
    with pytest.raises(KeyError, match="renamed"):
        judged(case, {"some_case": {"renamed": 0.3}})


def test_only_cases_that_there_are_miss_goals() -> None:
    assert set(MISSED) <= {case.name for case in CASES}


def test_report_tells_goals_that_are_missed(tmp_path: Path) -> None:
    row = replace(relative("goal", 1.0, 1.2, 0.1), bound=0.3, converged=0.98, settings="20 × 1")
    result = Result((row, relative("other", 1.0, 1.0, 0.1)), Plot("x", "y", ()))
    case = Case("some_case", "Some case", "What it is.", lambda: result)
    write_report([(case, result)], tmp_path / "report.md", [case])
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    for part in (
        f"[Some case](#some-case) | 1 of 2, 1 known to miss | {SOLVER_VERSION} | ",
        "| what | expected | converged | got | error | tolerance | |",
        "| goal (20 × 1) | 1 | 0.98 | 1.2 | 20 % | ± 10 % | **misses**, held to 30 % |",
        "| other | 1 |  | 1 |",
    ):
        assert part in text


def test_report_has_every_number(tmp_path: Path) -> None:
    result = Result((relative("good", 1.0, 1.0, 0.1), relative("bad", 1.0, 3.0, 0.1)), Plot("x", "y", ()), "A note.")
    case = Case("some_case", "Some case", "What it is.", lambda: result)
    write_report([(case, result)], tmp_path / "report.md", [case])
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    for part in ("[Some case](#some-case) | **1 of 2**", "| bad | 1 | 3 | 2e+02 % | ± 10 % | **outside** |", "A note."):
        assert part in text
    assert "![Some case](validation/some_case.png)" in text


def test_tables_of_a_note_keep_their_lines(tmp_path: Path) -> None:
    note = f"{'A word. ' * 20}\n\n| a | b |\n|---|---|\n| 1 | 2 |"
    result = Result((relative("good", 1.0, 1.0, 0.1),), Plot("x", "y", ()), note)
    case = Case("some_case", "Some case", "What it is.", lambda: result)
    write_report([(case, result)], tmp_path / "report.md", [case])
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n" in text
    assert max(map(len, text.splitlines())) <= 120


def test_report_keeps_what_was_not_run_again(tmp_path: Path) -> None:
    def held(got: float) -> Result:
        return Result((relative("number", 1.0, got, 0.1),), Plot("x", "y", ()), "A note.")

    first, other, gone = (
        Case(name, name.title(), "What it is.", lambda: held(1.0)) for name in ("first", "other", "gone")
    )
    path = tmp_path / "report.md"
    write_report([(first, held(1.01)), (other, held(1.02)), (gone, held(1.03))], path, [first, other, gone])
    path.write_text(path.read_text(encoding="utf-8").replace(f"| {SOLVER_VERSION} |", "| 3 |"), encoding="utf-8")
    write_report([(other, held(1.04))], path, [other, first])
    text = path.read_text(encoding="utf-8")
    assert [line for line in text.splitlines() if line.startswith("## ")] == ["## Other", "## First"]
    for part in (
        "[First](#first) | 1 of 1 | 3 | ",
        "| number | 1 | 1.01 |",
        f"[Other](#other) | 1 of 1 | {SOLVER_VERSION} | ",
        "| number | 1 | 1.04 |",
    ):
        assert part in text
    assert not re.search(r"1\.0[23]", text)
    assert text.count("A note.\n\n![") == 2
