# SPDX-License-Identifier: GPL-3.0-or-later
"""How near bodies come to their poses, measured in the frames that a bake keeps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...jobs.files import inside
from ...jobs.frames import FrameCache
from ...jobs.job import read_job
from ...jobs.result import read_result
from ...scene.beginning import Beginning
from ...scene.body import Body
from ...scene.errors import Notice, XpbdError
from ...scene.pose import Pose
from ...scene.region import Region
from ...scene.scene import Scene

_MILLIMETRES = 1e3


@dataclass(frozen=True)
class PoseError:
    """How far an object is from its pose at the frame of it.

    Attributes:
        object: its name.
        frame: of the pose.
        greatest, mean: distance of a vertex [mm].
    """

    object: str
    frame: int
    greatest: float
    mean: float


def pose_errors(job: Path, scene: Scene, loop: int | None = None) -> Iterator[tuple[PoseError, Notice | None]]:
    """Of the poses of a job with all frames, how far bodies are from them; of a region, those that it was led into.

    Args:
        job: folder of it.
        scene: its inputs.
        loop: frames of the blend, where the bake before became a loop.

    Yields:
        Each with a warning where it is farther than the artist allows.

    Raises:
        XpbdError: E_CACHE, E_IO.
    """
    if not any(body.poses for body in scene.bodies):
        return
    result = read_result(job)
    cache = FrameCache(job, result.vertex_count, len(result.bodies), len(result.statistics), result.orientation_count)
    for body, built in zip(scene.bodies, result.bodies, strict=True):
        for pose in body.poses:
            if scene.region is not None and not _is_in(scene.region, body.identifier, pose):
                continue
            places = cache.read(pose.frame).positions[built.vertex_start : built.vertex_start + built.vertex_count]
            offsets = places.astype(np.float64) + np.array(result.origin) - pose.positions
            distances = _MILLIMETRES * np.sqrt((offsets**2).sum(axis=1))
            error = PoseError(body.name, pose.frame, float(distances.max()), float(distances.mean()))
            allowed = _MILLIMETRES * pose.tolerance
            if error.greatest <= allowed:
                yield error, None
                continue
            text = (
                f"Its pose at frame {pose.frame} is not reached: a vertex is {error.greatest:.3g} mm off, "
                f"{error.mean:.2g} mm on the average, where {allowed:.3g} mm are allowed. "
                f"{_why(job, scene, body, pose, loop)}"
            )
            yield error, Notice("W_POSE", text, body.name)


def _why(job: Path, scene: Scene, body: Body, pose: Pose, loop: int | None) -> str:
    beginning = scene.beginning if scene.region is None else None
    if beginning is not None and pose.frame <= beginning.frame:
        if _is_newer(job, beginning, body, pose):
            return "This frame is that of the bake before: a pose that is newer counts when all frames are baked again."
    elif beginning is not None and loop is not None:
        return (
            f"From frame {beginning.frame + 1} on the loop leads it into its beginning instead: make a loop of "
            f"fewer frames, or choose a pose frame up to {beginning.frame}."
        )
    return "Contact, pins, or its own stiffness hold it back."


def _is_newer(job: Path, beginning: Beginning, body: Body, pose: Pose) -> bool:
    """Whether the bake that has simulated the frame of a pose had another one there; False where that is not known."""
    seen = {job}
    try:
        while True:
            job = inside(job.parent, beginning.job, code="E_JOB")
            scene = read_job(job)
            if job in seen or scene.beginning is None or pose.frame > scene.beginning.frame:
                break
            seen.add(job)
            beginning = scene.beginning
    except XpbdError:
        # it may be gone, or of another version
        return False
    former = next((other for other in scene.bodies if other.name == body.name), None)
    return former is not None and not any(_is_same(pose, other) for other in former.poses)


def _is_same(pose: Pose, other: Pose) -> bool:
    return (pose.frame, pose.lead) == (other.frame, other.lead) and np.array_equal(pose.positions, other.positions)


def _is_in(region: Region, identifier: str, pose: Pose) -> bool:
    return region.body == identifier and region.first <= pose.frame <= region.last
