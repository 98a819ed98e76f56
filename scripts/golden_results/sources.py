# SPDX-License-Identifier: GPL-3.0-or-later
"""A digest of the sources that decide bytes, the same for other comments, docstrings and formatting."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent.parent / "blender_xpbd"
# What they decide is in the job (and so in its digest), or happens to frames that are computed
DECIDES_NOTHING = ("__init__.py", "addon/", "jobs/", "scene/", "worker/")
# what is computed, though it stands there
DECIDES = ("scene/body.py", "scene/transforms.py", "worker/quality.py")


def deciding_sources(package: Path = PACKAGE) -> list[Path]:
    """The files that decide bytes, in a fixed order."""
    names = {path: path.relative_to(package).as_posix() for path in package.rglob("*.py")}
    return [
        path
        for path, name in sorted(names.items(), key=lambda item: item[1])
        if name in DECIDES or not name.startswith(DECIDES_NOTHING)
    ]


def sources_digest(package: Path = PACKAGE) -> str:
    """A digest of all of them, and of their places."""
    digest = hashlib.blake2b(digest_size=16)
    for path in deciding_sources(package):
        text = f"{path.relative_to(package).as_posix()}\0{normalised(path.read_text(encoding='utf-8'))}\0"
        digest.update(text.encode("utf-8"))
    return digest.hexdigest()


def normalised(source: str) -> str:
    """The program as text, without comments, docstrings and formatting; equal under every Python from 3.11."""
    return " ".join(_tokens(ast.parse(source)))


def _tokens(node: object) -> Iterator[str]:
    if isinstance(node, ast.AST):
        yield f"({type(node).__name__}"
        for name, value in ast.iter_fields(node):
            # newer Pythons have more fields, which are empty where the older syntax is used
            if name in {"ctx", "kind", "type_comment"} or value is None or value == []:
                continue
            yield name
            yield from _tokens(_without_docstring(node, value) if name == "body" else value)
        yield ")"
    elif isinstance(node, list):
        yield "["
        for item in node:
            yield from _tokens(item)
        yield "]"
    else:
        yield repr(node)


def _without_docstring(node: ast.AST, body: object) -> object:
    has_docstring = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
    if has_docstring and isinstance(body, list) and body:
        first = body[0]
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
            return body[1:]
    return body
