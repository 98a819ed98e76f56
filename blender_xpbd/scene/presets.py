# SPDX-License-Identifier: GPL-3.0-or-later
"""Named materials: SI values with their source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .errors import XpbdError
from .parameter import Choice, Value
from .parameters.material_parameters import CLOTH, GRAINS, JELLY, STRAND
from .strand_presets import STRAND_VALUES

KAWABATA = (
    "order of magnitude of KES-F measurements (Kawabata, The Standardization and Analysis of Hand Evaluation, 1980)"
)
SHEEP_LEATHER = (
    "thickness and drape of sheep garment leather (Memon et al., Materials 14, 4553, 2021: 0.64 to 0.96 mm, drape "
    "coefficient 47 to 70 %); the bending stiffness is the one that drapes so"
)
DRAPED_COTTON = f"{KAWABATA}; within it, the bending stiffness that drapes as cotton does, 60 to 76 %"
QUARTZ = "quartz, 2,650 kg/m³"
DAMP_SAND = (
    f"{QUARTZ}; order of magnitude of the tensile strength of damp sand (Pierrat & Caram, Powder Technology 91, 1997)"
)
GEL = "order of magnitude of gelatin gels and soft silicones (gelatin: Markidou et al., Rev. Sci. Instrum. 76, 2005)"


@dataclass(frozen=True)
class Preset:
    """A named material.

    Attributes:
        identifier: stable name, in files and scripts.
        label, description: for the menu.
        role: the role it is for, "" for both.
        values: parameters of ``MATERIAL_PARAMETERS`` that it sets.
        source: where the numbers come from.
    """

    identifier: str
    label: str
    description: str
    role: str
    values: Mapping[str, Value]
    source: str


def _jelly(
    youngs_modulus: float, density: float, internal_damping: float, poissons_ratio: float = 0.45
) -> dict[str, Value]:
    # gels hardly change their volume, but linear tetrahedra lock as Poisson's ratio comes close to 1/2
    return {
        "stiffness_input": "MATERIAL",
        "solid_model": "NEO_HOOKEAN",
        "poissons_ratio": poissons_ratio,
        "youngs_modulus": youngs_modulus,
        "density": density,
        "internal_damping": internal_damping,
    }


def _cloth(area_density: float, stretch_stiffness: float, bending_stiffness: float) -> dict[str, Value]:
    return {
        "stiffness_input": "MATERIAL",
        "area_density": area_density,
        "stretch_stiffness": stretch_stiffness,
        "bending_stiffness": bending_stiffness,
        "bending_model": "DIHEDRAL",
        "internal_damping": 1.0,
    }


def _grains(density: float, cohesion: float) -> dict[str, Value]:
    return {"stiffness_input": "MATERIAL", "density": density, "cohesion": cohesion}


PRESETS: tuple[Preset, ...] = (
    Preset("JELLY_SOFT", "Jelly, Soft", "Wobbly dessert jelly", JELLY, _jelly(20e3, 1020.0, 0.5), GEL),
    Preset("JELLY_MEDIUM", "Jelly, Medium", "Gummy, soft silicone", JELLY, _jelly(60e3, 1050.0, 0.5), GEL),
    Preset("JELLY_FIRM", "Jelly, Firm", "Ballistic gel, firm silicone", JELLY, _jelly(200e3, 1100.0, 0.7), GEL),
    Preset(
        "RUBBER",
        "Rubber",
        "Natural rubber",
        JELLY,
        _jelly(1.5e6, 930.0, 1.0, 0.48),
        "natural rubber, unfilled (Mark, Physical Properties of Polymers Handbook)",
    ),
    Preset("COTTON", "Cotton", "Shirt fabric", CLOTH, _cloth(0.15, 2000.0, 1.7e-5), DRAPED_COTTON),
    Preset("SILK", "Silk", "Light and fluid", CLOTH, _cloth(0.06, 1500.0, 1e-6), KAWABATA),
    Preset("DENIM", "Denim", "Jeans: heavy and stiff", CLOTH, _cloth(0.4, 5000.0, 1.2e-4), KAWABATA),
    Preset("LEATHER", "Leather", "Garment leather, 0.8 mm", CLOTH, _cloth(0.5, 8000.0, 4e-5), SHEEP_LEATHER),
    *(
        Preset(name, label, description, STRAND, values, source)
        for name, label, description, values, source in STRAND_VALUES
    ),
    Preset("SAND", "Sand, Dry", "Sand and gravel: stone", GRAINS, _grains(2650.0, 0.0), QUARTZ),
    Preset(
        "DAMP_SAND", "Sand, Damp", "Keeps the shape that it is built in", GRAINS, _grains(2650.0, 1000.0), DAMP_SAND
    ),
    Preset("SEEDS", "Seeds", "Peas, beans, rice", GRAINS, _grains(1300.0, 0.0), "dried peas, 1,300 kg/m³"),
)

OWN_CHOICES: tuple[Choice, ...] = (
    Choice("MATERIAL", "Own Material", "The stiffness values below, in physical units"),
    Choice("CUSTOM", "Own, for Experts", "The compliance of each single constraint, set below"),
)
PRESET_CHOICES: tuple[Choice, ...] = (
    *(Choice(preset.identifier, preset.label, preset.description) for preset in PRESETS),
    *OWN_CHOICES,
)
DEFAULT_PRESETS: Mapping[str, str] = {JELLY: "JELLY_MEDIUM", CLOTH: "COTTON", STRAND: "ROPE", GRAINS: "SAND"}

_BY_IDENTIFIER = {preset.identifier: preset for preset in PRESETS}


def preset_values(identifier: str, role: str, object_name: str = "") -> Mapping[str, Value]:
    """The values that a preset sets on a body of the role.

    Raises:
        XpbdError: E_PARAM, for an unknown preset or one that is for another role.
    """
    if identifier == "CUSTOM":
        return {"stiffness_input": "COMPLIANCE"}
    if identifier == "MATERIAL":
        return {"stiffness_input": "MATERIAL"}
    preset = _BY_IDENTIFIER.get(identifier)
    if preset is None:
        raise XpbdError("E_PARAM", f"There is no preset {identifier!r}.", object_name)
    if preset.role != role:
        raise XpbdError(
            "E_PARAM",
            f"The preset {preset.label} is for {preset.role.lower()}; pick one for {role.lower()}.",
            object_name,
        )
    return preset.values
