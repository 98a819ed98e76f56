# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernels from Taichi's cache by what they are made of, where Taichi 1.7 makes each anew to find it there.

Taichi keeps a kernel under a key, which it computes from all of the kernel once, and notes on it. Here it computes the
key when the kernel has its arguments and a fingerprint alone. The rest is made only if nothing is kept under that key.
"""

from __future__ import annotations

import ast
import hashlib
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import taichi as ti

from . import apart
from .host_memory import is_processor
from .kernel_fingerprint import UnknownIngredientError, fingerprint
from .version import knows_taichi

_BITS, _WORDS = 30, 9
# file descriptor of what a process prints
_OUTPUT = 1
# of settings that change no kernel: where it is kept and what is printed. Taichi 1.7.4 leaves ``print_ir_dbg_info`` as
# the memory was, which made one process in a hundred compile all kernels anew
_NO_INGREDIENTS = ("_", "offline_cache", "print_")


def compile_kernel(primal: Any, arguments: tuple[Any, ...]) -> tuple[Any, Any]:
    """What Taichi launches for a kernel and arguments.

    Args:
        primal: what ``ti.kernel`` made.
        arguments: of a call.

    Returns:
        The kernel that launches are prepared with, and its binary.
    """
    ti.lang.impl.get_runtime().materialize()
    instance, features = primal.mapper.lookup(arguments)
    words = _words(primal, features) if is_processor() and _can_keep() else None
    if words is None:
        note_compiled()
        primal.materialize(key=(primal.func, instance, primal.autodiff_mode), args=arguments, arg_features=features)
        kernel = primal.compiled_kernels[primal.func, instance, primal.autodiff_mode]
        return kernel, _binary(kernel)
    # without its statements, and spoiled, so that it can only be found
    kernel = _make(primal, arguments, features, words, is_whole=False)
    with _silence():
        try:
            return kernel, _binary(kernel)
        except RuntimeError:
            # as those that are not kept
            pass
    note_compiled()
    kernel = _make(primal, arguments, features, words, is_whole=True)
    return kernel, _binary(kernel)


_compiled: list[None] = []


def note_compiled() -> None:
    """A kernel was compiled, or may have been."""
    _compiled.append(None)


def compiled_count() -> int:
    """How many kernels this process may have compiled, for no former one had kept them."""
    return len(_compiled)


def _words(primal: Any, features: Any) -> list[int] | None:
    """A fingerprint as constants of a kernel; nothing where none can be had."""
    config = ti.lang.impl.get_runtime().prog.config()
    settings = [name for name in dir(config) if not name.startswith(_NO_INGREDIENTS)]
    told = [f"{name} {getattr(value := getattr(config, name), 'to_string', value.__str__)()}" for name in settings]
    kinds = [(argument.name, argument.annotation) for argument in primal.arguments]
    try:
        number = int.from_bytes(fingerprint(primal.func, kinds, features, told, _calls()), "little")
    except UnknownIngredientError:
        return None
    return [number >> _BITS * n & (1 << _BITS) - 1 for n in range(_WORDS)]


@cache
def _calls() -> str:
    """Of the source by which kernels call functions, which they do not name."""
    return hashlib.sha256(Path(apart.__file__).read_bytes()).hexdigest()


def _make(primal: Any, arguments: tuple[Any, ...], features: Any, words: list[int], is_whole: bool) -> Any:
    """A kernel whose key comes from its arguments and some words; with its statements, or spoiled."""
    tree, context = ti.lang.kernel_impl._get_tree_and_ctx(
        primal, args=arguments, excluded_parameters=primal.template_slot_locations, arg_features=features
    )

    def settle() -> int:
        kernel = ti.lang.impl.get_runtime().compiling_callable
        _note_key(kernel)
        if not is_whole:
            _spoil(kernel)
        return 0

    context.global_vars.update(_static=ti.static, _settle=settle)
    first = "; ".join((*(f"_word_{n} = {word}" for n, word in enumerate(words)), "_static(_settle())"))
    definition = tree.body[0]
    definition.body = [*ast.parse(first).body, *(definition.body if is_whole else ())]

    def build(kernel: Any) -> None:
        runtime = ti.lang.impl.get_runtime()
        primal.kernel_cpp = kernel
        runtime.inside_kernel, runtime.current_kernel, runtime.compiling_callable = True, primal, kernel
        try:
            context.ast_builder = kernel.ast_builder()
            ti.lang.kernel_impl.transform_tree(tree, context)
        finally:
            runtime.inside_kernel, runtime.current_kernel, runtime.compiling_callable = False, None, None

    return _create(build, f"{primal.func.__name__}_c{primal.kernel_counter}", primal.autodiff_mode)


def _create(build: Callable[[Any], None], name: str, mode: Any) -> Any:
    return ti.lang.impl.get_runtime().prog.create_kernel(build, name, mode)


def _binary(kernel: Any) -> Any:
    program = ti.lang.impl.get_runtime().prog
    return program.compile_kernel(program.config(), program.get_device_caps(), kernel)


def _note_key(kernel: Any) -> bool:
    """Have Taichi note the key of a kernel as it is now, by asking for a device that it was not started for.

    Returns:
        Whether nothing was found, as there must not be; one of the same key that was compiled in this process is.
    """
    program = ti.lang.impl.get_runtime().prog
    config = ti._lib.core.CompileConfig()
    config.arch, config.offline_cache = ti.vulkan, False
    with _silence():
        try:
            program.compile_kernel(config, program.get_device_caps(), kernel)
        except RuntimeError:
            return True
    return False


def _spoil(kernel: Any) -> None:
    """Add what no kernel may have, a way out of a loop where there is none."""
    kernel.ast_builder().insert_break_stmt(ti._lib.core.DebugInfo(""))


@cache
def _can_keep() -> bool:
    """Whether this Taichi notes keys so, and compiles nothing that is spoiled."""
    if not knows_taichi():
        return False
    noted: list[bool] = []

    def build(kernel: Any) -> None:
        builder = kernel.ast_builder()
        # new, so that it is not found
        word = ti._lib.core.make_const_expr_int(ti.i32, secrets.randbits(_BITS))
        builder.expr_var(word, ti._lib.core.DebugInfo(""))
        noted.append(_note_key(kernel))
        _spoil(kernel)

    kernel = _create(build, "spoiled", ti.lang.enums.AutodiffMode.NONE)
    with _silence():
        try:
            _binary(kernel)
        except RuntimeError:
            return noted == [True]
    return False


@contextmanager
def _silence() -> Iterator[None]:
    """Without a word of Taichi's on what it cannot compile; its level is that of ``start_taichi`` after it.

    It prints two empty lines all the same, whatever the level.
    """
    ti._lib.core.set_logging_level("critical")
    try:
        with _no_output():
            yield
    finally:
        ti._lib.core.set_logging_level("error")


@contextmanager
def _no_output() -> Iterator[None]:
    try:
        kept = os.dup(_OUTPUT)
    except OSError:
        # there is none
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, _OUTPUT)
        yield
    finally:
        os.dup2(kept, _OUTPUT)
        os.close(kept)
        os.close(nowhere)
