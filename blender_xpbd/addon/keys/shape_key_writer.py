# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames in, shape keys out; and back again.

Absolute keys (one ``eval_time`` curve) where the mesh has no keys of its own, else relative ones (0–1–0, linear) that
leave the artist's keys alone: both give the frames exactly and the straight line between two of them, whatever frame
step, subframe or motion blur asks for.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import bpy
import numpy as np
import numpy.typing as npt

from ...scene.errors import XpbdError
from ..data.bake_record import (
    ABSOLUTE,
    RELATIVE,
    BakeRecord,
    encoded_transforms,
    read_record,
    shape_digest,
    stamp,
)
from ..data.data_lookup import object_by_uid
from ..reading.mesh_reader import check_object, editing_mode, is_shared, key_coordinates, own_keys
from ..reading.points import point_count
from ..reduction.motion import Coordinates, Motion
from ..reduction.reduction import Reduction, Style, every_frame
from . import key_animation, key_playback
from .body_frame import BodyFrame
from .clearing import clear_bake
from .curve_keys import BezierHandles, set_key_coordinates
from .key_target import KeyTarget
from .muting import mute, muted_text
from .topology_watch import TopologyWatch
from .written_frames import WrittenFrames

Floats = npt.NDArray[np.float64]

KEY_PREFIX = "XPBD"
# Blender keeps a hundredth of an absolute key's time, in single precision: sixteenths are exact there. It moves a key
# that comes within a thousandth of its own choice, a tenth after the last one
KEY_SPACING = 100.0 / 16.0


def choose_style(obj: bpy.types.Object, key_style: str) -> str:
    """ABSOLUTE or RELATIVE, for an object and the artist's wish.

    Raises:
        XpbdError: E_PARAM, when the artist's own keys rule out the wish.
    """
    own = own_keys(obj)
    if not own:
        return RELATIVE if key_style == RELATIVE else ABSOLUTE
    keys = obj.data.shape_keys
    record = read_record(obj)
    relative = record.use_relative if record and not record.created_keys else keys.use_relative
    if relative:
        return ABSOLUTE if key_style == ABSOLUTE else RELATIVE
    if key_style == RELATIVE:
        raise XpbdError(
            "E_PARAM",
            "The mesh's own shape keys are absolute, so baked keys cannot be relative: choose Automatic or Absolute, "
            "or make the mesh's keys relative.",
            obj.name,
        )
    if not record and key_animation.is_animated(keys, key_animation.EVALUATION_TIME):
        raise XpbdError(
            "E_PARAM",
            "The mesh's own absolute shape keys are animated by their Evaluation Time, which a bake needs for "
            "itself: make the keys relative, or remove that animation.",
            obj.name,
        )
    return ABSOLUTE


