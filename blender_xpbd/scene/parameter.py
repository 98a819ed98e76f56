# SPDX-License-Identifier: GPL-3.0-or-later
"""One description of a number that the user sets: panels, the job schema and the docs are made from it."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import Literal

import numpy as np

from .errors import XpbdError

Value = float | int | bool | str
Kind = Literal["FLOAT", "INT", "BOOL", "ENUM", "STRING"]


@dataclass(frozen=True)
class Choice:
    """One item of an enumeration: its stable identifier, its label and what it means."""

    identifier: str
    label: str
    description: str


@dataclass(frozen=True)
class Parameter:
    """A named value with its unit, default and range.

    Attributes:
        name: the attribute in ``Object.xpbd`` or ``Scene.xpbd`` and the key in a job.
        label: what the panel shows.
        description: the tooltip, for an artist.
        default: value of a new object or scene; its type is the parameter's.
        unit: SI unit, "" for a pure number.
        minimum, maximum: limits, inclusive; ``exclusive_minimum`` makes the lower one exclusive.
        soft_minimum, soft_maximum: the range of the slider, where it is smaller.
        choices: the items of an enumeration.
        roles: the roles whose panel shows it; empty for all or for the scene.
        animatable: whether a track may give it a value for each frame, see ``track``.
    """

    name: str
    label: str
    description: str
    default: Value
    unit: str = ""
    minimum: float = -math.inf
    maximum: float = math.inf
    soft_minimum: float | None = None
    soft_maximum: float | None = None
    exclusive_minimum: bool = False
    choices: tuple[Choice, ...] = ()
    roles: tuple[str, ...] = ()
    animatable: bool = False

    @property
    def kind(self) -> Kind:
        """The kind of value, from the default and the choices."""
        if self.choices:
            return "ENUM"
        if isinstance(self.default, bool):
            return "BOOL"
        if isinstance(self.default, int):
            return "INT"
        return "FLOAT" if isinstance(self.default, float) else "STRING"

    def check(self, value: Value, object_name: str = "") -> Value:
        """Return the value in the parameter's type; what single precision makes of a limit is that limit.

        Raises:
            XpbdError: E_PARAM, when it is of another type, not finite, out of range or no choice.
        """
        if self.kind == "ENUM":
            if not isinstance(value, str) or value not in {choice.identifier for choice in self.choices}:
                known = ", ".join(choice.identifier for choice in self.choices)
                raise self._refused(value, f"use one of {known}", object_name)
            return value
        if self.kind == "STRING":
            if not isinstance(value, str):
                raise self._refused(value, "use a text", object_name)
            return value
        if self.kind == "BOOL":
            if not isinstance(value, bool):
                raise self._refused(value, "use true or false", object_name)
            return value
        return self._check_number(value, object_name)

    def _check_number(self, value: Value, object_name: str) -> float | int:
        # Compared, because math.isfinite raises for a whole number of 400 digits
        largest = sys.float_info.max
        if isinstance(value, bool) or not isinstance(value, int | float) or not -largest <= value <= largest:
            raise self._refused(value, "use a finite number", object_name)
        if self.kind == "INT" and value != int(value):
            raise self._refused(value, "use a whole number", object_name)
        value = self._unrounded(value)
        too_low = value <= self.minimum if self.exclusive_minimum else value < self.minimum
        if too_low or value > self.maximum:
            low = f"{'more than' if self.exclusive_minimum else 'at least'} {self.minimum:g}"
            high = f" and at most {self.maximum:g}" if math.isfinite(self.maximum) else ""
            raise self._refused(value, f"use {low}{high}", object_name)
        return int(value) if self.kind == "INT" else float(value)

    def _unrounded(self, value: float) -> float:
        """A limit where the value is that limit in single precision, as Blender keeps it: 0.499 reads 0.49900001."""
        if self.kind == "FLOAT":
            for limit in (self.minimum, self.maximum):
                if math.isfinite(limit) and value == float(np.float32(limit)):
                    return limit
        return value

    def _refused(self, value: Value, advice: str, object_name: str) -> XpbdError:
        unit = f" {self.unit}" if self.unit else ""
        return XpbdError("E_PARAM", f"{self.label} ({self.name}) is {value!r}{unit}; {advice}.", object_name)


def by_name(parameters: tuple[Parameter, ...]) -> dict[str, Parameter]:
    """The parameters, keyed by name, in their order."""
    return {parameter.name: parameter for parameter in parameters}
