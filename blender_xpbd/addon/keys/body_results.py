# SPDX-License-Identifier: GPL-3.0-or-later
"""What the result of a body is in Blender: shape keys of its mesh or curve; of hair, those of a mesh of its points."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import bpy
import numpy as np
import numpy.typing as npt

from ...scene.settings import FrameRange
from ..data.bake_record import read_record
from ..reading.body_reader import LocalBody
from ..reading.mesh_reader import check_object
from ..reduction.motion import Motion
from ..reduction.reduction import Reduction, Style
from . import key_animation
from .body_frame import BodyFrame
from .hair_writer import HairWriter, check_hair
from .shape_key_writer import KeyTarget, ShapeKeyWriter, choose_style

Floats = npt.NDArray[np.float64]


class ResultTarget(Protocol):
    """The object that gets a result, as it was read."""

    @property
    def object_uid(self) -> int:
        """``session_uid`` of the object."""

    @property
    def name(self) -> str:
        """Its name then, for messages."""


class ResultWriter(Protocol):
    """Writes the frames of one body, one by one and in ascending order; methods as of ``ShapeKeyWriter``."""

    @property
    def target(self) -> ResultTarget:
        """The object that gets them."""

    @property
    def written(self) -> Sequence[int]:
        """The frames that are there, ascending."""

    def find(self) -> bpy.types.Object | None:
        """The object, or None where it is gone."""

    def blocking_mode(self) -> str:
        """The mode of the object in which what is written now would be lost; "" for none."""

    def is_intact(self) -> bool:
        """Whether what has been written is still there."""

    def begin(self) -> None:
        """Take back an earlier bake, and prepare this one."""

    def resume(self) -> None:
        """Take up again what the object's owner may have changed since the last frame."""

    def check_topology(self) -> None:
        """Compare the object's data with what was read. Raises E_CACHE_STALE."""

    def add_frame(self, frame: int, result: BodyFrame) -> None:
        """Write a frame."""

    def take_back(self) -> None:
        """Remove what this bake has added, if it is there."""

    def motion(self) -> Motion | None:
        """What fewer keys would have to reproduce; None where none are wanted or nothing is written."""

    def key_style(self) -> Style:
        """How its keys may be played."""

    def reduce(self, reduction: Reduction) -> None:
        """Let ``finish`` write these keys in place of one for every frame."""

    def reduction(self) -> Reduction:
        """The keys that ``finish`` writes, or has written."""

    def finish(self, current_frame: float) -> None:
        """Play the frames that there are."""


@dataclass(frozen=True)
class TargetOptions:
    """What targets of all bodies of a bake have in common.

    Attributes:
        frames: of the bake.
        unit_scale: metres per Blender unit.
        make_single_user: copy data that other objects use too.
        key_tolerance: how far a result may be from what was simulated, where that makes it smaller [m].
    """

    frames: FrameRange
    unit_scale: float
    make_single_user: bool
    key_tolerance: float = 0.0


@dataclass(frozen=True)
class ResultKind:
    """A kind of result.

    Attributes:
        check: refuses an object that cannot take one; whether data that others use too will be copied.
        target: of a body and its object's matrices, local to world in Blender units, shape (frames or 1, 4, 4).
        writer: of a target, for a bake by its name and the path of a job folder.
    """

    check: Callable[[bpy.types.Object, bool], None]
    target: Callable[[LocalBody, Floats, TargetOptions], ResultTarget]
    writer: Callable[[Any, str, Path], ResultWriter]


def _check_for_keys(obj: bpy.types.Object, make_single_user: bool) -> None:
    check_object(obj, make_single_user=make_single_user)
    choose_style(obj, obj.xpbd.key_style)
    if read_record(obj) is None:
        key_animation.check_action(obj.data.shape_keys, obj.name)


def _key_target(body: LocalBody, matrices: Floats, options: TargetOptions) -> KeyTarget:
    return KeyTarget(
        object_uid=body.object_uid,
        name=body.name,
        topology=body.topology,
        mixed_shape=body.mixed_shape,
        matrices=matrices,
        start=options.frames.start,
        end=options.frames.end,
        step=options.frames.step,
        subframes=options.frames.subframes,
        unit_scale=options.unit_scale,
        key_style=body.key_style,
        make_single_user=options.make_single_user,
        key_tolerance=options.key_tolerance,
        deformed=body.deformed,
        is_hair=body.data_type == "CURVES",
    )


def _check_strand(obj: bpy.types.Object, make_single_user: bool) -> None:
    if obj.type == "CURVES":
        check_hair(obj)
    else:
        _check_for_keys(obj, make_single_user)


def _strand_writer(target: KeyTarget, bake: str, job: Path) -> ResultWriter:
    return HairWriter(target, bake, job) if target.is_hair else ShapeKeyWriter(target, bake, job)


SHAPE_KEYS = ResultKind(_check_for_keys, _key_target, ShapeKeyWriter)
STRAND_RESULT = ResultKind(_check_strand, _key_target, _strand_writer)
