# SPDX-License-Identifier: GPL-3.0-or-later
"""A solver that simulates a region of a scene again, beside one that simulates the whole as it was.

The other solver goes ahead by a frame, and tells where everything was. Over the frames of the region all else is held
to that; before and after them this solver is where the other one is. So particles inside a cage, and what several
regions have changed one after the other, are known without being kept in frames.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from ..device.arrays import edited_array
from ..scene.errors import XpbdError
from .solver import Solver
from .step.pair_substeps import PairSubsteps
from .step.plan import SERIAL
from .step.state import padded
from .step.step_samples import StepSamples
from .system.frame_slice import FrameSlice
from .system.region_hold import RegionHold
from .system.system import System
from .tearing import OF_PARTICLES, can_tear, carried

Arrays = Mapping[str, npt.NDArray[np.generic]]

# of a state, what has changed where the region has
_OF_REGION = ("orientations", "angular_velocities", "rest_shapes")
# in a checkpoint, before the names of the other solver's arrays
_OF_OTHER = "source_"


class RecordingSolver(Solver):
    """As ``Solver``; it tells where particles were after each substep of the frame that was advanced last."""

    _sampler = StepSamples

    @property
    def steps(self) -> StepSamples:
        """Where particles were."""
        if not isinstance(self._samples, StepSamples):
            raise TypeError("substeps are not kept")
        return self._samples


class RegionalSolver(RecordingSolver):
    """As ``Solver``, of a system with a region."""

    def __init__(self, system: System, other: RecordingSolver, paths: tuple[str, ...] = (SERIAL,)) -> None:
        """Copy the system to the device.

        Args:
            system: with its region.
            other: of the scene that is simulated again, at its start; it goes on with this one.
            paths: as for ``Solver``.

        Raises:
            XpbdError: as of ``Solver``; E_CACHE, where the other solver is of other bodies; E_PARAM, where one tears.
        """
        hold = system.region
        if hold is None:
            raise ValueError("the system has no region")
        for model in (*system.models, *other.system.models):
            if can_tear(model.body):
                advice = "What tears cannot be simulated again in part: bake all of it from a frame on."
                raise XpbdError("E_PARAM", advice, model.body.name)
        _require_alike(system, other.system)
        super().__init__(system, paths)
        self._hold: RegionHold = hold
        self._other = other
        self.steps.before_step = self._place
        start = system.scene.frames.start
        self._first, self._last = hold.region.first - start, hold.region.last - start
        self._built = super().checkpoint()
        mine, theirs = system.objects, other.system.objects
        # pairs of points are known by their numbers
        self._knows_pairs = mine is not None and theirs is not None and np.array_equal(mine.elements, theirs.elements)
        self._is_outside = np.concatenate(
            [
                ~np.isin(np.arange(model.body.vertex_count), hold.region.vertices)
                if model.body.identifier == hold.region.body
                else np.ones(model.body.vertex_count, np.bool_)
                for model in system.models
            ]
        )

    @property
    def is_outside(self) -> npt.NDArray[np.bool_]:
        """Of the vertices of all meshes, as ``surface`` has them, whether they are held, shape (vertices,)."""
        return self._is_outside

    @property
    def is_memoryless(self) -> bool:
        """As of ``Solver``; the other one may be on its way into a pose."""
        return super().is_memoryless and self._other.is_memoryless

    def compile(self) -> None:
        """As of ``Solver``, for both."""
        self._other.compile()
        super().compile()

    def advance(self) -> None:
        """Simulate to the next frame; errors as of ``Solver``."""
        index, other = self.frame_index, self._other
        is_region = self._first <= index + 1 <= self._last
        before = other.positions()
        other.advance()
        if not is_region:
            self.frame_index, self.frames_advanced = index + 1, self.frames_advanced + 1
            self._follow()
            self.steps.steps, self.samples = other.steps.steps, other.samples
            return
        count = len(self._hold.is_held)
        other.steps.steps[0] = before
        self._hold.motion.places = {
            number: places[:count].astype(np.float64)
            for number, places in ((index, before), (index + 1, other.positions()))
        }
        with edited_array(self._state.constraints.parameters) as parameters:
            parameters[self._hold.rows] = self._hold.parameters(self.system.scene.frames.start + index + 1)
        super().advance()
        outside = self._is_outside[:, None]
        self.samples = tuple(
            np.where(outside, whole, mine) for whole, mine in zip(other.samples, self.samples, strict=True)
        )

    def _upload(self, frame_slice: FrameSlice) -> None:
        super()._upload(frame_slice)
        self._place(frame_slice, 0)

    def _place(self, frame_slice: FrameSlice, substep: int) -> None:
        """Lead what follows a motion to where it is after a substep of a slice."""
        substeps = self.steps.substeps
        time = (frame_slice.number * substeps + substep + 1) / (frame_slice.of * substeps)
        starts, ends = (self.system.targets(self.frame_index + number) for number in (0, 1))
        places = starts + time * (ends - starts)
        held = self._hold.sources
        places[len(places) - len(held) :] = self._other.steps.at(time)[held]
        for name in ("targets.starts", "targets.ends"):
            self._uploads.write(name, padded(places))

    def _stays_clear(self, path: str, pairs: PairSubsteps) -> bool:
        # many substeps would be simulated at once
        del path, pairs
        return False

    def _follow(self) -> None:
        """Be where the other solver is."""
        theirs = self._other.checkpoint()
        state = carried(self._other.system, theirs, self.system, self._built)
        count = len(self._hold.is_held)
        if "corrections" in state and "corrections" in theirs:
            state["corrections"][:count] = theirs["corrections"][:count] * ~self._hold.is_held[:, None]
        if "anchors" in state and "anchors" in theirs and self._knows_pairs:
            state["anchors"] = theirs["anchors"]
        self._write(state)

    def checkpoint(self) -> dict[str, npt.NDArray[np.generic]]:
        """As of ``Solver``, with that of the other solver."""
        other = getattr(self, "_other", None)
        arrays = {} if other is None else {f"{_OF_OTHER}{name}": array for name, array in other.checkpoint().items()}
        return super().checkpoint() | arrays

    def whole_state(self) -> dict[str, npt.NDArray[np.generic]]:
        """As ``checkpoint`` of a solver of all that moves: the other's, with what the region has changed."""
        other = self._other
        state = other.whole_state() if isinstance(other, RegionalSolver) else other.checkpoint()
        if not self._first <= self.frame_index <= self._last:
            return state
        mine = carried(self.system, self.checkpoint(), other.system, state)
        free = np.flatnonzero(~self._hold.is_held)
        for name in OF_PARTICLES:
            if name in state:
                state[name][free] = mine[name][free]
        return state | {name: mine[name] for name in _OF_REGION if name in mine}

    @property
    def most_checkpoint_bytes(self) -> int:
        """How large the arrays of a checkpoint may be at any frame."""
        return super().most_checkpoint_bytes + self._other.most_checkpoint_bytes

    def adopt(self, frame_index: int, arrays: Arrays) -> None:
        """Go on from a checkpoint of the scene that is simulated again.

        Raises:
            XpbdError: E_CACHE, when it is not of that scene.
        """
        self._other.restore(frame_index, arrays)
        self.frame_index = frame_index
        self._follow()

    def restore(self, frame_index: int, arrays: Arrays) -> None:
        """Go on from a checkpoint.

        Raises:
            XpbdError: E_CACHE, when it is not of this system and the other one.
        """
        of_other = {name.removeprefix(_OF_OTHER): array for name, array in arrays.items() if name.startswith(_OF_OTHER)}
        self._other.restore(frame_index, of_other)
        super().restore(frame_index, {name: array for name, array in arrays.items() if not name.startswith(_OF_OTHER)})


def _require_alike(system: System, other: System) -> None:
    """See that two systems are of the same bodies.

    Raises:
        XpbdError: E_CACHE.
    """
    shapes = [[model.positions for model in one.models] for one in (system, other)]
    are_alike = len(shapes[0]) == len(shapes[1]) and all(map(np.array_equal, *shapes))
    if not are_alike or not np.array_equal(system.origin, other.origin):
        raise XpbdError("E_CACHE", "The bake before is of other bodies; begin again.")