class ShapeKeyWriter:
    """Writes the frames of one body, one by one and in ascending order.

    Every call finds the object again, so undo, renaming and deletion between two calls do no harm: ``intact`` tells
    when what was written is gone, then ``begin`` starts afresh.
    """

    def __init__(self, target: KeyTarget, bake: str, job: Path) -> None:
        """Prepare; nothing is changed.

        Args:
            target: object to write to.
            bake: identifies this run.
            job: path of the job folder.
        """
        self.target = target
        self._bake = bake
        self._job = job
        self._frames = WrittenFrames(target)
        self._reduction: Reduction | None = None
        self._style = Style(is_absolute=True, may_blend=False)
        self._first_time = 0.0
        self._topology = TopologyWatch(target.topology)
        self._offset: Floats | float = 0.0
        self._place = 0
        self._handles: BezierHandles | None = None

    @property
    def written(self) -> Sequence[int]:
        """The frames that have a key, ascending."""
        return self._frames.numbers

    def find(self) -> bpy.types.Object | None:
        """The object, or None where it is gone."""
        return object_by_uid(self.target.object_uid)

    def blocking_mode(self) -> str:
        """The mode that the object is edited in, in which keys written now would be lost; "" for none."""
        obj = self.find()
        return editing_mode(obj) if obj is not None else ""

    def is_intact(self) -> bool:
        """Whether what has been written is still there (an undo may have taken it away)."""
        obj = self.find()
        record = read_record(obj) if obj else None
        if obj is None or record is None or record.bake != self._bake:
            return False
        keys = obj.data.shape_keys
        return keys is not None and (not self.written or self._newest(keys, record) is not None)

    def begin(self) -> None:
        """Take back an earlier bake and note what this one will add; then add it as far as it needs no frame.

        Raises:
            XpbdError: E_CACHE_STALE when the mesh has other polygons than when it was read; the codes of
                ``check_object``; E_PARAM as ``choose_style``.
        """
        obj = self._require()
        target = self.target
        check_object(obj, make_single_user=target.make_single_user)
        self.check_topology()
        style = choose_style(obj, target.key_style)
        if read_record(obj) is None:
            # an action of our own earlier bake goes with that
            key_animation.check_action(obj.data.shape_keys, obj.name)
        if is_shared(obj):
            obj.data = obj.data.copy()
            key_animation.make_action_own(obj.data.shape_keys)
        clear_bake(obj)
        key_animation.check_action(obj.data.shape_keys, obj.name)
        record = self._new_record(obj, style)
        record.store(obj)
        mute(obj, target.muted)
        self._frames.clear()
        obj.show_only_shape_key = False
        if record.created_keys:
            obj.shape_key_add(name="Basis", from_mix=False)
        keys = obj.data.shape_keys
        keys.use_relative = style == RELATIVE
        self._handles = BezierHandles(obj.data) if isinstance(obj.data, bpy.types.Curve) else None
        is_free = record.created_keys and target.key_style != ABSOLUTE
        # handles follow points in no straight way, so shapes that are blended would not reproduce them
        may_blend = (is_free or style == RELATIVE) and self._handles is None
        self._style = Style(style == ABSOLUTE, may_blend=may_blend)
        stamp(obj, self._bake)
        self._place = len(keys.key_blocks) - 1
        last = max(block.frame for block in keys.key_blocks)
        self._first_time = KEY_SPACING * (math.ceil(last / KEY_SPACING) + 1)
        self._follow_reference(keys, style)

    def resume(self) -> None:
        """Take up again what the mesh's owner may have changed since the last frame.

        Raises:
            XpbdError: E_CACHE_STALE when the mesh has other polygons.
        """
        self.check_topology()
        obj = self._require()
        record = read_record(obj)
        if record is not None:
            self._follow_reference(obj.data.shape_keys, record.style)

    def add_frame(self, frame: int, result: BodyFrame) -> None:
        """Give a frame its key, and show it.

        Args:
            frame: greater than the one before.
            result: whose positions become the key's; a mesh has no orientations.

        Raises:
            XpbdError: E_CACHE_STALE when the mesh has been edited meanwhile.
        """
        obj = self._require()
        keys = obj.data.shape_keys
        record = read_record(obj)
        if keys is None or record is None or point_count(obj.data) != len(self.target.mixed_shape):
            raise self._stale()
        before = self._newest(keys, record)
        time = self._first_time + KEY_SPACING * (frame - self.target.start) / self.target.step
        if record.style == ABSOLUTE:
            # A new absolute key stands at the evaluation time, if that is free
            keys.eval_time = time
        block = obj.shape_key_add(name=record.key_name(frame), from_mix=False)
        block.interpolation = "KEY_LINEAR"
        local = self.target.local(frame, result.positions)
        set_key_coordinates(block, self._key_coordinates(frame, local, record.style), self._handles)
        if record.style == ABSOLUTE:
            keys.eval_time = time = block.frame
        else:
            if before is not None:
                before.value = 0.0
            block.value = 1.0
        self._frames.add(frame, time, local)
        self._place += 1
        obj.data.update_tag()

    def has_frame(self, frame: int) -> bool:
        """Whether a frame has a key."""
        return frame in self._frames.numbers

    def rewrite(self, frame: int, local: Floats) -> None:
        """Give the key of a frame other local coordinates, shape (vertices, 3); one that is gone stays so."""
        obj = self._require()
        record, keys = read_record(obj), obj.data.shape_keys
        block = None if record is None or keys is None else keys.key_blocks.get(record.key_name(frame))
        if record is None or block is None or len(block.points) != len(local):
            return
        set_key_coordinates(block, self._key_coordinates(frame, local, record.style), self._handles)
        self._frames.replace(frame, local)
        obj.data.update_tag()

    def finish(self, current_frame: float) -> None:
        """Animate the keys that there are, and show the present frame; without any, leave the object as it was.

        A frame whose key was deleted or renamed meanwhile is left out: the motion goes straight past it.

        Args:
            current_frame: of the scene, subframe included.
        """
        obj = self._require()
        record = read_record(obj)
        keys = obj.data.shape_keys
        if record is None or keys is None:
            return
        there = {block.name for block in keys.key_blocks}
        is_incomplete = self._frames.keep({frame for frame in self.written if record.key_name(frame) in there})
        if is_incomplete or editing_mode(obj):
            # what somebody has deleted the other keys shall not bring back; keys removed now would come back
            self._reduction = None
        if not self.written:
            clear_bake(obj)
            return
        if record.created_action:
            key_animation.new_action(keys, record.created_action)
        self._play(obj, record, self.reduction(), current_frame)
        obj.active_shape_key_index = record.active_index
        obj.data.update_tag()

    def check_topology(self) -> None:
        """Compare the mesh, which must not be in Edit Mode, with the one that was read.

        Raises:
            XpbdError: E_CACHE_STALE.
        """
        if not self._topology.matches(self._require().data):
            raise self._stale()

    def take_back(self) -> None:
        """Remove what this bake has added, if it is there."""
        obj = self._require()
        record = read_record(obj)
        if record is not None and record.bake == self._bake:
            clear_bake(obj)
        self._frames.clear()

    def motion(self) -> Motion | None:
        """What fewer keys would have to reproduce; None where none are wanted or nothing is written."""
        return self._frames.motion()

    def key_style(self) -> Style:
        """How its keys may be played."""
        return self._style

    def reduce(self, reduction: Reduction) -> None:
        """Let ``finish`` write these keys in place of one for every frame."""
        self._reduction = reduction

    def reduction(self) -> Reduction:
        """The keys that ``finish`` writes, or has written."""
        count = len(self.written)
        if self._reduction is not None and self._reduction.frame_count == count:
            return self._reduction
        return every_frame(count, len(self.target.mixed_shape), self._style)

    def _play(self, obj: bpy.types.Object, record: BakeRecord, reduction: Reduction, current_frame: float) -> None:
        keys = obj.data.shape_keys
        chosen = [self.written[index] for index in reduction.chosen]
        if reduction.blends is not None:
            record = replace(record, style=RELATIVE)
            record.store(obj)
            names = self._write_blends(obj, record, reduction.blends.offsets)
            key_playback.play_blends(keys, names, self.written, reduction.blends, current_frame)
            return
        if len(chosen) < len(self.written):
            _remove(obj, set(map(record.key_name, self.written)) - set(map(record.key_name, chosen)))
        if record.style == ABSOLUTE:
            times = [self._frames.times[index] for index in reduction.chosen]
            key_playback.play_absolute(keys, chosen, times, current_frame)
        else:
            key_playback.play_relative(keys, record, chosen, current_frame)

    def _write_blends(self, obj: bpy.types.Object, record: BakeRecord, offsets: Coordinates) -> list[str]:
        """Put shapes in the place of frames; return the names of their keys."""
        keys = obj.data.shape_keys
        _remove(obj, {record.key_name(frame) for frame in self.written})
        keys.use_relative = True
        reference = key_coordinates(keys.reference_key)
        names = [record.blend_name(index + 1) for index in range(len(offsets))]
        for name, offset in zip(names, offsets, strict=True):
            set_key_coordinates(obj.shape_key_add(name=name, from_mix=False), reference + offset, self._handles)
        return names

    def _key_coordinates(self, frame: int, local: Floats, style: str) -> Floats:
        """What a key holds of local coordinates: relative ones add to the artist's own keys as they are then."""
        moved = self.target.moved_keys(frame) if style == RELATIVE else 0.0
        coordinates: Floats = local + self._offset - moved
        return coordinates

    def _follow_reference(self, keys: bpy.types.Key, style: str) -> None:
        """Let new relative keys add to the reference key as it is: where it is edited, Blender moves the older ones."""
        self._offset = key_coordinates(keys.reference_key) - self.target.mixed_shape if style == RELATIVE else 0.0

    def _newest(self, keys: bpy.types.Key, record: BakeRecord) -> bpy.types.ShapeKey | None:
        """The key of the newest frame, first where it was put: a search by name passes all keys before it."""
        if not self.written:
            return None
        name, blocks = record.key_name(self.written[-1]), keys.key_blocks
        with contextlib.suppress(IndexError):
            if (block := blocks[self._place]).name == name:
                return block
        self._place = blocks.find(name)
        return blocks[self._place] if self._place >= 0 else None

    def _new_record(self, obj: bpy.types.Object, style: str) -> BakeRecord:
        target = self.target
        keys = obj.data.shape_keys
        animation = keys.animation_data if keys else None
        record = BakeRecord(
            bake=self._bake,
            job=self._job.name,
            topology=target.topology,
            style=style,
            prefix=KEY_PREFIX,
            start=target.start,
            end=target.end,
            step=target.step,
            subframes=target.subframes,
            loop=target.loop,
            regions=target.regions,
            created_keys=keys is None,
            created_animation=animation is None,
            created_action="" if animation and animation.action else _free_action_name(obj.name),
            last_slot=getattr(animation, "last_slot_identifier", ""),
            use_relative=keys.use_relative if keys else True,
            eval_time=keys.eval_time if keys else 0.0,
            active_index=obj.active_shape_key_index,
            show_only=obj.show_only_shape_key,
            body=target.name,
            transforms=encoded_transforms(target.matrices),
            unit_scale=target.unit_scale,
            folder=str(self._job.parent),
            muted=muted_text(obj, target.muted),
            own_shape=shape_digest(target.mixed_shape),
            frees_deformed=target.has_deformers,
        )
        return _with_free_names(record, keys)

    def _require(self) -> bpy.types.Object:
        obj = self.find()
        if obj is None:
            raise LookupError(f"the object {self.target.name!r} is gone")
        return obj

    def _stale(self) -> XpbdError:
        return XpbdError(
            "E_CACHE_STALE",
            "The mesh was edited after it was read: its polygons are no longer those that are simulated, so it gets no "
            "keys of this bake. Bake again.",
            self.target.name,
        )


def _remove(obj: bpy.types.Object, names: set[str]) -> None:
    for block in reversed([block for block in obj.data.shape_keys.key_blocks if block.name in names]):
        obj.shape_key_remove(block)


def _free_action_name(object_name: str) -> str:
    # An ID's name has at most 63 bytes, which a long object name with umlauts may pass
    stem = f"{KEY_PREFIX} {object_name}".encode()[:48].decode("utf-8", "ignore")
    name, number = stem, 1
    while name in bpy.data.actions:
        name, number = f"{stem}.{number:03d}", number + 1
    return name


def _with_free_names(record: BakeRecord, keys: bpy.types.Key | None) -> BakeRecord:
    """The record with a prefix under which the artist has no keys."""
    taken = {block.name for block in keys.key_blocks} if keys else set()
    number = 1
    while taken & record.key_names():
        number += 1
        record = replace(record, prefix=f"{KEY_PREFIX}{number}")
    return record
