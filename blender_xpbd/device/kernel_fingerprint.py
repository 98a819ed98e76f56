# SPDX-License-Identifier: GPL-3.0-or-later
"""What Taichi makes a kernel of, in one number: sources, constants and template arguments.

Two kernels with one fingerprint have the same syntax trees and the same values for all names in them. It follows
whatever functions name, however deep, and refuses what it does not know. It is the same in each process.
"""

from __future__ import annotations

import enum
import hashlib
import linecache
import sys
import types
import weakref
from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import taichi as ti

from .packs import ArrayType, PackType

# what comes from them is as their versions
_LIBRARIES = ("taichi", "numpy", "math", "builtins", "typing", "collections", "itertools", "functools", "operator")
_VERSIONS = (sys.version, np.__version__, str(ti.__version__))
_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis), np.number, np.bool_, np.dtype)
_SEQUENCES = (tuple, list, set, frozenset)
# Taichi has these types, but gives only some of them a public name
_NumberType = type(ti.f64)
_MatrixType = type(ti.types.matrix(2, 2, ti.f64))
# pointers of theirs that their other attributes imply
_IMPLIED = ("tensor_type", "dtype_pointer")


# things of libraries that are what they are called
_NAMED = (types.BuiltinFunctionType, types.MethodDescriptorType, np.ufunc)


class _Pair(NamedTuple):
    one: int


# how classes keep their fields and enumerations their members, which are told by name
_SLOTS = (type(_Pair.one), types.MemberDescriptorType, types.GetSetDescriptorType, enum.property)


class UnknownIngredientError(Exception):
    """A kernel names something of which it cannot be told whether it stays as it is."""


def fingerprint(function: types.FunctionType, *more: Any) -> bytes:
    """32 bytes that change with whatever a function, or one that it calls, is made of.

    Args:
        function: what was made a kernel.
        more: what else counts, as types and template arguments.

    Raises:
        UnknownIngredientError: there is something in it that is not known here.
    """
    ingredients = _Ingredients()
    for each in (_VERSIONS, function, more):
        ingredients.add(each)
    return ingredients.digest()


