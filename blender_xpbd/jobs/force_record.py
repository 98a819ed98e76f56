# SPDX-License-Identifier: GPL-3.0-or-later
"""A force field in a job folder: its object in ``job.json`` and its transforms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..scene.force import FORCE_KINDS, FORCE_PARAMETERS, Force
from .array_record import Arrays, describe_arrays, read_arrays, typed
from .array_shapes import FRAMES, ArraySpec
from .identifiers import read_identifier
from .record import Record

FORCE_KEYS = ("identifier", "kind", "parameters", "arrays")

FORCE_ARRAYS: dict[str, ArraySpec] = {"transforms": ("<f8", (FRAMES, 4, 4))}
_NAMES = tuple(parameter.name for parameter in FORCE_PARAMETERS)


def force_arrays(force: Force) -> Arrays:
    """The arrays of a force field, in the types of the file."""
    return typed({"transforms": force.transforms}, FORCE_ARRAYS)


def describe_force(force: Force) -> dict[str, Any]:
    """The force field as an object of ``job.json``."""
    values = force.values()
    return {
        "identifier": force.identifier,
        "kind": force.kind,
        "parameters": {
            parameter.name: parameter.check(values[parameter.name], force.name) for parameter in FORCE_PARAMETERS
        },
        "arrays": describe_arrays(force_arrays(force)),
    }


def read_force(folder: Path, record: Record, names: Record, frame_count: int) -> Force:
    """Read a force field of a job; arguments as of ``body_record.read_body``.

    Raises:
        XpbdError: E_JOB, E_IO; E_PARAM for a parameter out of range.
    """
    identifier = read_identifier(record)
    name = names.text_or(identifier, identifier)
    record.record("parameters", _NAMES)
    values = record.scalars("parameters")
    checked: dict[str, Any] = {
        parameter.name: parameter.check(values[parameter.name], name) for parameter in FORCE_PARAMETERS
    }
    return Force(
        identifier=identifier,
        name=name,
        kind=record.choice("kind", [kind.identifier for kind in FORCE_KINDS]),
        transforms=read_arrays(folder, identifier, record, FORCE_ARRAYS, frame_count)["transforms"],
        **checked,
    )
