# SPDX-License-Identifier: GPL-3.0-or-later
"""Add poses to the list of an object, and remove them."""

from __future__ import annotations

from typing import Any

import bpy

from ...data.frame_range import baked_range
from ...data.pose_settings import POSE_ROLES
from ...reading.mesh_reader import own_keys

# frames from the beginning to a pose that is added there
_SOON = 24


class XPBD_OT_add_pose(bpy.types.Operator):
    """Add a shape that the object is to have at the current frame: its active shape key, if it has one of its own."""

    bl_idname = "xpbd.add_pose"
    bl_label = "Add Pose Target"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether the active object can go into poses."""
        return _can_have_poses(cls, context)

    def execute(self, context: bpy.types.Context) -> set[Any]:
        """Add it."""
        obj, scene = context.object, context.scene
        poses = obj.xpbd.poses
        taken = {pose.frame for pose in poses}
        pose = poses.add()
        pose.target = _sculpted(obj, {other.target for other in poses})
        # the first frame is the beginning, at which nothing can have a pose
        start, end = baked_range(scene)
        soon = max(min(start + _SOON, end), start + 1)
        frame = scene.frame_current if start < scene.frame_current <= end else soon
        while frame in taken:
            frame += 1
        pose.frame = frame
        obj.xpbd.pose_index = len(poses) - 1
        return {"FINISHED"}


class XPBD_OT_remove_pose(bpy.types.Operator):
    """Remove the pose that is chosen in the list; the shape key stays."""

    bl_idname = "xpbd.remove_pose"
    bl_label = "Remove Pose Target"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether one is chosen."""
        if not _can_have_poses(cls, context):
            return False
        if context.object.xpbd.pose_index >= len(context.object.xpbd.poses):
            cls.poll_message_set("No pose is chosen in the list")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> set[Any]:
        """Remove it."""
        settings = context.object.xpbd
        try:
            settings.poses.remove(settings.pose_index)
        except TypeError:
            # Blender keeps what an override has from its library
            self.report({"WARNING"}, "The pose comes from the library, where alone it can be removed")
            return {"CANCELLED"}
        settings.pose_index = max(min(settings.pose_index, len(settings.poses) - 1), 0)
        return {"FINISHED"}


def _can_have_poses(operator: Any, context: bpy.types.Context) -> bool:
    obj = context.object
    if obj is None or obj.type != "MESH" or obj.xpbd.role not in POSE_ROLES:
        operator.poll_message_set("Make a mesh active that is jelly or cloth")
        return False
    if not obj.is_editable:
        operator.poll_message_set("The object is linked from another file: make it local, or override it")
        return False
    return True


def _sculpted(obj: bpy.types.Object, taken: set[str]) -> str:
    """The name of the active shape key, where the artist has made it and no pose has it yet; else empty."""
    block = obj.active_shape_key
    keys = list(own_keys(obj))
    is_own = block is not None and any(key == block for key in keys[1:]) and block.name not in taken
    return str(block.name) if is_own else ""
