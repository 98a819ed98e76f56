# SPDX-License-Identifier: GPL-3.0-or-later
"""A bake whose end leads into its beginning: its last frames are simulated again, drawn to where it began.

A ghost goes from the simulated motion over to a motion that comes, at the last frame, to the places and velocities of
the first. All vertices are drawn to it by springs of their own mass, as to a goal, the more firmly the later it is. So
what is between remains a simulation: it keeps its shape, and meets what it meets.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ...jobs.cache_contents import hand_on_all
from ...jobs.frames import FrameCache
from ...jobs.result import Result, read_result
from ...scene.beginning import Beginning
from ...scene.body import Body, Pins
from ...scene.errors import XpbdError
from ...scene.scene import Scene
from ...scene.settings import FrameRange
from ...scene.track import Track
from ..reduction.state_motion import StateMotion
from .continuation import require_whole_bake, without_bake
from .scene_reader import Reading
from .seam import Seam

Floats = npt.NDArray[np.float64]

# how firmly the ghost draws when it begins, in swings within the blend, and at the last frame [Hz]. Chosen by hand: at
# the end a hundredth of a substep's gravity is left, and it begins as softly as a hand would
_FIRST_SWINGS = 1.0
_LAST_FREQUENCY = 1000.0
# over how many frames at most it comes with the first velocity. Chosen by hand: it goes no farther back than one and a
# half frames of the first motion, and there is time to turn
_ARRIVAL = 6
# frames at the end for which it is on that way alone: a velocity is told by as many, and one more
_ARRIVED = 2
# in PBD mode, of the way to the ghost in an iteration
_PBD_WEIGHT = 0.3
_GOAL_FREQUENCY = "goal_frequency"


class _Simulated:
    """The frames of a job that is complete."""

    def __init__(self, job: Path, frames: FrameRange) -> None:
        result = read_result(job)
        counts = len(result.bodies), len(result.statistics), result.orientation_count
        self.result: Result = result
        self._cache = FrameCache(job, result.vertex_count, *counts)
        self._kept = frames.kept()
        self._frame_duration = frames.frame_duration
        self._motion = StateMotion([float(frame) for frame in self._kept], self._state)

    def at(self, frame: int) -> Floats:
        """Of all vertices, relative to the origin [m]."""
        return self._motion.at(float(frame))

    def velocity(self, frame: int) -> Floats:
        """Of all vertices [m/s]."""
        return self._motion.rate(float(frame)) / self._frame_duration

    def _state(self, number: int) -> Floats:
        return self._cache.read(self._kept[number]).positions.astype(np.float64)


def check_count(count: int, frames: FrameRange) -> None:
    """Refuse a blend that is longer than the range, or none: E_PARAM."""
    if not 1 <= count < frames.count:
        text = f"A loop blends 1 to {frames.count - 1} frames of this range, not {count}."
        raise XpbdError("E_PARAM", text)


def looped(reading: Reading, source: Path | None, count: int, folder: Path) -> Reading:
    """What was read, to be simulated again over its last frames so that they lead into the first.

    Args:
        reading: the scene as it is now.
        source: the job of the bake that is to become a loop, or None where there is none.
        count: frames of the blend.
        folder: of the cache, to which the job is brought where it lies elsewhere.

    Raises:
        XpbdError: E_NOTHING without a bake before, E_CACHE where its frames are gone; E_PARAM for a count that does
            not fit; E_CACHE_STALE where it is of other frames, objects or meshes, or they were baked one by one; E_IO.
    """
    if source is None or not source.is_dir():
        raise without_bake(reading.targets, folder, "There is no bake that could become a loop")
    frames = reading.scene.frames
    check_count(count, frames)
    if source.parent != folder:
        hand_on_all(source, folder)
    try:
        require_whole_bake(reading.targets, folder / source.name, folder)
        simulated = _Simulated(folder / source.name, frames)
        ghosts = _ghosts(simulated, frames, count)
    except XpbdError as fault:
        if fault.code != "E_CACHE":
            raise
        raise _unfit() from fault
    result = simulated.result
    if [body.vertex_count for body in result.bodies] != [body.vertex_count for body in reading.scene.bodies]:
        raise _unfit()
    scene = reading.scene
    settings = result.fixed(scene.settings)
    weight = _PBD_WEIGHT if settings.solver_mode == "PBD" else 1.0
    origin = np.array(result.origin)
    bodies = tuple(
        _drawn(body, ghosts[:, built.vertex_start : built.vertex_start + built.vertex_count] + origin, weight)
        for body, built in zip(scene.bodies, result.bodies, strict=True)
    )
    made = replace(
        scene,
        bodies=bodies,
        settings=settings,
        tracks=_with_strengths(scene, count),
        beginning=Beginning(source.name, frames.end - count),
    )
    targets = tuple(replace(target, loop=count) for target in reading.targets)  # type: ignore[type-var]
    return replace(reading, scene=made, targets=targets)


def seam_of(job: Path, frames: FrameRange) -> Seam:
    """How well the end of a job leads into its beginning.

    Args:
        job: the folder, with all frames.
        frames: of the job.

    Raises:
        XpbdError: E_CACHE, E_IO.
    """
    simulated = _Simulated(job, frames)
    ends = frames.end, frames.start
    apart, faster = (values(ends[0]) - values(ends[1]) for values in (simulated.at, simulated.velocity))
    return Seam(*(float(np.sqrt((of**2).sum(axis=1).max(initial=0.0))) for of in (apart, faster)))


def _ghosts(simulated: _Simulated, frames: FrameRange, count: int) -> Floats:
    """Where vertices are drawn to at every frame, shape (frames, vertices, 3); before the blend that has no meaning."""
    place, velocity = simulated.at(frames.start), simulated.velocity(frames.start)
    rows = np.empty((frames.count, *place.shape))
    rows[:] = place
    arrived = min(_ARRIVED, count // 3)
    for left in range(count):
        share, frame = min((count - left) / (count - arrived), 1.0), frames.end - left
        # with the first velocity into the first place, from that place
        way = left * max(1.0 - left / min(count, _ARRIVAL), 0.0) * frames.frame_duration
        arriving = place - way * velocity
        blend = share**3 * (10.0 + share * (6.0 * share - 15.0))
        rows[frame - frames.start] = (1.0 - blend) * simulated.at(frame) + blend * arriving
    first = frames.end - count
    rows[first - frames.start] = simulated.at(first)
    return rows


def _drawn(body: Body, places: Floats, weight: float) -> Body:
    vertices = np.arange(body.vertex_count, dtype=np.int32)
    goal = Pins(vertices, np.full(len(vertices), weight, np.float32), places)
    return replace(body, goal=goal, material=replace(body.material, goal_frequency=_LAST_FREQUENCY))


def _with_strengths(scene: Scene, count: int) -> tuple[Track, ...]:
    """The tracks of a scene, with how firmly the ghosts draw."""
    frames = scene.frames
    first = min(_FIRST_SWINGS / (count * frames.frame_duration), _LAST_FREQUENCY)
    # what stands at a frame holds until the next one: the last that is simulated begins at the last but one
    shares = np.clip((np.arange(frames.count) - (frames.count - 2 - count)) / count, 0.0, 1.0)
    values = first * (_LAST_FREQUENCY / first) ** shares
    strengths = [Track(body.identifier, _GOAL_FREQUENCY, values) for body in scene.bodies]
    return (*(track for track in scene.tracks if track.parameter != _GOAL_FREQUENCY), *strengths)


def _unfit() -> XpbdError:
    return XpbdError(
        "E_CACHE_STALE",
        "The bake does not fit the scene any more, or is not complete: other objects, meshes or frames. Bake all "
        "frames again, then make the loop.",
    )
