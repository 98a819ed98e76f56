# SPDX-License-Identifier: GPL-3.0-or-later
"""PC2 and MDD: points of one mesh at evenly spaced frames, as Blender's Mesh Cache modifier and others read them.

Both hold local coordinates in single precision: PC2 little-endian after a header of 32 bytes, MDD big-endian after
the times of all frames in seconds.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..reduction.motion import Coordinates

_PC2_HEADER = struct.Struct("<12siiffi")
_PC2_SIGNATURE = b"POINTCACHE2\0"
_PC2_VERSION = 1
_MDD_HEADER = struct.Struct(">ii")


@dataclass(frozen=True)
class Samples:
    """Coordinates at evenly spaced times.

    Attributes:
        start: the first frame.
        count: of samples.
        per_frame: samples from one frame to the next.
        vertex_count: of the mesh.
        frame_duration: [s].
        coordinates: local ones of each sample, shape (vertices, 3), float32.
    """

    start: int
    count: int
    per_frame: int
    vertex_count: int
    frame_duration: float
    coordinates: Iterable[Coordinates]


def write_pc2(path: Path, samples: Samples) -> None:
    """Write a PC2 file, one sample after the other."""
    with path.open("wb") as file:
        head = (_PC2_SIGNATURE, _PC2_VERSION, samples.vertex_count, float(samples.start))
        file.write(_PC2_HEADER.pack(*head, 1.0 / samples.per_frame, samples.count))
        for coordinates in samples.coordinates:
            file.write(np.ascontiguousarray(coordinates, "<f4"))


def write_mdd(path: Path, samples: Samples) -> None:
    """Write an MDD file, one sample after the other. Its times begin at 0."""
    with path.open("wb") as file:
        file.write(_MDD_HEADER.pack(samples.count, samples.vertex_count))
        file.write(np.ascontiguousarray(samples.frame_duration / samples.per_frame * np.arange(samples.count), ">f4"))
        for coordinates in samples.coordinates:
            file.write(np.ascontiguousarray(coordinates, ">f4"))
