# SPDX-License-Identifier: GPL-3.0-or-later
"""Every public property, as Blender has it."""

from __future__ import annotations

import math

import pytest

from blender_xpbd.addon.data.goal_settings import GOAL_PARAMETERS
from blender_xpbd.addon.data.overlay_settings import OVERLAY_PARAMETERS
from blender_xpbd.scene.body import RESOLUTION_RANGE
from blender_xpbd.scene.body_contact import CONTACT_PARAMETERS
from blender_xpbd.scene.errors import XpbdError
from blender_xpbd.scene.material import Material
from blender_xpbd.scene.parameters.material_parameters import MATERIAL_PARAMETERS
from blender_xpbd.scene.presets import DEFAULT_PRESETS, PRESETS
from blender_xpbd.scene.settings import SOLVER_PARAMETERS

OBJECT_NAMES = {
    "role",
    "preset",
    "pin_group",
    "attach_object",
    "attach_bone",
    "attach_group",
    *(parameter.name for parameter in GOAL_PARAMETERS),
    "poses",
    "fits_size",
    "normal_resolution",
    "let_out",
    "pose_index",
    "stiffness_group",
    "bending_group",
    "density_group",
    "damping_group",
    "friction_group",
    "pressure_group",
    "push_group",
    "radius_group",
    "pinned_ends",
    "hold_direction",
    "force_collection",
    "collision_collection",
    "no_contact_group",
    "uv_map",
    "feels_like",
    "cage_resolution",
    "tetrahedralizer",
    "tetrahedra_file",
    "collider_shape",
    "initial_velocity",
    "key_style",
    "region_group",
    "cache_modifier",
    "play_record",
    "start_topology",
    "bake_record",
    "shown_preset",
    "version",
    *(parameter.name for parameter in CONTACT_PARAMETERS),
    *(parameter.name for parameter in MATERIAL_PARAMETERS if parameter.name != "stiffness_input"),
}
SCENE_NAMES = {
    "use_scene_range",
    "frame_start",
    "frame_end",
    "frame_step",
    "loop_frames",
    "region_start",
    "region_end",
    "region_border",
    "region_blend",
    "subframes",
    "use_floor",
    "use_force_fields",
    "air_density",
    "attraction",
    "attraction_softening",
    "floor_height",
    "floor_friction",
    "floor_restitution",
    "retry_diverged",
    "key_tolerance",
    "cache_directory",
    "report",
    "findings",
    "expense",
    "cache_id",
    "version",
    *(parameter.name for parameter in SOLVER_PARAMETERS),
    *(parameter.name for parameter in OVERLAY_PARAMETERS),
}


def owners(bpy):
    from blender_xpbd.addon.data import specs

    obj = bpy.data.objects.new("Body", bpy.data.meshes.new("Body"))
    bpy.context.scene.collection.objects.link(obj)
    return [(obj.xpbd, specs.OBJECT_SETTINGS), (bpy.context.scene.xpbd, specs.SCENE_SETTINGS)]


def definitions(group):
    return {p.identifier: p for p in group.bl_rna.properties if p.identifier not in {"rna_type", "name"}}


def test_animatable_parameters_and_the_height_of_the_floor_follow_keys(bpy):
    followed = [setting.name for _, settings in owners(bpy) for setting in settings if setting.follows_keys]
    assert followed == [*(parameter.name for parameter in MATERIAL_PARAMETERS if parameter.animatable), "floor_height"]


def test_public_names(bpy):
    (of_object, _), (of_scene, _) = owners(bpy)
    assert set(definitions(of_object)) == OBJECT_NAMES
    assert set(definitions(of_scene)) == SCENE_NAMES


