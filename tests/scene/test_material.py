# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from blender_xpbd.scene.errors import XpbdError
from blender_xpbd.scene.material import Material
from blender_xpbd.scene.parameters.material_parameters import (
    CLOTH,
    COLLIDER,
    GRAINS,
    JELLY,
    MATERIAL_PARAMETERS,
    STRAND,
)


def test_defaults_are_those_of_the_parameters() -> None:
    assert Material().values() == {spec.name: spec.default for spec in MATERIAL_PARAMETERS}
    assert Material.from_values({}) == Material()


def test_values_round_trip() -> None:
    material = Material.from_values({"density": 900, "bending_model": "NONE", "friction": 0.25})
    assert material.density == 900.0
    assert isinstance(material.density, float)
    assert Material.from_values(material.values()) == material


@pytest.mark.parametrize(
    "values",
    [
        {"density": 0.0},
        {"density": -1.0},
        {"area_density": 0.0},
        {"youngs_modulus": 0.0},
        {"stretch_compliance": -1e-9},
        {"volume_compliance": float("nan")},
        {"bending_compliance": float("inf")},
        {"restitution": 1.1},
        {"friction": -0.1},
        {"pbd_volume_stiffness": 1.01},
        {"bending_model": "SPRING"},
        {"densty": 1.0},
    ],
)
def test_impossible_values_are_refused_with_the_object(values: dict[str, Any]) -> None:
    with pytest.raises(XpbdError, match=next(iter(values))) as caught:
        Material.from_values(values, "Cube")
    assert caught.value.code == "E_PARAM"
    assert caught.value.object_name == "Cube"


@pytest.mark.parametrize("name", ["stretch_compliance", "volume_compliance", "bending_compliance", "bending_stiffness"])
def test_compliance_zero_is_rigid_and_allowed(name: str) -> None:
    assert getattr(Material.from_values({name: 0.0}), name) == 0.0


def test_roles_are_known() -> None:
    assert {role for spec in MATERIAL_PARAMETERS for role in spec.roles} == {JELLY, CLOTH, STRAND, GRAINS, COLLIDER}
