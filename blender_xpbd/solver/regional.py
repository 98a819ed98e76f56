# SPDX-License-Identifier: GPL-3.0-or-later
"""A solver that simulates a region of a scene again, beside one that simulates the whole as it was.

The other solver goes ahead by a frame, and tells what its state was after each substep. Over the frames of the region
all else is put there after each substep of this one; before and after them this solver is where the other one is. So
particles inside a cage, and what several regions have changed one after the other, are known without being kept in
frames.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from ..device.arrays import edited_array, read_array, write_array
from ..scene.errors import XpbdError
from .rest_shapes import are_within, shape_sources
from .solver import Solver
from .step.plan import SERIAL
from .step.step_samples import StepSamples, StepState
from .system.frame_slice import FrameSlice
from .system.region_hold import RegionHold
from .system.system import System
from .tearing import carried, particle_sources

Arrays = Mapping[str, npt.NDArray[np.generic]]

# of a checkpoint, what moves: a row for each particle, and for each orientation; with how many columns
_OF_PARTICLES = {"positions": 3, "velocities": 3, "older_positions": 3, "older_velocities": 3, "corrections": 3}
_OF_TURNS = {"orientations": 4, "angular_velocities": 3}
# in a checkpoint, before the names of the other solver's arrays
_OF_OTHER = "source_"


class RecordingSolver(Solver):
    """As ``Solver``; it can tell what its state was after each substep of the frame that was advanced last.

    Attributes:
        records: whether it keeps that of the frames to come; for each pass through one, 12 bytes of a particle for
            each of its moving vectors and each substep.
    """

    records = False
    _sampler = StepSamples

    @property
    def steps(self) -> StepSamples:
        """What the state was."""
        if not isinstance(self._samples, StepSamples):
            raise TypeError("substeps are not kept")
        return self._samples

    def advance(self) -> None:
        """Simulate to the next frame; errors as of ``Solver``."""
        self._begin_steps()
        super().advance()

    def _begin_steps(self) -> None:
        self.steps.read_state = self.moving_state if self.records else None
        self.steps.begin()

    def _moving(self) -> dict[str, Any]:
        """The arrays on the device of what moves, by name."""
        return {name: array for name, array in self._kept.items() if name in _OF_PARTICLES or name in _OF_TURNS}

    def moving_state(self) -> StepState:
        """Of particles and orientations of the bodies, which all solvers of a chain of regions have."""
        counts = self._counts()
        columns = _OF_PARTICLES | _OF_TURNS
        return {
            name: np.array(read_array(array)[: counts[name in _OF_TURNS], : columns[name]])
            for name, array in self._moving().items()
        }

    def _counts(self) -> tuple[int, int]:
        """Of particles, and of orientations."""
        return int(self.system.starts[-1]), len(self.system.orientations)

    def _foresee(self, count: int, note: Callable[[int], None]) -> None:
        with self.steps.paused():
            super()._foresee(count, note)

    def _stays_clear(self, path: str, pairs: Any) -> bool:
        # many substeps would be simulated at once
        del path, pairs
        return False

    def _upload(self, frame_slice: FrameSlice) -> None:
        super()._upload(frame_slice)
        self.steps.mark(frame_slice)

    def _simulate_substeps(self, path: str, frame_slice: FrameSlice) -> None:
        self.steps.rewind()
        super()._simulate_substeps(path, frame_slice)


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
            if model.body.can_tear:
                advice = "What tears cannot be simulated again in part: bake all of it from a frame on."
                raise XpbdError("E_PARAM", advice, model.body.name)
        _require_alike(system, other.system)
        super().__init__(system, paths)
        self._hold: RegionHold = hold
        self._other = other
        # of what the other solver has noted, where this one is, and where a pass that may be done again has begun
        self._noted = self._marked = 0
        # whether it goes the same way, so that each of its passes is held to that of the other solver
        self._goes_alike = True
        self._start = system.scene.frames.start
        self._built = super().checkpoint()
        mine, theirs = system.objects, other.system.objects
        # pairs of points are known by their numbers
        self._knows_pairs = mine is not None and theirs is not None and np.array_equal(mine.elements, theirs.elements)
        # constraints by theirs, and what follows the particles of the bodies: anchors, vertices of colliders
        self._is_alike = _are_ordered_alike(system, other.system)
        self._shape_sources = shape_sources(other.system, system, particle_sources(other.system, system))
        own = slice(int(system.starts[-1]))
        self._stops = (system.inverse_masses[own] == 0.0) & (other.system.inverse_masses[own] > 0.0)
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
        region, other = self._hold.region, self._other
        is_region = region.first <= self._start + self.frame_index + 1 <= region.last
        other.records = is_region or self.records
        other.advance()
        if is_region:
            self._advance_held()
        else:
            self._go_along()
        other.steps.forget()

    def _advance_held(self) -> None:
        """Simulate to the next frame what the other solver has just simulated."""
        other = self._other
        self.steps.after_step = self._hold_to_other
        super().advance()
        outside = self._is_outside[:, None]
        self.samples = tuple(
            np.where(outside, whole, mine) for whole, mine in zip(other.samples, self.samples, strict=True)
        )

    def _go_along(self) -> None:
        """Be at the next frame where the other solver is."""
        self._begin_steps()
        self.frame_index, self.frames_advanced = self.frame_index + 1, self.frames_advanced + 1
        self._follow()
        self.samples = self._other.samples
        if self.records:
            # who asks for them goes by the substeps of this solver
            substeps, theirs = self.steps.substeps, self._other.steps
            self.steps.fill({number: theirs.at(Fraction(number, substeps)) for number in range(1, substeps + 1)})

    def _advance(self) -> None:
        if self.steps.after_step is None:
            super()._advance()
            return
        theirs = self._other.steps
        self._noted, self._goes_alike = 0, self._pairs is not None and theirs.substeps == self.steps.substeps
        is_done_again = len(theirs.way) > 1
        before = self.whole_state() if is_done_again else {}
        if not self._goes_alike:
            theirs.keep_last()
        super()._advance()
        if self._goes_alike and is_done_again and self.steps.way != theirs.way:
            # it was held to passes that the other solver has thrown away
            self._write(before)
            self.frame_index -= 1
            self._goes_alike = False
            theirs.keep_last()
            self._begin_steps()
            super()._advance()
        self._end_as_other()

    def _upload(self, frame_slice: FrameSlice) -> None:
        super()._upload(frame_slice)
        self._marked = self._noted

    def _simulate_substeps(self, path: str, frame_slice: FrameSlice) -> None:
        # where slots were too few, the pass is done again
        self._noted = self._marked
        super()._simulate_substeps(path, frame_slice)

    def _hold_to_other(self, frame_slice: FrameSlice, substeps: int) -> None:
        """Put what is held where the other solver had it after a substep, and bring nearer what is drawn there."""
        theirs, count = self._there(frame_slice, substeps), self.steps.substeps * frame_slice.of
        done = frame_slice.number * self.steps.substeps + substeps
        begin, end = (self._start + self.frame_index + number / count for number in (done - 1, done))
        self._put(theirs, self._shares(begin, end))

    def _end_as_other(self) -> None:
        """Put what is held where the other solver is after the frame.

        What falls may go on with another velocity then than after the last substep, and what yields does so within it.
        """
        end = self._start + self.frame_index
        of_substeps = self._shares(end - 1.0 / (self.steps.substeps * self.steps.way[-1].of), end)
        held, turns_held = (share == 1.0 for share in of_substeps)
        self._put(self._other.moving_state(), [held.astype(np.float64), turns_held.astype(np.float64)])
        is_taken = are_within(self.system, held[:, 0]) & (self._shape_sources >= 0)
        if is_taken.any():
            theirs = self._other.checkpoint()["rest_shapes"][self._shape_sources[is_taken]]
            with edited_array(self._state.constraints.parameters) as parameters:
                parameters[self.system.plastic.places[is_taken]] = theirs

    def _shares(self, begin: float, end: float) -> list[npt.NDArray[np.float64]]:
        """Of particles and of orientations, how much of what differs is taken away, shape (n, 1).

        Args:
            begin: of a substep, in frames of the scene.
            end: likewise.
        """
        hold = self._hold
        return [
            hold.shares(freedoms, begin, end)[:, None].astype(np.float64)
            for freedoms in (hold.freedoms, hold.turn_freedoms)
        ]

    def _put(self, theirs: StepState, shares: Sequence[npt.NDArray[np.float64]]) -> None:
        """Bring what moves nearer to another state by shares, of particles and of orientations."""
        for name, array in self._moving().items():
            if name not in theirs:
                continue
            mine, share = read_array(array), shares[name in _OF_TURNS]
            rows = mine[: len(share), : theirs[name].shape[1]]
            mixed = _mixed(rows, theirs[name], share, is_rotation=name == "orientations")
            if name == "velocities":
                mixed[self._stops] = 0.0
            if not np.array_equal(mixed, rows):
                changed = np.array(mine)
                changed[: len(share), : theirs[name].shape[1]] = mixed
                write_array(array, changed)

    def _there(self, frame_slice: FrameSlice, substeps: int) -> StepState:
        """The other solver's state after a substep of a slice, of the same pass where it took the same way."""
        other, mine = self._other.steps, self.steps
        found = other.find(frame_slice, substeps, self._noted) if self._goes_alike else None
        if found is None:
            time = Fraction(frame_slice.number * mine.substeps + substeps, frame_slice.of * mine.substeps)
            return other.at(time)
        self._noted = found[0] + 1
        return found[1]

    def _follow(self) -> None:
        """Be where the other solver is."""
        theirs = self._other.checkpoint()
        if self._is_alike:
            state = {
                name: theirs[name] if name in theirs and theirs[name].shape == array.shape else array
                for name, array in self._built.items()
            }
            state["positions"] = np.column_stack([state["positions"][:, :3], self._built["positions"][:, 3]])
            if "angular_velocities" in state:
                turning = state["angular_velocities"][:, :3], self._built["angular_velocities"][:, 3]
                state["angular_velocities"] = np.column_stack(turning)
        else:
            state = carried(self._other.system, theirs, self.system, self._built)
        for name in ("anchors", "grain_pairs"):
            if name in state and name in theirs and (name != "anchors" or self._knows_pairs):
                state[name] = theirs[name]
        self._write(state)
        self._follow_poses()

    def _follow_poses(self) -> None:
        if self._poses is not None:
            self._poses.follow(self._other._poses)

    def checkpoint(self) -> dict[str, npt.NDArray[np.generic]]:
        """As of ``Solver``, with that of the other solver."""
        other = getattr(self, "_other", None)
        arrays = {} if other is None else {f"{_OF_OTHER}{name}": array for name, array in other.checkpoint().items()}
        return super().checkpoint() | arrays

    def whole_state(self) -> dict[str, npt.NDArray[np.generic]]:
        """As ``checkpoint`` of a solver without a region."""
        return super().checkpoint()

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


