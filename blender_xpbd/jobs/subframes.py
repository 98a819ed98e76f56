# SPDX-License-Identifier: GPL-3.0-or-later
"""States between the frames of a job, one file each, in a folder beside the frames."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from ..scene.errors import XpbdError
from ..scene.settings import FrameRange
from .files import inside, is_there, make_folder, share
from .frames import FrameCache, frame_name, reads_whole

SUBFRAMES_FOLDER = "subframes"


class SubframeCache:
    """The states of one job, by the numbers of ``FrameRange.between``.

    The state of a frame is there when that frame is: each is published before the frame that follows it.
    """

    def __init__(self, folder: Path, frames: FrameRange, vertex_count: int) -> None:
        """Look at the states of a job folder; nothing is created before the first is published.

        Args:
            folder: the job folder.
            frames: of the job, as it is simulated.
            vertex_count: vertices of all bodies.
        """
        self._frames = frames
        # its one statistic is the time, for other programs [frames]
        self._cache = FrameCache(folder, vertex_count, 1, 1, name=SUBFRAMES_FOLDER)

    def publish(self, frame: int, samples: tuple[npt.NDArray[np.float32], ...], end: npt.NDArray[np.float32]) -> None:
        """Keep the states between a frame and the next, and that frame itself where a step leaves it out.

        Args:
            frame: the frame that follows them.
            samples: positions, as ``FrameCache`` has them, in the order of time.
            end: positions at that frame.

        Raises:
            XpbdError: E_DIVERGED, E_IO.
        """
        first = (frame - 1 - self._frames.start - self._frames.hidden) * (self._frames.subframes + 1) + 1
        for number, positions in enumerate((*samples, end), first):
            if self._frames.is_between(number):
                self._cache.publish(number, positions, np.full((1, 1), self._time(number)))

    def read(self, number: int) -> npt.NDArray[np.float32]:
        """Positions relative to the result's origin [m], shape (vertices, 3).

        Raises:
            XpbdError: E_CACHE, also where the state is of another time; E_IO.
        """
        state, time = self._cache.read(number), self._time(number)
        if state.statistics[0, 0] != time:
            path = self._cache.path(number)
            raise XpbdError("E_CACHE", f"{path} is the state at frame {state.statistics[0, 0]:g}, not {time:g}.")
        return state.positions

    def are_whole(self, last: int) -> bool:
        """Whether all states up to a frame are there, whole and of the right shape.

        Raises:
            XpbdError: E_IO, when the system cannot read one.
        """
        return all(reads_whole(self.read, number) for number in self._frames.between(last))

    def _time(self, number: int) -> float:
        """The frame, or part of one, that a state is of."""
        return self._frames.start + self._frames.hidden + number / (self._frames.subframes + 1)


def share_subframes(source: Path, target: Path, frames: FrameRange, last: int) -> bool:
    """Give a job those states of another one up to a frame; whether they were all there.

    Raises:
        XpbdError: E_IO; E_CACHE, when a link stands in the way.
    """
    names = [frame_name(number) for number in frames.between(last)]
    there = [inside(source, SUBFRAMES_FOLDER, name, code="E_CACHE") for name in names]
    if not all(map(is_there, there)):
        return False
    if names:
        make_folder(inside(target, SUBFRAMES_FOLDER, code="E_CACHE"))
    for name, path in zip(names, there, strict=True):
        share(path, inside(target, SUBFRAMES_FOLDER, name, code="E_CACHE"), "E_CACHE")
    return True
