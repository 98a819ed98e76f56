# SPDX-License-Identifier: GPL-3.0-or-later
"""What the header of the viewport and the status bar say while a run is played."""

from __future__ import annotations

from ..playing.player import PLAYING, READING, Player

# frames per second below which a decimal tells more
SLOW = 10.0
TITLE = "XPBD Play: "


def header_text(player: Player) -> str:
    """How the run goes on, in one line."""
    if player.state == READING:
        return f"{TITLE}reading the scene"
    if player.state != PLAYING:
        return f"{TITLE}building the simulation, which takes longer the first time"
    parts = [f"{TITLE}frame {player.frame}"]
    rate = frames_per_second(player.shown_times)
    if player.fault is not None:
        # the words of it would fill the header, and are told elsewhere
        parts.append(f"stopped ({player.fault.code}): Enter keeps it until here")
    elif player.is_at_end:
        parts.append("the last one: R begins again, Enter keeps")
    elif player.is_paused:
        parts.append("paused")
    elif rate > 0.0:
        parts.append(f"{rate:.0f} fps" if rate >= SLOW else f"{rate:.1f} fps")
    if player.pace.is_coarser:
        parts.append(f"softer than baked: {player.pace.substeps} of {player.pace.full_substeps} substeps")
    if player.refusal:
        parts.append(f"{'goes on' if player.fault is None else 'not kept'}: {player.refusal}")
    if player.unshown:
        parts.append(f"shown when kept: {', '.join(player.unshown)}")
    return " · ".join(parts)


def keys_text(player: Player) -> str:
    """Which keys do what; those first that nobody can do without, for a narrow window cuts off the rest."""
    if player.state != PLAYING:
        return "XPBD Play      Esc: stop"
    if player.fault is not None:
        return "Esc: leave all as it was    Enter: keep    S: use as start    B: use as rest shape"
    return (
        "Esc: leave all as it was    Enter: keep    Drag: pull    Space: pause    R: restart    Right: step    "
        "U: push up    W: wind    C: pull to 3D Cursor    S: use as start    B: use as rest shape    "
        "D: drag along the screen or the world"
    )


def frames_per_second(times: list[float]) -> float:
    """Of frames that were shown at these times [s]; 0 where it is not known."""
    seconds = times[-1] - times[0] if len(times) > 1 else 0.0
    return (len(times) - 1) / seconds if seconds > 0.0 else 0.0
