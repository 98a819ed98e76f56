# SPDX-License-Identifier: GPL-3.0-or-later
"""Taichi 1.7 without what it only needs to word errors: a quarter of a second of each start, most of making an array.

For the worker's process alone; the tests, where such errors show, run without this.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import os
import textwrap
from collections.abc import Callable
from functools import cache
from types import FrameType, SimpleNamespace
from typing import Any

from .version import knows_taichi

_whole_frame_info = inspect.getframeinfo


def prepare_import() -> None:
    """Before Taichi is imported.

    It asks ``inspect.getframeinfo`` for each kernel whether that stands in a class, which looks through every module
    that is loaded; one line tells. And it would ask its makers' server for a newer version.
    """
    os.environ.setdefault("TI_SKIP_VERSION_CHECK", "ON")
    # our own standard output is no notebook's, which Taichi would print to after each kernel
    os.environ.setdefault("TI_ENABLE_PYBUF", "0")
    inspect.getframeinfo = _frame_info  # type: ignore[assignment]


def finish_import() -> None:
    """After it is imported: functions are read once and parsed once for all calls that do not lie in each other.

    Expressions are named by their line but not drawn, arrays by nothing.

    For each array Taichi would write down the whole stack of calls, with the lines of their sources.

    Another version of Taichi is left alone, and as slow as it is: its insides may differ.
    """
    if not knows_taichi():
        inspect.getframeinfo = _whole_frame_info
        return
    from taichi.lang import _ndarray, kernel_impl, matrix
    from taichi.lang.ast.ast_transformer_utils import ASTTransformerContext

    ASTTransformerContext.get_pos_info = _position
    for module in (_ndarray, matrix):
        module.get_traceback = _no_traceback
    for name in ("getsourcelines", "getsourcefile"):
        if hasattr(kernel_impl, name):
            setattr(kernel_impl, name, cache(getattr(kernel_impl, name)))
    trees = _Trees(kernel_impl.transform_tree)
    kernel_impl.textwrap = SimpleNamespace(fill=cache(textwrap.fill), dedent=cache(textwrap.dedent))
    kernel_impl.ast, kernel_impl.transform_tree = trees, trees.transform


class _Trees:
    """Syntax trees of functions by their source. One that was transformed serves again: Taichi overwrites its notes.

    Each call of a function in a kernel is inlined, and would be parsed anew. A kernel's own tree loses its arguments,
    so it serves once.
    """

    def __init__(self, transform: Callable[[ast.Module, Any], Any]) -> None:
        self._transform = transform
        self._free: dict[str, list[ast.Module]] = {}
        self._sources: dict[ast.Module, str] = {}
        self._attributes: dict[ast.Module, list[ast.Attribute]] = {}

    def parse(self, source: str) -> ast.Module:
        """A tree that no transformation goes through now; in place of ``ast.parse``."""
        if free := self._free.get(source):
            tree = free.pop()
            for attribute in self._attributes[tree]:
                # the one note that is not overwritten where the next call has none
                attribute.__dict__.pop("caller", None)
            return tree
        tree = ast.parse(source)
        self._sources[tree] = source
        return tree

    def transform(self, tree: ast.Module, context: Any) -> Any:
        """As Taichi does, and keep the tree of a function for its next call."""
        if context.is_kernel or context.is_real_function:
            del self._sources[tree]
            return self._transform(tree, context)
        result = self._transform(tree, context)
        if tree not in self._attributes:
            self._attributes[tree] = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
        self._free.setdefault(self._sources[tree], []).append(tree)
        return result


def _frame_info(frame: FrameType, context: int = 1) -> inspect.Traceback:
    path, line = frame.f_code.co_filename, frame.f_lineno
    return inspect.Traceback(path, line, frame.f_code.co_name, [linecache.getline(path, line)], 0)


def _no_traceback(stacklevel: int = 1) -> str:
    return ""


def _position(context: Any, node: Any) -> str:
    return f'File "{context.file}", line {node.lineno + context.lineno_offset}, in {context.func.func.__name__}:\n'
