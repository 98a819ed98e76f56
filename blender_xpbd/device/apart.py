# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions that a kernel calls instead of having them within it.

Taichi inlines every function. LLVM looks at a loop again for each loop that lies in it, so the time to compile grows
faster than a kernel does. A function that is set apart is compiled by itself. Taichi's own such functions, ``real_func``,
take neither packs nor tuples. Here each array becomes an argument where the function first names it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from itertools import count
from types import SimpleNamespace
from typing import Any

import taichi as ti
from taichi.lang.any_array import AnyArray
from taichi.lang.argpack import ArgPack
from taichi.lang.expr import Expr

from .version import knows_taichi

# Taichi tells functions of its own apart by numbers; ours begin far from them
_numbers = count(1 << 20)


def apart(function: Callable[..., None]) -> Any:
    """A ``ti.func`` that kernels call where they are so large that compiling counts, and inline where they are not.

    Args:
        function: of packs and arrays, tuples of them, numbers and constants, as templates or not. It returns nothing
            and changes no number of its caller.
    """
    inlined = ti.func(function)

    @wraps(function)
    def decorated(*arguments: Any) -> None:
        if _sets_apart():
            _call(inlined, function.__name__, arguments)
        else:
            inlined(*arguments)

    decorated._is_taichi_function = True  # type: ignore[attr-defined]
    decorated._is_real_function = False  # type: ignore[attr-defined]
    decorated.func = inlined.func  # type: ignore[attr-defined]
    return decorated


def _sets_apart() -> bool:
    """Whether kernels are as large as those that are compiled without a search for common expressions."""
    return knows_taichi() and ti.cfg.arch in (ti.x64, ti.arm64)


def _call(inlined: Any, name: str, arguments: tuple[Any, ...]) -> None:
    runtime = ti.lang.impl.get_runtime()
    caller, kernel = runtime.compiling_callable, runtime.current_kernel
    function = runtime.prog.create_function(ti._lib.core.FunctionKey(name, next(_numbers), 0))
    passing = _Passing(function, caller)

    def build() -> None:
        # what Taichi inlines into a kernel it builds into this
        stand_in = SimpleNamespace(ast_builder=function.ast_builder, autodiff_mode=kernel.autodiff_mode)
        runtime.compiling_callable, runtime.current_kernel = function, stand_in
        try:
            inlined(*map(passing.take, arguments))
        finally:
            runtime.compiling_callable, runtime.current_kernel = caller, kernel

    function.set_function_body(build)
    place = _place()
    caller.ast_builder().insert_func_call(function, ti.lang.impl.make_expr_group(passing.passed(place)), place)


def _place() -> Any:
    return ti._lib.core.DebugInfo(ti.lang.impl.get_runtime().get_current_src_info())


class _Passing:
    """What a function takes of its caller.

    Attributes:
        function: that is built.
    """

    def __init__(self, function: Any, caller: Any) -> None:
        self._function, self._caller = function, caller
        self._given: list[Any] = []
        self._taken: dict[int, Any] = {}

    def take(self, argument: Any) -> Any:
        """What an argument of the caller is within the function."""
        if isinstance(argument, Expr) and argument.is_tensor():
            return self._vector(argument)
        if isinstance(argument, AnyArray | Expr):
            key = id(argument)
            if key not in self._taken:
                self._given.append(argument)
                self._taken[key] = self._array(argument) if isinstance(argument, AnyArray) else self._number(argument)
            return self._taken[key]
        if isinstance(argument, ArgPack):
            return _PackWithin(argument, self)
        if isinstance(argument, _PackWithin):
            return _PackWithin(argument, self)
        if isinstance(argument, tuple) and hasattr(argument, "_fields"):
            return type(argument)(*map(self.take, argument))
        return argument

    def passed(self, place: Any) -> list[Any]:
        """What the caller passes, in the order of the function's arguments."""
        core, passed = ti._lib.core, []
        for given in self._given:
            if isinstance(given, AnyArray):
                passed += core.get_external_tensor_real_func_args(given.ptr, place)
            else:
                passed.append(given)
        return passed

    def _array(self, array: AnyArray) -> AnyArray:
        core = ti._lib.core
        kind = core.get_external_tensor_element_type(array.ptr)
        dimensions = core.get_external_tensor_dim(array.ptr)
        place = self._function.insert_ndarray_param(kind, dimensions, "", False)
        return AnyArray(core.make_external_tensor_expr(kind, dimensions, place, False, 0, core.BoundaryMode.UNSAFE))

    def _vector(self, vector: Expr) -> Any:
        """A vector goes number by number."""
        (size,) = vector.get_shape()
        numbers = self._caller.ast_builder().expand_exprs([vector.ptr])
        assert len(numbers) == size
        return ti.Vector([self.take(Expr(number)) for number in numbers])

    def _number(self, number: Expr) -> Expr:
        kind = number.ptr.get_rvalue_type()
        place = self._function.insert_scalar_param(kind, "")
        return Expr(ti._lib.core.make_arg_load_expr(place, kind, dbg_info=_place()))


class _PackWithin:
    """A pack within a function: its arrays are taken where they are named."""

    def __init__(self, pack: Any, passing: _Passing) -> None:
        self._pack, self._passing = pack, passing

    def __getattr__(self, name: str) -> Any:
        return self._passing.take(getattr(self._pack, name))
