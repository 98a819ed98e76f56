# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes docs/validation.md."""

from __future__ import annotations

import datetime as dt
import re
import textwrap
from collections.abc import Sequence
from pathlib import Path

from blender_xpbd.jobs.version import SOLVER_VERSION

from .case import Case, Result, Row

HEADER = """# Validation

Made by `scripts/validate`, which computes numbers again and fails when one is outside its tolerance. Positions are
float64 in the solver, as for jelly, but for what is baked through the add-on; "error" is relative to the expected value
where it is a percentage.

Where the tolerance is a goal that the solver does not reach yet, the row says **misses** and by how much it may be off
before the script fails. Nothing is counted as reached that is not.

*Solver* is the version that computed a table. `scripts/validate --only CASE …` renews those of some cases.
docs/experiments.md and `blender_xpbd/jobs/version.py` say what a version changed.

| case | result | solver | date |
|---|---|---|---|
"""
HEADING, LINE = re.compile(r"^## (.+)$", re.MULTILINE), re.compile(r"^\| \[(.+?)\]\(#.*\|$", re.MULTILINE)


def write_report(found: Sequence[tuple[Case, Result]], path: Path, cases: Sequence[Case]) -> None:
    """Write the report, whose plots lie in the folder ``validation`` beside it.

    Args:
        found: the results that are new.
        path: of the report. What it tells of other cases stays.
        cases: all cases, in order. Only these are told.
    """
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    lines = {line[1]: line[0] for line in LINE.finditer(text)}
    parts = HEADING.split(text)[1:]
    sections = {title: body.strip("\n") for title, body in zip(parts[::2], parts[1::2], strict=True)}
    made = f"{SOLVER_VERSION} | {dt.datetime.now(dt.UTC).date()}"
    for case, result in found:
        lines[case.title] = f"| [{case.title}](#{anchor(case.title)}) | {summary(result)} | {made} |"
        sections[case.title] = "\n".join(section(case, result))
    told = [case.title for case in cases if case.title in sections]
    table = HEADER + "\n".join(lines[title] for title in told)
    whole = [table, *(f"## {title}\n\n{sections[title]}" for title in told)]
    path.write_text("\n\n".join(whole) + "\n", encoding="utf-8")


def section(case: Case, result: Result) -> list[str]:
    """What stands under the heading of a case: text, table, note, plot."""
    lines = [
        wrapped(case.text),
        "",
        *table(result.rows),
    ]
    for paragraph in filter(None, result.note.split("\n\n")):
        lines += ["", paragraph if paragraph.startswith("|") else wrapped(paragraph)]
    return [*lines, "", f"![{case.title}](validation/{case.name}.png)"]


def table(rows: Sequence[Row]) -> list[str]:
    """The numbers of a case, with a column of converged ones where there are any."""
    has_converged = any(row.converged is not None for row in rows)
    columns = ["what", "expected", *(["converged"] if has_converged else []), "got", "error", "tolerance", ""]
    lines = ["| " + " | ".join(columns).rstrip() + " |", "|" + "---|" * len(columns)]
    for row in rows:
        converged = [] if not has_converged else ["" if row.converged is None else f"{row.converged:.5g}"]
        label = f"{row.label} ({row.settings})" if row.settings else row.label
        cells = [label, row.expected, *converged, f"{row.got:.5g}", row.error, row.tolerance, verdict(row)]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def verdict(row: Row) -> str:
    """The last column."""
    if row.is_within:
        return "ok"
    return "**outside**" if row.has_failed else f"**misses**, held to {row.bound_text}"


def wrapped(text: str) -> str:
    """Prose in lines of at most 120 characters."""
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False)


def summary(result: Result) -> str:
    """How many numbers are inside their tolerance."""
    within = sum(row.is_within for row in result.rows)
    missed = sum(not row.is_within and not row.has_failed for row in result.rows)
    text = f"{within} of {len(result.rows)}" + (f", {missed} known to miss" if missed else "")
    return f"**{text}**" if any(row.has_failed for row in result.rows) else text


def anchor(title: str) -> str:
    """The fragment that Markdown viewers give a heading."""
    kept = "".join(letter for letter in title.lower() if letter.isalnum() or letter in " -")
    return kept.replace(" ", "-")
