# SPDX-License-Identifier: GPL-3.0-or-later
"""What the last check found, with the buttons that mend it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import bpy

from ..baking.notice_groups import alike_text
from ..baking.report_text import faults_of
from ..checking.check_scene import scene_expense
from ..checking.finding import INSIDE, QUIET, Finding, alike, findings_of, names_let_out
from ..reading.modifier_stack import follows_deformed
from .wrapped_text import draw_wrapped

# where a list leaves names out
MORE = re.compile(r" and \d+ more")


def draw_findings(layout: Any, settings: Any, width: int) -> None:
    """A box of findings; nothing where none were noted.

    Args:
        layout: where to.
        settings: ``Scene.xpbd``.
        width: letters per line.
    """
    findings = [finding for finding in findings_of(settings.findings) or () if not _is_mended(finding, settings)]
    if not findings:
        return
    box = layout.box()
    for group in alike(findings):
        finding = group[0]
        column = box.column()
        column.alert = finding.is_fault
        words = finding.message
        if len(group) > 1:
            words = alike_text([one.object for one in group], [one.message for one in group])
        elif finding.object:
            words = f"{finding.object}: {words}"
        column.active = finding.code not in QUIET
        icon = "CHECKMARK" if finding.code in QUIET else "ERROR" if finding.is_fault else "INFO"
        draw_wrapped(column, words, icon=icon, width=width)
        # one below the other: two beside each other are cut off in a sidebar of the width that Blender gives it
        for remedy in finding.remedies:
            button = column.operator(remedy.operator, text=remedy.label)
            if finding.object:
                button.object_name = finding.object
                button.with_alike = len(group) > 1


def draw_expense(layout: Any, scene: Any, width: int) -> None:
    """A quiet line with what a bake comes to, of what was counted when the scene was last checked.

    Args:
        layout: where to.
        scene: that is to be baked.
        width: letters per line.
    """
    told = scene_expense(scene, scene.xpbd.expense)
    if told is not None:
        column = layout.column()
        column.active = False
        draw_wrapped(column, str(told), icon="TIME", width=width)


def _is_mended(finding: Finding, settings: Any) -> bool:
    """Whether what was found is mended, which tells nobody: by the floor's own switch, or the goal's; or is gone."""
    if finding.object and finding.object not in bpy.data.objects:
        return True
    if finding.code == "W_FALLS":
        names = _named(finding.message)
        is_gone = names and not MORE.search(finding.message) and not any(name in bpy.data.objects for name in names)
        return bool(settings.use_floor or is_gone)
    if finding.code != "W_RIG" or MORE.search(finding.message):
        return False
    return all((obj := bpy.data.objects.get(name)) and follows_deformed(obj) for name in _named(finding.message))


def untold(warnings: Sequence[str], text: str) -> list[str]:
    """The warnings of a bake that no finding says already: with a button, of the same code and objects; or as it is.

    Args:
        warnings: as a bake tells them.
        text: of ``Scene.xpbd.findings``.
    """
    findings = findings_of(text) or ()
    said = {str(one) for one in findings}
    buttons = [one for one in findings if one.remedy is not None]
    return [
        warning
        for warning in unallowed(warnings, text)
        if warning not in said and not any(_tells(one, warning) for one in buttons)
    ]


def untold_faults(error: str, text: str) -> str:
    """The faults of a bake that no finding says already, with a button.

    Args:
        error: as a bake tells it: a line or more for each fault.
        text: of ``Scene.xpbd.findings``.
    """
    said = {str(one) for one in findings_of(text) or () if one.remedy is not None}
    return "\n".join(fault for fault in faults_of(error) if fault not in said)


def unallowed(warnings: Sequence[str], text: str) -> list[str]:
    """The warnings of a bake without those of what an artist has let be pushed out; arguments as of ``untold``."""
    allowed = tuple(f'{INSIDE[0]}: object "{name}":' for name in names_let_out(findings_of(text) or ()))
    return [warning for warning in warnings if not warning.startswith(allowed)]


def _tells(finding: Finding, warning: str) -> bool:
    """Whether a finding is of the object that a warning is of, or of all that it names."""
    if finding.object:
        return warning.startswith(f'{finding.baked_code}: object "{finding.object}":')
    return warning.startswith(f"{finding.code}:") and _named(warning) <= _named(finding.message)


def _named(text: str) -> set[str]:
    return set(re.findall('"([^"]*)"', text))
