# SPDX-License-Identifier: GPL-3.0-or-later
"""What the last bake did: its fault as it is, all else in one line that opens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy

from ..baking.notice_groups import notice_groups, result_line
from ..baking.report_text import (
    fault_paragraphs,
    faults_of,
    summary_error,
    summary_rows,
    summary_warnings,
    was_cancelled,
)
from ..baking.standing_report import standing_error, standing_report
from ..data.bake_status import STATUS
from ..data.extension import BASE_PACKAGE, worker_python_path
from ..process.worker_python import known_python
from .findings import untold, untold_faults
from .solver_setup import draw_setup
from .wrapped_text import draw_wrapped, letters_across


def draw_result(layout: Any, context: bpy.types.Context) -> None:
    """The result of the last bake; nothing while another goes on.

    Args:
        layout: of the panel itself: Blender makes a disclosure nowhere else.
        context: with the scene.
    """
    if STATUS.is_baking or STATUS.is_playing:
        return
    report = standing_report(context.scene)
    width = letters_across(context)
    error = untold_faults(standing_error(STATUS.message) or summary_error(report), context.scene.xpbd.findings)
    # one that was named or installed since, which the report of that bake does not know
    if known_python(worker_python_path(context)) is not None:
        error = "\n".join(fault for fault in faults_of(error) if not fault.startswith("E_DEP"))
    if error:
        _draw_error(layout, context, error, width)
        _draw_former_file(layout)
    if (error and STATUS.message and STATUS.is_stopped) or was_cancelled(report):
        row = layout.row()
        row.operator_context = "INVOKE_DEFAULT"
        row.operator("xpbd.bake", text="Continue", icon="REC")
    rows = summary_rows(report)
    notices = notice_groups(untold(summary_warnings(report), context.scene.xpbd.findings))
    if not rows and not notices:
        return
    header, body = layout.panel("XPBD_PT_result", default_closed=True)
    # without an icon it fits a sidebar of the width that Blender gives it
    header.label(text=result_line(report, len(notices)), translate=False)
    if body is None:
        return
    for notice in notices:
        draw_wrapped(body, notice, icon="INFO", width=width)
    column = body.column(align=True)
    for label, value in rows:
        _draw_row(column, label, value, width)
    if rows:
        row = body.row(align=True)
        row.operator("xpbd.show_strain", icon="COLOR")
        row.operator("xpbd.show_stress")
        body.operator("xpbd.select_crossings", icon="RESTRICT_SELECT_OFF")


def _draw_row(column: Any, label: str, value: str, width: int) -> None:
    """A label and its value beside it; below it where that is too long for half a line, which would cut it off."""
    if len(value) > width // 2:
        column.label(text=label)
        draw_wrapped(column, value, icon="BLANK1", width=width)
        return
    split = column.split(factor=0.5)
    split.label(text=label)
    split.label(text=value, translate=False)


def _draw_former_file(layout: Any) -> None:
    """The way back to the file with which a bake has ended."""
    if STATUS.message and STATUS.former_file:
        button = layout.operator("wm.open_mainfile", text=f"Open {Path(STATUS.former_file).name}", icon="FILE_FOLDER")
        button.filepath, button.display_file_selector = STATUS.former_file, False


def _draw_error(layout: Any, context: bpy.types.Context, error: str, width: int) -> None:
    box = layout.box()
    box.alert = True
    for paragraph in fault_paragraphs(error):
        draw_wrapped(box, paragraph, icon="ERROR", width=width)
    if not error.startswith("E_DEP"):
        return
    if BASE_PACKAGE in context.preferences.addons:
        box.operator("preferences.addon_show", text="Open Preferences").module = BASE_PACKAGE
    if error == STATUS.message:
        draw_setup(layout, width)
