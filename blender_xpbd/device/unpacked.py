# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernels whose packs come array by array, for devices that do not take packs.

Packs ran on processors and on Vulkan's software device. Whether a graphics card takes them is asked once, see
``launch.takes_packs``. Where it does not, the same kernel is made anew from its source: each array is an argument of
its own, and the first lines put them together by name, so that the body stays as it is.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import textwrap
from collections import namedtuple
from typing import Any, cast

import taichi as ti

from .packs import is_pack_type


def unpacked(kernel: Any) -> Any:
    """The kernel with an argument for each array of its packs, in their order.

    Args:
        kernel: made by ``ti.kernel``, a function of a module.
    """
    made = _unpacked.get(kernel)
    if made is None:
        made = _unpacked[kernel] = _made(kernel)
    return made


def flattened(kernel: Any, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Arguments of a kernel as ``unpacked`` takes them."""
    flat: list[Any] = []
    for kind, argument in zip(kernel.__annotations__.values(), arguments, strict=True):
        flat += [getattr(argument, name) for name in kind.members] if is_pack_type(kind) else [argument]
    return tuple(flat)


_unpacked: dict[Any, Any] = {}


def _made(kernel: Any) -> Any:
    function = inspect.unwrap(kernel)
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    definition = cast("ast.FunctionDef", tree.body[0])
    scope = dict(function.__globals__)
    arguments, lines = [], []
    annotations: dict[str, Any] = {}
    for name, kind in function.__annotations__.items():
        names = [f"{name}__{member}" for member in kind.members] if is_pack_type(kind) else [name]
        annotations |= dict(zip(names, kind.members.values() if is_pack_type(kind) else [kind], strict=True))
        arguments += [ast.arg(own) for own in names]
        if is_pack_type(kind):
            scope[f"{name}__pack"] = namedtuple(f"{name}__pack", list(kind.members))
            lines += ast.parse(f"{name} = _ti.static({name}__pack({', '.join(names)}))").body
    definition.args.args = arguments
    definition.decorator_list = []
    docstring = [definition.body[0]] if ast.get_docstring(definition) is not None else []
    definition.body = [*docstring, *lines, *definition.body[len(docstring) :]]
    # where Taichi looks for the source
    place = f"<unpacked {function.__module__}.{function.__qualname__}>"
    text = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
    linecache.cache[place] = (len(text), None, text.splitlines(keepends=True), place)
    scope["_ti"] = ti
    exec(compile(text, place, "exec"), scope)  # noqa: S102, the kernel's own source
    scope[function.__name__].__annotations__ = annotations
    return ti.kernel(scope[function.__name__])
