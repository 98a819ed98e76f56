# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bake adds to an object, noted before it is added, so that it can be taken back even from a file that was
saved half-way.
"""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import MISSING, asdict, dataclass, fields
from functools import lru_cache
from pathlib import Path, PureWindowsPath
from typing import Any

import bpy
import numpy as np
import numpy.typing as npt

from ...jobs.cache_contents import is_played
from ...jobs.files import inside
from ...scene.errors import XpbdError
from ...scene.settings import MAXIMUM_FRAMES, MAXIMUM_SUBFRAMES
from .clip import Clip, is_speed

RECORD_VERSION = 1
# in frames, of when a bake is shown
LARGEST_SHIFT = MAXIMUM_FRAMES
ABSOLUTE = "ABSOLUTE"
RELATIVE = "RELATIVE"
# Blender's own numbers: an index has 32 bits, and evaluation times stay far below this
_LARGEST_NUMBER = 2**31 - 1
# metres per unit, of which Blender takes 1e-9 to 1e9 in single precision
_SMALLEST_UNIT, _LARGEST_UNIT = 0.999e-9, 1.001e9


# Of a transform: three rows of four numbers in single precision, which is what Blender's own matrices have
_TRANSFORM_BYTES = 48

Floats = npt.NDArray[np.float64]


def encoded_transforms(matrices: Floats) -> str:
    """Matrices of shape (frames, 4, 4) as text, without their last row, which is the same of all."""
    return base64.b64encode(matrices[:, :3].astype("<f4").tobytes()).decode()


def shape_digest(coordinates: Floats) -> str:
    """What tells whether coordinates, shape (vertices, 3), are the same in single precision."""
    # -0.0 + 0.0 is 0.0: both are the same place, of unlike bytes
    return hashlib.sha256((coordinates.astype("<f4") + np.float32(0.0)).tobytes()).hexdigest()[:16]


@dataclass(frozen=True)
class BakeRecord:
    """What a bake adds, and what stood there before.

    Attributes:
        bake: identifies the run of the bake, so that an undo to an earlier one is noticed.
        job: name of the job folder.
        topology: digest of the mesh's connectivity.
        style: ABSOLUTE or RELATIVE.
        prefix: our keys are called prefix and frame, or prefix, Blend and number.
        start, end, step: the frames that get a key.
        created_keys: the mesh had no shape keys; the first one, Basis, is ours too.
        created_animation: the keys had no animation data.
        created_action: name of the action that we made, "" when the curves went into the artist's.
        last_slot: the slot that the keys' animation data remembered (layered actions).
        use_relative, eval_time: of the keys, as they were.
        active_index, show_only: of the object, as they were.
        body: name of the object when it was baked, by which the cache knows it; "" in records of earlier versions.
        transforms: where the object was at each frame, or always, as ``encoded_transforms``; "" in records of earlier
            versions.
        unit_scale: metres per Blender unit then.
        folder: that the job folder lay in, absolute; "" in records of earlier versions.
        muted: the modifiers that are muted while baked, each with its name and whether it was shown in viewports and in
            renders, as JSON; "" for none.
        points: of hair, the name of the mesh object, its mesh and the node group by which it plays the bake; "" of all
            that has shape keys itself.
        subframes: states between two frames that the cache has.
        loop: frames over which its end was led into its beginning, 0 for none.
        regions: so many regions of it were baked again, one after the other; each can be taken back.
        cut_start, cut_end: so many frames of the bake are not shown, of its beginning and of its end.
        shift: by so many frames what is shown begins later than it was simulated.
        speed: how much faster than simulated it is shown.
        own_shape: digest of what the artist's own keys showed at the first frame, see ``shape_digest``; "" in records
            of earlier versions.
        frees_deformed: deformers are taken out of the keys, so that what was simulated comes after them.
    """

    bake: str
    job: str
    topology: str
    style: str
    prefix: str
    start: int
    end: int
    step: int
    created_keys: bool
    created_animation: bool
    created_action: str
    last_slot: str
    use_relative: bool
    eval_time: float
    active_index: int
    show_only: bool
    body: str = ""
    transforms: str = ""
    unit_scale: float = 1.0
    folder: str = ""
    muted: str = ""
    points: str = ""
    own_shape: str = ""
    frees_deformed: bool = False
    subframes: int = 0
    loop: int = 0
    regions: int = 0
    cut_start: int = 0
    cut_end: int = 0
    shift: int = 0
    speed: float = 1.0

    def frames(self) -> list[int]:
        """The frames that get a key, ascending."""
        frames = list(range(self.start, self.end + 1, self.step))
        return frames if frames[-1] == self.end else [*frames, self.end]

    def clip(self) -> Clip:
        """Which of these frames are shown, and when."""
        first, last = self.start + self.cut_start, self.end - self.cut_end
        return Clip(first, last, first + self.shift, self.speed)

    def key_name(self, frame: int) -> str:
        """The name of a frame's key."""
        return f"{self.prefix} {frame:04d}"

    def blend_name(self, number: int) -> str:
        """The name of a key that is blended into frames, numbered from 1."""
        return f"{self.prefix} Blend {number:03d}"

    def key_names(self) -> frozenset[str]:
        """The names that our keys may have, but Basis; there are no more blends than frames."""
        frames = self.frames()
        blends = (self.blend_name(number) for number in range(1, len(frames) + 1))
        return frozenset((*map(self.key_name, frames), *blends))

    def muted_modifiers(self) -> dict[str, tuple[bool, bool]]:
        """The muted modifiers by name, and whether each was shown in viewports and in renders."""
        return {name: (in_viewport, in_render) for name, in_viewport, in_render in json.loads(self.muted or "[]")}

    def matrices(self) -> Floats | None:
        """Local to world in Blender units when it was baked, shape (frames or 1, 4, 4); None where it is not known."""
        if not self.transforms:
            return None
        rows = np.frombuffer(base64.b64decode(self.transforms), "<f4").reshape(-1, 3, 4)
        matrices = np.zeros((len(rows), 4, 4))
        matrices[:, :3], matrices[:, 3, 3] = rows, 1.0
        return matrices

    def store(self, obj: bpy.types.Object) -> None:
        """Keep it with the object."""
        obj.xpbd.bake_record = json.dumps({"version": RECORD_VERSION, **asdict(self)})


