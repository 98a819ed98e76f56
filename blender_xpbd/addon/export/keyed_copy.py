# SPDX-License-Identifier: GPL-3.0-or-later
"""A copy of a baked object with relative keys and nothing else, for formats that know morph targets alone."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager

import bpy

from ..data.bake_record import RELATIVE
from ..data.copied_keys import clear_copied_keys
from ..keys.body_frame import BodyFrame
from ..keys.key_target import KeyTarget
from ..keys.retiming import retime
from ..keys.shape_key_writer import ShapeKeyWriter
from ..reading.points import read_points
from ..reduction.reduction import reduce_motion
from .local_motion import LocalMotion


@contextmanager
def keyed_copy(
    scene: bpy.types.Scene, motion: LocalMotion, tolerance: float, names: tuple[str, str]
) -> Iterator[bpy.types.Object]:
    """The copy, which has the name of the object and of its mesh until the end.

    Two objects may share a mesh: then the first copy of it has its name, the second one with a number.

    Args:
        scene: that gets the copy.
        motion: of the object that is copied.
        tolerance: of the keys [m], 0 for one for every frame.
        names: of the object and of its mesh, told before there is any copy, which takes them.
    """
    obj, mesh = motion.baked.obj, motion.baked.obj.data
    copy = obj.copy()
    copy.data = mesh.copy()
    scene.collection.objects.link(copy)
    action = None
    try:
        # not the bake's Clear: an action of the artist that holds its curves is shared with the copy
        clear_copied_keys(copy)
        copy.xpbd.bake_record = ""
        copy.modifiers.clear()
        writer = _write_keys(scene, motion, copy, tolerance)
        writer.finish(scene.frame_current_final)
        shown = motion.baked.record
        retime(copy, (shown.cut_start, shown.cut_end), shown.shift, shown.speed)
        action = copy.data.shape_keys.animation_data.action
        obj.name, mesh.name = _free_name(), _free_name()
        copy.name, copy.data.name = names
        yield copy
    finally:
        copied_mesh = copy.data
        bpy.data.objects.remove(copy)
        bpy.data.meshes.remove(copied_mesh)
        if action is not None:
            bpy.data.actions.remove(action)
        obj.name, mesh.name = names


def _write_keys(
    scene: bpy.types.Scene, motion: LocalMotion, copy: bpy.types.Object, tolerance: float
) -> ShapeKeyWriter:
    baked = motion.baked
    record = baked.record
    target = KeyTarget(
        object_uid=copy.session_uid,
        name=copy.name,
        topology=record.topology,
        mixed_shape=read_points(copy.data),
        matrices=motion.matrices,
        start=record.start,
        end=record.end,
        step=record.step,
        unit_scale=motion.unit_scale,
        key_style=RELATIVE,
        key_tolerance=tolerance,
    )
    writer = ShapeKeyWriter(target, secrets.token_hex(8), baked.job)
    writer.begin()
    for frame in record.frames():
        writer.add_frame(frame, BodyFrame(baked.positions(frame)))
    written = writer.motion()
    if written is not None:
        writer.reduce(reduce_motion(written, tolerance, writer.key_style()))
    return writer


def _free_name() -> str:
    return f"XPBD {secrets.token_hex(8)}"
