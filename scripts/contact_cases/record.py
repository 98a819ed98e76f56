# SPDX-License-Identifier: GPL-3.0-or-later
"""The rows that were measured, kept in docs/contact_suite.json, and the tables made from them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from .cases import CASES

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"
ROWS, PAGE = DOCS / "contact_suite.json", DOCS / "contact_suite.md"
# what identifies a row, in the order in which rows are kept
KEY = ("case", "substeps", "start")

Row = dict[str, Any]


def keep_rows(rows: Iterable[Row]) -> None:
    """Write rows in the place of older ones of the same case, substeps and start."""
    kept = {_key(row): row for row in _read()}
    kept |= {_key(row): row for row in rows}
    order = {case.name: number for number, case in enumerate(CASES)}
    known = sorted(kept.items(), key=lambda item: (order.get(item[0][0], len(order)), *item[0][1:]))
    lines = ",\n".join(json.dumps(row, sort_keys=True) for _, row in known)
    ROWS.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def write_tables() -> None:
    """Write the tables of the page between their marks."""
    rows = _read()
    recovering = {case.name for case in CASES if case.recovery}
    page = PAGE.read_text(encoding="utf-8")
    page = _between(page, "scenes", scene_table([row for row in rows if row["case"] not in recovering]))
    page = _between(page, "recovery", recovery_table([row for row in rows if row["case"] in recovering]))
    PAGE.write_text(page, encoding="utf-8")


def scene_table(rows: list[Row]) -> str:
    """A line for each scene; of several starts the worst counts."""
    return _table(
        rows,
        {
            "crossed": ("frames_crossed", str),
            "told": ("frames_told", str),
            "gap [%]": ("gap_error", _short),
            "dip [%]": ("dip", _short),
            "speed [mm/s]": ("speed_mm_s", _short),
        },
    )


def recovery_table(rows: list[Row]) -> str:
    """A line for each scene that begins tangled; of several starts the worst counts."""
    return _table(rows, {"crossings, most": ("most_crossings", str), "apart from frame": ("recovered", str)})


def _table(rows: list[Row], columns: dict[str, tuple[str, Callable[[Any], str]]]) -> str:
    heads = ["scene", "frames", "substeps", "starts", *columns, "solver", "date"]
    lines = [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
    for name in dict.fromkeys(row["case"] for row in rows):
        mine = [row for row in rows if row["case"] == name]
        substeps = sorted({row["substeps"] for row in mine})
        groups = [[row for row in mine if row["substeps"] == number] for number in substeps]
        frames = _joined(dict.fromkeys(group[0]["frames"] for group in groups))
        cells = [name, frames, *(_joined(values) for values in (substeps, map(len, groups)))]
        cells += [_joined(show(_worst(group, key)) for group in groups) for key, show in columns.values()]
        ends = "".join(sorted({f" {row['end']}" for row in mine if row["end"]}))
        oldest = [min((row["solver"], row["date"]) for row in group) for group in groups]
        cells += [_joined(solver for solver, _ in oldest), _joined(dict.fromkeys(date for _, date in oldest)) + ends]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _joined(values: Iterable[Any]) -> str:
    return " / ".join(map(str, values))


def _worst(rows: list[Row], key: str) -> Any:
    """The greatest value of several starts; None where none was measured."""
    return max((row[key] for row in rows if row[key] is not None), default=None)


def _short(value: float | None) -> str:
    """Two digits at least, and no more than are worth reading."""
    if value is None:
        return "–"
    return f"{value:,.0f}" if value >= 10.0 else f"{value:.1f}" if value >= 1.0 else f"{value:.2f}"


def _between(page: str, name: str, table: str) -> str:
    """The page with a table between the two marks of its name."""
    first, last = f"<!-- {name}: written by scripts/contact_suite --keep -->", f"<!-- end of {name} -->"
    head, found, rest = page.partition(first)
    _, ended, tail = rest.partition(last)
    if not (found and ended):
        raise ValueError(f"{PAGE.name} lacks the marks of {name}")
    return f"{head}{first}\n\n{table}\n\n{last}{tail}"


def _key(row: Row) -> tuple[Any, ...]:
    return tuple(row[name] for name in KEY)


def _read() -> list[Row]:
    return json.loads(ROWS.read_text(encoding="utf-8")) if ROWS.exists() else []
