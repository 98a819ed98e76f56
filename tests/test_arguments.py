# SPDX-License-Identifier: GPL-3.0-or-later
"""One argument per subject: no function, kernel or call has more than ten, and no long list of them stands twice."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent / "blender_xpbd"
SOURCES = sorted(ROOT.rglob("*.py"))

MOST_ARGUMENTS = 10
# what fills the fields of a record by name: keyword arguments of classes, of types of packs and of ``replace``
RECORDS = {"pack_type", "replace"}
# So many names are a subject of their own
LONG_LIST = 6
# Functions of one kind are called through one variable, so they have the arguments of their kind
KINDS = {
    ("particles", "constraints", "i", "p", "m", "step", "mode"): ("project_", "damp_"),
    # steps of a projection have the arguments of a projection, but for the place of its multiplier
    ("particles", "constraints", "i", "p", "step", "mode"): ("solve_", "bend_"),
    ("colliders", "header", "radius", "point", "previous_point", "offset", "k"): ("query_",),
    ("world", "order", "stage", "turn", "substep", "variant"): ("take_",),
}


def names(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> tuple[str, ...]:
    """Arguments of a function but for the instance or the class."""
    own = function.args
    arguments = [*own.posonlyargs, *own.args, *([own.vararg] if own.vararg else []), *own.kwonlyargs]
    arguments += [own.kwarg] if own.kwarg else []
    return tuple(argument.arg for argument in arguments if argument.arg not in ("self", "cls"))


def is_record(call: ast.Call) -> bool:
    """Whether a call fills a record by name."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return name in RECORDS or name[:1].isupper()


def excesses(text: str) -> list[int]:
    """Lines with too many arguments."""
    found = []
    for node in ast.walk(ast.parse(text)):
        count = 0
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            count = len(names(node))
        elif isinstance(node, ast.Call):
            count = len(node.args) + (0 if is_record(node) else len(node.keywords))
        if count > MOST_ARGUMENTS:
            found.append(node.lineno)
    return found


def repeated(texts: list[str]) -> dict[tuple[str, ...], list[str]]:
    """Long lists of arguments that several functions have, and these; kinds of functions are left out."""
    found: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for text in texts:
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and len(names(node)) >= LONG_LIST:
                own = names(node)
                if own not in KINDS or not node.name.lstrip("_").startswith(KINDS[own]):
                    found[own].append(node.name)
    return {arguments: functions for arguments, functions in found.items() if len(functions) > 1}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_nothing_has_more_than_ten_arguments(path: Path) -> None:
    assert excesses(path.read_text(encoding="utf-8")) == []


def test_no_list_of_arguments_stands_twice() -> None:
    assert repeated([path.read_text(encoding="utf-8") for path in SOURCES]) == {}


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("def f(a, b, c, d, e, /, g, *h, i, j, k, **l): pass", 1),
        ("def f(self, a, b, c, d, e, g, h, i, j, k): pass", 0),
        ("lambda a, b, c, d, e, f, g, h, i, j, k: 0", 1),
        ("f(0, 1, 2, 3, 4, 5, 6, 7, 8, i=9, j=10)", 1),
        ("C(a=0, b=1, c=2, d=3, e=4, f=5, g=6, h=7, i=8, j=9, k=10)", 0),
        ("C(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)", 1),
    ],
)
def test_too_many_are_seen(text: str, count: int) -> None:
    assert len(excesses(text)) == count


def test_repeated_lists_are_seen() -> None:
    first, second = "def f(a, b, c, d, e, g): pass", "def h(self, a, b, c, d, e, g): pass"
    assert repeated([first, second]) == {("a", "b", "c", "d", "e", "g"): ["f", "h"]}
    assert repeated([first, first.replace("g", "i")]) == {}
