# SPDX-License-Identifier: GPL-3.0-or-later
"""Moves bodies into their poses by little force: by feedback from what would be missing without it.

Now and then the frames until a pose are simulated without the force. What is then missing of the pose, z, is what the
force has to make up for. For free particles the force of the least ∫f² dt that moves them by z within the time T that
is left is f = 3 m z / T², which falls evenly to 0 at the pose (Bryson, Ho 1975, §5.3; known as guidance by the
zero-effort miss). A spring of as much per metre exerts it, to a point that goes z beside the way that was foreseen. As
T falls, springs grow stiffer. Where what resists within the body is stiffer still, the last frame would not reach the
pose. Then springs hold the body to the way into it, no more firmly than brings it within the tolerance.

What was foreseen counts for a fifth of the time that was left then, and is corrected by what differs meanwhile. So
contact, and all that the law knows nothing of, is taken in. All of it costs about four times the frames of the lead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..device.arrays import edited_array
from ..scene.settings import FrameRange
from .system.posed_particles import PosedBody, PosedParticles

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

# of the frames left, for how many what is foreseen counts
_FORESIGHT = 0.2
# how firmly bodies are held to the way into a pose in the last frame, where the law does not bring them there: tried
# one after the other [Hz]. Chosen by hand: the law has 6 Hz then at 24 frames per second, and less than 30 Hz was no
# better; the last is more than stiff cloth has
_LAST_FREQUENCIES = (30.0, 100.0, 300.0, 1000.0)
# of the spring that moves a free particle in the last frame by what is missing: a quarter of its swing [rad]
_LAST_SWING = 0.5 * np.pi
# what is missing must fall to this share at least for a firmer spring to be worth its force
_WORTH = 0.8
# of springs that are let go [(rad/s)²]
_LIMP = 1e-20


@dataclass(frozen=True)
class Access:
    """What the ghost force needs of a solver.

    Attributes:
        look: places, relative to the origin [m], and velocities [m/s] of some particles, shape (particles, 3).
        foresee: simulates so many frames, calls back after each with their number, and takes them back.
        parameters: of the constraints, on the device.
    """

    look: Callable[[Ints], tuple[Floats, Floats]]
    foresee: Callable[[int, Callable[[int], None]], None]
    parameters: Any


@dataclass
class _Course:
    """What was foreseen.

    Attributes:
        begin: the frame at which it was, counted from the start.
        until: the first frame for which it does not count.
        states: of each body that is moved, places and velocities at frames.
    """

    begin: int
    until: int
    states: dict[int, dict[int, tuple[Floats, Floats]]] = field(default_factory=dict)


class _Way(NamedTuple):
    """How a body is led through a frame; attributes as of ``PoseControl``."""

    stiffness: float
    ends: tuple[Floats, Floats]


class PoseControl:
    """The ghost force on all bodies of a system that have poses.

    Attributes:
        stiffness: of the springs of each body in the present frame, for the mass of each particle [(rad/s)²].
        ends: where the points that they lead to are at the start and the end of it, relative to the origin [m].
    """

    def __init__(self, posed: PosedParticles, frames: FrameRange) -> None:
        """No force acts."""
        self._bodies = posed.bodies
        self._first_frame = frames.start
        self._duration = frames.frame_duration
        self._course: _Course | None = None
        self.stiffness: dict[int, float] = {}
        self.ends: dict[int, tuple[Floats, Floats]] = {}

    def needs_memory(self, frame_index: int) -> bool:
        """Whether the next frame follows from what was foreseen earlier, which no checkpoint holds."""
        targets = self._targets(frame_index)
        return bool(targets) and self._counts(frame_index, targets)

    def forget(self) -> None:
        """Foresee anew: the solver goes on from another state."""
        self._course = None

    def follow(self, other: PoseControl | None) -> None:
        """Go on with what another control has foreseen, where it is of the same poses; else foresee anew."""
        self._course = other._course if other is not None and _are_same(self._bodies, other._bodies) else None

    def steer(self, frame_index: int, access: Access) -> None:
        """Set springs, and where they lead to, for the next frame.

        Args:
            frame_index: counted from the start.
            access: to the solver.
        """
        targets = self._targets(frame_index)
        self._release(access)
        if not targets:
            self._course = None
            return
        if not self._counts(frame_index, targets):
            self._course = self._foreseen(frame_index, targets, access)
        for number, (pose, left) in targets.items():
            self._feed_back(number, pose, frame_index, left, access)
        arriving = {number: pose for number, (pose, left) in targets.items() if left == 1}
        if arriving:
            self._arrive(arriving, access)

    def led(self, starts: Floats, ends: Floats) -> tuple[Floats, Floats]:
        """The places of all moved particles at both ends of the frame, with those of the springs in their last rows."""
        starts, ends, last = starts.copy(), ends.copy(), len(starts)
        for number in reversed(range(len(self._bodies))):
            first = last - len(self._bodies[number].particles)
            if number in self.ends:
                starts[first:last], ends[first:last] = self.ends[number]
            last = first
        return starts, ends

    def _counts(self, frame_index: int, targets: Iterable[int]) -> bool:
        """Whether what was foreseen counts at a frame; not where a body comes to those that were moved then."""
        course = self._course
        return course is not None and course.begin <= frame_index < course.until and course.states.keys() >= {*targets}

    def _targets(self, frame_index: int) -> dict[int, tuple[int, int]]:
        """Of each body on which the force acts, by its number: which pose, and the frames until then."""
        frame, found = self._first_frame + frame_index, {}
        for number, body in enumerate(self._bodies):
            if (pose := body.active(frame)) is not None:
                found[number] = pose, body.poses[pose].frame - frame
        return found

    def _foreseen(self, frame_index: int, targets: dict[int, tuple[int, int]], access: Access) -> _Course:
        """What would happen without the force."""
        lefts = [left for _, left in targets.values()]
        course = _Course(frame_index, frame_index + max(1, int(_FORESIGHT * min(lefts))))
        course.states = {number: {} for number in targets}

        def note(count: int) -> None:
            for number, (_, left) in targets.items():
                if frame_index + count <= course.until or count == left:
                    course.states[number][frame_index + count] = access.look(self._bodies[number].particles)

        note(0)
        access.foresee(max(lefts), note)
        return course

    def _feed_back(self, number: int, pose: int, frame_index: int, left: int, access: Access) -> None:
        """Pull a body by what will be missing of its pose."""
        if self._course is None:
            raise ValueError("nothing was foreseen")
        body, states, duration = self._bodies[number], self._course.states[number], self._duration
        places, velocities = access.look(body.particles)
        foreseen, foreseen_velocities = states[frame_index]
        off, faster = places - foreseen, velocities - foreseen_velocities
        missing = body.goals[pose] - states[frame_index + left][0] - off - left * duration * faster
        ahead = states[frame_index + 1][0] + off + duration * faster
        self.ends[number] = places + missing, ahead + missing
        # the law above for a force that is even within each frame
        reach = np.arange(left, 0, -1) - 0.5
        share = float(reach[0] / (reach**2).sum()) if left > 1 else _LAST_SWING**2
        self._set(number, share / duration**2, access)

    def _arrive(self, arriving: dict[int, int], access: Access) -> None:
        """Choose how firmly bodies are held to their poses in the last frame: what it would bring is tried."""
        tolerances = {number: self._bodies[number].poses[pose].tolerance for number, pose in arriving.items()}
        ways = {number: self._ways(number, pose, access) for number, pose in arriving.items()}
        best, chosen, trying = dict.fromkeys(arriving, np.inf), dict.fromkeys(arriving, 0), set(arriving)
        for choice in range(1 + len(_LAST_FREQUENCIES)):
            for number in trying:
                self._lead(number, ways[number][choice], access)
            missing = self._missing(arriving, access)
            for number in sorted(trying):
                is_worth = missing[number] < _WORTH * best[number]
                if is_worth:
                    best[number], chosen[number] = missing[number], choice
                if not is_worth or missing[number] <= tolerances[number]:
                    trying.remove(number)
                    self._lead(number, ways[number][chosen[number]], access)
            if not trying:
                break

    def _ways(self, number: int, pose: int, access: Access) -> list[_Way]:
        """How a body may go through the last frame: as the law leads it, or held ever more firmly."""
        own = _Way(self.stiffness[number], self.ends[number])
        straight = access.look(self._bodies[number].particles)[0], self._bodies[number].goals[pose]
        return [own, *(_Way((2.0 * np.pi * frequency) ** 2, straight) for frequency in _LAST_FREQUENCIES)]

    def _lead(self, number: int, way: _Way, access: Access) -> None:
        self.ends[number] = way.ends
        self._set(number, way.stiffness, access)

    def _missing(self, arriving: dict[int, int], access: Access) -> dict[int, float]:
        """How far particles of each body would be from its pose after one more frame, at most [m]."""
        missing: dict[int, float] = {}

        def note(_count: int) -> None:
            for number, pose in arriving.items():
                body = self._bodies[number]
                missing[number] = _greatest(access.look(body.particles)[0] - body.goals[pose])

        access.foresee(1, note)
        return missing

    def _release(self, access: Access) -> None:
        self.ends = {}
        for number in range(len(self._bodies)):
            self._set(number, 0.0, access)

    def _set(self, number: int, stiffness: float, access: Access) -> None:
        if self.stiffness.get(number) == stiffness:
            return
        self.stiffness[number] = stiffness
        body: PosedBody = self._bodies[number]
        with edited_array(access.parameters) as parameters:
            parameters[body.places] = body.built / max(stiffness, _LIMP)


def _greatest(offsets: Floats) -> float:
    """The greatest length [m] of offsets, shape (n, 3)."""
    return float(np.sqrt((offsets**2).sum(axis=1).max()))


def _are_same(bodies: Sequence[PosedBody], others: Sequence[PosedBody]) -> bool:
    """Whether the same particles are led into the same poses."""
    if len(bodies) != len(others):
        return False
    return all(
        np.array_equal(mine.particles, its.particles)
        and [pose.frame for pose in mine.poses] == [pose.frame for pose in its.poses]
        and all(map(np.array_equal, mine.goals, its.goals))
        for mine, its in zip(bodies, others, strict=True)
    )
