# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames of hair in: shape keys of a mesh of its points, which the hair follows; and back again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import bpy

from ...scene.errors import XpbdError
from ..data.bake_record import ABSOLUTE, BakeRecord, encoded_transforms, read_record
from ..data.data_lookup import object_by_uid
from ..reading.mesh_reader import is_edited
from ..reading.points import topology_of
from ..reduction.motion import Motion
from ..reduction.reduction import Reduction, Style, every_frame
from .body_frame import BodyFrame
from .clearing import clear_bake
from .hair_points import add_points, free_points_name, points_modifier
from .key_target import KeyTarget
from .shape_key_writer import KEY_PREFIX, ShapeKeyWriter


def check_hair(obj: bpy.types.Object) -> None:
    """Refuse hair that can take no modifier, or whose points are being edited.

    Raises:
        XpbdError: E_DATA_LINKED or E_MODE_EDIT.
    """
    for data in (obj, obj.data):
        if data.library is not None or data.override_library is not None:
            raise XpbdError(
                "E_DATA_LINKED",
                "The hair is linked from another file or a library override: make it local first (Object > Relations "
                "> Make Local > Selected Objects and Data).",
                obj.name,
            )
    if is_edited(obj):
        raise XpbdError("E_MODE_EDIT", "The hair is being edited: go back to Object Mode (Tab) first.", obj.name)


class HairWriter:
    """Writes the frames of hair; calls as of ``ShapeKeyWriter``, which writes those of the mesh of its points."""

    def __init__(self, target: KeyTarget, bake: str, job: Path) -> None:
        """Prepare; nothing is changed.

        Args:
            target: the hair.
            bake: identifies this run.
            job: path of the job folder.
        """
        self.target = target
        self._bake = bake
        self._job = job
        self._points: ShapeKeyWriter | None = None

    @property
    def written(self) -> Sequence[int]:
        """The frames that have a key, ascending."""
        return self._points.written if self._points is not None else ()

    def find(self) -> bpy.types.Object | None:
        """The hair, or None where it is gone."""
        return object_by_uid(self.target.object_uid)

    def blocking_mode(self) -> str:
        """The mode that the hair is edited in, in which its points may change; "" for none."""
        obj = self.find()
        return "Edit Mode" if obj is not None and is_edited(obj) else ""

    def is_intact(self) -> bool:
        """Whether what has been written is still there (an undo may have taken it away)."""
        obj = self.find()
        record = read_record(obj) if obj else None
        if obj is None or record is None or record.bake != self._bake or self._points is None:
            return False
        return points_modifier(obj) is not None and self._points.is_intact()

    def begin(self) -> None:
        """Take back an earlier bake and note what this one will add; then add it as far as it needs no frame.

        Raises:
            XpbdError: E_CACHE_STALE when the hair has other points than when it was read; as ``check_hair``.
        """
        obj = self._require()
        check_hair(obj)
        self.check_topology()
        clear_bake(obj)
        name = free_points_name(obj.name)
        self._new_record(name).store(obj)
        points = add_points(obj, name)
        target = replace(self.target, object_uid=points.session_uid, topology=topology_of(points.data), is_hair=False)
        self._points = ShapeKeyWriter(target, self._bake, self._job)
        self._points.begin()

    def resume(self) -> None:
        """See that the hair is as it was read. Raises E_CACHE_STALE."""
        self.check_topology()

    def check_topology(self) -> None:
        """Compare the hair with what was read.

        Raises:
            XpbdError: E_CACHE_STALE.
        """
        if topology_of(self._require().data) != self.target.topology:
            raise XpbdError(
                "E_CACHE_STALE",
                "The hair was edited after it was read: its points are no longer those that are simulated, so it gets "
                "no frames of this bake. Bake again.",
                self.target.name,
            )

    def add_frame(self, frame: int, result: BodyFrame) -> None:
        """Give a frame its key, and show it."""
        self._writer().add_frame(frame, result)

    def take_back(self) -> None:
        """Remove what this bake has added, if it is there."""
        obj = self._require()
        record = read_record(obj)
        if record is not None and record.bake == self._bake:
            clear_bake(obj)
        self._points = None

    def motion(self) -> Motion | None:
        """What fewer keys would have to reproduce; None where none are wanted or nothing is written."""
        return self._points.motion() if self._points is not None else None

    def key_style(self) -> Style:
        """How its keys may be played."""
        return self._writer().key_style()

    def reduce(self, reduction: Reduction) -> None:
        """Let ``finish`` write these keys in place of one for every frame."""
        self._writer().reduce(reduction)

    def reduction(self) -> Reduction:
        """The keys that ``finish`` writes, or has written."""
        if self._points is None:
            return every_frame(0, len(self.target.mixed_shape), Style(is_absolute=True, may_blend=False))
        return self._points.reduction()

    def finish(self, current_frame: float) -> None:
        """Animate the keys that there are; without any, leave the hair as it was."""
        self._writer().finish(current_frame)
        if not self.written:
            clear_bake(self._require())

    def _new_record(self, name: str) -> BakeRecord:
        target = self.target
        return BakeRecord(
            bake=self._bake,
            job=self._job.name,
            topology=target.topology,
            style=ABSOLUTE,
            prefix=KEY_PREFIX,
            start=target.start,
            end=target.end,
            step=target.step,
            subframes=target.subframes,
            loop=target.loop,
            regions=target.regions,
            created_keys=True,
            created_animation=True,
            created_action="",
            last_slot="",
            use_relative=False,
            eval_time=0.0,
            active_index=0,
            show_only=False,
            body=target.name,
            transforms=encoded_transforms(target.matrices),
            unit_scale=target.unit_scale,
            folder=str(self._job.parent),
            points=name,
        )

    def _writer(self) -> ShapeKeyWriter:
        if self._points is None:
            raise LookupError(f"the bake of {self.target.name!r} has not begun")
        return self._points

    def _require(self) -> bpy.types.Object:
        obj = self.find()
        if obj is None:
            raise LookupError(f"the object {self.target.name!r} is gone")
        return obj
