# SPDX-License-Identifier: GPL-3.0-or-later
"""Packs: the arrays of one subject as a single argument of a kernel.

A kernel states the type of a pack; functions take it as a template. A pack holds arrays of Taichi or NumPy and keeps
them alive. Arrays may be written, but a pack's members are settled when it is made.

Taichi 1.7 would take numbers and other packs too. Numbers would be fixed to a precision when the type is made, and each
pack within a pack takes 7 µs of every launch.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import taichi as ti

# Taichi has these types, but gives only some of them a public name
ArrayType = type(ti.types.ndarray())
PackType = type(ti.types.argpack(array=ti.types.ndarray()))
# arrays, packs, numbers and structs of a kernel at most. Taichi itself has no limit: launches of a thousand arrays gave
# the right numbers on the processor, at 1.5 µs for each. So this one keeps a launch below 0.3 ms
MOST_ARGUMENTS = 192
# what Taichi's own launch, which is the fallback, passes: it counts in Python (``Kernel.launch_kernel``)
MOST_PASSED = 64


def pack_type(**arrays: Any) -> Any:
    """A type of pack, for the annotation of a kernel; called with all arrays by name, it makes a pack.

    Args:
        arrays: ``ti.types.ndarray(…)`` by name.

    Raises:
        TypeError: a member that is no array.
        ValueError: an array of the name of something that Taichi's packs have themselves: it would be bound in the
            place of all.
    """
    for name, kind in arrays.items():
        if not isinstance(kind, ArrayType):
            raise TypeError(f"packs hold arrays alone; {name} is {kind}")
        if hasattr(ti.ArgPack, name):
            raise ValueError(f"packs have {name} themselves")
    return ti.types.argpack(**arrays)


def is_pack_type(kind: Any) -> bool:
    """Whether an annotation of a kernel is a type of pack."""
    return isinstance(kind, PackType)


def check_packs(kinds: Sequence[Any]) -> None:
    """Check the annotations of a kernel's arguments but for templates.

    Raises:
        ValueError: Two packs have an array of the same name: Taichi binds arrays of packs by name, so that one would be
            left out and the others would be mixed up. Or there are more than ``MOST_ARGUMENTS``.
    """
    seen: set[str] = set()
    for kind in kinds:
        if is_pack_type(kind):
            if not seen.isdisjoint(kind.members):
                raise ValueError(f"two packs of a kernel have {', '.join(sorted(seen & set(kind.members)))}")
            seen.update(kind.members)
    if argument_count(kinds) > MOST_ARGUMENTS:
        raise ValueError(f"a kernel has {argument_count(kinds)} arguments, more than {MOST_ARGUMENTS}")


def argument_count(kinds: Iterable[Any]) -> int:
    """How many arguments these annotations are, as Taichi counts them: a pack counts itself and its arrays."""
    return sum(1 + (len(kind.members) if is_pack_type(kind) else 0) for kind in kinds)


def arrays_of(pack: Any) -> tuple[Any, ...]:
    """All arrays in a pack, in the order in which Taichi passes them."""
    return tuple(array for _, array in pack.items)


def arrays_by_name(pack: Any) -> dict[str, Any]:
    """All arrays in a pack."""
    return dict(pack.items)
