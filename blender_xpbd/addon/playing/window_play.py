# SPDX-License-Identifier: GPL-3.0-or-later
"""The one run that is played in the window, and what takes back what it shows before a save, an undo, another file."""

from __future__ import annotations

from typing import Any

import bpy

from ...scene.errors import XpbdError
from ..data.bake_options import BakeOptions
from ..data.bake_status import STATUS
from . import display
from .player import Player

# how often it is looked whether a mesh is still being edited [s]
EDITING_SECONDS = 0.5

_current: Player | None = None


def current() -> Player | None:
    """The run that is played, or None."""
    return _current


def start(context: bpy.types.Context, options: BakeOptions | None = None) -> Player:
    """Begin to play in the window.

    Raises:
        XpbdError: E_WINDOW, where there is none; E_LOCKED, while a run is played or a bake goes on.
    """
    global _current  # noqa: PLW0603 - one window manager, one hand
    if bpy.app.background:
        text = "Play shows a run in a window, and there is none in the background: bake instead."
        raise XpbdError("E_WINDOW", text)
    if _current is not None or STATUS.is_baking:
        raise XpbdError("E_LOCKED", "A run is played, or a bake goes on, already: end it first.")
    _current = Player(context, options)
    STATUS.is_playing = True
    return _current


def forget() -> None:
    """The run is over: whoever played it has ended it."""
    global _current  # noqa: PLW0603
    _current = None
    STATUS.is_playing = False


def stop() -> None:
    """End the run that is played, if any, and leave all as it was: what is being edited, when it no longer is."""
    player = _current
    if player is not None:
        forget()
        player.end()
        _tidy_after_editing()


def tidy() -> float | None:
    """Leave what was being edited when its run ended as it was; return when to look again [s], None for never."""
    return EDITING_SECONDS if _current is None and display.take_back_all() else None


def _tidy_after_editing() -> None:
    if tidy() is not None and not bpy.app.timers.is_registered(tidy):
        bpy.app.timers.register(tidy, first_interval=EDITING_SECONDS)


@bpy.app.handlers.persistent  # type: ignore[untyped-decorator]
def _stop_before_load(*_arguments: object) -> None:
    stop()


@bpy.app.handlers.persistent  # type: ignore[untyped-decorator]
def _take_back(*_arguments: object) -> None:
    """The next tick shows the frame again, where a run is still played."""
    if _current is not None:
        _current.take_display_back()
    else:
        _tidy_after_editing()


def register() -> None:
    """Watch for saves, undos and other files."""
    for handlers, handler in _handlers():
        handlers.append(handler)


def unregister() -> None:
    """End the run, and watch no more."""
    stop()
    if bpy.app.timers.is_registered(tidy):
        bpy.app.timers.unregister(tidy)
    for handlers, handler in _handlers():
        handlers.remove(handler)


def _handlers() -> tuple[tuple[Any, Any], ...]:
    handlers = bpy.app.handlers
    return (
        (handlers.load_pre, _stop_before_load),
        (handlers.load_post, _take_back),
        (handlers.save_pre, _take_back),
        (handlers.undo_pre, _take_back),
        (handlers.redo_pre, _take_back),
        (handlers.undo_post, _take_back),
        (handlers.redo_post, _take_back),
    )
