# SPDX-License-Identifier: GPL-3.0-or-later
"""Force fields: kinds, parameters with their units, and where they are at each frame. World space, SI units."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from .checks import require_transforms
from .errors import XpbdError
from .parameter import Choice, Parameter, Value

Floats = npt.NDArray[np.float64]

FORCE_KINDS: tuple[Choice, ...] = (
    Choice("WIND", "Wind", "Air that moves along the local Z axis; the strength is its speed [m/s]"),
    Choice("FORCE", "Force", "Pushes away from the local origin, or pulls where negative [m/s²]"),
    Choice("VORTEX", "Vortex", "Drives around the local Z axis [m/s²]"),
    Choice("TURBULENCE", "Turbulence", "Pushes in directions that change from place to place [m/s²]"),
    Choice("DRAG", "Drag", "Slows all motion; the strength is the share that is lost per second [1/s]"),
)

FORCE_PARAMETERS: tuple[Parameter, ...] = (
    Parameter(
        "strength",
        "Strength",
        "How strong the field is at its origin, in the unit of its kind",
        1.0,
        minimum=-1e9,
        maximum=1e9,
        animatable=True,
    ),
    Parameter(
        "falloff",
        "Power",
        "Power of the distance by which the field gets weaker; 0 is the same everywhere",
        0.0,
        minimum=0.0,
        maximum=10.0,
    ),
    Parameter(
        "maximum_distance", "Greatest Distance", "Distance at which the field ends; 0 for no end", 0.0, "m", 0.0, 1e9
    ),
    Parameter("noise", "Noise", "Random part of the strength", 0.0, minimum=0.0, maximum=10.0, animatable=True),
    Parameter(
        "flow",
        "Flow",
        "How much the air's own speed takes bodies along",
        0.0,
        minimum=0.0,
        maximum=10.0,
        animatable=True,
    ),
    Parameter("size", "Size", "Size of the eddies of turbulence", 1.0, "m", 0.0, 1e9, exclusive_minimum=True),
    Parameter("seed", "Seed", "Chooses one of many noises", 1, minimum=0, maximum=2**31 - 1),
)


@dataclass(frozen=True)
class Force:
    """A force field.

    Attributes:
        identifier, name: as for a body.
        kind: the identifier of one of ``FORCE_KINDS``.
        transforms: local to world [m], shape (frames or 1, 4, 4); one where nothing moves.
        strength, falloff, maximum_distance, noise, flow, size, seed: as in ``FORCE_PARAMETERS``.
    """

    identifier: str
    name: str
    kind: str
    transforms: Floats
    strength: float = 1.0
    falloff: float = 0.0
    maximum_distance: float = 0.0
    noise: float = 0.0
    flow: float = 0.0
    size: float = 1.0
    seed: int = 1

    def values(self) -> dict[str, Value]:
        """The parameters as a plain mapping."""
        names = {parameter.name for parameter in FORCE_PARAMETERS}
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name in names}


def validate_force(force: Force, frame_count: int) -> None:
    """Check what a stranger's job, or a script, may have got wrong.

    Args:
        force: to be checked.
        frame_count: frames of the scene.

    Raises:
        XpbdError: E_PARAM or E_TRANSFORM_SINGULAR.
    """
    if force.kind not in {kind.identifier for kind in FORCE_KINDS}:
        raise XpbdError("E_PARAM", f"Unknown force field {force.kind!r}.", force.name)
    values = force.values()
    for parameter in FORCE_PARAMETERS:
        parameter.check(values[parameter.name], force.name)
    require_transforms(force.transforms, frame_count, force.name)
