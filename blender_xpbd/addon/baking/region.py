# SPDX-License-Identifier: GPL-3.0-or-later
"""A bake of which a vertex group is simulated again over some frames, and how that is taken back.

The result is a job of its own, which goes on from the one before. Of that nothing is changed: its frames are shared
where they stay as they are. So a region is taken back by showing the job before again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import bpy
import numpy as np
import numpy.typing as npt

from ...jobs.cache_contents import hand_on_all
from ...jobs.files import inside
from ...jobs.frames import FrameCache
from ...jobs.job import is_regional, read_description, read_job
from ...jobs.play_inputs import PlayInputs
from ...jobs.result import BodyResult, Result, read_result
from ...scene.beginning import Beginning
from ...scene.body import Body, topology_hash
from ...scene.errors import Notice, XpbdError
from ...scene.region import Region
from ...scene.settings import FrameRange
from ..data.bake_options import BakeOptions
from ..data.bake_record import read_record, record_folder
from ..data.data_lookup import object_by_uid
from ..data.rebake_settings import RegionWish
from ..keys.body_results import ResultTarget
from ..reading.mesh_reader import group_weights, has_group
from .continuation import without_bake
from .scene_reader import Reading

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]


def with_its_bake(scene: bpy.types.Scene, options: BakeOptions) -> BakeOptions:
    """The wishes of a bake that is to change a region, or to take one back: of all objects baked with that one.

    Args:
        scene: that is baked.
        options: wishes, perhaps of something else, which then stay as they are.

    Raises:
        XpbdError: E_NOTHING, where the object has no bake.
    """
    name = options.region.object_name if options.region is not None else options.take_back_region
    if not name:
        return options
    obj = scene.objects.get(name)
    record = read_record(obj) if obj is not None else None
    if obj is None or record is None:
        raise XpbdError("E_NOTHING", "It has no bake of which a region could be baked again: bake it first.", name)
    # of each body one object: a copy of a baked one has its record too
    chosen: dict[str, str] = {}
    for other in scene.objects:
        its = read_record(other)
        if its is not None and its.job == record.job:
            body = its.body or other.name
            is_rather = other.name == name or (other.name == body and chosen.get(body) != name)
            chosen[body] = other.name if is_rather else chosen.get(body, other.name)
    return replace(options, only=tuple(chosen.values()))


def shown_job(targets: Iterable[ResultTarget], folder: Path) -> Path:
    """The job whose frames objects show now, in a cache.

    Args:
        targets: the objects, which were baked together.
        folder: of the cache, to which the job is brought where it lies elsewhere.

    Raises:
        XpbdError: E_CACHE, where its folder is gone or a link stands in the way; E_NOTHING, where an object was cleared
            meanwhile; E_CACHE_STALE, where it was played; E_IO.
    """
    targets = list(targets)
    obj = object_by_uid(targets[0].object_uid)
    record = read_record(obj) if obj is not None else None
    job = record_folder(record, folder) if record is not None else None
    if obj is None or job is None or not job.is_dir():
        raise without_bake(targets, folder, "It has no bake of which a region could be baked again")
    if PlayInputs(job).newest_run():
        # a hand has moved what was played, and no simulation of the scene leads there
        raise XpbdError("E_CACHE_STALE", "What it shows was played. Bake all frames, then a region of them.", obj.name)
    if job.parent != folder:
        hand_on_all(job, folder)
    return folder / job.name


def whole_bake(job: Path | None) -> Path | None:
    """The job that regions of a job were changed of; itself where it has none, or is not to be read."""
    whole = job
    try:
        for found in _one_after_the_other(job):
            whole = found
    except XpbdError as fault:
        if fault.code != "E_JOB":
            raise
    return whole


def _one_after_the_other(job: Path | None) -> Iterator[Path]:
    """A job, the one that its region goes on from, and so on to the one without a region.

    Raises:
        XpbdError: E_JOB, also for one that goes on from itself; E_IO.
    """
    seen: set[Path] = set()
    while job is not None:
        if job in seen:
            raise XpbdError("E_JOB", f"{job} goes on from itself; bake all frames again.")
        seen.add(job)
        yield job
        job = job_before(job) if is_regional(job) else None


def job_before(job: Path) -> Path:
    """The job that the one with a region goes on from.

    Raises:
        XpbdError: E_CACHE_STALE, where it has no region; E_JOB; E_IO.
    """
    if not is_regional(job):
        raise XpbdError("E_CACHE_STALE", "No region of this bake was baked again: there is none to take back.")
    name = read_description(job).record("scene").record("beginning").text("job")
    return inside(job.parent, name, code="E_JOB")


def taken_back(reading: Reading, before: Path) -> Reading:
    """What was read, to show a job again as it was shown: an object that was moved since takes its keys along.

    Args:
        reading: the scene as it is now, of the objects that were baked together.
        before: the job before their newest region.

    Raises:
        XpbdError: E_CACHE_STALE, where the job is of other objects, meshes or frames; E_JOB; E_IO.
    """
    _require_alike(reading, before)
    targets = with_regions(reading.targets, region_count(before))
    return replace(reading, targets=tuple(map(_where_it_was_baked, targets)))


def _where_it_was_baked(target: ResultTarget) -> ResultTarget:
    obj = object_by_uid(target.object_uid)
    record = read_record(obj) if obj is not None else None
    if record is None or (matrices := record.matrices()) is None:
        return target
    return replace(target, matrices=matrices, unit_scale=record.unit_scale)  # type: ignore[type-var]


def regional(reading: Reading, wish: RegionWish, job: Path, shape: tuple[int, int]) -> Reading:
    """What was read, of which only a region is to be simulated again.

    Args:
        reading: the scene as it is now, of the objects that were baked together.
        wish: which region.
        job: that these objects show, see ``shown_job``.
        shape: rings of its border, and frames over which it is led back.

    Raises:
        XpbdError: E_PARAM, for a group that is missing, empty or has all vertices; E_FRAME_RANGE; E_CACHE_STALE, where
            the bake is of other objects, meshes or frames, or a loop; E_IO.
    """
    number = next(index for index, target in enumerate(reading.targets) if target.name == wish.object_name)
    _require_alike(reading, job)
    _require_no_loop(reading.targets)
    body, frames = reading.scene.bodies[number], reading.scene.frames
    if not frames.start <= wish.first <= wish.last <= frames.end or wish.last == frames.start:
        text = f"Frames {wish.first} to {wish.last} cannot be baked again: choose some from {frames.start + 1} to "
        raise XpbdError("E_FRAME_RANGE", f"{text}{frames.end}.", body.name)
    border, blend = shape
    # the first frame is where the bake begins
    first = max(wish.first, frames.start + 1)
    weights = _weights(reading.targets[number], wish.group)
    vertices = np.flatnonzero(weights > 0.0).astype(np.int32)
    freedoms = weights[vertices] * _freedoms(rings_of(body, vertices), border)[vertices]
    blend = min(blend, wish.last - first) if wish.last < frames.end else 0
    region = Region(body.identifier, vertices, freedoms.astype(np.float32), first, wish.last, blend)
    job = next(found for found in _one_after_the_other(job) if _is_kept(found, region, frames))
    scene = replace(reading.scene, beginning=Beginning(job.name, first - 1), region=region)
    return replace(reading, scene=scene, targets=with_regions(reading.targets, 1 + region_count(job)))


def left_out(reading: Reading, shown: Path) -> tuple[Notice, ...]:
    """What to tell where the region that is shown lacks frames, so that a bake of another one goes on without it.

    Args:
        reading: with the other region, see ``regional``.
        shown: the job that its objects show.

    Raises:
        XpbdError: E_JOB; E_IO.
    """
    region = reading.scene.region
    if region is None or not is_regional(shown) or _is_whole(shown, reading.scene.frames):
        return ()
    if _covers(region, read_job(shown).region):
        return ()
    text = "Frames of its newest region are missing: it is left out, and the bake goes on from the one before it."
    name = next(body.name for body in reading.scene.bodies if body.identifier == region.body)
    return (Notice("W_CACHE_DAMAGED", text, name),)


def _is_kept(job: Path, region: Region, frames: FrameRange) -> bool:
    """Whether another region goes on from a job: something of it is left to see then, and no frame is missing."""
    return not is_regional(job) or (not _covers(region, read_job(job).region) and _is_whole(job, frames))


def _is_whole(job: Path, frames: FrameRange) -> bool:
    """Whether a job has all frames by their names."""
    try:
        return set(_frames_of(job).available()).issuperset(frames.kept())
    except XpbdError as fault:
        if fault.code != "E_CACHE":
            raise
        return False


def _covers(region: Region, former: Region | None) -> bool:
    """Whether all that an earlier region has changed is simulated again."""
    if former is None or former.body != region.body:
        return False
    is_within = region.first <= former.first and former.last <= region.last
    return is_within and bool(np.isin(former.vertices, region.vertices).all())


def with_regions(targets: tuple[ResultTarget, ...], count: int) -> tuple[ResultTarget, ...]:
    """Targets of a bake of which so many regions were changed, one after the other."""
    return tuple(replace(target, regions=count) for target in targets)  # type: ignore[type-var]


def region_count(job: Path) -> int:
    """How many regions of a job were changed, one after the other; errors as of ``read_description``."""
    return sum(1 for _ in _one_after_the_other(job)) - 1


def region_seam(job: Path, region: Region, frames: FrameRange) -> float:
    """How far a vertex is from the bake before at the last frame of a region, at most [m].

    0 where the region lasts to the end, for nothing comes after it.

    Args:
        job: with the region, with all frames.
        region: of it.
        frames: of it.

    Raises:
        XpbdError: E_CACHE, E_JOB, E_IO.
    """
    kept = [frame for frame in frames.kept() if frame <= region.last]
    if region.last == frames.end or kept[-1] < region.first:
        return 0.0
    places = [_frames_of(folder).read(kept[-1]).positions.astype(np.float64) for folder in (job, job_before(job))]
    return float(np.linalg.norm(places[0] - places[1], axis=1).max())


def rings_of(body: Body, vertices: Ints) -> Ints:
    """How many edges each vertex is from the nearest one outside a region, shape (vertices of the mesh,).

    0 outside; more than there are vertices where no edges lead there.
    """
    ends = _edges(body)
    rings = np.zeros(body.vertex_count, np.int32)
    rings[vertices] = body.vertex_count + 1
    ring = 0
    while True:
        near = rings[ends] == ring
        reached = np.unique(np.concatenate([ends[near[:, 0], 1], ends[near[:, 1], 0]]))
        reached = reached[rings[reached] > ring + 1]
        if not len(reached):
            return rings
        ring += 1
        rings[reached] = ring


def _freedoms(rings: Ints, border: int) -> Floats:
    """How free vertices are of what is baked, by their rings; some are wholly, however narrow the region is."""
    inner = int(rings[rings <= len(rings)].max(initial=0))
    width = min(border, max(inner - 1, 0)) if (rings <= len(rings)).all() else border
    share = np.minimum(rings / (width + 1.0), 1.0)
    return np.asarray(share * share * (3.0 - 2.0 * share))


def _edges(body: Body) -> Ints:
    """Of polygons, and loose ones, shape (edges, 2)."""
    sizes, corners = body.face_sizes, body.corners
    following = np.arange(1, len(corners) + 1)
    lasts = np.cumsum(sizes) - 1
    following[lasts] = lasts + 1 - sizes
    return np.concatenate([np.stack([corners, corners[following]], axis=1), body.loose_edges]).astype(np.int32)


def _weights(target: ResultTarget, group: str) -> Floats:
    """Of all vertices in a group.

    Raises:
        XpbdError: E_PARAM, where it is missing, empty or has all vertices; E_INTERRUPTED, where the object is gone.
    """
    obj = object_by_uid(target.object_uid)
    if obj is None:
        raise XpbdError("E_INTERRUPTED", "The object was deleted while the scene was being read: bake again.")
    if not has_group(obj, group):
        text = f"It has no vertex group {group!r}: choose the one that is to be baked again."
        raise XpbdError("E_PARAM", text, target.name)
    weights = np.clip(group_weights(obj, group).astype(np.float64), 0.0, 1.0)
    if not weights.any():
        text = f"The vertex group {group!r} is empty: assign the vertices that are to be baked again."
        raise XpbdError("E_PARAM", text, target.name)
    if weights.all():
        text = f"The vertex group {group!r} has all vertices, so nothing would be held: use Bake from Here."
        raise XpbdError("E_PARAM", text, target.name)
    return weights


def _require_alike(reading: Reading, job: Path) -> None:
    """See that a job is whole, and of these objects, meshes and frames.

    Raises:
        XpbdError: E_CACHE_STALE; E_IO.
    """
    scene = reading.scene
    try:
        result = read_result(job)
        numbers = read_description(job).record("scene").record("frames")
    except XpbdError as fault:
        if fault.code not in {"E_CACHE", "E_JOB"}:
            raise
        raise _stale("", "its cache is damaged, or of another version") from fault
    frames = scene.frames
    if [numbers.integer(name) for name in ("start", "end", "step")] != [frames.start, frames.end, frames.step]:
        raise _stale("", "it is of other frames")
    if len(result.bodies) != len(scene.bodies):
        raise _stale("", "it is of other objects")
    for body, built in zip(scene.bodies, result.bodies, strict=True):
        if not _is_same_mesh(body, built):
            raise _stale(body.name, "its mesh has changed")


def _require_no_loop(targets: Iterable[ResultTarget]) -> None:
    """Refuse what would no longer lead into its beginning: E_CACHE_STALE."""
    for target in targets:
        obj = object_by_uid(target.object_uid)
        record = read_record(obj) if obj is not None else None
        if record is not None and record.loop:
            text = "It shows a loop, which a region would break. Bake all frames, a region of them, then make the loop."
            raise XpbdError("E_CACHE_STALE", text, target.name)


def _is_same_mesh(body: Body, built: BodyResult) -> bool:
    digest = topology_hash(body.vertex_count, body.face_sizes, body.corners, body.loose_edges)
    return (body.vertex_count, digest) == (built.vertex_count, built.topology_hash)


def _stale(name: str, why: str) -> XpbdError:
    text = f"The bake before does not fit the scene any more: {why}. Bake all frames again."
    return XpbdError("E_CACHE_STALE", text, name)


def _frames_of(job: Path) -> FrameCache:
    result: Result = read_result(job)
    return FrameCache(job, result.vertex_count, len(result.bodies), len(result.statistics), result.orientation_count)
