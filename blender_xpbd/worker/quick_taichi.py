# SPDX-License-Identifier: GPL-3.0-or-later
"""Taichi 1.7 without what it only needs to word errors in kernels, a fifth of a second of each start.

The tests, where such errors show, run without this.
"""

from __future__ import annotations

import inspect
import linecache
import os
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


def stay_offline() -> None:
    """Keep Taichi from asking its makers' server for a newer version; before it is imported."""
    os.environ.setdefault("TI_SKIP_VERSION_CHECK", "ON")


@contextmanager
def quick_definitions() -> Iterator[None]:
    """While kernels are defined: read the one line that tells whether they stand in a class, not all of its module.

    Taichi asks ``inspect.getframeinfo`` for it, which looks through every module that is loaded, for each kernel.
    """
    thorough = inspect.getframeinfo
    inspect.getframeinfo = _frame_info  # type: ignore[assignment]
    try:
        yield
    finally:
        inspect.getframeinfo = thorough


def shorten_positions() -> None:
    """Name file, line and function for every expression that is compiled, but do not draw it; after the import."""
    from taichi.lang.ast.ast_transformer_utils import ASTTransformerContext

    ASTTransformerContext.get_pos_info = _position


def _frame_info(frame: FrameType, context: int = 1) -> inspect.Traceback:
    path, line = frame.f_code.co_filename, frame.f_lineno
    return inspect.Traceback(path, line, frame.f_code.co_name, [linecache.getline(path, line)], 0)


def _position(context: Any, node: Any) -> str:
    return f'File "{context.file}", line {node.lineno + context.lineno_offset}, in {context.func.func.__name__}:\n'
