# SPDX-License-Identifier: GPL-3.0-or-later
"""How the bake in the window stands: for the panels, never saved in a file."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class BakeStatus:
    """What ``WindowManager.xpbd`` shows, as in ``specs.STATUS_SETTINGS``.

    And how a run that is played is to end, the message of the last bake that failed, the file whose bake the message is
    about where that is another one, and whether a bake of this file goes on from where it was stopped.
    """

    is_baking: bool = False
    is_waiting: bool = False
    progress: float = 0.0
    status: str = ""
    frames_per_second: float = 0.0
    seconds_left: float = -1.0
    newest_frame: int = 0
    message: str = ""
    is_playing: bool = False
    play_wish: str = ""
    bake_fault: str = ""
    former_file: str = ""
    is_stopped: bool = False

    def reset(self) -> None:
        """Forget the last bake."""
        vars(self).update(vars(BakeStatus()))


STATUS = BakeStatus()
