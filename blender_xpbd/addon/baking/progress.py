# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a bake is."""

from __future__ import annotations

from dataclasses import dataclass

READING = "READING"
STARTING = "STARTING"
SOLVING = "SOLVING"
WAITING = "WAITING"
WRITING = "WRITING"
REDUCING = "REDUCING"

# what is told while the keys of objects that follow their deformed mesh are mended, frame by frame
TAKING_OUT = "Taking deformers out"


@dataclass(frozen=True)
class Progress:
    """How far a bake is.

    Attributes:
        stage: READING, STARTING, SOLVING, WAITING (for an object to leave edit mode), WRITING or REDUCING
            (the number of keys).
        frame: the newest frame, None before the first.
        frames_done, frames_total: of the stage.
        frames_per_second: of late, 0 while unknown.
        seconds_left: None while unknown.
        message: for the user.
    """

    stage: str
    frame: int | None = None
    frames_done: int = 0
    frames_total: int = 0
    frames_per_second: float = 0.0
    seconds_left: float | None = None
    message: str = ""

    @property
    def fraction(self) -> float:
        """0 to 1, of the stage."""
        return self.frames_done / self.frames_total if self.frames_total else 0.0