def test_defaults_ranges_and_words_are_those_of_the_specs(bpy):
    for group, settings in owners(bpy):
        found = definitions(group)
        for setting in settings:
            parameter, definition = setting.parameter, found[setting.name]
            value = getattr(group, setting.name)
            default = (parameter.default,) * setting.size if setting.size > 1 else parameter.default
            if setting.subtype in {"OBJECT", "COLLECTION"}:
                default = None
            assert (tuple(value) if setting.size > 1 else value) == pytest.approx(default), setting.name
            assert definition.name == parameter.label
            assert parameter.description in definition.description
            assert parameter.unit in definition.description
            assert not definition.description.endswith("."), "Blender adds it"
            assert definition.is_animatable == setting.follows_keys
            assert definition.is_hidden == setting.hidden
            assert definition.is_overridable == (not setting.hidden)
            if parameter.kind in {"FLOAT", "INT"}:
                for limit, name in ((parameter.minimum, "hard_min"), (parameter.maximum, "hard_max")):
                    if abs(limit) != float("inf"):
                        assert getattr(definition, name) == pytest.approx(limit), setting.name
                if parameter.soft_maximum is not None:
                    assert definition.soft_max == pytest.approx(parameter.soft_maximum)
            if parameter.kind == "ENUM":
                assert [(i.identifier, i.name, i.description) for i in definition.enum_items] == [
                    (c.identifier, c.label, c.description) for c in parameter.choices
                ]


def test_a_bake_takes_what_a_slider_says_at_its_ends(bpy):
    """Blender keeps floats in single precision, where 0.499 is a little more."""
    for group, settings in owners(bpy):
        for setting in settings:
            parameter = setting.parameter
            if parameter.kind != "FLOAT" or setting.size > 1 or setting.hidden:
                continue
            for limit in (parameter.minimum, parameter.maximum):
                if math.isfinite(limit) and not (limit == parameter.minimum and parameter.exclusive_minimum):
                    setattr(group, setting.name, limit)
                    assert parameter.check(getattr(group, setting.name)) == limit, setting.name


def test_the_default_material_is_the_one_of_the_scene_package(bpy):
    (settings, _), _ = owners(bpy)
    for name, value in Material().values().items():
        if name != "stiffness_input":
            found = getattr(settings, name)
            assert found == (value if isinstance(value, str) else pytest.approx(value)), name


def test_numbers_of_choices_are_unique_and_fit_a_button(bpy):
    from blender_xpbd.addon.data.properties import enum_items
    from blender_xpbd.addon.data.specs import OBJECT_SETTINGS, SCENE_SETTINGS

    for setting in (*OBJECT_SETTINGS, *SCENE_SETTINGS):
        numbers = [item[4] for item in enum_items(setting.parameter.choices)]
        assert len(set(numbers)) == len(numbers)
        assert all(0 <= number < 2**24 for number in numbers)


def test_numbers_of_choices_do_not_change(bpy):
    """They stand in .blend files."""
    from blender_xpbd.addon.data.properties import enum_items
    from blender_xpbd.addon.data.specs import ROLES

    assert {item[0]: item[4] for item in enum_items(ROLES)} == {
        "NONE": 4785645,
        "JELLY": 5197954,
        "CLOTH": 14001577,
        "STRAND": 16342133,
        "GRAINS": 2177004,
        "COLLIDER": 790233,
    }


@pytest.mark.parametrize(("role", "preset"), DEFAULT_PRESETS.items())
def test_a_role_gets_a_preset_that_fits(bpy, role, preset):
    (settings, _), _ = owners(bpy)
    settings.preset = "LEATHER" if role == "JELLY" else "RUBBER"
    settings.role = role
    assert settings.preset == preset
    settings.role = "COLLIDER"
    assert settings.preset == preset


def test_a_preset_that_fits_is_kept(bpy):
    (settings, _), _ = owners(bpy)
    settings.preset = "DENIM"
    settings.role = "CLOTH"
    assert settings.preset == "DENIM"
    settings.preset = "CUSTOM"
    settings.role = "JELLY"
    assert settings.preset == "CUSTOM"


