# SPDX-License-Identifier: GPL-3.0-or-later
"""What differs between two jobs, in an artist's words, and from which frame on."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..scene.force import AIR_DENSITY, FORCE_PARAMETERS
from ..scene.parameters.material_parameters import MATERIAL_PARAMETERS
from ..scene.region import IDENTIFIER as REGION
from ..scene.settings import SCENE_PARAMETERS, SOLVER_PARAMETERS, SPRING_SWEEPS
from ..scene.track import SCENE_TARGET
from .array_record import array_path
from .array_shapes import FRAMES, ArrayDescription, ArraySpec, read_descriptions, require_memory
from .arrays import Array, load_array
from .body_record import BODY_KEYS, OPTIONAL_KEYS, body_specs
from .collider_record import COLLIDER_ARRAYS, COLLIDER_KEYS
from .force_record import FORCE_ARRAYS, FORCE_KEYS
from .identifiers import read_identifier
from .job import is_of_another_version, read_description
from .pose_record import POSE_ARRAYS, POSES, first_changed_frame, leads
from .record import Record
from .track_record import TRACK_KEYS, track_specs

_BEGINNING = "frame that it goes on from"

_LABELS: dict[str, str] = {
    parameter.name: parameter.label
    for parameter in (
        *SCENE_PARAMETERS,
        *SOLVER_PARAMETERS,
        SPRING_SWEEPS,
        *FORCE_PARAMETERS,
        *MATERIAL_PARAMETERS,
        AIR_DENSITY,
    )
} | {
    "transforms": "animation",
    "pin_targets": "animation of its pins",
    "pin_matrices": "animation of its pins",
    "start": "first frame",
    "end": "last frame",
    "step": "frame step",
    "frame_duration": "frame rate",
    "sees": "collision collection",
    "attach_target": "attachment",
    "fields": "force collection",
    "beginning": _BEGINNING,
    "job": _BEGINNING,
    "frame": _BEGINNING,
}
# arrays by the beginning of their names; what is left is the mesh
_ARRAY_LABELS = (
    ("pin_", "pins"),
    ("attach_", "attachment"),
    ("factor_", "vertex groups"),
    ("contact_", "no-contact group"),
    ("tetrahedra", "tetrahedra"),
    ("", "mesh or place"),
)


@dataclass(frozen=True)
class Change:
    """One input that differs.

    Attributes:
        object_name: whose it is, "" for the scene's.
        what: the input, as the panel calls it.
        frame: the first frame at which it differs; None where it counts from the start.
        keeps: whether frames before it stay as they were; not where a body is built from the greatest value of all
            frames.
        foreseen: the first frame that is not as it was, where that is before ``frame``: on its way into a pose a body
            goes by what will be. None where it is not.
        is_rounding: whether it is a number that single precision would make the same, as of a preset that was left.
    """

    object_name: str
    what: str
    frame: int | None = None
    keeps: bool = True
    foreseen: int | None = None
    is_rounding: bool = False

    @property
    def first(self) -> int | None:
        """The first frame that is not as it was; None where none needs to be."""
        return self.frame if self.foreseen is None else self.foreseen

    def __str__(self) -> str:
        """As "Suzanne: Young's Modulus", or "Cube: animation from frame 40"."""
        text = f"{self.object_name}: {self.what}" if self.object_name else self.what
        return text if self.frame is None else f"{text} from frame {self.frame}"


# what an object does in the later job
_IS_HELD, _IS_SIMULATED = "now a collider", "now simulated"
_OTHER_VERSION = Change("", "version of the add-on")


@dataclass(frozen=True)
class _Item:
    """An object of a job, or one of its tracks."""

    name: str
    identifier: str
    record: Record
    specs: Mapping[str, ArraySpec]


@dataclass(frozen=True)
class _Job:
    folder: Path
    record: Record
    scene: Record
    start: int
    count: int

    @classmethod
    def read(cls, folder: Path) -> _Job:
        record = read_description(folder)
        scene = record.record("scene")
        frames = scene.record("frames")
        start = frames.integer("start")
        return cls(folder, record, scene, start, frames.integer("end") - start + 1)

    def items(self) -> dict[str, _Item]:
        """All that has arrays, by what tells it from others."""
        names = self.record.record("names")
        found: dict[str, _Item] = {}
        for record in self.scene.records("bodies", BODY_KEYS, OPTIONAL_KEYS):
            identifier = read_identifier(record)
            name = names.text_or(identifier, identifier)
            found[f"bodies {name}"] = _Item(name, identifier, record, body_specs(record))
        kinds: tuple[tuple[str, tuple[str, ...], Mapping[str, ArraySpec]], ...] = (
            ("colliders", COLLIDER_KEYS, COLLIDER_ARRAYS),
            ("forces", FORCE_KEYS, FORCE_ARRAYS),
        )
        for kind, keys, specs in kinds:
            for record in self.scene.records(kind, keys):
                identifier = read_identifier(record)
                name = names.text_or(identifier, identifier)
                found[f"{kind} {name}"] = _Item(name, identifier, record, specs)
        for record in self.scene.records("tracks", TRACK_KEYS):
            identifier = read_identifier(record, "target")
            name = "" if identifier == SCENE_TARGET else names.text_or(identifier, identifier)
            found[f"track {name} {record.text('parameter')}"] = _Item(name, identifier, record, track_specs(record))
        return found

    def array(self, item: _Item, name: str, description: ArrayDescription) -> Array:
        require_memory([description], self.folder)
        path = array_path(self.folder, item.identifier, name)
        return load_array(path, description.dtype, description.shape, description.digest)


def changes(before: Path, after: Path, *, with_beginning: bool = True) -> tuple[Change, ...]:
    """What of the inputs of a job is not as in an earlier one, each once.

    Args:
        before: folder of the earlier job.
        after: folder of the job.
        with_beginning: whether the job that one goes on from, and the region of it, count as inputs.

    Raises:
        XpbdError: E_JOB, where one cannot be read; E_IO; E_MEMORY.
    """
    if is_of_another_version(before):
        # its inputs are told in words that this version may not know
        return (_OTHER_VERSION,)
    old, new = _Job.read(before), _Job.read(after)
    found = [
        *_version_changes(old, new),
        *_setting_changes(old, new, with_beginning=with_beginning),
        *_item_changes(old, new),
    ]
    first: dict[tuple[str, str], Change] = {}
    for change in found:
        key = change.object_name, change.what
        first[key] = min(first.get(key, change), change, key=_earliness)
    ways = [way for job in (old, new) for item in job.items().values() for way in leads(item.record)]
    return tuple(_foreseen(change, ways) for change in first.values())


def _foreseen(change: Change, ways: Iterable[tuple[int, int]]) -> Change:
    """A change, with the frame from which it counts where it comes on the way into a pose; ``ways``: see ``leads``."""
    if change.frame is None:
        return change
    first = change.frame
    # the last ones first: a way may begin within an earlier one
    for begin, end in sorted(ways, reverse=True):
        if begin < first <= end:
            first = begin + 1
    return replace(change, foreseen=first) if first < change.frame else change


def _earliness(change: Change) -> tuple[float, bool]:
    return -math.inf if change.frame is None else change.frame, change.keeps


def _version_changes(old: _Job, new: _Job) -> Iterator[Change]:
    keys = ("software", "solver_version")
    if any(old.record.values()[key] != new.record.values()[key] for key in keys):
        yield _OTHER_VERSION


def _setting_changes(old: _Job, new: _Job, *, with_beginning: bool) -> Iterator[Change]:
    """Of the scene itself."""
    others = {"bodies", "colliders", "forces", "tracks", *(() if with_beginning else ("beginning", REGION))}
    before, after = (
        {key: value for key, value in job.scene.values().items() if key not in others} for job in (old, new)
    )
    ends = [job.start + job.count - 1 for job in (old, new)]
    for key, is_rounding in _differing(before, after):
        yield Change("", _label(key), min(ends) + 1 if key == "end" else None, is_rounding=is_rounding)


def _item_changes(old: _Job, new: _Job) -> Iterator[Change]:
    before, after = old.items(), new.items()
    turned = _turned(before, after)
    for key in before.keys() - after.keys():
        if before[key].name not in turned:
            yield Change(before[key].name, _gone(before[key], "removed"))
    for name, what in turned.items():
        yield Change(name, what)
    if _order(before, after) != _order(after, before):
        yield Change("", "order of the objects")
    for key, item in after.items():
        if key not in before:
            if item.name not in turned:
                yield Change(item.name, _gone(item, "added"))
            continue
        former = before[key]
        left_out = ("arrays", "identifier", "target", POSES)
        for name, is_rounding in _differing(former.record.values(), item.record.values(), but=left_out):
            yield Change(item.name, _label(name), is_rounding=is_rounding)
        yield from _pose_changes(old, former, new, item)
        yield from _array_changes(old, former, new, item)


def _order(items: Mapping[str, _Item], others: Mapping[str, _Item]) -> list[str]:
    """The objects that both jobs have, as they stand in one."""
    return [key for key, item in items.items() if key in others and "target" not in item.record.values()]


def _turned(before: Mapping[str, _Item], after: Mapping[str, _Item]) -> dict[str, str]:
    """What is told of objects that were simulated and are colliders now, or the other way round, by name."""
    found: dict[str, str] = {}
    for kind, other, what in (("bodies", "colliders", _IS_HELD), ("colliders", "bodies", _IS_SIMULATED)):
        gone = (before[key].name for key in before.keys() - after.keys() if key == f"{kind} {before[key].name}")
        found |= {name: what for name in gone if f"{other} {name}" in after.keys() - before.keys()}
    return dict(sorted(found.items()))


def _gone(item: _Item, verb: str) -> str:
    """An object or a track that only one of the jobs has."""
    values = item.record.values()
    return f"animation of {_label(values['parameter'])}" if "target" in values else verb


def _array_changes(old: _Job, former: _Item, new: _Job, item: _Item) -> Iterator[Change]:
    before = read_descriptions(former.record, former.specs, old.count)
    after = read_descriptions(item.record, item.specs, new.count)
    for name, (_, shape) in item.specs.items():
        if name in POSE_ARRAYS or before[name] == after[name]:
            continue
        pair = old.array(former, name, before[name]), new.array(item, name, after[name])
        if not shape or shape[0] != FRAMES or pair[0].shape[1:] != pair[1].shape[1:] or not all(map(len, pair)):
            yield Change(item.name, _array_label(name))
            continue
        row, keeps = _first_difference(*pair), _is_built_alike(item, name, *pair)
        if row is not None or not keeps:
            is_moved = len(pair[0]) > 1 or len(pair[1]) > 1
            label = "animation" if name == "positions" and is_moved else _array_label(name)
            frame = new.start + row if row and old.start == new.start else None
            yield Change(item.name, label, frame, keeps)


def _pose_changes(old: _Job, former: _Item, new: _Job, item: _Item) -> Iterator[Change]:
    """Of the poses of a body: frames before their force acts stay as they were."""
    pair = []
    for job, one in ((old, former), (new, item)):
        described = read_descriptions(one.record, one.specs, job.count)
        pair.append({name: job.array(one, name, described[name]) for name in POSE_ARRAYS if name in one.specs})
    places = [next(iter(arrays.values()), np.zeros((0, 0, 3))) for arrays in pair]
    is_fitting = places[0].shape[1:] == places[1].shape[1:]
    moved = [not is_fitting or bool((one != other).any()) for one, other in zip(*places, strict=False)]
    if any(moved) or former.record.values().get(POSES) != item.record.values().get(POSES):
        frame = first_changed_frame(former.record, item.record, moved)
        is_later = frame is not None and old.start == new.start < frame
        yield Change(item.name, "pose target", frame if is_later else None)


def _first_difference(before: Array, after: Array) -> int | None:
    """The first frame at which two arrays differ, of those that both have; one row stands for all frames."""
    lengths = [len(array) for array in (before, after) if len(array) > 1]
    count = min(lengths, default=1)
    rows = [
        array[:count] if len(array) > 1 else np.broadcast_to(array, (count, *array.shape[1:]))
        for array in (before, after)
    ]
    differs = (rows[0] != rows[1]).reshape(count, -1).any(axis=1)
    return int(np.argmax(differs)) if differs.any() else None


def _is_built_alike(item: _Item, name: str, before: Array, after: Array) -> bool:
    """Whether what is built once for all frames is the same: from a track's extremes, and of a mesh that deforms."""
    if "parameter" in item.record.values():
        return _extremes(before) == _extremes(after)
    if name == "positions":
        return (len(before) > 1) == (len(after) > 1)
    return name != "transforms" or _keeps_scale(before) == _keeps_scale(after)


