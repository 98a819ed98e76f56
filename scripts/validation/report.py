# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes docs/validation.md."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path

from .case import Case, Result, Row

HEADER = """# Validation

Made by `scripts/validate`, which computes every number again and fails when one is outside its tolerance. Positions are
float64 in the solver, as for jelly, but for what is baked through the add-on; "error" is relative to the expected value
where it is a percentage.

Where the tolerance is a goal that the solver does not reach yet, the row says **misses** and by how much it may be off
before the script fails. Nothing is counted as reached that is not.

| case | result |
|---|---|
"""


def write_report(found: Sequence[tuple[Case, Result]], path: Path) -> None:
    """Write the report; its plots lie in the folder ``validation`` beside it."""
    lines = [HEADER.rstrip("\n")]
    for case, result in found:
        lines.append(f"| [{case.title}](#{anchor(case.title)}) | {summary(result)} |")
    for case, result in found:
        lines += ["", *section(case, result)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def section(case: Case, result: Result) -> list[str]:
    """One case: text, table, note, plot."""
    lines = [
        f"## {case.title}",
        "",
        wrapped(case.text),
        "",
        *table(result.rows),
    ]
    if result.note:
        lines += ["", wrapped(result.note)]
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