def test_lengths_of_a_preset_are_shown_in_blender_units(bpy):
    from blender_xpbd.addon.data.properties import material_values

    (settings, _), _ = owners(bpy)
    units = bpy.context.scene.unit_settings
    units.scale_length = 0.01
    settings.role, settings.preset = "STRAND", "ROPE"
    assert settings.radius == pytest.approx(0.5), "5 mm in centimetres"
    units.scale_length = 0.001
    bpy.context.view_layer.objects.active = settings.id_data
    assert bpy.ops.xpbd.own_material() == {"FINISHED"}
    assert settings.preset == "MATERIAL"
    assert material_values(settings, 0.001)["radius"] == pytest.approx(0.005)
    settings.preset = "ROPE"
    settings.role = "CLOTH"
    assert material_values(settings, 0.001)["radius"] == pytest.approx(0.002), "nobody has typed the rope's radius"


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.identifier)
def test_a_preset_shows_and_gives_its_values(bpy, preset):
    from blender_xpbd.addon.data.properties import material_values

    (settings, _), _ = owners(bpy)
    settings.role = preset.role
    settings.preset = preset.identifier
    assert settings.preset == preset.identifier
    values = material_values(settings)
    Material.from_values(values)
    for name, value in preset.values.items():
        assert values[name] == value, "exactly, not rounded to float32"
        if name != "stiffness_input":
            shown = getattr(settings, name)
            assert shown == (value if isinstance(value, str) else pytest.approx(value))


def test_values_of_a_material(bpy):
    from blender_xpbd.addon.data.properties import material_values

    (settings, _), _ = owners(bpy)
    settings.role = "JELLY"
    settings.contact_offset = 0.5
    values = material_values(settings, 0.01)
    assert values["contact_offset"] == pytest.approx(0.005), "a length is in Blender units"
    assert "area_density" not in values
    assert values["stiffness_input"] == "MATERIAL"
    settings.preset = "CUSTOM"
    assert material_values(settings)["stiffness_input"] == "COMPLIANCE"
    settings.preset = "SILK"
    with pytest.raises(XpbdError, match="E_PARAM"):
        material_values(settings)


def test_a_value_that_a_script_sets_counts(bpy):
    from blender_xpbd.addon.data.properties import material_values

    (settings, _), _ = owners(bpy)
    settings.youngs_modulus = 5e3
    settings.role = "JELLY"
    assert settings.preset == "MATERIAL"
    assert material_values(settings)["youngs_modulus"] == pytest.approx(5e3)
    settings.preset = "RUBBER"
    settings.friction = 0.1
    assert settings.preset == "RUBBER", "friction is no matter of the preset"
    settings.stretch_compliance = 1e-3
    assert settings.preset == "CUSTOM"
    settings.density = 500.0
    assert settings.preset == "CUSTOM"
    assert material_values(settings)["density"] == 500.0
    settings.role = "CLOTH"
    settings.preset = "DENIM"
    settings.bending_model = "NONE"
    assert settings.preset == "MATERIAL"


@pytest.mark.parametrize(
    ("role", "name", "preset"),
    [
        ("JELLY", "youngs_modulus", "MATERIAL"),
        ("JELLY", "poissons_ratio", "MATERIAL"),
        ("CLOTH", "stretch_stiffness", "MATERIAL"),
        ("CLOTH", "shear_stiffness", "MATERIAL"),
        ("CLOTH", "bending_stiffness", "MATERIAL"),
        ("CLOTH", "compression_share", "CUSTOM"),
        ("STRAND", "youngs_modulus", "CUSTOM"),
    ],
)
def test_a_stiffness_that_a_script_sets_counts_whatever_the_material_was(bpy, role, name, preset):
    """Compliances stood against it without a word."""
    from blender_xpbd.addon.data.properties import material_values

    (settings, _), _ = owners(bpy)
    settings.role, settings.preset = role, "CUSTOM"
    setattr(settings, name, 0.25)
    assert settings.preset == preset
    assert material_values(settings)[name] == 0.25
    if role != "STRAND":
        settings.stretch_compliance = 1e-3
        assert settings.preset == "CUSTOM"


def test_clay_leaves_nothing_of_its_own_behind(bpy):
    (settings, _), _ = owners(bpy)
    settings.role = "JELLY"
    settings.preset = "CLAY"
    assert settings.yield_strain == 2.0
    settings.preset = "JELLY_SOFT"
    assert settings.yield_strain == 0.0
    settings.yield_strain = 3.0
    assert settings.preset == "JELLY_SOFT", "what a preset does not set is no matter of it"
    settings.preset = "RUBBER"
    assert settings.yield_strain == 3.0
    settings.preset = "CLAY"
    settings.yield_strain = 3.0
    assert settings.preset == "MATERIAL"


