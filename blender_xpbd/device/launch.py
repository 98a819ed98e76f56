# SPDX-License-Identifier: GPL-3.0-or-later
"""Launches of kernels without what Taichi asks at each: a tenth of the time, and graphics cards take hundreds a frame.

Taichi looks into all arguments for the compiled kernel that fits. Here that is done once for each set of template
arguments and Python types: an argument is always an array of the same numbers and dimensions, for a process has one
precision. The calls are those of Taichi 1.7 itself, in ``Kernel.launch_kernel``; another version does it its own way.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import taichi as ti

from .host_memory import host_memory, is_processor
from .kept_kernels import compile_kernel, note_compiled
from .pack_probe import probe_packs
from .packs import ArrayType, arrays_of, check_packs, is_pack_type
from .unpacked import flattened, unpacked
from .version import knows_taichi

Setter = Callable[[Any, tuple[int], Any], None]


class _BoundPack:
    """What launches need of a pack, found once. On the processor all arrays pass as those of NumPy do, by address.

    Attributes:
        own: what Taichi has for the pack itself.
        types: of its arrays.
    """

    def __init__(self, pack: Any) -> None:
        self._arrays = arrays_of(pack)
        self.own = pack._ArgPack__argpack
        self.types = tuple(map(type, self._arrays))
        self._calls: dict[int, tuple[list[Any], list[Any]]] = {}

    def calls(self, first: int) -> tuple[list[Any], list[Any]]:
        """Arguments that pass arrays of Taichi, and such that pass arrays of NumPy, from a place on."""
        calls = self._calls.get(first)
        if calls is None:
            calls = self._calls[first] = ([], [])
            for n, array in enumerate(self._arrays):
                call = _array_call((first + n,), array)
                calls[len(call) > 2].append(call)
        return calls


class _Compiled:
    """A kernel for one set of template arguments.

    On the processor arguments that were passed once stay as they are, for they are addresses. So the packs of the last
    launch are not passed again.

    Attributes:
        program: of Taichi, for which it is compiled.
    """

    def __init__(self, kernel: Any, arguments: tuple[Any, ...]) -> None:
        primal, kinds = kernel._primal, _kinds(kernel)
        passed = [n for n, kind in enumerate(kinds) if not _is_template(kind)]
        check_packs([kinds[n] for n in passed])
        self.program = ti.lang.impl.get_runtime().prog
        self._kernel, self._binary = compile_kernel(primal, arguments)
        self._setters: list[tuple[int, tuple[int], Setter]] = [
            (n, (place,), _setter(kinds[n])) for place, n in enumerate(passed) if not is_pack_type(kinds[n])
        ]
        self._packs: list[tuple[int, tuple[int], int]] = []
        self._context: Any = None
        self._passed: list[weakref.ref[_BoundPack]] = []
        # Taichi passes the arrays of packs after all arguments
        first = len(passed)
        for place, n in enumerate(passed):
            if is_pack_type(kinds[n]):
                self._packs.append((n, (place,), first))
                first += len(kinds[n].members)

    def launch(self, arguments: tuple[Any, ...]) -> None:
        bounds = [_bound(arguments[n]) for n, _, _ in self._packs]
        if not bounds or [reference() for reference in self._passed] != bounds:
            self._pass(bounds)
        for n, place, set_argument in self._setters:
            set_argument(self._context, place, arguments[n])
        self.program.launch_kernel(self._binary, self._context)

    def _pass(self, bounds: list[_BoundPack]) -> None:
        """Begin with new arguments."""
        context = self._context = self._kernel.make_launch_context()
        set_array, set_external_array = context.set_arg_ndarray, context.set_arg_external_array_with_shape
        for bound, (_, place, first) in zip(bounds, self._packs, strict=True):
            context.set_arg_argpack(place, bound.own)
            own_arrays, external_arrays = bound.calls(first)
            for call in own_arrays:
                set_array(*call)
            for call in external_arrays:
                set_external_array(*call)
        # whoever lets go of a pack lets go of its arrays
        self._passed = [weakref.ref(bound) for bound in bounds] if is_processor() else []


_compiled: dict[tuple[Any, ...], _Compiled] = {}


def launch(kernel: Any, *arguments: Any) -> None:
    """Run a kernel that returns nothing.

    Args:
        kernel: made by ``ti.kernel``.
        arguments: packs, arrays of Taichi or contiguous ones of NumPy, numbers, and template arguments, which are
            numbers or tuples of them.

    Raises:
        ValueError: packs that Taichi would mix up, or too many, see ``packs.check_packs``.
    """
    if not takes_packs():
        arguments = flattened(kernel, arguments)
        kernel = unpacked(kernel)
    if not knows_taichi():
        note_compiled()
        kernel(*arguments)
        return
    templates, packs = _places(kernel)
    key = (kernel, *(arguments[n] for n in templates), *(_bound(arguments[n]).types for n in packs))
    key += tuple(type(argument) for n, argument in enumerate(arguments) if n not in packs)
    compiled = _compiled.get(key)
    if compiled is None or compiled.program is not ti.lang.impl.get_runtime().prog:
        compiled = _compiled[key] = _Compiled(kernel, arguments)
    compiled.launch(arguments)


def forget() -> None:
    """Let go of all kernels, before Taichi starts anew: a program that ends after that takes the next one with it."""
    _compiled.clear()
    _taken.clear()


_taken: list[bool] = []


def takes_packs() -> bool:
    """Whether the device on which Taichi runs takes packs; a graphics card is asked once."""
    if not _taken:
        _taken.append(ti.cfg.arch in (ti.x64, ti.arm64) or probe_packs())
    return _taken[0]


def _bound(pack: Any) -> _BoundPack:
    # kept by the pack, so that it goes with it
    bound = pack.__dict__.get("_bound")
    if bound is None:
        bound = pack.__dict__["_bound"] = _BoundPack(pack)
    return bound


def _kinds(kernel: Any) -> list[Any]:
    """The annotations of a kernel's arguments."""
    return list(kernel.__annotations__.values())


