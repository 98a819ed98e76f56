# SPDX-License-Identifier: GPL-3.0-or-later
"""The tables of properties: what holds whoever adds a row. That Blender has them so, ``test_properties`` shows."""

from __future__ import annotations

import pytest

from blender_xpbd.scene.body import VERTEX_FACTORS
from blender_xpbd.scene.body_kinds import BODY_KINDS

TABLES = ("OBJECT_SETTINGS", "SCENE_SETTINGS", "STATUS_SETTINGS")


@pytest.fixture(params=TABLES)
def settings(bpy, request):
    from blender_xpbd.addon.data import specs

    return getattr(specs, request.param)


def test_names_are_identifiers_and_stand_once(settings):
    names = [setting.name for setting in settings]
    assert len(set(names)) == len(names)
    assert all(name.isidentifier() and name == name.lower() for name in names)


def test_defaults_are_values_that_the_parameter_takes(settings):
    for parameter in (setting.parameter for setting in settings):
        if parameter.kind == "ENUM":
            assert parameter.default in {choice.identifier for choice in parameter.choices}, parameter.name
        elif parameter.kind in {"FLOAT", "INT"}:
            assert parameter.minimum <= parameter.default <= parameter.maximum, parameter.name


def test_soft_limits_lie_within_the_hard_ones(settings):
    for parameter in (setting.parameter for setting in settings):
        if parameter.kind in {"FLOAT", "INT"}:
            low = parameter.minimum if parameter.soft_minimum is None else parameter.soft_minimum
            high = parameter.maximum if parameter.soft_maximum is None else parameter.soft_maximum
            assert parameter.minimum <= low < high <= parameter.maximum, parameter.name


def test_a_property_of_some_roles_names_roles_that_there_are(settings):
    from blender_xpbd.addon.data.specs import ROLES

    roles = {role.identifier for role in ROLES}
    for setting in settings:
        assert set(setting.parameter.roles) <= roles - {"NONE"}, setting.name


def test_every_vertex_factor_has_a_group_in_the_kinds_that_it_scales(bpy):
    from blender_xpbd.addon.data.group_settings import group_property
    from blender_xpbd.addon.data.specs import GROUP_PROPERTIES, OBJECT_SETTINGS

    # the group of a push stands beside it in the panels
    assert tuple(group_property(factor) for factor in VERTEX_FACTORS if factor != "push") == GROUP_PROPERTIES
    by_name = {setting.name: setting.parameter for setting in OBJECT_SETTINGS}
    for factor in VERTEX_FACTORS:
        kinds = {kind.name for kind in BODY_KINDS if factor in kind.vertex_factors}
        assert set(by_name[group_property(factor)].roles) == kinds


def test_every_kind_of_body_is_a_role(bpy):
    from blender_xpbd.addon.data.specs import ROLES

    assert [role.identifier for role in ROLES] == ["NONE", *(kind.name for kind in BODY_KINDS), "COLLIDER"]


def test_what_a_file_keeps_for_us_is_hidden(bpy):
    from blender_xpbd.addon.data.specs import OBJECT_SETTINGS, SCENE_SETTINGS

    hidden = [setting.name for setting in (*OBJECT_SETTINGS, *SCENE_SETTINGS) if setting.hidden]
    own = ["cache_modifier", "pose_index", "start_topology", "play_record", "bake_record", "shown_preset"]
    chosen = ["fits_size", "let_out", "normal_resolution", "version"]
    assert hidden == [*own, *chosen, "report", "findings", "expense", "cache_id", "version"]