@pytest.mark.parametrize("between", [(), ("COLLIDER",), ("NONE", "CLOTH")])
def test_a_rope_leaves_nothing_of_its_own_to_grains(bpy, between):
    (settings, _), _ = owners(bpy)
    for role in ("STRAND", *between, "GRAINS"):
        settings.role = role
    assert settings.preset == "SAND"
    assert not settings.is_property_set("radius")


def test_a_value_of_other_presets_that_was_typed_stays(bpy):
    (settings, _), _ = owners(bpy)
    settings.role = "JELLY"
    settings.yield_strain = 2.0  # as clay has it
    settings.preset = "RUBBER"
    assert settings.yield_strain == 2.0
    settings.role = "GRAINS"
    settings.radius = 0.005  # as a rope has it
    settings.preset = "DAMP_SAND"
    assert settings.radius == pytest.approx(0.005)


def test_zero_can_be_stored_so_that_the_bake_can_refuse_it(bpy):
    from blender_xpbd.addon.data.properties import material_values

    (settings, _), _ = owners(bpy)
    settings.role = "JELLY"
    settings.density = -1.0
    assert settings.density == 0.0
    with pytest.raises(XpbdError, match="E_PARAM"):
        Material.from_values(material_values(settings))


def test_lengths_are_shown_in_the_units_of_the_scene(bpy):
    (of_object, _), (of_scene, _) = owners(bpy)
    assert definitions(of_object)["contact_offset"].unit == "LENGTH"
    assert definitions(of_object)["initial_velocity"].unit == "VELOCITY"
    assert definitions(of_scene)["floor_height"].unit == "LENGTH"


def test_the_status_is_read_only_and_never_stored(bpy):
    from blender_xpbd.addon.data.bake_status import STATUS
    from blender_xpbd.addon.data.specs import STATUS_SETTINGS

    group = bpy.context.window_manager.xpbd
    # how a run that is played is to end, and how to go on with a bake, operators and panels tell each other alone
    assert (
        set(definitions(group))
        == {setting.name for setting in STATUS_SETTINGS}
        == set(vars(STATUS)) - {"play_wish", "bake_fault", "former_file", "is_stopped"}
    )
    for setting in STATUS_SETTINGS:
        assert getattr(group, setting.name) == setting.parameter.default
    STATUS.progress = 0.25
    STATUS.status = "Solving"
    assert (group.progress, group.status) == (0.25, "Solving")
    with pytest.raises(AttributeError):
        group.progress = 1.0
    assert not group.keys()
    STATUS.reset()
    assert group.progress == 0.0


def test_values_survive_save_and_load(bpy, tmp_path):
    (settings, _), (of_scene, _) = owners(bpy)
    settings.role = "CLOTH"
    settings.preset = "DENIM"
    settings.initial_velocity = (1.0, 2.0, 3.0)
    of_scene.substeps = 7
    path = str(tmp_path / "file.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    again = bpy.data.objects["Body"].xpbd
    assert (again.role, again.preset, tuple(again.initial_velocity)) == ("CLOTH", "DENIM", (1.0, 2.0, 3.0))
    assert bpy.context.scene.xpbd.substeps == 7


def test_what_may_hold_an_object(bpy, make_body):
    from blender_xpbd.addon.data.properties import is_holder

    body, jelly, wall = make_body("Body"), make_body("Jelly", role="JELLY"), make_body("Wall", role="COLLIDER")
    empty = bpy.data.objects.new("Empty", None)
    assert [is_holder(body.xpbd, obj) for obj in (body, jelly, wall, empty)] == [False, True, True, True]


def test_the_object_that_holds_survives_save_and_load(bpy, make_body, tmp_path):
    make_body("Body").xpbd.attach_object = make_body("Jelly", role="JELLY")
    path = str(tmp_path / "file.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert bpy.data.objects["Body"].xpbd.attach_object == bpy.data.objects["Jelly"]


def test_the_panel_takes_the_resolutions_that_a_scene_takes(bpy):
    (settings, _), _ = owners(bpy)
    definition = settings.bl_rna.properties["cage_resolution"]
    assert (definition.hard_min, definition.hard_max) == RESOLUTION_RANGE
