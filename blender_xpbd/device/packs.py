# SPDX-License-Identifier: GPL-3.0-or-later
"""Packs: many arrays of one subject as a single argument of a kernel.

A kernel states the type of a pack; functions take it as a template. A pack holds arrays of Taichi or NumPy and numbers,
or other packs, and keeps them alive. Arrays may be written, but a pack's members are settled when it is made.

Taichi 1.7 binds packs by name, and wrongly where names meet; ``pack_type`` and ``check_packs`` refuse what it would mix
up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import taichi as ti
from taichi.lang.argpack import ArgPack, ArgPackType
from taichi.types.ndarray_type import NdarrayType

# arrays, packs and numbers that Taichi's own launch passes to a kernel at most
MOST_ARGUMENTS = 64

_layouts: dict[tuple[Any, ...], tuple[str, ...]] = {}


def pack_type(**members: Any) -> Any:
    """A type of pack, for the annotation of a kernel; called with all members by name, it makes a pack.

    Args:
        members: types by name: ``ti.types.ndarray(…)`` and numbers, or types of packs.

    Raises:
        ValueError: Arrays beside packs, which Taichi passes in another order than it declares them. Or a type that
            Taichi takes for one that there is, because their numbers, or where there are none their last arrays, have
            the same names: both in one kernel end the process.
    """
    arrays = [name for name, kind in members.items() if isinstance(kind, NdarrayType)]
    if arrays and any(is_pack_type(kind) for kind in members.values()):
        raise ValueError(f"a pack holds arrays or packs, not both: {', '.join(members)}")
    stored = tuple((name, id(kind)) for name, kind in members.items() if name not in arrays) or tuple(arrays[-1:])
    if _layouts.setdefault(stored, tuple(members)) != tuple(members):
        raise ValueError(f"to Taichi {members} looks like {_layouts[stored]}: rename its numbers, or its last array")
    return ti.types.argpack(**members)


def is_pack_type(kind: Any) -> bool:
    """Whether an annotation of a kernel is a type of pack."""
    return isinstance(kind, ArgPackType)


def check_packs(kinds: Iterable[Any]) -> None:
    """Check the annotations of a kernel's arguments.

    Raises:
        ValueError: Two packs have an array of the same name: Taichi would leave one of them out. Put the packs into
            one, where names count with their pack.
    """
    seen: set[str] = set()
    for kind in kinds:
        if is_pack_type(kind):
            names = {name for name, member in kind.members.items() if isinstance(member, NdarrayType)}
            if names & seen:
                raise ValueError(f"two packs of a kernel have {', '.join(sorted(names & seen))}")
            seen |= names


def argument_count(kinds: Iterable[Any]) -> int:
    """Arrays, packs and numbers among the annotations of a kernel's arguments, as Taichi counts them."""
    count = 0
    for kind in kinds:
        count += 1 + (argument_count(kind.members.values()) if is_pack_type(kind) else 0)
    return count


def packs_of(pack: Any, place: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], Any]]:
    """A pack and those in it, with where Taichi passes each."""
    inner = 0
    for _, value in pack.items:
        # arrays are passed apart and take no place
        if isinstance(value, ArgPack):
            yield from packs_of(value, (*place, inner))
        if not _is_array(value):
            inner += 1
    yield place, pack


def arrays_of(pack: Any) -> tuple[Any, ...]:
    """All arrays in a pack and in its packs, in the order in which Taichi passes them."""
    arrays: list[Any] = []
    for _, value in pack.items:
        if isinstance(value, ArgPack):
            arrays += arrays_of(value)
        elif _is_array(value):
            arrays.append(value)
    return tuple(arrays)


def _is_array(value: Any) -> bool:
    return isinstance(value, (np.ndarray, ti.Ndarray))
