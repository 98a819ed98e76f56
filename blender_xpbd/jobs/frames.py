# SPDX-License-Identifier: GPL-3.0-or-later
"""The frames that a bake has computed, one file each."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ..scene.errors import XpbdError
from .arrays import npy_header, raw
from .files import Buffer, flush, inside, io_error, make_folder, publish, read_bytes

FRAMES_FOLDER = "frames"
DIGEST_BYTES = 16
MAXIMUM_FRAME = 99_999_999

_NAME = re.compile(r"frame_(-?[0-9]{8})\.bin")


@dataclass(frozen=True)
class FrameData:
    """What is kept of one frame.

    Attributes:
        frame: its number.
        positions: of all bodies' mesh vertices, relative to the result's origin [m], shape (vertices, 3), float32.
        statistics: one row for each body, one column for each name in the result, float64.
        orientations: of all bodies, unit quaternions (w, x, y, z), shape (orientations, 4), float32.
    """

    frame: int
    positions: npt.NDArray[np.float32]
    statistics: npt.NDArray[np.float64]
    orientations: npt.NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 4), np.float32))


def frame_name(frame: int) -> str:
    """The name of a frame's file.

    Raises:
        XpbdError: E_FRAME_RANGE for a number of more than eight digits.
    """
    if abs(frame) > MAXIMUM_FRAME:
        raise XpbdError("E_FRAME_RANGE", f"Frame {frame} has more than eight digits.", frame=frame)
    return f"frame_{'-' if frame < 0 else ''}{abs(frame):08d}.bin"


def reads_whole(read: Callable[[int], object], number: int) -> bool:
    """Whether what has a number is there, whole and of the right shape.

    Raises:
        XpbdError: E_IO, when the system cannot read it.
    """
    try:
        read(number)
    except XpbdError as fault:
        if fault.code != "E_CACHE":
            raise
        return False
    return True


class FrameCache:
    """The frames of one job folder.

    A file is positions and statistics as two ``.npy`` blocks, a third of orientations where there are any, then a
    BLAKE2b digest (16 bytes) over all before it.
    It is renamed into place, which is enough against a killed process. What shall survive a power cut is flushed to the
    disk before the checkpoint that vouches for it; any other frame that one tears is found by its digest and computed
    again.
    """

    def __init__(
        self,
        folder: Path,
        vertex_count: int,
        body_count: int,
        statistic_count: int,
        orientation_count: int = 0,
        *,
        name: str = FRAMES_FOLDER,
    ) -> None:
        """Look at the frames of a job folder; nothing is created before the first is published.

        Args:
            folder: the job folder.
            vertex_count: vertices of all bodies.
            body_count: rows of the statistics.
            statistic_count: columns of the statistics.
            orientation_count: orientations of all bodies.
            name: of the folder within it.
        """
        self._folder, self._name = folder, name
        self._positions_shape = (vertex_count, 3)
        self._statistics_shape = (body_count, statistic_count)
        self._positions_header = npy_header("<f4", self._positions_shape)
        self._statistics_header = npy_header("<f8", self._statistics_shape)
        self._orientations_shape = (orientation_count, 4)
        self._orientations_header = npy_header("<f4", self._orientations_shape) if orientation_count else b""
        self._made = False
        self._unflushed: list[Path] = []

    @property
    def vertex_count(self) -> int:
        """Vertices of all bodies."""
        return self._positions_shape[0]

    def publish(
        self,
        frame: int,
        positions: npt.NDArray[np.float32],
        statistics: npt.NDArray[np.float64],
        orientations: npt.NDArray[np.float32] | None = None,
    ) -> None:
        """Make a frame visible, in place of an earlier one of the same number.

        Args:
            frame: its number.
            positions: shape (vertices, 3), relative to the result's origin [m].
            statistics: shape (bodies, statistics).
            orientations: shape (orientations, 4); None where there are none.

        Raises:
            XpbdError: E_DIVERGED when a position or an orientation is not finite, E_IO when the disk refuses it.
            ValueError: for another shape.
        """
        turns = np.zeros((0, 4), np.float32) if orientations is None else orientations
        shapes = (positions.shape, statistics.shape, turns.shape)
        if shapes != (self._positions_shape, self._statistics_shape, self._orientations_shape):
            raise ValueError(f"frame {frame} has shapes {shapes}")
        positions = np.ascontiguousarray(positions, "<f4")
        statistics = np.ascontiguousarray(statistics, "<f8")
        turns = np.ascontiguousarray(turns, "<f4")
        if not (np.isfinite(positions).all() and np.isfinite(turns).all()):
            raise XpbdError("E_DIVERGED", "A position is no finite number; try more substeps.", frame=frame)
        if not self._made:
            make_folder(inside(self._folder, self._name, code="E_CACHE"))
            self._made = True
        blocks: list[Buffer] = [self._positions_header, raw(positions), self._statistics_header, raw(statistics)]
        if len(turns):
            blocks += [self._orientations_header, raw(turns)]
        digest = hashlib.blake2b(digest_size=DIGEST_BYTES)
        for block in blocks:
            digest.update(block)
        path = self.path(frame)
        publish(path, (*blocks, digest.digest()))
        self._unflushed.append(path)

    def flush_later(self, frames: Iterable[int]) -> None:
        """Let the next ``flush`` cover frames of an earlier run, too."""
        self._unflushed += [self.path(frame) for frame in frames]

    def flush(self) -> None:
        """See that all that was published survives a power cut, before a checkpoint that lasts.

        Raises:
            XpbdError: E_IO when the disk refuses it, E_CACHE when a frame is gone.
        """
        flush(self._unflushed, "E_CACHE")
        self._unflushed.clear()

    def read(self, frame: int) -> FrameData:
        """Read a frame and check all of it.

        Raises:
            XpbdError: E_CACHE naming the file, when it is missing, truncated, corrupt or of another shape; E_IO when
                the system cannot read it.
        """
        path = self.path(frame)
        size = self._size()
        content = read_bytes(path, size, "E_CACHE", size=size)
        body = memoryview(content)[:-DIGEST_BYTES]
        if hashlib.blake2b(body, digest_size=DIGEST_BYTES).digest() != content[-DIGEST_BYTES:]:
            raise XpbdError("E_CACHE", f"{path} is corrupt: its bytes do not fit their digest.", frame=frame)
        start = len(self._positions_header)
        middle = start + 12 * self._positions_shape[0]
        end = middle + len(self._statistics_header)
        last = end + 8 * self._statistics_shape[0] * self._statistics_shape[1]
        turns_start = last + len(self._orientations_header)
        # Headers are ours to the byte, so they need no parser
        headers = (bytes(content[:start]), bytes(content[middle:end]), bytes(content[last:turns_start]))
        if headers != (self._positions_header, self._statistics_header, self._orientations_header):
            raise XpbdError("E_CACHE", f"{path} holds other shapes than the job has.", frame=frame)
        positions = np.frombuffer(body[start:middle], "<f4").reshape(self._positions_shape)
        # Copied, for the second block need not begin where a float64 may
        statistics = np.frombuffer(body[end:last], "<f8").reshape(self._statistics_shape).copy()
        orientations = np.frombuffer(body[turns_start:], "<f4").reshape(self._orientations_shape).copy()
        if not (np.isfinite(positions).all() and np.isfinite(orientations).all()):
            raise XpbdError("E_CACHE", f"{path} holds positions that are no finite numbers.", frame=frame)
        return FrameData(frame, positions, statistics, orientations)

    def verify(self, frame: int) -> bool:
        """Whether a frame is there, whole and of the right shape.

        Raises:
            XpbdError: E_IO, when the system cannot read it.
        """
        return reads_whole(self.read, frame)

    def available(self) -> list[int]:
        """The numbers of the frames that are there by their name, ascending; the files are not read.

        Raises:
            XpbdError: E_CACHE when the folder is a link, E_IO when the system cannot list it.
        """
        folder = inside(self._folder, self._name, code="E_CACHE")
        try:
            with os.scandir(folder) as entries:
                names = [entry.name for entry in entries if entry.is_file(follow_symlinks=False)]
        except FileNotFoundError:
            return []
        except OSError as fault:
            raise io_error("list", folder, 0, fault) from fault
        matches = (_NAME.fullmatch(name) for name in names)
        return sorted(int(match[1]) for match in matches if match and match[1] != "-00000000")

    def path(self, frame: int) -> Path:
        """The file of a frame.

        Raises:
            XpbdError: E_FRAME_RANGE for a number of more than eight digits, E_CACHE for a link.
        """
        return inside(self._folder, self._name, frame_name(frame), code="E_CACHE")

    def _size(self) -> int:
        headers = len(self._positions_header) + len(self._statistics_header) + len(self._orientations_header)
        numbers = 4 * self._positions_shape[0] * 3 + 8 * self._statistics_shape[0] * self._statistics_shape[1]
        numbers += 4 * self._orientations_shape[0] * 4
        return headers + numbers + DIGEST_BYTES