def _mixed(
    mine: npt.NDArray[np.floating[Any]],
    theirs: npt.NDArray[np.floating[Any]],
    share: npt.NDArray[np.float64],
    *,
    is_rotation: bool,
) -> npt.NDArray[np.floating[Any]]:
    """Values that are brought nearer to others by a share, shape (n, columns); what is equal keeps its bytes."""
    if is_rotation:
        theirs = np.where((mine * theirs).sum(axis=1, keepdims=True) < 0.0, -theirs, theirs)
    mixed = mine + share * (theirs.astype(np.float64) - mine)
    if is_rotation:
        mixed /= np.maximum(np.linalg.norm(mixed, axis=1, keepdims=True), 1e-12)
    found = np.where(share == 1.0, theirs, mixed)
    return np.where(mine == theirs, mine, found).astype(mine.dtype)


def _are_ordered_alike(system: System, other: System) -> bool:
    """Whether numbers of particles and of constraints mean the same in two systems."""
    mine, theirs = system.schedule, other.schedule
    return (
        len(system.positions) == len(other.positions)
        and np.array_equal(mine.indices, theirs.indices)
        and np.array_equal(mine.table, theirs.table)
    )


def _require_alike(system: System, other: System) -> None:
    """See that two systems are of the same bodies.

    Raises:
        XpbdError: E_CACHE.
    """
    shapes = [[model.positions for model in one.models] for one in (system, other)]
    are_alike = len(shapes[0]) == len(shapes[1]) and all(map(np.array_equal, *shapes))
    if not are_alike or not np.array_equal(system.origin, other.origin):
        raise XpbdError("E_CACHE", "The bake before is of other bodies; begin again.")
