# SPDX-License-Identifier: GPL-3.0-or-later
"""Launches of kernels without what Taichi asks at each: a tenth of the time, and graphics cards take hundreds a frame.

Taichi looks into all arguments for the compiled kernel that fits. Here that is done once for each set of template
arguments and Python types: an argument is always an array of the same numbers and dimensions, for a process has one
precision. The calls are those of Taichi 1.7 itself, in ``Kernel.launch_kernel``; another version does it its own way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import taichi as ti
from taichi.types import primitive_types
from taichi.types.ndarray_type import NdarrayType

KNOWS_TAICHI = ti.__version__[:2] == (1, 7)

Setter = Callable[[Any, tuple[int], Any], None]


class _Compiled:
    """A kernel for one set of template arguments.

    Attributes:
        program: of Taichi, for which it is compiled.
        setters: of the arguments that are passed, by their place among all arguments.
    """

    def __init__(self, kernel: Any, arguments: tuple[Any, ...]) -> None:
        primal = kernel._primal
        self.program = ti.lang.impl.get_runtime().prog
        self._kernel = primal.compiled_kernels[primal.ensure_compiled(*arguments)]
        self._binary = self.program.compile_kernel(self.program.config(), self.program.get_device_caps(), self._kernel)
        passed = [n for n, argument in enumerate(primal.arguments) if not _is_template(argument.annotation)]
        self.setters: list[tuple[int, tuple[int], Setter]] = [
            (n, (place,), _setter(primal.arguments[n].annotation)) for place, n in enumerate(passed)
        ]

    def launch(self, arguments: tuple[Any, ...]) -> None:
        context = self._kernel.make_launch_context()
        for n, place, set_argument in self.setters:
            set_argument(context, place, arguments[n])
        self.program.launch_kernel(self._binary, context)


_compiled: dict[tuple[Any, ...], _Compiled] = {}


def launch(kernel: Any, *arguments: Any) -> None:
    """Run a kernel that returns nothing.

    Args:
        kernel: made by ``ti.kernel``.
        arguments: arrays of Taichi or contiguous ones of NumPy, numbers, and template arguments, which are numbers too.
    """
    if not KNOWS_TAICHI:
        kernel(*arguments)
        return
    key = (kernel, *(arguments[n] for n in _template_places(kernel)), *map(type, arguments))
    compiled = _compiled.get(key)
    if compiled is None or compiled.program is not ti.lang.impl.get_runtime().prog:
        compiled = _compiled[key] = _Compiled(kernel, arguments)
    compiled.launch(arguments)


def forget() -> None:
    """Let go of all kernels, before Taichi starts anew: a program that ends after that takes the next one with it."""
    _compiled.clear()


_places: dict[Any, tuple[int, ...]] = {}


def _template_places(kernel: Any) -> tuple[int, ...]:
    places = _places.get(kernel)
    if places is None:
        arguments = kernel._primal.arguments
        places = tuple(n for n, argument in enumerate(arguments) if _is_template(argument.annotation))
        _places[kernel] = places
    return places


def _is_template(annotation: Any) -> bool:
    return isinstance(annotation, ti.template) or annotation is ti.template


def _setter(annotation: Any) -> Setter:
    if isinstance(annotation, NdarrayType):
        return _set_array
    return _set_float if id(annotation) in primitive_types.real_type_ids else _set_int


def _set_array(context: Any, place: tuple[int], value: Any) -> None:
    if isinstance(value, np.ndarray):
        context.set_arg_external_array_with_shape(place, value.ctypes.data, value.nbytes, value.shape, 0)
    else:
        context.set_arg_ndarray(place, value.arr)


def _set_float(context: Any, place: tuple[int], value: float) -> None:
    context.set_arg_float(place, float(value))


def _set_int(context: Any, place: tuple[int], value: int) -> None:
    context.set_arg_int(place, int(value))
