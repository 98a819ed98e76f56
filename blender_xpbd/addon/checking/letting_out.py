# SPDX-License-Identifier: GPL-3.0-or-later
"""What starts inside something, and may: an artist has said that the bake is to push it out.

``Object.xpbd.let_out`` has the words of the finding to which that was said, which tell inside what and how deep. Once
they are others, the finding is a finding again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import bpy

from ...scene.errors import Notice
from .finding import Finding, findings_of

_INSIDE, _LET_OUT = "W_INSIDE", "W_LET_OUT"


def let_out(notice: Notice) -> Notice:
    """The notice, or a quiet one where an artist has said that it is fine."""
    obj = bpy.data.objects.get(notice.object_name) if notice.code == _INSIDE else None
    if obj is None or obj.xpbd.let_out != notice.message:
        return notice
    return Notice(_LET_OUT, notice.message, notice.object_name)


def quietened(warning: str, names: Collection[str]) -> str:
    """A warning of a bake, as a quiet one where an artist has said that it is fine.

    Args:
        warning: with its code.
        names: of the objects of which that was said.
    """
    said = any(warning.startswith(f'{_INSIDE}: object "{name}":') for name in names)
    return f"{_LET_OUT}{warning.removeprefix(_INSIDE)}" if said else warning


def let_be_pushed_out(scene: bpy.types.Scene, obj: bpy.types.Object) -> str:
    """Say so of what the last check has found of an object; why not, where it has found nothing."""
    found = [one for one in findings_of(scene.xpbd.findings) or () if (one.code, one.object) == (_INSIDE, obj.name)]
    if not found:
        return f'"{obj.name}" starts inside nothing, as far as the last check has found'
    obj.xpbd.let_out = found[0].message
    return ""


def forget_let_out(scene: bpy.types.Scene, findings: Iterable[Finding]) -> None:
    """Forget it of objects that start inside nothing, or inside something else, by all that a check has found."""
    kept = {one.object for one in findings if one.code == _LET_OUT}
    for obj in scene.objects:
        if obj.xpbd.let_out and obj.name not in kept and obj.is_editable:
            obj.xpbd.let_out = ""
