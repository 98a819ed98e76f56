# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints whose parameters are computed when they are read, some rows at a time.

A tetrahedron has 14 parameters. In double precision, and copied on the way from the body to the order of the solver,
they would be most of what building takes; computed in that order they are only ever there in single precision.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .constraint import ConstraintBlock, ConstraintType, joined

Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]

# asking many blocks for a few rows each takes longer than copying all; chosen by hand
MOST_DEFERRED = 8


class DeferredBlock(ConstraintBlock):
    """A ``ConstraintBlock`` of few particles each that computes its parameters.

    ``dataclasses.replace`` is not for these: a layer is given when they are made.
    """

    _parameters_of: Callable[[npt.NDArray[Any]], Floats]

    def __init__(
        self,
        kind: ConstraintType,
        indices: Ints,
        parameters_of: Callable[[npt.NDArray[Any]], Floats],
        layer: int = 0,
        follows: tuple[str, ...] = (),
        yields: bool = False,
    ) -> None:
        """Note how parameters are computed.

        Args:
            kind: what the constraints are.
            indices: particles, shape (constraints, kind.particle_count).
            parameters_of: parameters of some constraints, given by number, shape (chosen, len(kind.parameters)).
            layer: as of every block.
            follows: as of every block.
            yields: as of every block.
        """
        values = {
            "type": kind,
            "indices": indices,
            "pools": None,
            "layer": layer,
            "follows": follows,
            "yields": yields,
            "_parameters_of": parameters_of,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @property
    def parameters(self) -> Floats:
        """All of them."""
        return self._parameters_of(np.arange(len(self)))

    def shifted(self, first: int) -> DeferredBlock:
        """The same constraints between particles that are ``first`` later."""
        return DeferredBlock(
            self.type, self.indices + first, self._parameters_of, self.layer, self.follows, yields=self.yields
        )

    def rows(self, chosen: npt.NDArray[Any]) -> DeferredBlock:
        """Some of the constraints, in this order: numbers or a mask."""
        numbers = np.flatnonzero(chosen).astype(np.int32) if chosen.dtype == np.bool_ else chosen
        parameters_of = self._parameters_of
        return DeferredBlock(
            self.type, self.indices[numbers], lambda wanted: parameters_of(numbers[wanted]), self.layer, self.follows
        )

    def prepared(self, inverse_masses: Floats) -> ConstraintBlock:
        """The constraints between particles of these inverse masses [1/kg], with all parameters computed."""
        return ConstraintBlock(self.type, self.indices, self.parameters).prepared(inverse_masses)


def together(blocks: Sequence[ConstraintBlock]) -> ConstraintBlock:
    """Blocks of one type as one, still deferred where one of a few is."""
    if len(blocks) == 1:
        return blocks[0]
    if len(blocks) > MOST_DEFERRED or not any(isinstance(block, DeferredBlock) for block in blocks):
        return joined(list(blocks))
    starts = np.cumsum([0, *(len(block) for block in blocks)])

    def parameters_of(numbers: npt.NDArray[Any]) -> Floats:
        parameters = np.empty((len(numbers), len(blocks[0].type.parameters)))
        owners = np.searchsorted(starts, numbers, side="right") - 1
        for owner in np.unique(owners):
            mine = owners == owner
            parameters[mine] = blocks[owner].rows(numbers[mine] - starts[owner]).parameters
        return parameters

    return DeferredBlock(blocks[0].type, np.concatenate([block.indices for block in blocks]), parameters_of)
