# SPDX-License-Identifier: GPL-3.0-or-later
"""Tells of a bake, or a run, that ended because its file was closed: what is kept, and how to go on with it.

It is told in the file that is open then, and again where the baked file is opened the next time.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy

from ...scene.errors import XpbdError
from ..baking import window_bake
from ..baking.report_text import fault_paragraphs
from ..data.bake_record import may_be_looked_at
from ..data.bake_status import STATUS
from ..data.data_lookup import scene_by_uid
from ..data.object_types import is_body
from ..playing import window_play
from ..process.cache_folder import cache_folder
from ..process.unfinished import unfinished_bake
from .wrapped_text import draw_wrapped, popup_text_in

# [s], after which the window of the other file is drawn, and after which nobody waits for the mouse any more: the panel
# tells it too, and Blender saves no copy by itself meanwhile
_DELAY, _PATIENCE = 0.2, 20.0


@dataclass(frozen=True)
class CutShort:
    """What ended with its file.

    Attributes:
        file: path of that file, "" where it was never saved.
        scene_uid: of the scene.
        frames: how many are kept, and how many were asked for; None of a run that was played.
        is_whole: all frames of all objects were baked, so that *Bake* goes on with it.
    """

    file: str
    scene_uid: int
    frames: tuple[int, int] | None
    is_whole: bool = True


_cut_short: CutShort | None = None


def bake_text(frames: tuple[int, int], cause: str, advice: str) -> str:
    """What is told of a bake.

    Args:
        frames: how many are kept, and how many were asked for.
        cause: why it stopped, as the end of a sentence.
        advice: how to go on, as a sentence.
    """
    kept, wanted = frames
    if not kept:
        return f"The bake was stopped before its first frame, {cause}. {advice}"
    return f"The bake was stopped, {cause}: {kept} of {wanted} frames are kept in its cache. {advice}"


def _told_of(cut: CutShort) -> str:
    is_here = scene_by_uid(cut.scene_uid) is not None
    if cut.frames is None:
        return "The run was ended, for another file was opened. Only what is ended with Keep is kept."
    if is_here:
        advice = "Continue goes on from there." if cut.is_whole else "To go on, do the same again."
        return bake_text(cut.frames, "for another file was to be opened", advice)
    if not cut.file:
        advice = "Its file was never saved: File > Recover > Auto Save may bring it back; then bake again."
    else:
        wish = "press Continue" if cut.is_whole else "do the same again"
        advice = f"To go on, open {Path(cut.file).name} again and {wish}."
    return bake_text(cut.frames, "for another file was opened", advice)


@bpy.app.handlers.persistent  # type: ignore[untyped-decorator]
def note_end(*_arguments: object) -> None:
    """Before another file is opened: end what runs in this one, and note what is kept of it."""
    global _cut_short  # noqa: PLW0603 - one file is open at a time
    _cut_short = None
    bake, player = window_bake.current(), window_play.current()
    if bake is not None:
        bake.stop()
        _cut_short = CutShort(bpy.data.filepath, bake.scene_uid, bake.summary.frames_solved, bake.is_whole)
    elif player is not None:
        _cut_short = CutShort(bpy.data.filepath, player.scene_uid, None)


@bpy.app.handlers.persistent  # type: ignore[untyped-decorator]
def tell(*_arguments: object) -> None:
    """After another file was opened, or could not be: tell of what ended for it, and of what ended in it before."""
    global _cut_short
    cut, _cut_short = _cut_short, None
    told = [] if cut is None else [_told_of(cut)]
    is_here = cut is not None and scene_by_uid(cut.scene_uid) is not None
    unfinished = [] if is_here else _unfinished_here()
    if not told and not unfinished:
        return
    was_baked = cut is not None and cut.frames is not None
    if cut is not None and was_baked and cut.file != bpy.data.filepath:
        STATUS.former_file = cut.file
    elif was_baked and unfinished:
        # the same file was opened again
        told = []
    STATUS.message = str(XpbdError.joined([XpbdError("E_INTERRUPTED", text) for text in (*told, *unfinished)]))
    STATUS.is_stopped = bool(unfinished) or (cut is not None and is_here and was_baked and cut.is_whole)
    if not bpy.app.background:
        bpy.app.timers.register(_await_mouse, first_interval=_DELAY)


def stop_with_window() -> None:
    """End what runs in a window that is closed, or with Blender; tell it where another window is left, and on the
    console.
    """
    bake, player = window_bake.current(), window_play.current()
    if bake is not None:
        bake.stop()
        advice = "Continue goes on from there." if bake.is_whole else "To go on, do the same again."
        text = bake_text(bake.summary.frames_solved, "for its window was closed", advice)
    elif player is not None:
        window_play.stop()
        text = "The run was ended, for its window was closed. Only what is ended with Keep is kept."
    else:
        # another file was opened, which tells it itself
        return
    STATUS.message = str(XpbdError("E_INTERRUPTED", text))
    STATUS.is_stopped = bake is not None and bake.is_whole
    print(f"XPBD: {text}")


def _unfinished_here() -> list[str]:
    """What is told of the scene's newest bake, where it was stopped after the file was saved."""
    scene = bpy.context.scene
    if not bpy.data.filepath or not any(is_body(obj) for obj in scene.objects):
        return []
    folder, _ = cache_folder(scene)
    # the folder is a stranger's word, and nobody has asked for anything yet
    if not may_be_looked_at(folder):
        return []
    try:
        saved = Path(bpy.data.filepath).stat().st_mtime
    except OSError:
        # recovered, and the file itself is gone
        return []
    status = unfinished_bake(folder, saved)
    if status is None:
        return []
    advice = "Continue goes on from there, where the scene is as it was then."
    return [bake_text((status.frames_done, status.frames_total), "when this file was last open", advice)]


