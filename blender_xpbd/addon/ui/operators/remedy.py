# SPDX-License-Identifier: GPL-3.0-or-later
"""What operators share that mend what a check has found."""

from __future__ import annotations

from typing import Any

import bpy

from ....scene.errors import XpbdError
from ...baking.report_text import plain_words
from ...checking.check_scene import note_findings
from ...checking.finding import Finding, alike, findings_of
from .idle import is_object_mode


class Remedy:
    """An operator that mends an object, or the scene, and checks again.

    Attributes:
        mend: changes the scene; returns why not, where it cannot be, or raises XpbdError.
    """

    bl_options: Any = {"REGISTER", "UNDO"}
    bl_idname: str
    report: Any
    mend: Any
    with_alike: bpy.props.BoolProperty(
        name="With Alike",
        description="Mend all objects of which the last check says the same",
        options={"SKIP_SAVE", "HIDDEN"},
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether objects can be changed."""
        return is_object_mode(cls, context)

    def execute(self, context: bpy.types.Context) -> set[Any]:
        """Mend it, and look what is left."""
        group = self._group(context.scene)
        refusals = [self._refusal(context, name) for name in group]
        if all(refusals):
            for refusal in refusals:
                self.report({"WARNING"}, refusal)
            return {"CANCELLED"}
        left = {one.object for one in note_findings(context) if type(self).bl_idname in _operators(one)}
        for name, refusal in zip(group, refusals, strict=True):
            # what one of the others has mended, too, refuses in vain
            if refusal and name in left:
                self.report({"WARNING"}, refusal)
        return {"FINISHED"}

    def _group(self, scene: bpy.types.Scene) -> list[str]:
        """Names of the objects to mend, [""] where the scene is."""
        name = getattr(self, "object_name", "")
        groups = alike(findings_of(scene.xpbd.findings) or ()) if self.with_alike else ()
        for group in groups:
            names = [one.object for one in group]
            if name in names and type(self).bl_idname in _operators(group[0]):
                return names
        return [name]

    def _refusal(self, context: bpy.types.Context, name: str) -> str:
        """Mend an object, or the scene; why not, where it cannot be."""
        if name:
            self.object_name = name
        try:
            return str(self.mend(context))
        except XpbdError as fault:
            return plain_words(str(fault))


def _operators(finding: Finding) -> tuple[str, ...]:
    """What the buttons of a finding call."""
    return tuple(remedy.operator for remedy in finding.remedies)


def name_property() -> Any:
    """Which object to mend."""
    return bpy.props.StringProperty(name="Object", description="The object to mend", options={"SKIP_SAVE"})


class ObjectRemedy(Remedy):
    """A remedy of one object, which has the property ``object_name``.

    Attributes:
        mend_object: as ``mend``, of the object.
    """

    object_name: Any
    mend_object: Any

    def mend(self, context: bpy.types.Context) -> str:
        """Mend the object, if it can be changed."""
        obj = context.scene.objects.get(self.object_name)
        if obj is None or not obj.is_editable:
            return f'There is no object "{self.object_name}" that could be changed'
        return str(self.mend_object(context, obj))
