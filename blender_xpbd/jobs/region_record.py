# SPDX-License-Identifier: GPL-3.0-or-later
"""A region in a job folder: its frames in ``job.json``, its vertices as arrays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..scene.region import IDENTIFIER, Region
from .array_record import Arrays, describe_arrays, read_arrays, typed
from .array_shapes import ArraySpec
from .identifiers import read_identifier
from .record import Record

REGION_KEYS = ("body", "first", "last", "blend", "arrays")

REGION_ARRAYS: dict[str, ArraySpec] = {
    "vertices": ("<i4", ("region",)),
    "freedoms": ("<f4", ("region",)),
}


def region_arrays(region: Region) -> Arrays:
    """The arrays of a region, in the types of the file."""
    return typed({"vertices": region.vertices, "freedoms": region.freedoms}, REGION_ARRAYS)


def describe_region(region: Region) -> dict[str, Any]:
    """The region as an object of ``job.json``."""
    return {
        "body": region.body,
        "first": int(region.first),
        "last": int(region.last),
        "blend": int(region.blend),
        "arrays": describe_arrays(region_arrays(region)),
    }


def read_region(folder: Path, record: Record, frame_count: int) -> Region:
    """Read the region of a job.

    Args:
        folder: the job folder.
        record: of the region.
        frame_count: frames of the job.

    Raises:
        XpbdError: E_JOB, E_IO.
    """
    arrays = read_arrays(folder, IDENTIFIER, record, REGION_ARRAYS, frame_count)
    return Region(
        read_identifier(record, "body"),
        arrays["vertices"],
        arrays["freedoms"],
        *(record.integer(name) for name in ("first", "last", "blend")),
    )
