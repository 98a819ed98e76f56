# SPDX-License-Identifier: GPL-3.0-or-later
"""What docs/reliability.md promises of files and processes, held for whoever adds one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent / "blender_xpbd"

OPENING = {"open", "fdopen", "read_text", "read_bytes", "write_text", "write_bytes", "load", "save"}
# The one door, what reads the system's own and the add-on's own files, and what writes files that an artist names
OPENERS = {
    "jobs/files.py",
    "jobs/free_memory.py",
    "addon/process/worker_end.py",
    "addon/export/arrays_file.py",
    "addon/ui/thumbnails.py",
    "addon/export/point_caches.py",
}
LAYERS = ("jobs", "worker", "addon")
STARTING = {"Popen", "run", "call", "check_call", "check_output"}


def calls(text: str) -> Iterator[ast.Call]:
    return (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call))


def openings(text: str) -> list[int]:
    """Lines that open a file by other means than ``jobs.files``."""
    return [
        call.lineno
        for call in calls(text)
        if (isinstance(call.func, ast.Name) and call.func.id == "open")
        or (isinstance(call.func, ast.Attribute) and call.func.attr in OPENING)
    ]


def careless_starts(text: str) -> list[int]:
    """Lines that start a process without saying where: in whatever folder is the current one."""
    return [
        call.lineno
        for call in calls(text)
        if isinstance(call.func, ast.Attribute)
        and isinstance(call.func.value, ast.Name)
        and call.func.value.id == "subprocess"
        and call.func.attr in STARTING
        and "cwd" not in {keyword.arg for keyword in call.keywords}
    ]


def sources(*layers: str) -> list[str]:
    return sorted(str(path.relative_to(ROOT)) for layer in layers for path in (ROOT / layer).rglob("*.py"))


@pytest.mark.parametrize("name", [name for name in sources(*LAYERS) if name not in OPENERS])
def test_files_of_a_job_are_opened_in_one_place(name: str) -> None:
    assert openings((ROOT / name).read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("name", sources("."))
def test_every_process_is_started_in_a_folder_that_is_named(name: str) -> None:
    assert careless_starts((ROOT / name).read_text(encoding="utf-8")) == []


def test_a_breach_is_seen() -> None:
    assert openings("with path.open() as f: f.read()") == [1]
    assert openings("open('/a')") == [1]
    assert careless_starts("subprocess.Popen(['python'])") == [1]
    assert careless_starts("subprocess.Popen(['python'], cwd=folder)") == []
