# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest

from blender_xpbd.scene.errors import XpbdError
from blender_xpbd.scene.material import Material
from blender_xpbd.scene.parameter import by_name
from blender_xpbd.scene.parameters.material_parameters import CLOTH, JELLY, MATERIAL_PARAMETERS
from blender_xpbd.scene.presets import DEFAULT_PRESETS, OWN_CHOICES, PRESET_CHOICES, PRESETS, Preset, preset_values


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.identifier)
def test_values_are_valid_and_belong_to_the_role(preset: Preset) -> None:
    material = Material.from_values(preset.values)
    assert material.stiffness_input == "MATERIAL"
    specs = by_name(MATERIAL_PARAMETERS)
    assert all(not specs[name].roles or preset.role in specs[name].roles for name in preset.values)
    assert preset_values(preset.identifier, preset.role) == preset.values
    assert preset.source
    assert preset.description


def test_a_preset_sets_all_that_another_of_its_role_sets() -> None:
    """Else a switch from one to another and back would not restore the first."""
    for role in DEFAULT_PRESETS:
        names = {frozenset(preset.values) for preset in PRESETS if preset.role == role}
        assert len(names) == 1


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
