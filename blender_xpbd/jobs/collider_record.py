# SPDX-License-Identifier: GPL-3.0-or-later
"""A collider in a job folder: its object in ``job.json`` and its arrays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..scene.collider import Collider
from ..scene.collider_shapes import shape_names
from .array_record import Arrays, describe_arrays, read_arrays, typed
from .array_shapes import FRAMES, ArraySpec
from .identifiers import read_identifier
from .record import Record

COLLIDER_KEYS = ("identifier", "shape", "radius", "friction", "restitution", "arrays")

COLLIDER_ARRAYS: dict[str, ArraySpec] = {
    "transforms": ("<f8", (FRAMES, 4, 4)),
    "positions": ("<f8", (FRAMES, "vertices", 3)),
    "triangles": ("<i4", ("triangles", 3)),
}


def collider_arrays(collider: Collider) -> Arrays:
    """The arrays of a collider, in the types of the file."""
    return typed(
        {"transforms": collider.transforms, "positions": collider.positions, "triangles": collider.triangles},
        COLLIDER_ARRAYS,
    )


def describe_collider(collider: Collider) -> dict[str, Any]:
    """The collider as an object of ``job.json``."""
    return {
        "identifier": collider.identifier,
        "shape": collider.shape,
        "radius": float(collider.radius),
        "friction": float(collider.friction),
        "restitution": float(collider.restitution),
        "arrays": describe_arrays(collider_arrays(collider)),
    }


def read_collider(folder: Path, record: Record, names: Record, frame_count: int) -> Collider:
    """Read a collider of a job; arguments as of ``body_record.read_body``.

    Raises:
        XpbdError: E_JOB, E_IO.
    """
    identifier = read_identifier(record)
    arrays = read_arrays(folder, identifier, record, COLLIDER_ARRAYS, frame_count)
    return Collider(
        identifier=identifier,
        name=names.text_or(identifier, identifier),
        shape=record.choice("shape", shape_names()),
        transforms=arrays["transforms"],
        positions=arrays["positions"],
        triangles=arrays["triangles"],
        radius=record.number("radius"),
        friction=record.number("friction"),
        restitution=record.number("restitution"),
    )
