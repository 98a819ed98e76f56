# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames in, shape keys out; and back again.

Absolute keys (one ``eval_time`` curve) where the mesh has no keys of its own, else relative ones (0–1–0, linear) that
leave the artist's keys alone: both give the frames exactly and the straight line between two of them, whatever frame
step, subframe or motion blur asks for.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

import bpy
import numpy as np
import numpy.typing as npt

from ...scene.errors import XpbdError
from ..data.bake_record import ABSOLUTE, RELATIVE, BakeRecord, forget_record, read_record, stamp
from ..data.data_lookup import object_by_uid
from ..reading.mesh_reader import check_object, editing_mode, is_shared, key_coordinates, own_keys
from . import key_animation
from .body_frame import BodyFrame
from .topology_watch import TopologyWatch

Floats = npt.NDArray[np.float64]

KEY_PREFIX = "XPBD"
# Blender's own distance between absolute keys
KEY_SPACING = 10.0


@dataclass(frozen=True)
class KeyTarget:
    """The object that gets the keys, as it was read.

    Attributes:
        object_uid: ``session_uid`` of the object.
        name: its name then, for messages.
        topology: digest of the mesh's connectivity.
        mixed_shape: what the artist's own shape keys show below relative baked ones, local, shape (vertices, 3).
        matrices: object to world in Blender units, shape (frames or 1, 4, 4); one where the object does not move.
        start, end, step: the frames that get a key.
        unit_scale: metres per Blender unit.
        key_style: "AUTO", "ABSOLUTE" or "RELATIVE".
        make_single_user: copy a mesh that other objects use too.
    """

    object_uid: int
    name: str
    topology: str
    mixed_shape: Floats
    matrices: Floats
    start: int
    end: int
    step: int = 1
    unit_scale: float = 1.0
    key_style: str = "AUTO"
    make_single_user: bool = False

    def local(self, frame: int, positions: Floats) -> Floats:
        """World positions [m] at a frame, shape (vertices, 3), in the object's own coordinates."""
        matrix = self.matrices[frame - self.start if len(self.matrices) > 1 else 0]
        x, y, z = np.ascontiguousarray((np.asarray(positions, np.float64) / self.unit_scale - matrix[:3, 3]).T)
        local = np.empty((len(positions), 3))
        for axis, (a, b, c) in enumerate(_inverse(matrix[:3, :3])):
            local[:, axis] = a * x + b * y + c * z
        return local


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

    def __init__(self, target: KeyTarget, bake: str, job: str) -> None:
        """Prepare; nothing is changed.

        Args:
            target: object to write to.
            bake: identifies this run.
            job: name of the job folder.
        """
        self.target = target
        self._bake = bake
        self._job = job
        self._written: list[int] = []
        self._topology = TopologyWatch(target.topology)
        self._offset: Floats | float = 0.0
        self._place = 0

    @property
    def written(self) -> Sequence[int]:
        """The frames that have a key, ascending."""
        return self._written

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
        return keys is not None and (not self._written or self._newest(keys, record) is not None)

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
        clear_bake(obj)
        key_animation.check_action(obj.data.shape_keys, obj.name)
        record = self._new_record(obj, style)
        record.store(obj)
        self._written = []
        obj.show_only_shape_key = False
        if record.created_keys:
            obj.shape_key_add(name="Basis", from_mix=False)
        keys = obj.data.shape_keys
        keys.use_relative = style == RELATIVE
        stamp(obj, self._bake)
        self._place = len(keys.key_blocks) - 1
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
        if keys is None or record is None or len(obj.data.vertices) != len(self.target.mixed_shape):
            raise self._stale()
        blocks = keys.key_blocks
        before = self._newest(keys, record)
        if record.style == ABSOLUTE:
            # A new absolute key stands at the evaluation time, if that is free
            keys.eval_time = (
                max(block.frame for block in blocks) + KEY_SPACING if before is None else (before.frame + KEY_SPACING)
            )
        block = obj.shape_key_add(name=record.key_name(frame), from_mix=False)
        block.interpolation = "KEY_LINEAR"
        _set_coordinates(block, self.target.local(frame, result.positions) + self._offset)
        if record.style == ABSOLUTE:
            keys.eval_time = block.frame
        else:
            if before is not None:
                before.value = 0.0
            block.value = 1.0
        self._written.append(frame)
        self._place += 1
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
        self._written = [frame for frame in self._written if record.key_name(frame) in there]
        if not self._written:
            clear_bake(obj)
            return
        if record.created_action:
            key_animation.new_action(keys, record.created_action)
        if record.style == ABSOLUTE:
            self._animate_absolute(keys, record, current_frame)
        else:
            self._animate_relative(keys, record, current_frame)
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
        self._written = []

    def _follow_reference(self, keys: bpy.types.Key, style: str) -> None:
        """Let new relative keys add to the reference key as it is: where it is edited, Blender moves the older ones."""
        self._offset = key_coordinates(keys.reference_key) - self.target.mixed_shape if style == RELATIVE else 0.0

    def _newest(self, keys: bpy.types.Key, record: BakeRecord) -> bpy.types.ShapeKey | None:
        """The key of the newest frame, first where it was put: a search by name passes all keys before it."""
        if not self._written:
            return None
        name, blocks = record.key_name(self._written[-1]), keys.key_blocks
        with contextlib.suppress(IndexError):
            if (block := blocks[self._place]).name == name:
                return block
        self._place = blocks.find(name)
        return blocks[self._place] if self._place >= 0 else None

    def _animate_absolute(self, keys: bpy.types.Key, record: BakeRecord, current_frame: float) -> None:
        # Where a key really stands differs from what was asked for by rounding
        stands = {block.name: block.frame for block in keys.key_blocks}
        times = [stands[record.key_name(frame)] for frame in self._written]
        key_animation.write_curves(keys, {key_animation.EVALUATION_TIME: (self._written, times)})
        keys.eval_time = float(np.interp(current_frame, self._written, times))

    def _animate_relative(self, keys: bpy.types.Key, record: BakeRecord, current_frame: float) -> None:
        frames = self._written
        blocks = {block.name: block for block in keys.key_blocks}
        curves = {}
        for index, frame in enumerate(frames):
            name = record.key_name(frame)
            around = frames[max(index - 1, 0) : index + 2]
            values = [1.0 if other == frame else 0.0 for other in around]
            curves[key_animation.value_path(name)] = around, values
            blocks[name].value = float(np.interp(current_frame, around, values))
        key_animation.write_curves(keys, curves)

    def _new_record(self, obj: bpy.types.Object, style: str) -> BakeRecord:
        target = self.target
        keys = obj.data.shape_keys
        animation = keys.animation_data if keys else None
        record = BakeRecord(
            bake=self._bake,
            job=self._job,
            topology=target.topology,
            style=style,
            prefix=KEY_PREFIX,
            start=target.start,
            end=target.end,
            step=target.step,
            created_keys=keys is None,
            created_animation=animation is None,
            created_action="" if animation and animation.action else _free_action_name(obj.name),
            last_slot=getattr(animation, "last_slot_identifier", ""),
            use_relative=keys.use_relative if keys else True,
            eval_time=keys.eval_time if keys else 0.0,
            active_index=obj.active_shape_key_index,
            show_only=obj.show_only_shape_key,
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


def clear_bake(obj: bpy.types.Object) -> bool:
    """Take a bake back: keys, curves, action and settings are as they were before it.

    Returns:
        Whether there was a bake.

    Raises:
        XpbdError: E_MODE_EDIT while the mesh is being edited; E_DATA_LINKED when it is linked.
    """
    record = read_record(obj)
    if record is None:
        return False
    if obj.mode == "EDIT" or obj.data.is_editmode:
        raise XpbdError("E_MODE_EDIT", "The mesh is being edited: go back to Object Mode (Tab) first.", obj.name)
    if obj.data.library is not None or obj.library is not None:
        raise XpbdError("E_DATA_LINKED", "The object is linked from another file; clear the bake there.", obj.name)
    was_pinned_later = obj.show_only_shape_key and obj.active_shape_key in own_keys(obj)
    if obj.data.shape_keys is not None:
        _clear_animation(obj.data.shape_keys, record)
        _clear_keys(obj, record, pinned=record.show_only and not was_pinned_later)
    obj.show_only_shape_key = record.show_only or was_pinned_later
    forget_record(obj)
    return True


def _clear_animation(keys: bpy.types.Key, record: BakeRecord) -> None:
    paths = {key_animation.value_path(name) for name in record.key_names()}
    if record.style == ABSOLUTE:
        paths.add(key_animation.EVALUATION_TIME)
    key_animation.remove_animation(keys, paths, record.created_action, record.last_slot)
    animation = keys.animation_data
    unused = animation is not None and not (animation.action or animation.nla_tracks or animation.drivers)
    if record.created_animation and unused:
        keys.animation_data_clear()


def _clear_keys(obj: bpy.types.Object, record: BakeRecord, *, pinned: bool) -> None:
    """Remove our keys; the artist's active key stays active, unless another was ``pinned`` before the bake."""
    keys = obj.data.shape_keys
    active = obj.active_shape_key
    own = own_keys(obj)
    active_name = active.name if active and active in own and not pinned else ""
    if not own:
        obj.shape_key_clear()
        obj.active_shape_key_index = record.active_index
        return
    ours = record.key_names()
    for block in reversed(list(keys.key_blocks)):
        if block.name in ours:
            obj.shape_key_remove(block)
    keys.use_relative = record.use_relative
    keys.eval_time = record.eval_time
    obj.active_shape_key_index = keys.key_blocks.find(active_name) if active_name else record.active_index


def _inverse(matrix: Floats) -> Floats:
    """Of three rows and columns, by Cramer's rule.

    NumPy's own wakes the threads of its library even for this, and waits up to 5 ms for them where the solver has the
    other core: as long as the solver takes for a frame.
    """
    (a, b, c), (d, e, f), (g, h, i) = matrix.tolist()
    first, second, third = e * i - f * h, f * g - d * i, d * h - e * g
    adjugate = (
        (first, c * h - b * i, b * f - c * e),
        (second, a * i - c * g, c * d - a * f),
        (third, b * g - a * h, a * e - b * d),
    )
    return np.array(adjugate) / (a * first + b * second + c * third)


def _set_coordinates(block: bpy.types.ShapeKey, coordinates: Floats) -> None:
    block.points.foreach_set("co", np.ascontiguousarray(coordinates, np.float32).ravel())


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
