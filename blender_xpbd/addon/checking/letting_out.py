# SPDX-License-Identifier: GPL-3.0-or-later
"""What starts inside something, and may: an artist has said that the bake is to push it out.

``Object.xpbd.let_out`` has the words of the findings to which that was said, a line for each, which tell inside what,
and how deep where it is not all of it. Once they are others, the finding is a finding again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import bpy

from ...scene.errors import Notice
from .finding import INSIDE, Finding, findings_of

_LET_OUT = "W_LET_OUT"


def let_out(notice: Notice) -> Notice:
    """The notice, or a quiet one where an artist has said that it is fine."""
    obj = bpy.data.objects.get(notice.object_name) if notice.code in INSIDE else None
    if obj is None or f"\n{notice.message}\n" not in f"\n{obj.xpbd.let_out}\n":
        return notice
    return Notice(_LET_OUT, notice.message, notice.object_name)


def quietened(warning: str, names: Collection[str]) -> str:
    """A warning of a bake, as a quiet one where an artist has said that it is fine.

    Args:
        warning: with its code.
        names: of the objects of which that was said.
    """
    said = any(warning.startswith(f'{INSIDE[0]}: object "{name}":') for name in names)
    return f"{_LET_OUT}{warning.removeprefix(INSIDE[0])}" if said else warning


def let_be_pushed_out(scene: bpy.types.Scene, obj: bpy.types.Object) -> str:
    """Say so of all that the last check has found of an object; why not, where it has found nothing."""
    found = [one for one in findings_of(scene.xpbd.findings) or () if one.object == obj.name]
    if not any(one.code in INSIDE for one in found):
        return f'"{obj.name}" starts inside nothing, as far as the last check has found'
    obj.xpbd.let_out = "\n".join(one.message for one in found if one.code in (*INSIDE, _LET_OUT))
    return ""


def forget_let_out(scene: bpy.types.Scene, findings: Iterable[Finding]) -> None:
    """Forget it of objects that start inside nothing, or inside something else, by all that a check has found."""
    quiet = [one for one in findings if one.code == _LET_OUT]
    for obj in scene.objects:
        kept = "\n".join(one.message for one in quiet if one.object == obj.name) if obj.xpbd.let_out else ""
        if obj.xpbd.let_out != kept and obj.is_editable:
            obj.xpbd.let_out = kept
