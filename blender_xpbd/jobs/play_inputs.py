# SPDX-License-Identifier: GPL-3.0-or-later
"""What an artist did in each frame of a played run, recorded in its job folder.

``inputs/run_0001/input_00000002.json`` is the input of frame 2. A run that is begun again has a folder of its own; the
newest counts. Each file appears whole or not at all: the worker that plays waits for the next one, and a later bake of
the folder reads them all and computes the same bytes.
"""

from __future__ import annotations

import os
import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..scene.errors import XpbdError
from ..scene.parameter import Value
from ..scene.play import Changes, Grab, PlayInput
from .files import inside, io_error, is_there, make_folder, publish, read_bytes
from .record import Record, printable
from .strict_json import dump_json, parse_json

INPUTS_FOLDER = "inputs"
_MAXIMUM_BYTES = 2**20
_RUN = re.compile(r"run_([0-9]{4})")
_INPUT = re.compile(r"input_(-?[0-9]{8})\.json")
_KEYS = ("frame", "grab", "acceleration", "pull", "pull_point", "changes")
_GRAB_KEYS = ("body", "corners", "weights", "radius", "frequency", "target")
_CHANGES_KEYS = ("substeps", "gravity", "materials")


class PlayInputs:
    """The inputs of the runs of one job folder."""

    def __init__(self, folder: Path) -> None:
        """Nothing is read.

        Args:
            folder: the job folder.
        """
        self._folder = folder

    def newest_run(self) -> int:
        """The number of the run that was begun last; 0 where the folder was never played.

        Raises:
            XpbdError: E_CACHE for a link, E_IO.
        """
        return max(_numbers(inside(self._folder, INPUTS_FOLDER, code="E_CACHE"), _RUN), default=0)

    def begin_run(self) -> int:
        """Begin a run anew, and return its number.

        Raises:
            XpbdError: E_IO, when the disk refuses; E_CACHE for a link.
        """
        run = self.newest_run() + 1
        make_folder(self._run_folder(run))
        return run

    def has_run(self, run: int) -> bool:
        """Whether a run was begun."""
        return is_there(self._run_folder(run))

    def frames(self, run: int) -> list[int]:
        """The frames of which there is an input, ascending.

        Raises:
            XpbdError: E_CACHE for a link, E_IO.
        """
        return sorted(_numbers(self._run_folder(run), _INPUT))

    def publish(self, run: int, given: PlayInput) -> None:
        """Make the input of a frame visible.

        Raises:
            XpbdError: E_IO, when the disk refuses.
        """
        value = asdict(given)
        if given.grab is not None:
            value["grab"]["body"] = printable(given.grab.body)
        publish(self._path(run, given.frame), (dump_json(value),))

    def read(self, run: int, frame: int) -> PlayInput | None:
        """The input of a frame, None where there is none yet.

        Raises:
            XpbdError: E_CACHE naming the file, for what is not as ``publish`` leaves it; E_IO.
        """
        path = self._path(run, frame)
        if not is_there(path):
            return None
        value = parse_json(read_bytes(path, _MAXIMUM_BYTES, "E_CACHE"), path, "E_CACHE")
        record = Record(value, path, "E_CACHE", _KEYS)
        if record.integer("frame") != frame:
            record.refuse("frame is another than the file's name says")
        return PlayInput(
            frame,
            None if record.is_null("grab") else _read_grab(record.record("grab", _GRAB_KEYS)),
            record.vector("acceleration"),
            record.number("pull"),
            record.vector("pull_point"),
            _read_changes(record.record("changes", _CHANGES_KEYS)),
        )

    def _run_folder(self, run: int) -> Path:
        return inside(self._folder, INPUTS_FOLDER, f"run_{run:04d}", code="E_CACHE")

    def _path(self, run: int, frame: int) -> Path:
        name = f"input_{'-' if frame < 0 else ''}{abs(frame):08d}.json"
        return inside(self._folder, INPUTS_FOLDER, f"run_{run:04d}", name, code="E_CACHE")


def _read_grab(record: Record) -> Grab:
    corners = record.integers("corners")
    if len(corners) != 3:
        record.refuse("corners should have three numbers")
    return Grab(
        record.text("body"),
        (corners[0], corners[1], corners[2]),
        record.vector("weights"),
        record.number("radius"),
        record.number("frequency"),
        record.vector("target"),
    )


def _read_changes(record: Record) -> Changes:
    materials: dict[str, dict[str, Value]] = {}
    found = record.record("materials")
    for identifier in found.values():
        materials[identifier] = found.scalars(identifier)
    gravity = None if record.is_null("gravity") else record.vector("gravity")
    return Changes(record.integer("substeps", 0), gravity, materials)


def _numbers(folder: Path, pattern: re.Pattern[str]) -> list[int]:
    """Of the entries of a folder, what stands in their names; none where there is no folder."""
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries if not entry.is_symlink()]
    except FileNotFoundError:
        return []
    except OSError as fault:
        raise io_error("list", folder, 0, fault) from fault
    found: list[Any] = [pattern.fullmatch(name) for name in names]
    return [int(match[1]) for match in found if match]


def require_played(folder: Path) -> int:
    """The newest run of a folder that was played.

    Raises:
        XpbdError: E_CACHE, where there is none.
    """
    run = PlayInputs(folder).newest_run()
    if run == 0:
        raise XpbdError("E_CACHE", f"{folder} holds no played run; play, then keep the run.")
    return run