class _Ingredients:
    """All that was met; functions, classes and objects once."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        # by what stays alive with them
        self._seen: dict[int, tuple[int, Any]] = {}
        self._read: set[str] = set()

    def digest(self) -> bytes:
        return self._hash.digest()

    def add(self, thing: Any) -> None:
        """Add a thing and all that it leads to."""
        if isinstance(thing, enum.Enum):
            self._tell("enum", type(thing).__qualname__, thing.name, repr(thing.value))
        elif isinstance(thing, _PLAIN):
            self._tell(type(thing).__name__, repr(thing))
        elif isinstance(thing, _SEQUENCES):
            self._add_sequence(thing)
        elif isinstance(thing, dict):
            self._tell("dict", str(len(thing)))
            for pair in thing.items():
                self.add(pair)
        elif id(thing) in self._seen:
            self._tell("again", str(self._seen[id(thing)][0]))
        else:
            self._seen[id(thing)] = len(self._seen), thing
            self._add_new(thing)

    def _tell(self, *words: str) -> None:
        for word in words:
            told = word.encode()
            self._hash.update(b"%d:%b" % (len(told), told))

    def _add_sequence(self, things: Any) -> None:
        self._tell(type(things).__name__, str(len(things)))
        if type(things) not in _SEQUENCES:
            self.add(type(things))
        for each in sorted(things, key=repr) if isinstance(things, set | frozenset) else things:
            self.add(each)

    def _add_new(self, thing: Any) -> None:
        if isinstance(thing, types.FunctionType):
            if hasattr(thing, "_is_taichi_function"):
                self._add_function(thing.__wrapped__, thing.__annotations__)
            else:
                self._add_function(thing)
        elif isinstance(thing, type):
            self._add_class(thing)
        elif isinstance(thing, types.ModuleType):
            # its members are added where a function names them
            self._tell("module", thing.__name__)
        elif isinstance(thing, np.ndarray):
            self._tell("array", str(thing.dtype), str(thing.shape), thing.tobytes().hex())
        elif isinstance(thing, _NumberType):
            self._tell("type", thing.to_string())
        elif isinstance(thing, PackType | ArrayType | _MatrixType):
            self._tell(type(thing).__name__)
            self.add({name: value for name, value in vars(thing).items() if name not in _IMPLIED})
        elif parts := _parts(thing):
            self._tell(type(thing).__name__)
            self.add(parts)
        elif _is_of_library(thing) or isinstance(thing, np.ufunc):
            self._add_of_library(thing)
        else:
            raise UnknownIngredientError(f"{type(thing)}: {thing!r}")

    def _add_of_library(self, thing: Any) -> None:
        if isinstance(thing, _NAMED):
            self._tell("named", str(getattr(thing, "__module__", "")), thing.__name__)
        elif hasattr(type(thing), "__members__"):
            # an enumeration of Taichi's own library
            self._tell("enum", type(thing).__qualname__, thing.name)
        elif isinstance(thing, ti.template):
            self._tell("template")
        else:
            raise UnknownIngredientError(f"{type(thing)}: {thing!r}")

    def _add_class(self, kind: type) -> None:
        self._tell("class", kind.__module__, kind.__qualname__)
        if _is_of_library(kind):
            return
        self.add(kind.__bases__)
        if issubclass(kind, enum.Enum):
            self.add(dict(kind.__members__))
        if is_dataclass(kind):
            for field in fields(kind):
                self.add((field.name, None if field.default is MISSING else field.default))
        for name, value in vars(kind).items():
            if isinstance(value, types.FunctionType):
                # what a named tuple and a data class are given follows from their fields
                source = getattr(value, "__wrapped__", value).__code__.co_filename
                if source.startswith("<") or _is_of_library(value):
                    continue
            elif name.startswith("__") or _is_implied(name) or isinstance(value, _SLOTS):
                continue
            self._tell("attribute", name)
            self.add(value)

    def _add_function(self, function: types.FunctionType, annotations: dict[str, Any] | None = None) -> None:
        """Add a function; its annotations count where Taichi casts by them."""
        self._tell("function", str(function.__module__), function.__qualname__)
        if _is_of_library(function):
            return
        codes = list(_codes(function.__code__))
        self._tell(self._source(codes))
        for code in codes:
            self._tell(code.co_code.hex())
            self.add([each for each in code.co_consts if not isinstance(each, types.CodeType)])
            self.add(code.co_names)
        self.add((function.__defaults__, function.__kwdefaults__, annotations))
        try:
            self.add([cell.cell_contents for cell in function.__closure__ or ()])
        except ValueError as fault:
            raise UnknownIngredientError(f"{function}: a name without a value") from fault
        names = {name for code in codes for name in code.co_names}
        self._add_members("global", function.__globals__, names)

    def _source(self, codes: list[types.CodeType]) -> str:
        """The lines of a function as they are now, for Taichi reads them now too, and folds no constants."""
        path = codes[0].co_filename
        if path not in self._read:
            self._read.add(path)
            linecache.checkcache(path)
        last = max(line for code in codes for _, _, line in code.co_lines() if line is not None)
        source = "".join(linecache.getlines(path)[codes[0].co_firstlineno - 1 : last])
        if not source:
            raise UnknownIngredientError(f"{path}: no source")
        return source

    def _add_members(self, what: str, members: dict[str, Any], names: set[str]) -> None:
        for name in sorted(names & members.keys()):
            value = members[name]
            self._tell(what, name)
            self.add(value)
            if isinstance(value, types.ModuleType) and not _is_of_library(value):
                self._add_members("member", vars(value), names)


def _parts(thing: Any) -> tuple[Any, ...]:
    """What a thing that stands for others is made of; nothing for any other."""
    if isinstance(thing, property):
        return thing.fget, thing.fset
    if isinstance(thing, staticmethod | classmethod | types.MethodType):
        return thing.__func__, getattr(thing, "__self__", None)
    if isinstance(thing, partial):
        return thing.func, thing.args, thing.keywords
    if isinstance(thing, weakref.ref):
        return (thing(),)
    if is_dataclass(thing):
        names = [field.name for field in fields(thing)]
        if not getattr(thing, "__dict__", {}).keys() <= set(names):
            raise UnknownIngredientError(f"{thing!r}: more than its fields")
        return type(thing), *(getattr(thing, name) for name in names)
    return ()


def _is_implied(attribute: str) -> bool:
    """Whether an attribute of a class is what enumerations and abstract classes keep of their members."""
    return attribute == "_abc_impl" or (attribute.startswith("_") and attribute.endswith("_"))


def _is_of_library(thing: Any) -> bool:
    name = thing.__name__ if isinstance(thing, types.ModuleType) else getattr(thing, "__module__", None)
    return str(name).partition(".")[0] in _LIBRARIES


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)
