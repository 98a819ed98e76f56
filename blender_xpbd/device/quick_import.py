# SPDX-License-Identifier: GPL-3.0-or-later
"""Taichi 1.7 without what it only needs to word errors: a quarter of a second of each start, most of making an array.

For the worker's process alone; the tests, where such errors show, run without this.
"""

from __future__ import annotations

import inspect
import linecache
import os
from functools import cache
from types import FrameType
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
    """After it is imported: functions are read once, expressions named by their line but not drawn, arrays by nothing.

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


def _frame_info(frame: FrameType, context: int = 1) -> inspect.Traceback:
    path, line = frame.f_code.co_filename, frame.f_lineno
    return inspect.Traceback(path, line, frame.f_code.co_name, [linecache.getline(path, line)], 0)


def _no_traceback(stacklevel: int = 1) -> str:
    return ""


def _position(context: Any, node: Any) -> str:
    return f'File "{context.file}", line {node.lineno + context.lineno_offset}, in {context.func.func.__name__}:\n'
