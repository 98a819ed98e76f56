# SPDX-License-Identifier: GPL-3.0-or-later
"""Bake, and cancel it."""

from __future__ import annotations

from typing import Any, ClassVar

import bpy

from ....scene.body_kinds import body_labels
from ....scene.errors import XpbdError
from ...baking import window_bake
from ...baking.bake import run_bake
from ...baking.notice_groups import notice_groups
from ...baking.progress import Progress
from ...baking.report import BakeSummary
from ...baking.report_text import cancelled_text, fault_paragraphs, keys_text, summary_warnings
from ...checking.check_scene import note_findings, renew_expense
from ...data.bake_options import BakeOptions
from ...data.bake_status import STATUS
from ...data.extension import worker_python_path
from ...data.object_types import is_body
from ...playing.display import take_back_all
from ...process.waiting_worker import start_ahead
from ...reading.mesh_reader import editing_mode
from ..cut_short import stop_with_window
from ..findings import unallowed
from ..mouse_place import is_over_viewport
from ..redraw import redraw_panels
from ..wrapped_text import popup_text
from .idle import has_bake, has_body, is_idle

# [s]; a slice takes 0.04 s, or more where the window is slow to draw: that has a third of the time for itself, or less
_TICK = 0.02


class BakeOperator(bpy.types.Operator):
    """What runs a bake; ``_wishes`` says which."""

    # Of the class: Blender frees the operator when the add-on is disabled, and leaves the timer to us
    _timer: ClassVar[bpy.types.Timer | None] = None
    _shown: tuple[str, float] | None = None

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether there is something to bake, and no bake is running."""
        return is_idle(cls) and has_body(cls, context)

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[Any]:
        """Begin; the timer does the rest."""
        if bpy.app.background or context.window is None:
            return self.execute(context)
        if not self._is_ready(context):
            return {"CANCELLED"}
        window_bake.start(context, self._wishes(context))
        manager = context.window_manager
        BakeOperator._timer = manager.event_timer_add(_TICK, window=context.window)
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[Any]:
        """Go on with each tick, while the artist goes on working."""
        running = window_bake.current()
        if running is None:  # another file was opened, or the add-on's window went
            return self._leave(context)
        if event.type == "ESC" and event.value == "PRESS" and is_over_viewport(context, event):
            running.stop_wanted = True
            return {"RUNNING_MODAL"}
        if event.type == "TIMER":
            try:
                over = self._tick(context, running)
            except BaseException:
                # Blender shows the trace; neither timer nor status text may outlive the operator
                self._leave(context)
                raise
            if over:
                return self._leave(context)
        return {"PASS_THROUGH"}

    def _is_ready(self, context: bpy.types.Context) -> bool:
        """Take back what a run that was played has left on an object in Edit Mode; whether there is what is wished."""
        take_back_all()
        if self._lacks_selection(context):
            return False
        # pins may have been painted since, or a body dragged in from the asset browser, which nothing has checked: what
        # is shown beside a bake is of what is baked; what is edited it refuses
        if not any(is_body(obj) and editing_mode(obj) for obj in context.scene.objects):
            note_findings(context)
        return True

    def _lacks_selection(self, _context: bpy.types.Context) -> bool:
        """Whether there is nothing selected that should be, which is told."""
        return False

    def _wishes(self, _context: bpy.types.Context) -> BakeOptions:
        return BakeOptions()

    def _tick(self, context: bpy.types.Context, running: window_bake.WindowBake) -> bool:
        """Go on for a slice, or stop; return whether it is over."""
        outcome = ""
        try:
            if running.stop_wanted and running.may_stop:
                running.stop()
                outcome = cancelled_text(running.summary.to_json())
            elif (summary := running.advance()) is not None:
                outcome = finished_text(summary)
        except XpbdError as error:
            self._report(context, "ERROR", str(error))
            return True
        if outcome:
            self._report(context, "INFO", outcome)
            return True
        if self._shown != (STATUS.status, STATUS.progress):
            self._shown = (STATUS.status, STATUS.progress)
            redraw_panels(context)
            hint = "      Esc: cancel and keep the frames" if running.may_stop else ""
            context.workspace.status_text_set(f"XPBD: {STATUS.status}{hint}")
        return False

    def cancel(self, context: bpy.types.Context) -> None:
        """Blender ends the operator: its window is closed, or another file opened."""
        stop_with_window()
        self._leave(context)

    def execute(self, context: bpy.types.Context) -> set[Any]:
        """Bake, and return when it is done."""
        if not self._is_ready(context):
            return {"CANCELLED"}
        STATUS.reset()
        manager = context.window_manager
        manager.progress_begin(0.0, 1.0)

        def show(progress: Progress) -> None:
            manager.progress_update(progress.fraction)

        try:
            summary = run_bake(context, self._wishes(context), show)
        except XpbdError as error:
            STATUS.message = STATUS.bake_fault = str(error)
            self._report(context, "ERROR", str(error))
            return {"CANCELLED"}
        finally:
            manager.progress_end()
        self._report(context, "INFO", finished_text(summary))
        return {"FINISHED"}

    def _leave(self, context: bpy.types.Context) -> set[Any]:
        """Give back the timer and the status bar. FINISHED, so that there is an undo step for the frames kept."""
        if self.give_back(context):
            # The next bake of whoever tries settings shall begin at once too
            start_ahead(worker_python_path(context))
        return {"FINISHED"}

    @classmethod
    def give_back(cls, context: bpy.types.Context) -> bool:
        """Remove timer and status text; whether there were any."""
        timer, BakeOperator._timer = BakeOperator._timer, None
        if timer is None:
            return False
        context.window_manager.event_timer_remove(timer)
        for workspace in bpy.data.workspaces:
            workspace.status_text_set(None)
        redraw_panels(context)
        return True

    def _report(self, context: bpy.types.Context, kind: Any, outcome: str) -> None:
        """Tell what the bake warned of, and how it ended."""
        settings = context.scene.xpbd
        renew_expense(context.scene)
        warnings = unallowed(summary_warnings(settings.report), settings.findings)
        for warning in warnings if self._timer is None else notice_groups(warnings):
            self.report({"WARNING"}, warning)
        # A script gets the words as they are
        self.report(
            {kind}, outcome if BakeOperator._timer is None else popup_text("\n".join(fault_paragraphs(outcome)))
        )


class XPBD_OT_bake(BakeOperator):
    """Simulate all objects of the scene that have a role, and keep their motion."""

    bl_idname = "xpbd.bake"
    bl_label = "Bake XPBD"
    bl_options = {"UNDO"}

    only_selected: bpy.props.BoolProperty(
        name="Only Selected",
        description="Bake the selected objects again against the others as they are baked",
        default=False,
        options={"SKIP_SAVE"},
    )
    from_current_frame: bpy.props.BoolProperty(
        name="From Current Frame",
        description="Keep the frames before the current one as they are baked",
        default=False,
        options={"SKIP_SAVE"},
    )

    def _lacks_selection(self, context: bpy.types.Context) -> bool:
        """Whether only selected objects were to be baked and none is selected, which is told."""
        if not self.only_selected or any(is_body(obj) for obj in context.selected_objects):
            return False
        self.report({"WARNING"}, f"Select a {body_labels()} object first")
        return True

    def _wishes(self, context: bpy.types.Context) -> BakeOptions:
        selected = tuple(obj.name for obj in context.selected_objects if is_body(obj))
        return BakeOptions(
            only=selected if self.only_selected else (),
            from_frame=context.scene.frame_current if self.from_current_frame else None,
        )


class XPBD_OT_loop(BakeOperator):
    """Simulate the last frames of the bake again, drawn to where it begins, so that it can be played in a circle."""

    bl_idname = "xpbd.loop"
    bl_label = "Make XPBD Loop"
    bl_options = {"UNDO"}

    frames: bpy.props.IntProperty(
        name="Frames",
        description="So many last frames lead into the first one. More of them look softer",
        default=24,
        min=1,
        soft_max=120,
        options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether there is a bake, and nothing is running."""
        return super().poll(context) and has_bake(cls, context)

    def _wishes(self, _context: bpy.types.Context) -> BakeOptions:
        return BakeOptions(loop=self.frames)


class XPBD_OT_cancel(bpy.types.Operator):
    """Stop the bake and keep the frames that are done."""

    bl_idname = "xpbd.cancel"
    bl_label = "Cancel XPBD Bake"

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        """Whether a bake is running."""
        running = window_bake.current()
        if running is None:
            cls.poll_message_set("No bake is running")
            return False
        if not running.may_stop:
            cls.poll_message_set("The region is being taken back: its keys are written already")
            return False
        return True

    def execute(self, _context: bpy.types.Context) -> set[Any]:
        """Tell the bake, which stops at its next tick."""
        running = window_bake.current()
        if running is None:
            return {"CANCELLED"}
        running.stop_wanted = True
        return {"FINISHED"}


def finished_text(summary: BakeSummary) -> str:
    """One line for the status bar."""
    bodies = "1 object" if len(summary.objects) == 1 else f"{len(summary.objects)} objects"
    seconds = summary.seconds.get("total", 0.0)
    keys = keys_text(summary.to_json())
    if keys:
        return f"Baked {bodies} in {seconds:.1f} s: {keys}"
    return f"Baked {summary.frames} frames of {bodies} in {seconds:.1f} s"
