# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of figures, and the process of its own that every case runs in."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent

Row = dict[str, Any]


def markdown(title: str, target: str, rows: Sequence[Row]) -> str:
    """A table; rows may lack columns of others."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    lines = [f"**{title}** ({target})", "", f"| {' | '.join(names)} |", "|" + "---|" * len(names)]
    lines += [f"| {' | '.join(_text(row.get(name, '')) for name in names)} |" for row in rows]
    return "\n".join(lines) + "\n"


def _text(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def machine() -> str:
    """What the figures were made on."""
    name = platform.processor() or platform.machine()
    return f"{name}, Python {platform.python_version()}, {time.strftime('%F')}"


def run_in_own_process(arguments: Sequence[str]) -> list[Row]:
    """Run a case in a fresh interpreter; its last line of output is its rows as JSON."""
    command = [sys.executable, str(ROOT / "scripts" / "benchmark.py"), *arguments]
    output = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    rows: list[Row] = json.loads(output.splitlines()[-1])
    return rows
