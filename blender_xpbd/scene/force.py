# SPDX-License-Identifier: GPL-3.0-or-later
"""Force fields: kinds, parameters with their units, and where they are at each frame.

What a field does is what Blender's fields of the same names do to a particle of 1 kg (``source/blender/blenkernel``,
``effect.cc``), so that a strength is a force per mass [N/kg], the same for coarse and fine meshes. Wind is the speed of
the air instead: its force follows from the area that stands in its way.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from .checks import require_transforms
from .errors import XpbdError
from .parameter import Choice, Parameter, Value

Floats = npt.NDArray[np.float64]

FORCE_KINDS: tuple[Choice, ...] = (
    Choice("FORCE", "Force", "Pushes away from the origin, or pulls where negative [m/s²]"),
    Choice("WIND", "Wind", "Air that moves along the local Z axis [m/s]"),
    Choice("VORTEX", "Vortex", "Drives around the local Z axis [rad/s]; of the shape Point [1/s²]"),
    Choice("MAGNET", "Magnetic", "Turns what moves, as a magnet turns the way of a charge of 1 C/kg [1/s]"),
    Choice("HARMONIC", "Harmonic", "Pulls as a spring from the origin [1/s²]"),
    Choice("CHARGE", "Charge", "Pushes away from the origin, the more the farther away [1/s²]"),
    Choice("TURBULENCE", "Turbulence", "Pushes in directions that change from place to place [m/s²]"),
    Choice("DRAG", "Drag", "Slows all motion: the strength times the square of the speed [1/m]"),
)
FORCE_SHAPES: tuple[Choice, ...] = (
    Choice("POINT", "Point", "Distances are from the origin"),
    Choice("LINE", "Line", "Distances are from the local Z axis"),
    Choice("PLANE", "Plane", "Distances are from the local XY plane"),
)
FALLOFF_KINDS: tuple[Choice, ...] = (
    Choice("SPHERE", "Sphere", "By the distance"),
    Choice("TUBE", "Tube", "By the distance along the local Z axis, and that from the axis"),
    Choice("CONE", "Cone", "By the distance along the local Z axis, and the angle with it"),
)
FORCE_SIDES: tuple[Choice, ...] = (
    Choice("BOTH", "Both", "Acts on both sides of the local XY plane"),
    Choice("POSITIVE", "+Z", "Acts above the local XY plane alone"),
    Choice("NEGATIVE", "-Z", "Acts below the local XY plane alone"),
)

_GREATEST = 1e9


def _number(name: str, label: str, description: str, default: float = 0.0, unit: str = "") -> Parameter:
    """A parameter that is not negative and may be animated."""
    return Parameter(name, label, description, default, unit, 0.0, _GREATEST, animatable=True)


FORCE_PARAMETERS: tuple[Parameter, ...] = (
    Parameter(
        "strength",
        "Strength",
        "How strong the field is at its origin, in the unit of its kind",
        1.0,
        minimum=-_GREATEST,
        maximum=_GREATEST,
        animatable=True,
    ),
    Parameter(
        "damping",
        "Damping",
        "Of Harmonic, the share of what stops its swinging soonest; of Drag, the share of motion lost per second",
        0.0,
        minimum=-_GREATEST,
        maximum=_GREATEST,
        animatable=True,
    ),
    _number("flow", "Flow", "Share of motion that the field's air takes per second", 0.0, "1/s"),
    Parameter(
        "wind_factor",
        "Wind Factor",
        "What of the field is air that moves, and acts on surfaces alone",
        0.0,
        minimum=0.0,
        maximum=1.0,
        animatable=True,
    ),
    _number("noise", "Noise", "Random part of the strength"),
    Parameter("seed", "Seed", "Chooses one of many noises", 1, minimum=0, maximum=2**31 - 1),
    _number("size", "Size", "Size of the eddies of turbulence; 0 stands for 1", 1.0, "m"),
    _number("rest_length", "Rest Length", "Distance at which a Harmonic field does not pull", 0.0, "m"),
    Parameter("shape", "Shape", "What distances are measured from", "POINT", choices=FORCE_SHAPES),
    Parameter("side", "Z Direction", "On which side of the field it acts", "BOTH", choices=FORCE_SIDES),
    Parameter("falloff_kind", "Falloff", "How the field gets weaker", "SPHERE", choices=FALLOFF_KINDS),
    Parameter(
        "falloff",
        "Power",
        "Power of 1 + the distance by which the field gets weaker; 0 is the same everywhere",
        0.0,
        minimum=0.0,
        maximum=10.0,
        animatable=True,
    ),
    _number("minimum_distance", "Least Distance", "Distance up to which the field is at its full strength", 0.0, "m"),
    _number("maximum_distance", "Greatest Distance", "Distance at which the field ends; 0 for no end", 0.0, "m"),
    Parameter(
        "radial_falloff",
        "Radial Power",
        "Power for the distance from the axis of a tube [m], or the angle with that of a cone [degrees]",
        0.0,
        minimum=0.0,
        maximum=10.0,
        animatable=True,
    ),
    _number("minimum_radius", "Least Radius", "Distance or angle up to which the field is at its full strength"),
    _number("maximum_radius", "Greatest Radius", "Distance or angle at which the field ends; 0 for no end"),
    Parameter("inverse_square", "Gravitation", "Force divides by the square of the distance too", False),
    Parameter("is_global", "Global", "Turbulence stands still in the world while the field moves", False),
    Parameter(
        "length_unit",
        "Length Unit",
        "Length that all parameters of the field count in: strengths and falloffs go by it",
        1.0,
        "m",
        0.0,
        _GREATEST,
        exclusive_minimum=True,
    ),
)

# what there is of air around all bodies, where there is a field with wind
AIR_DENSITY = Parameter(
    "air_density",
    "Air Density",
    "Density of the air that winds move: 1.2 at sea level. It counts where a field has wind, and slows what moves "
    "through still air there too",
    1.2,
    "kg/m³",
    0.0,
    1e6,
    soft_maximum=10.0,
)

# of all bodies on each other, by their masses
ATTRACTION = Parameter(
    "attraction",
    "Attraction",
    "Every part of an object attracts every other one, as stars and planets do: 0 is not at all, and below 0 they "
    "repel each other. Two masses of 1 kg at a distance of 1 m accelerate each other by so much",
    0.0,
    "m³/(kg·s²)",
    -1e12,
    1e12,
    -10.0,
    10.0,
)
ATTRACTION_SOFTENING = Parameter(
    "attraction_softening",
    "Softening",
    "Distance below which attraction gets no stronger: keeps what passes close by from being flung away",
    0.0,
    "m",
    0.0,
    1e6,
    0.0,
    1.0,
)


@dataclass(frozen=True)
class Force:
    """A force field.

    Attributes:
        identifier, name: as for a body.
        kind: the identifier of one of ``FORCE_KINDS``.
        transforms: local to world [m], shape (frames or 1, 4, 4); one where nothing moves. The origin and the direction
            of the Z axis count; a Z axis of length 0 has none, as in Blender.
        others: as in ``FORCE_PARAMETERS``.
    """

    identifier: str
    name: str
    kind: str
    transforms: Floats
    strength: float = 1.0
    damping: float = 0.0
    flow: float = 0.0
    wind_factor: float = 0.0
    noise: float = 0.0
    seed: int = 1
    size: float = 1.0
    rest_length: float = 0.0
    shape: str = "POINT"
    side: str = "BOTH"
    falloff_kind: str = "SPHERE"
    falloff: float = 0.0
    minimum_distance: float = 0.0
    maximum_distance: float = 0.0
    radial_falloff: float = 0.0
    minimum_radius: float = 0.0
    maximum_radius: float = 0.0
    inverse_square: bool = False
    is_global: bool = False
    length_unit: float = 1.0

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
    require_transforms(force.transforms, frame_count, force.name, may_be_flat=True)
