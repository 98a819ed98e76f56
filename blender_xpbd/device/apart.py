# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions that a kernel calls, where Taichi would write them into it.

Taichi inlines every function. LLVM looks at a loop again for each loop that lies in it, and shares out registers over
all of a function. So a kernel of many acts takes longer to compile, and to run, than its acts by themselves. Taichi's
own functions that are called, ``real_func``, take neither packs nor tuples. Here each array becomes an argument where
the function first names it.

Taichi's passes over the control flow do not look into what is called. So between calls a kernel writes no array that
what it calls reads.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from itertools import count
from types import SimpleNamespace
from typing import Any

import numpy as np
import taichi as ti

from .host_memory import is_processor
from .version import knows_taichi

_CONSTANTS = (bool, int, float, str, type(None), np.number, np.bool_)
# Taichi numbers its own from zero on
_numbers = count(1 << 30)


def apart(function: Callable[..., None]) -> Any:
    """A ``ti.func`` that is called on the processor, and inlined elsewhere.

    Args:
        function: of packs, arrays, tuples of them, numbers and vectors, as templates or by value, and of constants. It
            returns nothing, and does not change numbers of its caller.

    Raises:
        TypeError: when a kernel that calls it is made: an argument that cannot be passed.
    """
    inlined = ti.func(function)

    @wraps(function)
    def decorated(*arguments: Any) -> None:
        if knows_taichi() and is_processor():
            _call(inlined, function.__name__, arguments)
        else:
            inlined(*arguments)

    # as ``ti.func`` marks what it makes
    decorated._is_taichi_function, decorated._is_real_function = True, False
    decorated.func = inlined.func
    return decorated


def _call(inlined: Any, name: str, arguments: tuple[Any, ...]) -> None:
    """Make a function of its own for these arguments, and call it."""
    runtime = ti.lang.impl.get_runtime()
    caller, kernel = runtime.compiling_callable, runtime.current_kernel
    function = runtime.prog.create_function(ti._lib.core.FunctionKey(name, next(_numbers), 0))
    passing = _Passing(caller, function)

    def build() -> None:
        # what is inlined goes where the current kernel builds
        stand_in = SimpleNamespace(ast_builder=function.ast_builder, autodiff_mode=kernel.autodiff_mode)
        runtime.compiling_callable, runtime.current_kernel = function, stand_in
        try:
            inlined(*map(passing.take, arguments))
        finally:
            runtime.compiling_callable, runtime.current_kernel = caller, kernel

    function.set_function_body(build)
    passed = ti.lang.impl.make_expr_group(passing.passed())
    caller.ast_builder().insert_func_call(function, passed, _place())


def _place() -> Any:
    return ti._lib.core.DebugInfo(ti.lang.impl.get_runtime().get_current_src_info())


class _Passing:
    """What a function takes of its caller; it has an argument for each array and number, once."""

    def __init__(self, caller: Any, function: Any) -> None:
        self._caller, self._function = caller, function
        self._given: list[Any] = []
        # by what is kept alive by ``_given``
        self._taken: dict[int, Any] = {}

    def take(self, argument: Any) -> Any:
        """What an argument of the caller is within the function."""
        lang = ti.lang
        if isinstance(argument, lang.expr.Expr) and argument.is_tensor():
            (_,) = argument.get_shape()
            numbers = self._caller.ast_builder().expand_exprs([argument.ptr])
            return ti.Vector([self._take_once(lang.expr.Expr(number), self._number) for number in numbers])
        if isinstance(argument, lang.expr.Expr):
            return self._take_once(argument, self._number)
        if isinstance(argument, lang.any_array.AnyArray):
            return self._take_once(argument, self._array)
        if isinstance(argument, lang.argpack.ArgPack | _PackWithin):
            return _PackWithin(argument, self)
        if isinstance(argument, tuple):
            members = map(self.take, argument)
            return type(argument)(*members) if hasattr(argument, "_fields") else tuple(members)
        if isinstance(argument, _CONSTANTS):
            return argument
        raise TypeError(f"a function that is set apart takes no {type(argument)}")

    def passed(self) -> list[Any]:
        """What the caller passes, in the order of the function's arguments."""
        passed: list[Any] = []
        for given in self._given:
            if isinstance(given, ti.lang.any_array.AnyArray):
                passed += ti._lib.core.get_external_tensor_real_func_args(given.ptr, _place())
            else:
                passed.append(given)
        return passed

    def _take_once(self, argument: Any, take: Callable[[Any], Any]) -> Any:
        taken = self._taken.get(id(argument))
        if taken is None:
            self._given.append(argument)
            taken = self._taken[id(argument)] = take(argument)
        return taken

    def _array(self, array: Any) -> Any:
        core, any_array = ti._lib.core, ti.lang.any_array.AnyArray
        kind, dimensions = core.get_external_tensor_element_type(array.ptr), core.get_external_tensor_dim(array.ptr)
        place = self._function.insert_ndarray_param(kind, dimensions, "", False)
        return any_array(core.make_external_tensor_expr(kind, dimensions, place, False, 0, core.BoundaryMode.UNSAFE))

    def _number(self, number: Any) -> Any:
        kind = number.ptr.get_rvalue_type()
        place = self._function.insert_scalar_param(kind, "")
        return ti.lang.expr.Expr(ti._lib.core.make_arg_load_expr(place, kind, dbg_info=_place()))


class _PackWithin:
    """A pack within a function, which takes what is named of it."""

    def __init__(self, pack: Any, passing: _Passing) -> None:
        self._pack, self._passing = pack, passing

    def __getattr__(self, name: str) -> Any:
        return self._passing.take(getattr(self._pack, name))
