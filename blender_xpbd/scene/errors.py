# SPDX-License-Identifier: GPL-3.0-or-later
"""Fault codes: what can go wrong, and how a bake says so.

Codes are part of the public interface. Every error names the object and says what to do; the
meaning of each code is in ``docs/faults.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import TypeVar

Item = TypeVar("Item")


class ExitCode(IntEnum):
    """Exit status of a headless bake."""

    COMPLETE = 0
    REFUSED = 2
    INTERRUPTED = 3
    DIVERGED = 4
    IO = 5
    CRASHED = 6
    LOCKED = 7


ERROR_EXIT_CODES: dict[str, ExitCode] = {
    # input
    "E_NOTHING": ExitCode.REFUSED,
    "E_PARAM": ExitCode.REFUSED,
    "E_FRAME_RANGE": ExitCode.REFUSED,
    "E_GEOM_EMPTY": ExitCode.REFUSED,
    "E_GEOM_NONFINITE": ExitCode.REFUSED,
    "E_CURVE": ExitCode.REFUSED,
    "E_NONFINITE": ExitCode.REFUSED,
    "E_TRANSFORM_SINGULAR": ExitCode.REFUSED,
    "E_OVERLAP": ExitCode.REFUSED,
    "E_TET_OPEN": ExitCode.REFUSED,
    "E_TET_VOLUME": ExitCode.REFUSED,
    "E_TET_TIMEOUT": ExitCode.REFUSED,
    "E_TET_CRASH": ExitCode.REFUSED,
    "E_TET_FILE": ExitCode.REFUSED,
    "E_DATA_LINKED": ExitCode.REFUSED,
    "E_DATA_SHARED": ExitCode.REFUSED,
    "E_MODE_EDIT": ExitCode.REFUSED,
    "E_MODIFIER_TOPOLOGY": ExitCode.REFUSED,
    "E_CACHE_STALE": ExitCode.REFUSED,
    # the job folder
    "E_JOB": ExitCode.REFUSED,
    "E_CACHE": ExitCode.IO,
    "E_IO": ExitCode.IO,
    "E_EXPORT": ExitCode.IO,
    "E_LOCKED": ExitCode.LOCKED,
    # the run
    "E_WINDOW": ExitCode.REFUSED,
    "E_DEP": ExitCode.REFUSED,
    "E_DEVICE": ExitCode.REFUSED,
    "E_DIVERGED": ExitCode.DIVERGED,
    "E_INTERRUPTED": ExitCode.INTERRUPTED,
    "E_MEMORY": ExitCode.CRASHED,
    "E_WORKER": ExitCode.CRASHED,
}

WARNING_CODES: tuple[str, ...] = (
    "W_GEOM_LOOSE",
    "W_GEOM_DEGENERATE",
    "W_TET_REPAIRED",
    "W_TET_SLIVERS",
    "W_THIN",
    "W_PRECISION",
    "W_ALL_PINNED",
    "W_PRESSURE",
    "W_PIN_GROUP",
    "W_GROUP",
    "W_LINK",
    "W_SEAM",
    "W_TORN",
    "W_QUALITY",
    "W_FILE_UNSAVED",
    "W_COLLIDER_SCALE",
    "W_ANIMATED",
    "W_RETRIED",
    "W_OBJECT_GONE",
    "W_INVERTED",
    "W_INSIDE",
    "W_ENCLOSED",
    "W_WITHIN",
    "W_CORE",
    "W_DOUBLED",
    "W_SEWING",
    "W_OVERLAP",
    "W_NEAR",
    "W_LET_OUT",
    "W_LIES",
    "W_FALLS",
    "W_COARSE",
    "W_SIZE",
    "W_UNITS",
    "W_GAP",
    "W_SMOOTHED",
    "W_THICKENED",
    "W_SHOWN_SMOOTH",
    "W_SIMPLIFY",
    "W_OPEN_SEAM",
    "W_FEEL",
    "W_HEAVY",
    "W_SPACE",
    "W_RANGE",
    "W_TANGLED",
    "W_TUNNELLED",
    "W_CROSSES",
    "W_CACHE_DAMAGED",
    "W_KERNELS",
    "W_FORCE",
    "W_IGNORED",
    "W_OWN_KEYS",
    "W_DEFORMER",
    "W_RIG",
    "W_SURFACE",
    "W_VERSION",
    "W_POSE",
)


class XpbdError(Exception):
    """A fault with a stable code, or several of them: then code, message, object and frame are those of the first.

    Attributes:
        code: one of ``ERROR_EXIT_CODES``.
        message: what happened and what to do, for the user.
        object_name: the object concerned, or "".
        frame: the frame concerned, or None.
        others: the faults after the first.
    """

    def __init__(
        self,
        code: str,
        message: str,
        object_name: str = "",
        frame: int | None = None,
        others: tuple[XpbdError, ...] = (),
    ) -> None:
        if code not in ERROR_EXIT_CODES:
            raise ValueError(f"unknown error code {code!r}")
        self.code = code
        self.message = message
        self.object_name = object_name
        self.frame = frame
        self.others = others
        super().__init__(str(self))

    @classmethod
    def joined(cls, errors: Sequence[XpbdError]) -> XpbdError:
        """One error with all the faults of one or several."""
        first, *others = (fault for error in errors for fault in error.faults)
        return cls(first.code, first.message, first.object_name, first.frame, tuple(others))

    @property
    def faults(self) -> tuple[XpbdError, ...]:
        """Each fault by itself."""
        return (XpbdError(self.code, self.message, self.object_name, self.frame), *self.others)

    def __str__(self) -> str:
        """A line for each fault."""
        where = f' object "{self.object_name}"' if self.object_name else ""
        when = f" frame {self.frame}" if self.frame is not None else ""
        text = f"{self.code}:{where}{when}{':' if where or when else ''} {self.message}"
        return "\n".join((text, *map(str, self.others)))

    @property
    def exit_code(self) -> ExitCode:
        """The exit status of a headless run that ends with this error."""
        return ERROR_EXIT_CODES[self.code]


def attempt_all(action: Callable[[Item], None], items: Iterable[Item]) -> None:
    """Do something with each item, also where it has failed with another.

    Raises:
        XpbdError: all that went wrong.
    """
    errors = []
    for item in items:
        try:
            action(item)
        except XpbdError as error:
            errors.append(error)
    if errors:
        raise XpbdError.joined(errors)


@dataclass(frozen=True)
class Notice:
    """A warning that does not stop a bake.

    Attributes:
        code: one of ``WARNING_CODES``.
        message: what was found and what it means, for the user.
        object_name: the object concerned, or "".
    """

    code: str
    message: str
    object_name: str = ""

    def __post_init__(self) -> None:
        if self.code not in WARNING_CODES:
            raise ValueError(f"unknown warning code {self.code!r}")

    def __str__(self) -> str:
        where = f' object "{self.object_name}":' if self.object_name else ""
        return f"{self.code}:{where} {self.message}"
