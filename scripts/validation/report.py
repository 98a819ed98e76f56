# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes docs/validation.md."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path

from .case import Case, Result

HEADER = """# Validation

Made by `scripts/validate`, which computes every number again and fails when one is outside its tolerance. Positions are
float64 in the solver, as for jelly; "error" is relative to the expected value where it is a percentage.

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
        "| what | expected | got | error | tolerance | |",
        "|---|---|---|---|---|---|",
    ]
    for row in result.rows:
        verdict = "ok" if row.is_within else "**outside**"
        lines.append(f"| {row.label} | {row.expected} | {row.got:.5g} | {row.error} | {row.tolerance} | {verdict} |")
    if result.note:
        lines += ["", wrapped(result.note)]
    return [*lines, "", f"![{case.title}](validation/{case.name}.png)"]


def wrapped(text: str) -> str:
    """Prose in lines of at most 120 characters."""
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False)


def summary(result: Result) -> str:
    """How many numbers are inside their tolerance."""
    within = sum(row.is_within for row in result.rows)
    return f"{within} of {len(result.rows)}" if within == len(result.rows) else f"**{within} of {len(result.rows)}**"


def anchor(title: str) -> str:
    """The fragment that Markdown viewers give a heading."""
    kept = "".join(letter for letter in title.lower() if letter.isalnum() or letter in " -")
    return kept.replace(" ", "-")
