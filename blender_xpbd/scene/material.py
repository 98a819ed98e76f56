# SPDX-License-Identifier: GPL-3.0-or-later
"""What a body is made of: its parameters, in SI units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

from .errors import XpbdError
from .parameter import Choice, Parameter, Value, by_name

JELLY = "JELLY"
CLOTH = "CLOTH"
COLLIDER = "COLLIDER"

BENDING_MODELS = (
    Choice("DIHEDRAL", "Dihedral", "Resists the angle between neighbouring faces: bends like the real fabric"),
    Choice("DISTANCE", "Distance", "Springs across every edge: fastest, but without a physical bending stiffness"),
    Choice("NONE", "None", "No resistance to bending"),
)
STIFFNESS_INPUTS = (
    Choice("MATERIAL", "Material", "Stiffness in physical units: the same look at every resolution"),
    Choice("COMPLIANCE", "Compliance", "The same compliance for each single constraint, whatever its size"),
)

MATERIAL_PARAMETERS: tuple[Parameter, ...] = (
    Parameter(
        "density",
        "Density",
        "Mass per volume. Water has 1000 kg/m³",
        1000.0,
        "kg/m³",
        0.0,
        1e9,
        1.0,
        10000.0,
        exclusive_minimum=True,
        roles=(JELLY,),
    ),
    Parameter(
        "area_density",
        "Weight per Area",
        "Mass of the cloth per area. A shirt has 0.12 kg/m², jeans have 0.4 kg/m²",
        0.15,
        "kg/m²",
        0.0,
        1e6,
        0.01,
        5.0,
        exclusive_minimum=True,
        roles=(CLOTH,),
    ),
    Parameter(
        "stiffness_input",
        "Stiffness by",
        "How the stiffness is given",
        "MATERIAL",
        choices=STIFFNESS_INPUTS,
    ),
    Parameter(
        "youngs_modulus",
        "Young's Modulus",
        "Resistance to stretching and squashing. Soft jelly has 20,000 Pa, rubber 1,500,000 Pa",
        60e3,
        "Pa",
        0.0,
        1e12,
        100.0,
        1e7,
        exclusive_minimum=True,
        roles=(JELLY,),
    ),
    Parameter(
        "stretch_stiffness",
        "Stretch Stiffness",
        "Force per metre of width that doubles the length of the cloth. Cottons have some 1,000 N/m",
        1000.0,
        "N/m",
        0.0,
        1e12,
        1.0,
        1e5,
        exclusive_minimum=True,
        roles=(CLOTH,),
    ),
    Parameter(
        "bending_stiffness",
        "Bending Stiffness",
        "Resistance to bending (flexural rigidity). Silk has 0.000003 N·m, denim 0.00015 N·m",
        1e-5,
        "N·m",
        0.0,
        1e6,
        0.0,
        1e-3,
        roles=(CLOTH,),
    ),
    Parameter(
        "stretch_compliance",
        "Stretch Compliance",
        "How far one edge gives per newton. 0 is rigid",
        0.0,
        "m/N",
        0.0,
        1e12,
        0.0,
        1.0,
    ),
    Parameter(
        "volume_compliance",
        "Volume Compliance",
        "How far the volume of one tetrahedron gives per pascal. 0 keeps the volume",
        0.0,
        "m³/Pa",
        0.0,
        1e12,
        0.0,
        1.0,
        roles=(JELLY,),
    ),
    Parameter(
        "bending_compliance",
        "Bending Compliance",
        "How far one fold gives: 1/(N·m) for dihedral bending, m/N for distance bending. 0 is rigid",
        1.0,
        "1/(N·m)",
        0.0,
        1e12,
        0.0,
        1e6,
        roles=(CLOTH,),
    ),
    Parameter(
        "bending_model",
        "Bending",
        "How the cloth resists bending",
        "DIHEDRAL",
        choices=BENDING_MODELS,
        roles=(CLOTH,),
    ),
    Parameter(
        "pbd_stretch_stiffness",
        "Stretch",
        "PBD mode: share of the stretch that one substep takes away",
        1.0,
        "",
        0.0,
        1.0,
    ),
    Parameter(
        "pbd_volume_stiffness",
        "Volume",
        "PBD mode: share of the volume error that one substep takes away",
        1.0,
        "",
        0.0,
        1.0,
        roles=(JELLY,),
    ),
    Parameter(
        "pbd_bending_stiffness",
        "Bending",
        "PBD mode: share of the bending that one substep takes away",
        0.1,
        "",
        0.0,
        1.0,
        roles=(CLOTH,),
    ),
    Parameter(
        "damping",
        "Damping",
        "Air-like drag: share of all motion that is lost per second, falling included",
        0.0,
        "1/s",
        0.0,
        1e4,
        0.0,
        10.0,
    ),
    Parameter(
        "internal_damping",
        "Wobble Damping",
        "Calms wobbling without slowing the flight or the spin of the whole body",
        0.5,
        "1/s",
        0.0,
        1e4,
        0.0,
        20.0,
    ),
    Parameter(
        "damping_time",
        "Material Damping",
        "How fast stretching and bending are resisted (stiffness-proportional Rayleigh damping): motion much faster "
        "than this time is stopped",
        0.0,
        "s",
        0.0,
        1e3,
        0.0,
        0.1,
    ),
    Parameter(
        "friction",
        "Friction",
        "Coulomb friction coefficient; two surfaces meet with the geometric mean of theirs",
        0.5,
        "",
        0.0,
        10.0,
        0.0,
        1.0,
        roles=(JELLY, CLOTH, COLLIDER),
    ),
    Parameter(
        "restitution",
        "Restitution",
        "Bounce: speed after a hit per speed before it; the greater one of two surfaces counts",
        0.0,
        "",
        0.0,
        1.0,
        roles=(JELLY, CLOTH, COLLIDER),
    ),
    Parameter(
        "contact_offset",
        "Contact Distance",
        "Gap kept to colliders, at most a quarter of the mesh's mean edge",
        0.005,
        "m",
        0.0,
        1e6,
        0.0,
        0.1,
    ),
    Parameter(
        "pin_frequency",
        "Soft Pin Frequency",
        "How firmly a vertex of pin weight 0.5 is pulled back: the frequency at which it would swing",
        4.0,
        "Hz",
        0.0,
        1e6,
        0.1,
        50.0,
        exclusive_minimum=True,
    ),
)

_SPECS = by_name(MATERIAL_PARAMETERS)


@dataclass(frozen=True)
class Material:
    """The parameters of one body; units, ranges and meaning in ``MATERIAL_PARAMETERS``."""

    density: float = 1000.0
    area_density: float = 0.15
    stiffness_input: str = "MATERIAL"
    youngs_modulus: float = 60e3
    stretch_stiffness: float = 1000.0
    bending_stiffness: float = 1e-5
    stretch_compliance: float = 0.0
    volume_compliance: float = 0.0
    bending_compliance: float = 1.0
    bending_model: str = "DIHEDRAL"
    pbd_stretch_stiffness: float = 1.0
    pbd_volume_stiffness: float = 1.0
    pbd_bending_stiffness: float = 0.1
    damping: float = 0.0
    internal_damping: float = 0.5
    damping_time: float = 0.0
    friction: float = 0.5
    restitution: float = 0.0
    contact_offset: float = 0.005
    pin_frequency: float = 4.0

    @classmethod
    def from_values(cls, values: Mapping[str, Value], object_name: str = "") -> Material:
        """Build from a mapping of parameter names; absent ones keep their defaults.

        Raises:
            XpbdError: E_PARAM for an unknown name, a wrong type or a value out of range.
        """
        unknown = set(values) - set(_SPECS)
        if unknown:
            raise XpbdError("E_PARAM", f"Unknown material parameter: {', '.join(sorted(unknown))}.", object_name)
        checked: dict[str, Value] = {name: _SPECS[name].check(value, object_name) for name, value in values.items()}
        return cls(**checked)  # type: ignore[arg-type]

    def values(self) -> dict[str, Value]:
        """The parameters as a plain mapping."""
        return {field.name: getattr(self, field.name) for field in fields(self)}
