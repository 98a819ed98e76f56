# SPDX-License-Identifier: GPL-3.0-or-later
"""What the rest shapes of a system, as checkpoints hold them, are in another system of the same bodies."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from ..constraints import CONSTRAINTS
from .system.system import System

Ints = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]


def shape_sources(old: System, new: System, particles: Ints) -> Ints:
    """The place of each value among those of the constraint that it was, by its particles.

    Args:
        old: system.
        new: system.
        particles: the old particle of each particle of the new system's bodies.

    Returns:
        Shape (values of the new one,); -1 where there was none.
    """
    found = np.full(len(new.plastic.places), -1, np.int32)
    first_old = first_new = 0
    for (width, mine_old), (_, mine_new) in zip(_constraints(old), _constraints(new), strict=True):
        keys = [mine_old, particles[mine_new]]
        if width == 1:
            # ends of springs and sides of folds may have changed places
            keys = [np.sort(mine, axis=1) for mine in keys]
        places = {key.tobytes(): number for number, key in reversed(list(enumerate(keys[0].astype(np.int32))))}
        for number, key in enumerate(keys[1].astype(np.int32)):
            place = places.get(key.tobytes())
            if place is not None:
                first = first_new + width * number
                found[first : first + width] = first_old + width * place + np.arange(width)
        first_old, first_new = first_old + width * len(mine_old), first_new + width * len(mine_new)
    return found


def are_within(system: System, is_chosen: Mask) -> Mask:
    """Of each value, whether all particles of its constraint are chosen, shape (values,).

    Args:
        system: of the values.
        is_chosen: of each particle of the bodies, shape (particles,).
    """
    parts = [np.repeat(is_chosen[mine].all(axis=1), width) for width, mine in _constraints(system)]
    return np.concatenate([np.zeros(0, np.bool_), *parts])


def _constraints(system: System) -> Iterator[tuple[int, Ints]]:
    """Of each type that may flow: values of a constraint, and the particles of those that do, shape (n, particles)."""
    plastic = system.plastic
    for kind, constraint in enumerate(CONSTRAINTS):
        if constraint.flow is not None:
            rows = plastic.rows[slice(*plastic.starts[kind : kind + 2])]
            particles = system.schedule.indices[rows[:, :1] + np.arange(constraint.particle_count)]
            yield len(constraint.flow.columns), particles
