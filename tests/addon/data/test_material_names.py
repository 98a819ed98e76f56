# SPDX-License-Identifier: GPL-3.0-or-later
"""Which parameters of a material count; the panels that show them have their own tests."""

from __future__ import annotations

from typing import Any

import pytest

from blender_xpbd.scene.parameters.material_parameters import MATERIAL_PARAMETERS
from blender_xpbd.scene.presets import PRESETS

BODIES = ("JELLY", "CLOTH")


@pytest.fixture
def names(bpy):
    """What counts for a material of defaults and some values."""
    from types import SimpleNamespace

    from blender_xpbd.addon.data.material_names import material_names, structure_names

    defaults: dict[str, Any] = {parameter.name: parameter.default for parameter in MATERIAL_PARAMETERS}

    def of(role, preset="MATERIAL", mode="XPBD", **values):
        settings = SimpleNamespace(**{**defaults, "role": role, "preset": preset, **values})
        material, structure = material_names(settings, mode), structure_names(settings, mode)
        assert not set(material) & set(structure), "nothing is shown twice"
        return [*material, *structure]

    return of


@pytest.mark.parametrize("role", BODIES)
def test_stiffness_is_given_in_one_way(names, role):
    """As physical stiffness, as compliance, or as shares of PBD mode."""
    from blender_xpbd.addon.data.material_names import COMPLIANCES

    def ways(found):
        return {
            "compliance": bool(COMPLIANCES & set(found)),
            "share": any(name.startswith("pbd_") for name in found),
            "physical": bool({"youngs_modulus", "stretch_stiffness"} & set(found)),
        }

    for preset, mode, way in (
        ("MATERIAL", "XPBD", "physical"),
        ("CUSTOM", "XPBD", "compliance"),
        ("MATERIAL", "PBD", "share"),
        ("CUSTOM", "PBD", "share"),
    ):
        found = ways(names(role, preset, mode))
        assert [name for name, counts in found.items() if counts] == [way]


@pytest.mark.parametrize("role", BODIES)
@pytest.mark.parametrize("mode", ["XPBD", "PBD"])
def test_only_parameters_of_the_role_count(names, role, mode):
    roles = {parameter.name: parameter.roles for parameter in MATERIAL_PARAMETERS}
    for preset in ("MATERIAL", "CUSTOM"):
        for name in names(role, preset, mode):
            assert not roles[name] or role in roles[name], name


@pytest.mark.parametrize(
    ("choice", "value", "shown", "hidden"),
    [
        ("membrane_model", "SPRINGS", {"stretch_stiffness", "compression_share"}, {"warp_stiffness"}),
        ("membrane_model", "ISOTROPIC", {"stretch_stiffness"}, {"compression_share", "weft_stiffness"}),
        ("membrane_model", "ORTHOTROPIC", {"warp_stiffness", "shear_stiffness"}, {"stretch_stiffness"}),
        ("bending_model", "DIHEDRAL", {"bending_stiffness", "rest_angle"}, set()),
        ("bending_model", "DISTANCE", {"bending_stiffness"}, {"rest_angle"}),
        ("bending_model", "NONE", {"bending_model"}, {"bending_stiffness", "rest_angle"}),
        ("use_tethers", False, {"use_tethers"}, {"tether_slack"}),
        ("pressure_model", "VOLUME", {"volume_ratio"}, {"pressure"}),
        ("shape_matching", "NONE", {"shape_matching"}, {"shape_frequency"}),
    ],
)
def test_what_a_choice_lets_count(names, choice, value, shown, hidden):
    found = set(names("CLOTH", **{choice: value}))
    assert shown <= found
    assert not hidden & found


def test_a_choice_that_does_not_count_hides_nothing(names):
    """A membrane's model is no matter of compliances, so it cannot take one away."""
    for model in ("SPRINGS", "ISOTROPIC", "ORTHOTROPIC"):
        assert "stretch_compliance" in names("CLOTH", "CUSTOM", membrane_model=model)


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.identifier)
def test_what_a_preset_sets_is_shown_with_it(names, preset):
    from blender_xpbd.addon.data.material_names import preset_names

    set_by_it = preset_names(preset.identifier)
    assert set_by_it == set(preset.values)
    shown = set(names(preset.role, preset.identifier, **preset.values))
    assert {"area_density" if preset.role == "CLOTH" else "density"} <= set_by_it & shown


def test_an_own_material_is_no_preset(bpy):
    from blender_xpbd.addon.data.material_names import OWN_COMPLIANCE, OWN_MATERIAL, preset_names

    assert preset_names(OWN_MATERIAL) == preset_names(OWN_COMPLIANCE) == frozenset()
