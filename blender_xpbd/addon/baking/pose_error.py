# SPDX-License-Identifier: GPL-3.0-or-later
"""How near bodies come to their poses, measured in the frames that a bake keeps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...jobs.frames import FrameCache
from ...jobs.result import read_result
from ...scene.beginning import Beginning
from ...scene.errors import Notice
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

    def notice(self, pose: Pose, beginning: Beginning | None = None, loop: int | None = None) -> Notice | None:
        """A warning where it is farther than the artist allows.

        Args:
            pose: that was to be reached.
            beginning: of a bake whose first frames are those of one before.
            loop: frames of the blend, where that bake became a loop.
        """
        allowed = _MILLIMETRES * pose.tolerance
        if self.greatest <= allowed:
            return None
        text = (
            f"Its pose at frame {self.frame} is not reached: a vertex is {self.greatest:.3g} mm off, "
            f"{self.mean:.2g} mm on the average, where {allowed:.3g} mm are allowed. {self._why(beginning, loop)}"
        )
        return Notice("W_POSE", text, self.object)

    def _why(self, beginning: Beginning | None, loop: int | None) -> str:
        if beginning is not None and self.frame <= beginning.frame:
            return "This frame is that of the bake before: a pose that is newer counts when all frames are baked again."
        if beginning is not None and loop is not None:
            return (
                f"From frame {beginning.frame + 1} on the loop leads it into its beginning instead: make a loop of "
                f"fewer frames, or choose a pose frame up to {beginning.frame}."
            )
        return "Contact, pins, or its own stiffness hold it back."


def pose_errors(job: Path, scene: Scene) -> Iterator[tuple[PoseError, Pose]]:
    """Of the poses of a job with all frames, how far bodies are from them; of a region, those that it was led into.

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
            yield PoseError(body.name, pose.frame, float(distances.max()), float(distances.mean())), pose


def _is_in(region: Region, identifier: str, pose: Pose) -> bool:
    return region.body == identifier and region.first <= pose.frame <= region.last
