# SPDX-License-Identifier: GPL-3.0-or-later
"""Named materials: SI values with their source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .cloth_presets import CLOTH_VALUES
from .errors import XpbdError
from .jelly_presets import JELLY_VALUES
from .parameter import Choice, Value
from .parameters.material_parameters import CLOTH, GRAINS, JELLY, STRAND
from .strand_presets import STRAND_VALUES

QUARTZ = "quartz, 2,650 kg/m³"
DAMP_SAND = (
    f"{QUARTZ}; order of magnitude of the tensile strength of damp sand (Pierrat & Caram, Powder Technology 91, 1997)"
)


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


def _grains(density: float, cohesion: float) -> dict[str, Value]:
    return {"stiffness_input": "MATERIAL", "density": density, "cohesion": cohesion}


PRESETS: tuple[Preset, ...] = (
    *(
        Preset(name, label, description, role, values, source)
        for role, rows in ((JELLY, JELLY_VALUES), (CLOTH, CLOTH_VALUES), (STRAND, STRAND_VALUES))
        for name, label, description, values, source in rows
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


def left_values(old: str, new: str) -> Mapping[str, Value]:
    """What a preset sets and another does not, as a yield strain: whoever changes to that one leaves it behind.

    Args:
        old: its identifier; own materials and unknown ones set nothing.
        new: that of the other.
    """
    own = _BY_IDENTIFIER[new].values if new in _BY_IDENTIFIER else {}
    values = _BY_IDENTIFIER[old].values if old in _BY_IDENTIFIER else {}
    return {name: value for name, value in values.items() if name not in own and name != "stiffness_input"}


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
