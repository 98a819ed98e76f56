# SPDX-License-Identifier: GPL-3.0-or-later
"""Play, and what is done while it runs."""

from __future__ import annotations

from typing import Any, ClassVar

import bpy

from ....scene.errors import XpbdError
from ...baking.report_text import fault_paragraphs
from ...data.bake_options import BakeOptions
from ...data.bake_status import STATUS
from ...data.extension import worker_python_path
from ...playing import window_play
from ...playing.keep import keep_run, use_as_rest_shape, use_as_start
from ...playing.player import PLAYING, Player
from ...process.waiting_worker import start_ahead
from ..cut_short import stop_with_window
from ..mouse_place import is_over_viewport
from ..play_header import header_text, keys_text
from ..play_mouse import PlayMouse, is_key, is_navigation, viewport_under
from ..redraw import redraw_panels
from ..wrapped_text import popup_text
from .bake import finished_text
from .idle import has_body, is_idle

# [s]; short beside a frame, so that frames are shown soon after they come
_TICK = 1.0 / 120.0

CANCEL, KEEP, REST_SHAPE, START = "CANCEL", "KEEP", "REST_SHAPE", "START"


class XPBD_OT_play(bpy.types.Operator):
    """Simulate live in the viewport: drag, push, change values. Esc leaves all as it was, Keep makes keys of it."""

    bl_idname = "xpbd.play"
    bl_label = "Play XPBD"
    bl_options = {"UNDO"}

    # Of the class: Blender frees the operator when the add-on is disabled, and leaves the timer to us
    _timer: ClassVar[bpy.types.Timer | None] = None

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether there is something to play, and nothing else goes on."""
        return is_idle(cls) and has_body(cls, context)

    def execute(self, context: bpy.types.Context) -> set[Any]:
        """Play needs a window and its events."""
        if bpy.app.background or context.window is None:
            text = "Play shows a run in a window, and there is none in the background: bake instead."
            self.report({"ERROR"}, str(XpbdError("E_WINDOW", text)))
            return {"CANCELLED"}
        return self.invoke(context, None)

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event | None) -> set[Any]:
        """Begin; the timer does the rest."""
        if bpy.app.background or context.window is None:
            return self.execute(context)
        window_play.start(context, BakeOptions(worker_python=worker_python_path(context)))
        self._mouse = PlayMouse()
        self._shown = ""
        STATUS.message = ""
        manager = context.window_manager
        XPBD_OT_play._timer = manager.event_timer_add(_TICK, window=context.window)
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[Any]:
        """Go on with each tick; what is done in the viewport is for the run."""
        player = window_play.current()
        if player is None:  # another file was opened, or the add-on was disabled
            return self._leave(context, {"CANCELLED"})
        try:
            return self._on_event(context, event, player)
        except XpbdError as error:
            window_play.stop()
            STATUS.message = str(error)
            self.report({"ERROR"}, popup_text("\n".join(fault_paragraphs(str(error)))))
            return self._leave(context, {"CANCELLED"})
        except BaseException:
            # Blender shows the trace; nothing that was shown may outlive the operator
            window_play.stop()
            self._leave(context, {"CANCELLED"})
            raise

    def _on_event(self, context: bpy.types.Context, event: bpy.types.Event, player: Player) -> set[Any]:
        if event.type == "TIMER":
            self._tick(context, player)
            return self._end_as_wished(context, player)
        view = viewport_under(context, event)
        is_modified = event.ctrl or event.alt or event.oskey
        # whoever presses Play has the mouse over the panel, where keys of the run count too
        is_for_run = view is not None or player.is_held or (is_key(event) and is_over_viewport(context, event))
        is_ours = is_for_run and not is_modified and not is_navigation(event)
        # what is held ends wherever it is let go; elsewhere Blender makes a click of it, as to choose an object
        if is_ours or event.value == "RELEASE":
            wish = self._mouse.handle(context, event, view, player)
            STATUS.play_wish = wish or STATUS.play_wish
        return {"RUNNING_MODAL"} if is_ours else {"PASS_THROUGH"}

    def _tick(self, context: bpy.types.Context, player: Player) -> None:
        if player.advance():
            _redraw_viewports(context)
        if player.fault is not None and STATUS.message != str(player.fault):
            STATUS.message = str(player.fault)
            self.report({"ERROR"}, popup_text("\n".join(fault_paragraphs(STATUS.message))))
        text = header_text(player)
        if text != self._shown:
            self._shown = text
            for area in _viewports(context):
                area.header_text_set(text)
            context.workspace.status_text_set(keys_text(player))
            redraw_panels(context)

    def _end_as_wished(self, context: bpy.types.Context, player: Player) -> set[Any]:
        wish, STATUS.play_wish = STATUS.play_wish, ""
        if not wish:
            return {"RUNNING_MODAL"}
        if wish == CANCEL or player.state != PLAYING:
            window_play.stop()
            return self._leave(context, {"CANCELLED"})
        player.refusal = ""
        try:
            told = end_run(context, player, wish)
        except XpbdError as error:
            if not player.is_open:
                raise
            player.refusal = " ".join(fault_paragraphs(str(error)))
            self.report({"WARNING"}, player.refusal)
            return {"RUNNING_MODAL"}
        window_play.forget()
        self.report({"INFO"}, told)
        return self._leave(context, {"FINISHED"})

    def cancel(self, context: bpy.types.Context) -> None:
        """Blender ends the operator: its window is closed, or another file opened."""
        stop_with_window()
        self._leave(context, {"CANCELLED"})

    def _leave(self, context: bpy.types.Context, result: set[Any]) -> set[Any]:
        if XPBD_OT_play.give_back(context):
            start_ahead(worker_python_path(context))
        return result

    @classmethod
    def give_back(cls, context: bpy.types.Context) -> bool:
        """Remove the timer and what stands in headers; whether there was a timer."""
        timer, cls._timer = cls._timer, None
        STATUS.play_wish = ""
        if timer is None:
            return False
        context.window_manager.event_timer_remove(timer)
        for area in _viewports(context):
            area.header_text_set(None)
        for workspace in bpy.data.workspaces:
            workspace.status_text_set(None)
        _redraw_viewports(context)
        redraw_panels(context)
        return True


def end_run(context: bpy.types.Context, player: Player, wish: str) -> str:
    """End a run as is wished, KEEP, REST_SHAPE or START; return what is told of it.

    Raises:
        XpbdError: why not; ``player.is_open`` tells whether the run can go on.
    """
    if wish == KEEP:
        told, pace = finished_text(keep_run(context, player)), player.pace
        if pace.was_coarser:
            return f"{told}, with as few as {pace.fewest_substeps} of {pace.full_substeps} substeps"
        return told
    if wish == START:
        return f"The next bake begins in the pose of {', '.join(use_as_start(player))}"
    return f"The pose is the rest shape of {', '.join(use_as_rest_shape(player))} now"


class XPBD_OT_keep(bpy.types.Operator):
    """Turn the run that is played into keys, and stop it."""

    bl_idname = "xpbd.keep"
    bl_label = "Keep XPBD Run"

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        """Whether a run is played, and shows frames."""
        player = window_play.current()
        if player is not None and player.state != PLAYING:
            cls.poll_message_set("Nothing to keep yet: the simulation is being built")
            return False
        return _is_played(cls)

    def execute(self, _context: bpy.types.Context) -> set[Any]:
        """Tell the run, which ends at its next tick."""
        STATUS.play_wish = KEEP
        return {"FINISHED"}


_ACTIONS = (
    ("PAUSE", "Pause", "Stop the clock, or let it go on [Space]"),
    ("STEP", "Step", "Simulate a single frame [Right Arrow]"),
    ("RESTART", "Restart", "Begin again from the first frame [R]"),
    (START, "Use as Start", "End the run, and let the next bake begin in the pose: the rest shape stays [S]"),
    (REST_SHAPE, "Use as Rest Shape", "End the run, and let the pose be the shape of the meshes at rest [B]"),
    (CANCEL, "Stop", "End the run and leave all as it was [Esc]"),
)


class XPBD_OT_play_control(bpy.types.Operator):
    """What the buttons of a run do."""

    bl_idname = "xpbd.play_control"
    bl_label = "Control XPBD Run"
    bl_options = {"INTERNAL"}

    action: bpy.props.EnumProperty(
        name="Action",
        description="What to do with the run",
        items=_ACTIONS,
    )

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: Any) -> str:
        """The tooltip of each button."""
        return next(description for action, _, description in _ACTIONS if action == properties.action)

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        """Whether a run is played."""
        return _is_played(cls)

    def execute(self, _context: bpy.types.Context) -> set[Any]:
        """Do it."""
        player = window_play.current()
        if player is None:
            return {"CANCELLED"}
        if self.action == "PAUSE":
            player.is_paused = not player.is_paused
        elif self.action == "STEP":
            player.is_paused = True
            player.step()
        elif self.action == "RESTART":
            player.restart()
        else:
            STATUS.play_wish = self.action
        return {"FINISHED"}


def _is_played(operator: Any) -> bool:
    if window_play.current() is None:
        operator.poll_message_set("No run is played: press Play first")
        return False
    return True


def _viewports(context: bpy.types.Context) -> list[bpy.types.Area]:
    windows = context.window_manager.windows
    return [area for window in windows for area in window.screen.areas if area.type == "VIEW_3D"]


def _redraw_viewports(context: bpy.types.Context) -> None:
    for area in _viewports(context):
        area.tag_redraw()
