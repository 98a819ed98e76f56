# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a scene goes on from, when it does not begin at rest."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .errors import XpbdError
from .settings import FrameRange

_JOB = re.compile(r"[0-9a-f]{24}")


@dataclass(frozen=True)
class Beginning:
    """The state of another job after a frame; frames until then are that job's.

    Attributes:
        job: name of the other job's folder, which lies beside this one's.
        frame: the last frame that is taken over.
    """

    job: str
    frame: int


def validate_beginning(beginning: Beginning, frames: FrameRange) -> None:
    """Check what a stranger's job, or a script, may have got wrong.

    Raises:
        XpbdError: E_PARAM, for what is no name of a job; E_FRAME_RANGE, for a frame that is not before the last.
    """
    if not _JOB.fullmatch(beginning.job):
        raise XpbdError("E_PARAM", "A job goes on from another one by the name of its folder: 24 digits, 0-9 a-f.")
    if not frames.start <= beginning.frame < frames.end:
        first, last = frames.start + 1, frames.end
        text = f"There is nothing before it to keep, or it is not of the bake: choose a frame from {first} to {last}."
        raise XpbdError("E_FRAME_RANGE", text, frame=beginning.frame + 1)