def read_record(obj: bpy.types.Object) -> BakeRecord | None:
    """The record of the object's bake, None where there is none or where it is not to be understood."""
    return _parsed(obj.xpbd.bake_record)


def record_folder(record: BakeRecord, cache: Path | None = None) -> Path | None:
    """Where the job of a bake lies; None where its record, which may come from a stranger, leads nowhere.

    Args:
        record: of an object.
        cache: where it is looked for if it is not where it lay: the cache was moved with the file, or the record does
            not tell the folder. A run that was played is looked for in the folder that it had there: the job of a bake
            may have the same name.
    """
    lay = _job_folder(Path(record.folder), record.job) if may_be_looked_at(Path(record.folder), cache) else None
    if cache is None or (lay is not None and lay.is_dir()):
        return lay
    lies = _job_folder(cache, *played_folder(record), record.job)
    return lies if lies is not None and lies.is_dir() else lay


def played_folder(record: BakeRecord) -> tuple[str, ...]:
    """The name of the folder of a run that was played, which its job lay in within a cache; none of a bake.

    The file may come from another system: both kinds of separators count.
    """
    lay = PureWindowsPath(record.folder)
    return (lay.name,) if is_played(lay) else ()


def may_be_looked_at(folder: Path, cache: Path | None = None) -> bool:
    """Whether to look at a folder tells nobody who looks: a server is asked where the file lies there.

    Windows signs in to any share that it is pointed to, and a record may come from a stranger.

    Args:
        folder: to look at.
        cache: folder on whose server it may lie as well: the artist has asked for what needs the cache. A file that is
            only opened has asked for nothing.
    """
    drive = PureWindowsPath(str(folder)).drive.lower()
    if not drive.startswith("\\\\"):
        return True
    known = (bpy.data.filepath, "" if cache is None else str(cache))
    return drive in {PureWindowsPath(path).drive.lower() for path in known}