def _keeps_scale(transforms: Array) -> bool:
    """Whether matrices, shape (frames, 4, 4), turn and move a mesh without scaling it."""
    linear = transforms[:, :3, :3]
    squares = np.swapaxes(linear, 1, 2) @ linear
    return bool(np.allclose(squares, squares[0], rtol=1e-9, atol=1e-12))


def _extremes(values: Array) -> tuple[float, float]:
    return float(values.min()), float(values.max())


def _differing(
    before: Mapping[str, Any], after: Mapping[str, Any], but: tuple[str, ...] = ()
) -> Iterator[tuple[str, bool]]:
    """The keys whose values differ, at any depth, and whether they do by rounding alone."""
    for key in {**before, **after}:
        if key in but:
            continue
        old, new = before.get(key), after.get(key)
        if isinstance(old, dict) and isinstance(new, dict):
            yield from _differing(old, new)
        elif old != new:
            yield key, isinstance(old, float) and isinstance(new, float) and math.isclose(old, new, rel_tol=1e-6)


def _array_label(name: str) -> str:
    known = _LABELS.get(name) or _LABELS.get(name.removeprefix("track_"))
    return known or next(label for beginning, label in _ARRAY_LABELS if name.startswith(beginning))


def _label(key: str) -> str:
    return _LABELS.get(key, key.replace("_", " "))


def told(found: Iterable[Change], *, only: Container[str] = ()) -> list[str]:
    """Changes in an artist's words; what differs by rounding is told only where nothing else does.

    From which frame of which bake one goes on is chosen by the button, and is told of the result.

    Args:
        found: the changes.
        only: names of the bodies that alone are simulated on purpose; that others are held is no news. Empty for all.
    """
    listed = [
        change
        for change in found
        if change.what != _BEGINNING and not (only and change.what == _IS_HELD and change.object_name not in only)
    ]
    return [str(change) for change in listed if not change.is_rounding] or [str(change) for change in listed]


def kept_until(found: tuple[Change, ...]) -> int | None:
    """The last frame that is the same in both jobs, as far as inputs tell; None where none needs to be."""
    frames = [change.first for change in found if change.first is not None and change.keeps]
    return min(frames) - 1 if frames and len(frames) == len(found) else None
