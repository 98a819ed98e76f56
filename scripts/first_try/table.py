# SPDX-License-Identifier: GPL-3.0-or-later
"""First tries as a table, in docs/first-tries.md."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .judge import Verdict

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "first-tries.md"
BEGIN, END = "<!-- first tries: written by scripts/first_tries --write -->\n", "<!-- end of first tries -->\n"
_HEAD = "| try | box | speed | strain | strain left | inside out | told | explodes | silent |\n" + "|---" * 9 + "|\n"


def table(rows: Sequence[tuple[str, Verdict]]) -> str:
    """A Markdown table with a row for each try, and one of sums."""
    exploded, silent = (sum(bool(faults) for faults in column) for column in zip(*map(_faults, rows), strict=True))
    sums = f"| **{len(rows)} tries** | | | | | | | **{exploded}** | **{silent}** |\n"
    return _HEAD + "".join(map(_line, rows)) + sums


def _faults(row: tuple[str, Verdict]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return row[1].explosions, row[1].silences


def _line(row: tuple[str, Verdict]) -> str:
    name, one = row
    numbers = f"{one.width:.2f} | {one.speed:.2f} | {one.strain:.0%} | {one.strain_left:.0%} | {one.inverted:.2%}"
    told = ", ".join(f"`{code}`" for code in one.told)
    return f"| {name} | {numbers} | {told} | {', '.join(one.explosions)} | {', '.join(one.silences)} |\n"


def write_table(rows: Sequence[tuple[str, Verdict]]) -> None:
    """Put the table between its marks in the page."""
    before, rest = DOCUMENT.read_text(encoding="utf-8").split(BEGIN)
    _, after = rest.split(END)
    DOCUMENT.write_text(f"{before}{BEGIN}\n{table(rows)}\n{END}{after}", encoding="utf-8")
