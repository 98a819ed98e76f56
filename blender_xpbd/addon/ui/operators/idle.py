# SPDX-License-Identifier: GPL-3.0-or-later
"""What operators ask first that read or change what a bake or a run is about, and the objects that they act on."""

from __future__ import annotations

from typing import Any

from ....scene.body_kinds import body_labels
from ...data.bake_status import STATUS
from ...data.object_types import is_body


def is_idle(operator: Any) -> bool:
    """Whether neither a bake is running nor a run is played; where not, the button's tooltip says so.

    Args:
        operator: the class that is polled.
    """
    if STATUS.is_baking:
        operator.poll_message_set("Wait for the bake, or cancel it")
    elif STATUS.is_playing:
        operator.poll_message_set("A run is played: keep or stop it first")
    return not (STATUS.is_baking or STATUS.is_playing)


def is_object_mode(operator: Any, context: Any) -> bool:
    """Whether objects can be changed; where not, the button's tooltip says so.

    Args:
        operator: the class that is polled.
        context: with the mode.
    """
    if context.mode == "OBJECT":
        return True
    operator.poll_message_set("Go back to Object Mode (Tab) first")
    return False


def has_body(operator: Any, context: Any) -> bool:
    """Whether something in the scene is simulated; where not, the button's tooltip says so."""
    if any(is_body(obj) for obj in context.scene.objects):
        return True
    operator.poll_message_set(f"Make an object {body_labels()} first")
    return False


def is_mesh_body(operator: Any, context: Any, only_mesh: str) -> bool:
    """Whether the active object is a simulated mesh that may be changed; where not, the button's tooltip says so.

    Args:
        operator: the class that is polled.
        context: with the active object.
        only_mesh: what is said of one that is no mesh.
    """
    obj = context.object
    if obj is None or not is_body(obj) or not obj.is_editable:
        operator.poll_message_set(f"Make the active object {body_labels()} first")
        return False
    if obj.type != "MESH":
        operator.poll_message_set(only_mesh)
        return False
    return True


def has_bake(operator: Any, context: Any) -> bool:
    """Whether something in the scene is baked; where not, the button's tooltip says so."""
    if any(obj.xpbd.bake_record for obj in context.scene.objects):
        return True
    operator.poll_message_set("Bake first")
    return False


def chosen_objects(context: Any) -> list[Any]:
    """The selected objects and the active one, whose panel is shown."""
    objects = list(context.selected_objects)
    return objects if context.object is None or context.object in objects else [*objects, context.object]
