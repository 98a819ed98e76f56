# SPDX-License-Identifier: GPL-3.0-or-later
"""A track in a job folder: what it moves in ``job.json``, and its values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..scene.force import FORCE_PARAMETERS
from ..scene.parameters.material_parameters import MATERIAL_PARAMETERS
from ..scene.settings import SCENE_PARAMETERS
from ..scene.track import Track, animatable
from .array_record import Arrays, describe_arrays, read_arrays, typed
from .array_shapes import FRAMES, ArraySpec
from .identifiers import read_identifier
from .record import Record

TRACK_KEYS = ("target", "parameter", "arrays")

_PREFIX = "track_"
_PARAMETERS = frozenset(animatable([*MATERIAL_PARAMETERS, *SCENE_PARAMETERS, *FORCE_PARAMETERS]))


def track_arrays(track: Track) -> Arrays:
    """The values, in the type and by the name of the file."""
    return typed({_array_name(track.parameter): track.values}, _specs(track.parameter))


def describe_track(track: Track) -> dict[str, Any]:
    """The track as an object of ``job.json``."""
    return {
        "target": track.target,
        "parameter": track.parameter,
        "arrays": describe_arrays(track_arrays(track)),
    }


def track_specs(record: Record) -> dict[str, ArraySpec]:
    """The array that a track of a job should have.

    Raises:
        XpbdError: E_JOB, for a parameter that cannot be animated.
    """
    return _specs(record.choice("parameter", _PARAMETERS))


def read_track(folder: Path, record: Record, frame_count: int) -> Track:
    """Read a track of a job.

    Args:
        folder: the job folder.
        record: of the track.
        frame_count: frames of the job.

    Raises:
        XpbdError: E_JOB, E_IO.
    """
    target = read_identifier(record, "target")
    ((name, values),) = read_arrays(folder, target, record, track_specs(record), frame_count).items()
    return Track(target, name.removeprefix(_PREFIX), values)


def _array_name(parameter: str) -> str:
    return f"{_PREFIX}{parameter}"


def _specs(parameter: str) -> dict[str, ArraySpec]:
    return {_array_name(parameter): ("<f8", (FRAMES,))}
