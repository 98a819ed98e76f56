# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a bake is, and why it stopped."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast, get_args

from ..scene.errors import Notice, XpbdError
from .files import inside, is_there, publish
from .record import Record, printable, read_error_code, read_notices, write_notices
from .strict_json import load_json

STATUS_FILE = "status.json"

State = Literal["STARTING", "BUILDING", "RUNNING", "COMPLETE", "INTERRUPTED", "FAILED"]
STATES: tuple[str, ...] = get_args(State)

_MAXIMUM_BYTES = 2**20
_KEYS = (
    "state",
    "frame",
    "frames_done",
    "frames_total",
    "seconds",
    "solver_fps",
    "device",
    "pid",
    "resumed_after",
    "notices",
    "error",
)
_FAULT_KEYS = ("code", "message", "object_name", "frame")


@dataclass(frozen=True)
class Fault:
    """An error as it is kept in a file; see ``XpbdError``."""

    code: str
    message: str
    object_name: str = ""
    frame: int | None = None

    @classmethod
    def from_error(cls, error: XpbdError) -> Fault:
        """Keep an error."""
        return cls(error.code, error.message, error.object_name, error.frame)

    def to_error(self) -> XpbdError:
        """The error again."""
        return XpbdError(self.code, self.message, self.object_name, self.frame)


@dataclass(frozen=True)
class Status:
    """The state of a bake.

    Attributes:
        state: what the worker does, or how it ended.
        frame: the newest frame published, or None.
        frames_done, frames_total: published, and to be published.
        seconds: spent so far in each stage ("read", "build", "compile", "solve", "write").
        solver_fps: frames per second of the solver alone.
        device: what it runs on, for the user.
        pid: of the worker.
        resumed_after: the frame from whose state it went on, or None where it began anew.
        notices: warnings so far.
        error: why it failed, or None.
    """

    state: State
    frame: int | None = None
    frames_done: int = 0
    frames_total: int = 0
    seconds: dict[str, float] = field(default_factory=dict)
    solver_fps: float = 0.0
    device: str = ""
    pid: int = 0
    resumed_after: int | None = None
    notices: tuple[Notice, ...] = ()
    error: Fault | None = None


def write_status(folder: Path, status: Status) -> None:
    """Write ``status.json`` of a job folder; cheap enough for each frame.

    Raises:
        XpbdError: E_IO.
        ValueError: for a time that is not finite.
    """
    value = {
        "state": status.state,
        "frame": _integer(status.frame),
        "frames_done": int(status.frames_done),
        "frames_total": int(status.frames_total),
        "seconds": {stage: float(seconds) for stage, seconds in status.seconds.items()},
        "solver_fps": float(status.solver_fps),
        "device": status.device,
        "pid": status.pid,
        "resumed_after": _integer(status.resumed_after),
        "notices": write_notices(status.notices),
        "error": _describe(status.error) if status.error else None,
    }
    # Without indentation, the encoder in C does it
    content = json.dumps(value, allow_nan=False).encode("utf-8")
    publish(inside(folder, STATUS_FILE, code="E_CACHE"), (content,))


def read_status(folder: Path) -> Status | None:
    """Read ``status.json`` of a job folder, or None where there is none yet.

    Raises:
        XpbdError: E_CACHE naming the file, for whatever is not as ``write_status`` leaves it; E_IO when the system
            cannot read it.
    """
    path = inside(folder, STATUS_FILE, code="E_CACHE")
    if not is_there(path):
        return None
    record = Record(load_json(path, _MAXIMUM_BYTES, "E_CACHE"), path, "E_CACHE", _KEYS)
    seconds = record.record("seconds")
    return Status(
        state=cast("State", record.choice("state", STATES)),
        frame=record.optional_integer("frame"),
        frames_done=record.integer("frames_done", 0),
        frames_total=record.integer("frames_total", 0),
        seconds={stage: seconds.number(stage) for stage in seconds.values()},
        solver_fps=record.number("solver_fps"),
        device=record.text("device"),
        pid=record.integer("pid", 0),
        resumed_after=record.optional_integer("resumed_after"),
        notices=read_notices(record, "notices"),
        error=None if record.is_null("error") else _fault(record.record("error", _FAULT_KEYS)),
    )


def _describe(fault: Fault) -> dict[str, Any]:
    return {
        "code": fault.code,
        "message": printable(fault.message),
        "object_name": printable(fault.object_name),
        "frame": _integer(fault.frame),
    }


def _integer(value: int | None) -> int | None:
    # NumPy's integers are none that JSON knows
    return None if value is None else int(value)


def _fault(record: Record) -> Fault:
    return Fault(
        code=read_error_code(record, "code"),
        message=record.text("message"),
        object_name=record.text("object_name"),
        frame=record.optional_integer("frame"),
    )
