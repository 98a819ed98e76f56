# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import re

import pytest

from blender_xpbd.scene.errors import XpbdError
from blender_xpbd.scene.material import Material
from blender_xpbd.scene.parameter import by_name
from blender_xpbd.scene.parameters.material_parameters import CLOTH, JELLY, MATERIAL_PARAMETERS
from blender_xpbd.scene.presets import (
    DEFAULT_PRESETS,
    OWN_CHOICES,
    PRESET_CHOICES,
    PRESETS,
    Preset,
    left_values,
    preset_values,
)


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.identifier)
def test_values_are_valid_and_belong_to_the_role(preset: Preset) -> None:
    material = Material.from_values(preset.values)
    assert material.stiffness_input == "MATERIAL"
    specs = by_name(MATERIAL_PARAMETERS)
    assert all(not specs[name].roles or preset.role in specs[name].roles for name in preset.values)
    assert preset_values(preset.identifier, preset.role) == preset.values
    assert preset.source
    assert preset.description


def test_a_preset_sets_all_that_another_sets_or_leaves_it_behind() -> None:
    """Else a switch from one to another and back would not restore the first."""
    for old in PRESETS:
        for new in PRESETS:
            left = set(left_values(old.identifier, new.identifier))
            assert set(old.values) <= {*new.values, *left, "stiffness_input"}
            assert not left & set(new.values)
    assert left_values("CLAY", "JELLY_SOFT") == {"yield_strain": 2.0, "creep": 50.0}
    assert left_values("JELLY_SOFT", "CLAY") == {}
    assert "radius" in left_values("ROPE", "SAND")
    assert left_values("", "SAND") == left_values("MATERIAL", "SAND") == {}


def test_the_materials_that_artists_ask_for() -> None:
    solids = {"GELATIN", "SILICONE", "GUMMY", "MUSCLE", "FAT", "FOAM", "RUBBER", "CLAY"}
    fabrics = {"COTTON", "LINEN", "WOOL", "SILK", "SATIN", "DENIM", "JERSEY", "LEATHER", "LATEX", "PAPER", "FELT"}
    fabrics |= {"CANVAS", "TULLE", "VELVET"}
    roles = {preset.identifier: preset.role for preset in PRESETS}
    assert {name for name in solids if roles[name] == JELLY} == solids
    assert {name for name in fabrics if roles[name] == CLOTH} == fabrics


def test_foam_is_what_gibson_and_ashby_say_and_latex_is_a_sheet_of_rubber() -> None:
    foam = preset_values("FOAM", JELLY)
    assert foam["youngs_modulus"] == pytest.approx(45e6 * (float(foam["density"]) / 1200.0) ** 2, rel=0.1)
    latex, rubber, thickness = preset_values("LATEX", CLOTH), preset_values("RUBBER", JELLY), 4e-4
    modulus = float(rubber["youngs_modulus"])
    assert latex["stretch_stiffness"] == pytest.approx(modulus * thickness)
    assert latex["bending_stiffness"] == pytest.approx(modulus * thickness**3 / 9.0, rel=0.05)


@pytest.mark.parametrize("preset", [preset for preset in PRESETS if preset.role == CLOTH], ids=lambda p: p.identifier)
def test_fabrics_hang_over_as_cloth_does(preset: Preset) -> None:
    """Bending lengths of fabrics are between 1 and 4 cm (Booth, 1968), of office paper some 7 cm."""
    weight, bending = float(preset.values["area_density"]), float(preset.values["bending_stiffness"])
    length = (bending / (weight * 9.81)) ** (1.0 / 3.0)
    assert 0.01 < length < (0.08 if preset.identifier == "PAPER" else 0.04)
    told = re.search(r"bending length (\d+) mm", preset.source)
    if told:
        assert 1e3 * length == pytest.approx(float(told[1]), rel=0.02)


def test_identifiers_are_unique_and_defaults_exist() -> None:
    identifiers = [choice.identifier for choice in PRESET_CHOICES]
    assert len(set(identifiers)) == len(identifiers) == len(PRESETS) + len(OWN_CHOICES)
    for role, identifier in DEFAULT_PRESETS.items():
        assert preset_values(identifier, role)


def test_own_values_only_choose_how_stiffness_is_given() -> None:
    for choice, stiffness_input in (("MATERIAL", "MATERIAL"), ("CUSTOM", "COMPLIANCE")):
        for role in DEFAULT_PRESETS:
            assert preset_values(choice, role) == {"stiffness_input": stiffness_input}


@pytest.mark.parametrize(("identifier", "role"), [("NOUGAT", JELLY), ("SILK", JELLY), ("RUBBER", CLOTH), ("", CLOTH)])
def test_unknown_and_unfit_presets_are_refused(identifier: str, role: str) -> None:
    with pytest.raises(XpbdError, match="E_PARAM") as caught:
        preset_values(identifier, role, "Cube")
    assert caught.value.object_name == "Cube"


def test_stiffer_materials_are_stiffer() -> None:
    modulus = [
        float(preset_values(name, JELLY)["youngs_modulus"])
        for name in ("JELLY_SOFT", "JELLY_MEDIUM", "JELLY_FIRM", "RUBBER")
    ]
    assert modulus == sorted(set(modulus))
    bending = [float(preset_values(name, CLOTH)["bending_stiffness"]) for name in ("SILK", "COTTON", "DENIM")]
    assert bending == sorted(set(bending))