class XPBD_OT_tell(bpy.types.Operator):
    """Tell where the mouse is, once it moves, how a bake or a run ended."""

    bl_idname = "xpbd.tell"
    bl_label = "Tell How the XPBD Bake Ended"
    bl_options = {"INTERNAL"}

    _place: tuple[int, int] | None = None
    _timer: bpy.types.Timer | None = None
    _end = 0.0

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[Any]:
        """Wait for the mouse."""
        self._end = time.monotonic() + _PATIENCE
        self._timer = context.window_manager.event_timer_add(_PATIENCE, window=context.window)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def cancel(self, context: bpy.types.Context) -> None:
        """Wait no more."""
        if self._timer is not None:
            context.window_manager.event_timer_remove(self._timer)
            self._timer = None

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[Any]:
        """Let all events pass; a pop-up does not. So it is for those who move the mouse, and can leave it."""
        if not STATUS.message or time.monotonic() >= self._end:
            self.cancel(context)
            return {"CANCELLED", "PASS_THROUGH"}
        if event.type != "MOUSEMOVE":
            return {"PASS_THROUGH"}
        # Blender itself tells where the mouse is, as when it is told to quit
        place = event.mouse_x, event.mouse_y
        if self._place in {None, place}:
            self._place = place
            return {"PASS_THROUGH"}
        self.cancel(context)
        _show_popup(context)
        return {"FINISHED", "PASS_THROUGH"}


def _await_mouse() -> None:
    """Have it told where the mouse is, for the tab may not be open; the panel tells it until the next bake."""
    windows = bpy.context.window_manager.windows
    waiting = [operator for window in windows for operator in window.modal_operators]
    if not windows or any(operator.bl_idname == XPBD_OT_tell.__name__ for operator in waiting):
        return
    with bpy.context.temp_override(window=windows[0]):
        bpy.ops.xpbd.tell("INVOKE_DEFAULT")


def _show_popup(context: bpy.types.Context) -> None:
    text = popup_text_in("\n".join(fault_paragraphs(STATUS.message)), context)

    def draw(menu: Any, _context: bpy.types.Context) -> None:
        draw_wrapped(menu.layout, text, width=200)

    context.window_manager.popup_menu(draw, title="XPBD", icon="INFO")
    # it is drawn with the next area, which else comes when the mouse moves
    for area in context.window.screen.areas:
        area.tag_redraw()


def register() -> None:
    """Watch for other files; before those who end what runs then."""
    for handlers, handler in _handlers():
        handlers.append(handler)


def unregister() -> None:
    """Watch no more."""
    if bpy.app.timers.is_registered(_await_mouse):
        bpy.app.timers.unregister(_await_mouse)
    for handlers, handler in _handlers():
        handlers.remove(handler)


def _handlers() -> tuple[tuple[Any, Any], ...]:
    handlers = bpy.app.handlers
    return ((handlers.load_pre, note_end), (handlers.load_post, tell), (handlers.load_post_fail, tell))
