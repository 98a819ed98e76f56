# SPDX-License-Identifier: GPL-3.0-or-later
"""The poses of a body in a job folder. Only where there are some: without them a job is what it was before them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..scene.pose import Pose
from .array_record import Arrays
from .array_shapes import ArraySpec
from .record import Record

POSES = "poses"
POSE_ARRAYS: dict[str, ArraySpec] = {"pose_positions": ("<f8", ("poses", "vertices", 3))}

_POSE_KEYS = ("frame", "lead", "tolerance")


def describe_poses(poses: Sequence[Pose]) -> dict[str, Any]:
    """The poses as an entry of their body's object."""
    rows = [{"frame": int(pose.frame), "lead": int(pose.lead), "tolerance": float(pose.tolerance)} for pose in poses]
    return {POSES: rows} if rows else {}


def pose_arrays(poses: Sequence[Pose]) -> Arrays:
    """The places of all poses, in the type of the file."""
    return {"pose_positions": np.array([pose.positions for pose in poses], "<f8")} if poses else {}


def pose_specs(record: Record) -> Mapping[str, ArraySpec]:
    """The arrays that the poses of a body should have."""
    return POSE_ARRAYS if POSES in record.values() else {}


def read_poses(record: Record, arrays: Arrays) -> tuple[Pose, ...]:
    """The poses of a body, whose values ``scene.validate`` checks.

    Args:
        record: of the body.
        arrays: of the body.

    Raises:
        XpbdError: E_JOB.
    """
    if POSES not in record.values():
        return ()
    rows, places = record.records(POSES, _POSE_KEYS), arrays["pose_positions"]
    if not rows or len(rows) != len(places):
        record.refuse(f"{len(rows)} poses have places of {len(places)}")
    return tuple(
        Pose(row.integer("frame"), row.integer("lead"), positions, row.number("tolerance"))
        for row, positions in zip(rows, places, strict=True)
    )


def first_changed_frame(before: Record, after: Record, changed: Sequence[bool]) -> int | None:
    """The first frame that poses of two jobs leave unlike; None where it is the first of all.

    Args:
        before: of the body in the one.
        after: of it in the other.
        changed: of each pose that both have, whether its places differ.

    Raises:
        XpbdError: E_JOB.
    """
    if POSES not in before.values() or POSES not in after.values():
        # particles have springs only where there are poses
        return None
    rows = [[_row(item) for item in record.records(POSES, _POSE_KEYS)] for record in (before, after)]
    same = [one == other and not moved for one, other, moved in zip(*rows, changed, strict=False)]
    kept = next((number for number, alike in enumerate(same) if not alike), len(same))
    return min((frame - lead + 1 for of_job in rows for frame, lead, _ in of_job[kept:]), default=None)


def leads(record: Record) -> list[tuple[int, int]]:
    """From which frame to which the force towards each pose of a body acts.

    Raises:
        XpbdError: E_JOB.
    """
    if POSES not in record.values():
        return []
    rows = map(_row, record.records(POSES, _POSE_KEYS))
    return [(frame - lead, frame) for frame, lead, _ in rows]


def _row(item: Record) -> tuple[int, int, float]:
    return item.integer("frame"), item.integer("lead"), item.number("tolerance")