def _job_folder(folder: Path, *names: str) -> Path | None:
    try:
        return inside(folder, *names, code="E_CACHE") if folder.is_absolute() and all(names) else None
    except XpbdError:
        return None


@lru_cache(maxsize=64)
def _parsed(text: str) -> BakeRecord | None:
    """A record from its text, which is asked for several times per frame and object."""
    try:
        values: Any = json.loads(text)
    # RecursionError: brackets nested by the thousand, in a file from a stranger
    except (ValueError, RecursionError):
        return None
    if not isinstance(values, dict) or values.pop("version", None) != RECORD_VERSION or not _is_valid(values):
        return None
    return BakeRecord(**values)


def _is_valid(values: dict[str, Any]) -> bool:
    kinds = {"str": str, "int": int, "bool": bool, "float": (int, float)}
    expected = {field.name: kinds[str(field.type)] for field in fields(BakeRecord)}
    defaults = {field.name: field.default for field in fields(BakeRecord) if field.default is not MISSING}
    values.update(defaults | values)
    if set(values) != set(expected) or not all(isinstance(values[name], kind) for name, kind in expected.items()):
        return False
    has_frames = values["step"] >= 1 and 0 <= values["end"] - values["start"] < MAXIMUM_FRAMES
    # NaN, which JSON may hold, is no such time either
    fits_blender = 0 <= values["active_index"] <= _LARGEST_NUMBER and abs(values["eval_time"]) <= _LARGEST_NUMBER
    has_numbers = max(abs(values["start"]), abs(values["end"]), values["step"]) <= _LARGEST_NUMBER
    if not (has_frames and has_numbers and fits_blender):
        return False
    cuts = values["cut_start"], values["cut_end"]
    is_shown = min(cuts) >= 0 and sum(cuts) <= values["end"] - values["start"] and is_speed(values["speed"])
    return bool(
        is_shown
        and min(values["loop"], values["regions"]) >= 0
        and abs(values["shift"]) <= LARGEST_SHIFT
        and 0 <= values["subframes"] <= MAXIMUM_SUBFRAMES
        and _SMALLEST_UNIT <= values["unit_scale"] <= _LARGEST_UNIT
        and _has_places(values)
        and _has_muted(values)
    )


def _has_places(values: dict[str, Any]) -> bool:
    """Whether the transforms are one, or one for each frame, and each can be inverted."""
    try:
        data = base64.b64decode(values["transforms"], validate=True)
    except ValueError:
        return False
    if not data:
        return True
    if len(data) not in {_TRANSFORM_BYTES, _TRANSFORM_BYTES * (values["end"] - values["start"] + 1)}:
        return False
    rows = np.frombuffer(data, "<f4").reshape(-1, 3, 4).astype(np.float64)
    return bool(np.isfinite(rows).all() and (np.linalg.det(rows[:, :, :3]) != 0.0).all())


def _has_muted(values: dict[str, Any]) -> bool:
    """Whether what is muted can be understood."""
    try:
        rows = json.loads(values["muted"] or "[]")
    except (ValueError, RecursionError):
        return False
    return isinstance(rows, list) and all(
        isinstance(row, list) and [type(value) for value in row] == [str, bool, bool] for row in rows
    )


def forget_record(obj: bpy.types.Object) -> None:
    """Remove the record from the object."""
    obj.xpbd.bake_record = ""
    stamp(obj, "")


def stamp(obj: bpy.types.Object, bake: str) -> None:
    """Write a bake's identifier to the mesh and its keys, "" for none: no two bakes leave the same bytes there.

    An undo leaves data-blocks alone whose bytes do not differ. The keys of a new bake may lie at the address of those
    it replaced; then a mesh looks unchanged, and would be left with the keys that the undo frees: a crash.
    """
    data: Any = obj.data
    for block in (data, getattr(data, "shape_keys", None)):
        if block is not None and block.is_editable:
            block.xpbd_bake = bake


def remove_orphans() -> None:
    """Remove keys of ours that have no mesh: an undo during a bake reads those again that the bake has replaced."""
    keys: list[Any] = [key for key in bpy.data.shape_keys if key.users == 0 and key.xpbd_bake]
    if keys:
        bpy.data.batch_remove(keys)