_kernel_places: dict[Any, tuple[tuple[int, ...], tuple[int, ...]]] = {}


def _places(kernel: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Which arguments of a kernel are templates, and which are packs."""
    places = _kernel_places.get(kernel)
    if places is None:
        kinds = _kinds(kernel)
        places = (
            tuple(n for n, kind in enumerate(kinds) if _is_template(kind)),
            tuple(n for n, kind in enumerate(kinds) if is_pack_type(kind)),
        )
        _kernel_places[kernel] = places
    return places


def _is_template(annotation: Any) -> bool:
    return isinstance(annotation, ti.template) or annotation is ti.template


def _setter(annotation: Any) -> Setter:
    if isinstance(annotation, ArrayType):
        return _set_array
    return _set_float if annotation is float or annotation in (ti.f32, ti.f64) else _set_int


def _array_call(place: tuple[int], array: Any) -> tuple[Any, ...]:
    """What passes an array: place, address, size, shape and no gradient; or from a graphics card place and array."""
    if isinstance(array, np.ndarray):
        return place, array.ctypes.data, array.nbytes, array.shape, 0
    memory = host_memory(array)
    if memory is not None:
        return place, memory.ctypes.data, memory.nbytes, tuple(array.shape), 0
    return place, array.arr


def _set_array(context: Any, place: tuple[int], array: Any) -> None:
    call = _array_call(place, array)
    set_array = context.set_arg_external_array_with_shape if len(call) > 2 else context.set_arg_ndarray
    set_array(*call)


def _set_float(context: Any, place: tuple[int], value: float) -> None:
    context.set_arg_float(place, float(value))


def _set_int(context: Any, place: tuple[int], value: int) -> None:
    context.set_arg_int(place, int(value))
