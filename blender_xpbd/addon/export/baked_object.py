# SPDX-License-Identifier: GPL-3.0-or-later
"""The frames of a baked object in the cache, found again by what the bake has noted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import bpy
import numpy as np
import numpy.typing as npt

from ...jobs.files import inside
from ...jobs.frames import FrameCache
from ...jobs.result import BodyResult, Result, read_result
from ...jobs.subframes import SubframeCache
from ...scene.errors import XpbdError
from ...scene.settings import FrameRange
from ..data.bake_record import BakeRecord, played_folder, read_record, record_folder
from ..process.cache_folder import cache_folder
from ..reading.mesh_reader import editing_mode
from ..reading.points import point_count, topology_of

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class BakedObject:
    """An object with the frames that were simulated for it.

    Attributes:
        obj: the object.
        record: of its bake.
        body: what the worker built for it.
        origin: that positions of frames are relative to [m].
        job: folder of the frames.
        cache: the frames.
    """

    obj: bpy.types.Object
    record: BakeRecord
    body: BodyResult
    origin: tuple[float, float, float]
    job: Path
    cache: FrameCache

    def positions(self, frame: int) -> Floats:
        """In the world [m] at a frame that was kept, shape (vertices, 3).

        Raises:
            XpbdError: E_CACHE, E_IO.
        """
        return self._mine(self.cache.read(frame).positions)

    @cached_property
    def times(self) -> list[float]:
        """The frames of all states, parts of frames among them, ascending."""
        record = self.record
        if not record.subframes:
            return [float(frame) for frame in record.frames()]
        parts = record.subframes + 1
        return [record.start + number / parts for number in range(parts * (record.end - record.start) + 1)]

    def state(self, number: int) -> Floats:
        """The positions at one of ``times``, as ``positions``.

        Raises:
            XpbdError: E_CACHE, E_IO.
        """
        if not self._frames.is_between(number):
            return self.positions(int(self.times[number]))
        return self._mine(self._subframes.read(number))

    def has_subframes(self) -> bool:
        """Whether all states between frames are there, by their digests.

        Raises:
            XpbdError: E_IO.
        """
        return self._subframes.are_whole(self.record.end)

    @cached_property
    def _frames(self) -> FrameRange:
        record = self.record
        return FrameRange(record.start, record.end, record.step, subframes=record.subframes)

    @cached_property
    def _subframes(self) -> SubframeCache:
        return SubframeCache(self.job, self._frames, self.cache.vertex_count)

    def _mine(self, positions: npt.NDArray[np.float32]) -> Floats:
        start = self.body.vertex_start
        mine = positions[start : start + self.body.vertex_count]
        return mine.astype(np.float64) + np.array(self.origin)


def baked_objects(
    scene: bpy.types.Scene, objects: list[bpy.types.Object], cache: Path | None = None
) -> list[BakedObject]:
    """Those of the objects that have a bake, with their frames.

    Args:
        scene: whose cache is used.
        objects: to look at.
        cache: goes before the scene's cache, and that before where the bake was made: a file that was saved for the
            first time or elsewhere, or a scene that was renamed, has another one since.

    Raises:
        XpbdError: E_NOTHING where none has a bake, E_CACHE where frames are missing, E_CACHE_STALE where a mesh is
            no longer the one that was baked, E_MODE_EDIT where it is being edited.
    """
    folder, _ = cache_folder(scene, cache)
    records = [(obj, record) for obj in objects if (record := read_record(obj)) is not None]
    if not records:
        raise XpbdError("E_NOTHING", "No object has a bake: bake first, or select a baked object.")
    return [_found(obj, record, folder) for obj, record in records]


def _found(obj: bpy.types.Object, record: BakeRecord, folder: Path) -> BakedObject:
    """In the folder, else in the one that the bake was made in."""
    try:
        # the job of a bake may have the name of one that was played
        return _baked_object(obj, record, inside(folder, *played_folder(record), code="E_CACHE"))
    except XpbdError as fault:
        # a job's name is a digest of its content
        job = record_folder(record, folder) if fault.code == "E_CACHE" else None
        if job is None or not job.is_dir():
            raise
        return _baked_object(obj, record, job.parent)


def _baked_object(obj: bpy.types.Object, record: BakeRecord, folder: Path) -> BakedObject:
    if mode := editing_mode(obj):
        raise XpbdError("E_MODE_EDIT", f"The mesh is in {mode}: go back to Object Mode first.", obj.name)
    job = inside(folder, record.job, code="E_CACHE")
    try:
        result = read_result(job)
    except XpbdError as fault:
        raise _gone(obj, fault.message) from fault
    if topology_of(obj.data) != record.topology:
        text = "The mesh was edited after the bake, so its frames no longer fit it: bake again."
        raise XpbdError("E_CACHE_STALE", text, obj.name)
    body = _body_of(obj, record, result)
    if body is None or body.vertex_count != point_count(obj.data):
        raise _gone(obj, f"{job} holds another bake.")
    cache = FrameCache(job, result.vertex_count, len(result.bodies), len(result.statistics), result.orientation_count)
    missing = sorted(set(record.frames()) - set(cache.available()))
    if missing:
        raise _gone(obj, f"Frame {missing[0]} is missing in {job}.")
    found = BakedObject(obj, record, body, result.origin, job, cache)
    if not found.has_subframes():
        raise _gone(obj, f"Subframes are missing in {job}.")
    return found


def _body_of(obj: bpy.types.Object, record: BakeRecord, result: Result) -> BodyResult | None:
    """By the name that the object had when it was baked; records of earlier versions do not hold it."""
    name = record.body or obj.name
    return next((body for body in result.bodies if body.name == name), None)


def _gone(obj: bpy.types.Object, reason: str) -> XpbdError:
    return XpbdError("E_CACHE", f"The frames of the bake cannot be read: {reason} Bake again.", obj.name)
