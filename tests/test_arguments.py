# SPDX-License-Identifier: GPL-3.0-or-later
"""Argument lists that can be read: short, and told once. Arrays go by packs, one per subject."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCES = sorted((ROOT / "blender_xpbd").rglob("*.py"))

MOST = 10
# a list as long as this is told in one place; shorter ones are interfaces, as that of all projections, and arithmetic
LONG = 9


def definitions(tree: ast.Module) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Line and arguments of all functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            arguments = node.args
            yield node.lineno, tuple(a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs))


def calls(tree: ast.Module) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Line and arguments of all calls, but for records and packs, which are made of named parts."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func).rpartition(".")[2]
            parts = [] if name[:1].isupper() or name == "pack_type" else node.keywords
            yield node.lineno, tuple(ast.unparse(argument) for argument in (*node.args, *parts))


def too_long(text: str) -> list[int]:
    """Lines of definitions and calls with more arguments than ``MOST``."""
    tree = ast.parse(text)
    return [line for line, arguments in (*definitions(tree), *calls(tree)) if len(arguments) > MOST]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_function_and_no_call_has_more_than_ten_arguments(path: Path) -> None:
    assert too_long(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("find", [definitions, calls])
def test_no_long_list_stands_twice(find) -> None:
    places = defaultdict(list)
    for path in SOURCES:
        for line, arguments in find(ast.parse(path.read_text(encoding="utf-8"))):
            if len(arguments) >= LONG:
                places[arguments].append(f"{path.name}:{line}")
    assert [where for where in places.values() if len(where) > 1] == []


def test_a_breach_is_seen() -> None:
    eleven = ", ".join(f"a{n}" for n in range(11))
    assert too_long(f"def f({eleven}): pass") == [1]
    assert too_long(f"launch({eleven})") == [1]
    assert too_long(f"x = 1\nf(*a, {', '.join(f'b{n}={n}' for n in range(10))})") == [2]
    assert too_long(f"System({', '.join(f'b{n}={n}' for n in range(11))})") == []
