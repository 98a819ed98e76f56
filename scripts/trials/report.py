# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of trials as a table, and into docs/reliability.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from .part import Part
from .running import Row

DOCUMENT = Path(__file__).resolve().parent.parent.parent / "docs" / "reliability.md"
BEGIN, END = "<!-- trials: written by scripts/reliability --write -->\n", "<!-- end of trials -->\n"


_HEAD = (
    "| part | tried, and what must hold | trials | of how many | how they ended | faults | on the tree |\n"
    + "|---" * 7
    + "|\n"
)


def table(found: Sequence[tuple[Part, list[Row]]]) -> str:
    """A Markdown table with a row for each part."""
    return _HEAD + "".join(f"{_line(part, rows)}\n" for part, rows in found)


def _line(part: Part, rows: Sequence[Row]) -> str:
    faults = sum(1 for row in rows if row["faults"])
    faults += len(part.faults([row["kind"] for row in rows]))
    trees = ", ".join(sorted({row.get("tree", "unknown") for row in rows}))
    return f"| {part.name} | {part.what} | {len(rows)} | {part.count} | {_ended(part, rows)} | {faults} | {trees} |"


def _ended(part: Part, rows: Sequence[Row]) -> str:
    counts = Counter(row["kind"] for row in rows)
    words = [f"{kind}: {count}" for kind, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]
    sums = sum((Counter(row.get("counts", {})) for row in rows), Counter[str]())
    words += [f"{what}: {count}" for what, count in sorted(sums.items())]
    names = sorted({name for row in rows for name in row["figures"]})
    words += [f"greatest {name}: {max(row['figures'].get(name, 0.0) for row in rows):.3g}" for name in names]
    if part.share is not None:
        words.append(f"{part.share.what}: {100.0 * part.share.of([row['kind'] for row in rows]):.2f} %")
    words.append(f"longest by the clock: {max(row['seconds'] for row in rows):.1f} s")
    if used := [row["cpu"] for row in rows if "cpu" in row]:
        words.append(f"most time of the processor: {max(used):.1f} s")
    return "; ".join(words)


def write_table(found: Sequence[tuple[Part, list[Row]]], parts: Sequence[Part]) -> None:
    """Put the table between its marks in docs/reliability.md.

    Args:
        found: the parts with rows, and these.
        parts: all of them, in order; of one that has no rows here, the page keeps its line.
    """
    text = DOCUMENT.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    former, after = rest.split(END)
    lines = {line.split("|")[1].strip(): line for line in former.splitlines() if line.startswith("| ")}
    lines.update({part.name: _line(part, rows) for part, rows in found})
    kept = "".join(f"{lines[part.name]}\n" for part in parts if part.name in lines)
    DOCUMENT.write_text(f"{before}{BEGIN}\n{_HEAD}{kept}\n{END}{after}", encoding="utf-8")
