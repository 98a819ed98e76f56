# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of files that an earlier version of the add-on has saved, brought to what they mean now.

``Object.xpbd.version`` and ``Scene.xpbd.version`` tell by which version settings were last brought up to date; 0 is a
file from before they had one. A step for each version does what the version changed, so settings of any age pass
through all later steps. What was never set is not in a file: it has the default of the version that opens it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import bpy

from ...scene.body import RESOLUTION_RANGE
from ...scene.errors import Notice
from .frame_range import follows_scene
from .properties import show_preset
from .quality import TYPED_QUALITY, quality_of

Step = Callable[[Any], None]


def _object_to_1(settings: Any) -> None:
    """Resolutions had a wider range, and presets other values; those of a named preset are only shown."""
    if settings.is_property_set("cage_resolution"):
        lowest, highest = RESOLUTION_RANGE
        within = min(max(settings.cage_resolution, lowest), highest)
        # to set it makes it a typed one
        if settings.cage_resolution != within:
            settings.cage_resolution = within
    show_preset(settings)


def _object_to_2(settings: Any) -> None:
    """There was one pose, which goes into a list, unless that has one of the same frame already.

    An object that was appended may have got others before it is brought up to date.
    ``pose_`` and the names of its properties were its own.
    """
    stored = _stored(settings)
    former = {name: stored.pop(f"pose_{name}", None) for name in ("target", "object", "frame", "lead", "tolerance")}
    if not isinstance(former["object"], bpy.types.Object):
        # Blender leaves an empty group where none was ever chosen
        former["object"] = None
    if former["target"] or former["object"]:
        others = {pose.frame for pose in settings.poses}
        pose = settings.poses.add()
        for name, value in former.items():
            if value is not None:
                setattr(pose, name, value)
        if pose.frame in others:
            settings.poses.remove(len(settings.poses) - 1)


def _stored(settings: Any) -> Any:
    """What the file holds of the settings of an object, also of properties that there are no more."""
    obj = settings.id_data
    groups = obj.bl_system_properties_get() if bpy.app.version >= (5, 0) else obj
    return groups.get("xpbd", {})


def _scene_to_1(settings: Any) -> None:
    """There was no choice of a quality: the number of substeps counted."""
    if not settings.is_property_set("quality") and quality_of(settings) == TYPED_QUALITY:
        settings.quality = TYPED_QUALITY


def _scene_to_2(settings: Any) -> None:
    """The frames of the scene did not count: others that were typed stay."""
    if not follows_scene(settings):
        settings.use_scene_range = False


# The n-th brings settings of version n to n + 1. Each leaves alone what the present version has written
_OBJECT_STEPS: tuple[Step, ...] = (_object_to_1, _object_to_2)
_SCENE_STEPS: tuple[Step, ...] = (_scene_to_1, _scene_to_2)
OBJECT_VERSION = len(_OBJECT_STEPS)
SCENE_VERSION = len(_SCENE_STEPS)


def bring_up_to_date() -> None:
    """Bring all settings of the file to the present version; what is linked from other files stays as it is there."""
    for obj in bpy.data.objects:
        if _is_used(obj) and obj.is_editable:
            _migrate(obj.xpbd, _OBJECT_STEPS)
    for scene in bpy.data.scenes:
        if scene.is_editable:
            _migrate(scene.xpbd, _SCENE_STEPS)


def newer_notices(scene: bpy.types.Scene) -> Iterator[Notice]:
    """A warning where a later version of the add-on has saved the settings of a scene or of its objects."""
    names = [obj.name for obj in scene.objects if obj.xpbd.version > OBJECT_VERSION]
    if scene.xpbd.version > SCENE_VERSION or names:
        where = f" of {', '.join(names)}" if names else ""
        text = (
            f"A later version of the add-on has saved the settings{where}: what this one does not know of them does "
            "not count. Update the add-on."
        )
        yield Notice("W_VERSION", text)


def _is_used(obj: bpy.types.Object) -> bool:
    return obj.xpbd.role != "NONE" or bool(obj.xpbd.bake_record)


def _migrate(settings: Any, steps: tuple[Step, ...]) -> None:
    if settings.version >= len(steps):
        return
    for step in steps[settings.version :]:
        step(settings)
    settings.version = len(steps)


@bpy.app.handlers.persistent  # type: ignore[untyped-decorator]
def _on_file(*_arguments: object) -> None:
    bring_up_to_date()


def register() -> None:
    """Watch for files being opened, and for saves: what was appended or is new gets its version then."""
    bpy.app.handlers.load_post.append(_on_file)
    bpy.app.handlers.save_pre.append(_on_file)


def unregister() -> None:
    """Watch no more."""
    bpy.app.handlers.save_pre.remove(_on_file)
    bpy.app.handlers.load_post.remove(_on_file)
