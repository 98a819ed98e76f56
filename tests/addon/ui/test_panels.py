# SPDX-License-Identifier: GPL-3.0-or-later
"""What each panel shows in each state; that it looks good was seen in the application."""

from __future__ import annotations

import json

import pytest

from blender_xpbd.addon.data.material_names import OF_SCENE
from blender_xpbd.addon.data.overlay_settings import OVERLAYS
from blender_xpbd.scene.body_kinds import body_roles
from tests.addon.recorded_layout import draw
from tests.addon.strands import make_curve, make_hair


@pytest.fixture
def panels(bpy):
    from blender_xpbd.addon.ui import panels

    return panels


@pytest.fixture
def active(bpy, make_body):
    """A function that makes a body the active object."""

    def make(role="NONE"):
        obj = make_body(role=role)
        bpy.context.view_layer.objects.active = obj
        return obj

    return make


def of_panels(panels):
    """The panels among the classes; a list's rows are drawn by Blender."""
    import bpy

    return [cls for cls in panels.CLASSES if issubclass(cls, bpy.types.Panel)]


def shown(panels, context):
    """Names of the panels that are shown."""
    return [cls.__name__ for cls in of_panels(panels) if cls.poll(context)]


ALWAYS = ["XPBD_PT_floor", "XPBD_PT_fields", "XPBD_PT_attraction", "XPBD_PT_solver", "XPBD_PT_cache"]
HELD = ["XPBD_PT_motion", "XPBD_PT_pins", "XPBD_PT_goal", "XPBD_PT_groups"]
GRAINS = ["XPBD_PT_material", *HELD]
BODY = ["XPBD_PT_material", "XPBD_PT_structure", *HELD]
POSED = [*BODY[:-1], "XPBD_PT_pose", BODY[-1]]
ACTED_ON = ["XPBD_PT_collision", "XPBD_PT_forces", "XPBD_PT_links"]
LATER = [*ACTED_ON, "XPBD_PT_plasticity", "XPBD_PT_mode"]


@pytest.mark.parametrize(
    ("role", "between"),
    [
        ("NONE", []),
        ("JELLY", [*POSED, "XPBD_PT_tetrahedra", *LATER]),
        ("CLOTH", [*POSED, *LATER]),
        ("STRAND", [*BODY, *ACTED_ON]),
        ("GRAINS", [*GRAINS, *ACTED_ON]),
        ("COLLIDER", ["XPBD_PT_collision"]),
    ],
)
def test_panels_of_a_role(bpy, panels, active, role, between):
    active(role)
    last = ["XPBD_PT_region"] if role in body_roles() else []
    assert shown(panels, bpy.context) == ["XPBD_PT_main", *between, *ALWAYS, *last]
    for cls in of_panels(panels):
        if cls.poll(bpy.context):
            layout = draw(cls)
            assert layout.properties or layout.operators, f"{cls.__name__} is empty"


@pytest.mark.parametrize("role", [*body_roles(), "COLLIDER"])
def test_panels_show_what_a_bake_reads(bpy, panels, active, role):
    """It leaves out what is of other roles."""
    from blender_xpbd.addon.ui.sidebar import PARAMETERS

    active(role)
    for cls in of_panels(panels):
        names = draw(cls).properties if cls.poll(bpy.context) else []
        idle = [name for name in names if PARAMETERS[name].roles and role not in PARAMETERS[name].roles]
        assert idle == [], cls.__name__


@pytest.mark.parametrize("role", ["JELLY", "CLOTH", "STRAND"])
def test_what_has_a_stiffness_has_all_kinds_of_damping(panels, active, role):
    active(role)
    damping = ["damping", "internal_damping", "damping_time"]
    assert draw(panels.XPBD_PT_motion).properties == ["initial_velocity", *damping, *OF_SCENE]


@pytest.mark.parametrize("make", [make_curve, make_hair])
def test_panels_of_curves_and_hair(bpy, panels, make):
    bpy.context.view_layer.objects.active = make()
    names = shown(panels, bpy.context)
    assert ("XPBD_PT_groups" in names) == (make is make_hair), "control points can be in no group"
    layouts = {cls.__name__: draw(cls) for cls in of_panels(panels) if cls.poll(bpy.context)}
    roles = [values.role for values in layouts["XPBD_PT_main"].operator_values if hasattr(values, "role")]
    assert roles == ["STRAND", "NONE"]
    assert ("goal_group" in layouts["XPBD_PT_goal"].properties) == (make is make_hair)
    assert {"pinned_ends", "hold_direction"} < set(layouts["XPBD_PT_pins"].properties)
    assert "xpbd.add_pin_group" not in dict(layouts["XPBD_PT_pins"].operators)


def test_nothing_active(bpy, panels):
    assert shown(panels, bpy.context) == ["XPBD_PT_main", *ALWAYS]
    layout = draw(panels.XPBD_PT_main)
    assert "Select a curve, hair or mesh object" in layout.words
    assert ("xpbd.bake", "INVOKE_DEFAULT") in layout.operators
    for cls in (panels.XPBD_PT_floor, panels.XPBD_PT_fields, panels.XPBD_PT_solver, panels.XPBD_PT_cache):
        draw(cls)


def test_no_mesh(bpy, panels):
    empty = bpy.data.objects.new("Empty", None)
    bpy.context.scene.collection.objects.link(empty)
    bpy.context.view_layer.objects.active = empty
    assert shown(panels, bpy.context) == ["XPBD_PT_main", *ALWAYS]
    assert "Select a curve, hair or mesh object" in draw(panels.XPBD_PT_main).words


def test_the_main_panel_offers_roles_material_and_bake(bpy, panels, active):
    active("JELLY")
    layout = draw(panels.XPBD_PT_main)
    roles = [values.role for values in layout.operator_values if hasattr(values, "role")]
    assert roles == ["JELLY", "CLOTH", "STRAND", "GRAINS", "COLLIDER", "NONE"]
    assert layout.menus == ["XPBD_MT_material"]
    assert layout.popovers == ["XPBD_PT_presets"]
    assert "Jelly, Medium" in layout.words
    assert [name for name, _ in layout.operators if name != "xpbd.set_role"] == [
        "xpbd.bake",
        "xpbd.play",
        "xpbd.check",
        "xpbd.clear",
    ]


def test_the_qualities_by_material_are_buttons_over_bake(bpy, panels, active):
    active("JELLY")
    settings = bpy.context.scene.xpbd
    layout = draw(panels.XPBD_PT_main)
    assert layout.enum_buttons == [("quality", name, True) for name in ("DRAFT", "MATERIAL", "FINAL")]
    settings.substeps = 40
    settings.property_unset("quality")
    # Normal looks chosen there, but the number counts
    assert [is_active for *_, is_active in draw(panels.XPBD_PT_main).enum_buttons] == [False] * 3


def test_every_setting_is_in_one_panel(bpy, panels, active):
    from blender_xpbd.addon.data.specs import OBJECT_SETTINGS, SCENE_SETTINGS

    seen = set()
    scene = bpy.context.scene.xpbd
    settings = active().xpbd

    def look():
        names = [name for cls in of_panels(panels) if cls.poll(bpy.context) for name in draw(cls).properties]
        # the scene's and the object's mode have the same name
        twice = [name for name in set(names) if names.count(name) > 1]
        assert set(twice) <= {"solver_mode"}
        seen.update(names)

    def try_all(owner, own_settings):
        for parameter in (setting.parameter for setting in own_settings):
            choices: list[str | bool] = [choice.identifier for choice in parameter.choices]
            if parameter.kind in {"ENUM", "BOOL"} and parameter.name != "role":
                for value in choices or [True, False]:
                    setattr(owner, parameter.name, value)
                    look()
                setattr(owner, parameter.name, "MATERIAL" if parameter.name == "preset" else parameter.default)

    for settings.role in ("JELLY", "CLOTH", "STRAND", "GRAINS", "COLLIDER"):
        for scene.solver_mode in ("XPBD", "PBD"):
            settings.preset = "MATERIAL"
            try_all(settings, OBJECT_SETTINGS)
    settings.role = "CLOTH"
    settings.attach_object = bpy.data.objects.new("Rig", bpy.data.armatures.new("Rig"))
    look()
    bpy.context.view_layer.objects.active = make_curve()
    look()
    try_all(scene, SCENE_SETTINGS)
    seen.update(draw(panels.XPBD_PT_floor, "draw_header").properties)
    seen.update(draw(panels.XPBD_PT_fields, "draw_header").properties)
    public = {s.name for s in (*OBJECT_SETTINGS, *SCENE_SETTINGS) if not s.hidden}
    # the first two are chosen by buttons and a menu, the others stand in Blender's overlay popover
    assert seen == public - {"role", "preset", *OVERLAYS}


SOLID = ["density", "solid_model", "youngs_modulus", "poissons_ratio"]
SHEET = ["area_density", "membrane_model", "stretch_stiffness", "compression_share", "bending_stiffness"]
FOLDS = ["bending_model", "rest_angle"]
ROD = ["density", "youngs_modulus", "rest_angle", "radius", "twist_stiffness", "bending_share"]


@pytest.mark.parametrize(
    ("role", "preset", "mode", "names", "greyed"),
    [
        ("JELLY", "JELLY_SOFT", "XPBD", SOLID, SOLID),
        ("JELLY", "MATERIAL", "XPBD", SOLID, []),
        ("JELLY", "CUSTOM", "XPBD", ["density", "stretch_compliance", "volume_compliance"], []),
        ("JELLY", "CUSTOM", "PBD", ["density", "pbd_stretch_stiffness", "pbd_volume_stiffness"], []),
        ("JELLY", "RUBBER", "PBD", ["density", "pbd_stretch_stiffness", "pbd_volume_stiffness"], ["density"]),
        ("CLOTH", "MATERIAL", "XPBD", [*SHEET, *FOLDS, "radius"], []),
        (
            "CLOTH",
            "CUSTOM",
            "XPBD",
            ["area_density", "compression_share", "stretch_compliance", "bending_compliance", *FOLDS, "radius"],
            [],
        ),
        (
            "CLOTH",
            "CUSTOM",
            "PBD",
            ["area_density", *FOLDS, "pbd_stretch_stiffness", "pbd_bending_stiffness", "radius"],
            [],
        ),
        # neither compliances nor PBD mode change rods
        ("STRAND", "ROPE", "XPBD", ROD, ROD),
        ("STRAND", "CUSTOM", "XPBD", ROD, []),
        ("STRAND", "MATERIAL", "PBD", ROD, []),
        ("GRAINS", "CUSTOM", "PBD", ["density", "radius", "cohesion"], []),
    ],
)
def test_the_material_panel(bpy, panels, active, role, preset, mode, names, greyed):
    active(role).xpbd.preset = preset
    bpy.context.scene.xpbd.solver_mode = mode
    layout = draw(panels.XPBD_PT_material)
    assert layout.properties == names
    assert layout.greyed == greyed
    assert bool(layout.operators) == (preset not in {"MATERIAL", "CUSTOM"})


@pytest.mark.parametrize(
    ("of_scene", "own", "counts"),
    [("XPBD", "SCENE", False), ("PBD", "SCENE", True), ("XPBD", "PBD", True), ("PBD", "XPBD", False)],
)
def test_the_mode_of_an_object_goes_before_the_scenes(bpy, panels, active, of_scene, own, counts):
    active("JELLY").xpbd.solver_mode = own
    bpy.context.scene.xpbd.solver_mode = of_scene
    ways = draw(panels.XPBD_PT_mode).properties
    assert ways == (["solver_mode", "pbd_per_iteration", "pbd_drag"] if counts else ["solver_mode"])
    assert ("pbd_stretch_stiffness" in draw(panels.XPBD_PT_material).properties) == counts


@pytest.mark.parametrize(
    ("choice", "value", "shown", "hidden"),
    [
        ("membrane_model", "ORTHOTROPIC", {"warp_stiffness", "weft_stiffness"}, {"stretch_stiffness"}),
        ("membrane_model", "ISOTROPIC", {"stretch_stiffness"}, {"warp_stiffness", "compression_share"}),
        ("bending_model", "NONE", set(), {"bending_stiffness", "rest_angle"}),
        ("bending_model", "ISOMETRIC", {"bending_stiffness"}, {"rest_angle"}),
        ("use_tethers", True, {"tether_slack"}, set()),
        ("use_tethers", False, set(), {"tether_slack"}),
        ("pressure_model", "GAS", {"pressure"}, {"volume_ratio"}),
        ("pressure_model", "NONE", set(), {"pressure", "volume_ratio"}),
        ("shape_matching", "CLUSTERS", {"shape_frequency"}, set()),
    ],
)
def test_what_does_not_count_is_not_shown(bpy, panels, active, choice, value, shown, hidden):
    settings = active("CLOTH").xpbd
    settings.preset = "MATERIAL"
    setattr(settings, choice, value)
    found = {*draw(panels.XPBD_PT_material).properties, *draw(panels.XPBD_PT_structure).properties}
    assert choice in found
    assert shown <= found
    assert not hidden & found


def test_an_attachment_needs_an_object(panels, active, make_body):
    obj = active("CLOTH")
    layout = draw(panels.XPBD_PT_pins)
    assert layout.properties[-2:] == ["attach_object", "attach_group"]
    assert layout.greyed == ["pin_frequency", "attach_group"]
    obj.xpbd.attach_object = make_body("Jelly", role="JELLY")
    assert draw(panels.XPBD_PT_pins).greyed == []


def test_contact_shows_what_counts(panels, active):
    obj = active("CLOTH")
    layout = draw(panels.XPBD_PT_collision)
    names = ["use_self_collision", "use_body_collision", "thickness", "no_contact_group"]
    assert layout.properties[3:] == [*names, "collision_collection", "contact_layer"]
    assert layout.greyed == []
    obj.xpbd.use_self_collision = True
    obj.xpbd.use_body_collision = False
    assert draw(panels.XPBD_PT_collision).greyed == ["contact_layer"]
    obj.xpbd.use_self_collision = False
    assert draw(panels.XPBD_PT_collision).greyed == ["thickness", "no_contact_group", "contact_layer"]


def test_units_stand_in_the_panel(bpy, panels, active):
    obj = active("CLOTH")
    obj.xpbd.preset = "CUSTOM"
    assert "Bending Compliance [1/(N·m)]" in draw(panels.XPBD_PT_material).words
    obj.xpbd.bending_model = "DISTANCE"
    assert "Bending Compliance [m/N]" in draw(panels.XPBD_PT_material).words
    assert "Contact Distance" in draw(panels.XPBD_PT_collision).words


def test_a_running_bake(bpy, panels, active):
    from blender_xpbd.addon.data.bake_status import STATUS

    active("JELLY")
    STATUS.is_baking, STATUS.status, STATUS.progress = True, "12 / 250", 0.1
    layout = draw(panels.XPBD_PT_main)
    assert "12 / 250" in layout.words
    names = [name for name, _ in layout.operators]
    assert "xpbd.cancel" in names
    assert "xpbd.bake" not in names


@pytest.mark.parametrize("before", ["", "12 / 250 · 0.31 fps · 12:40 left · "])
def test_what_is_told_of_a_worker_that_may_hang_can_be_read(bpy, panels, active, before):
    from blender_xpbd.addon.data.bake_status import STATUS

    active("JELLY")
    told = "No frame for 45 s: a hard one, or the worker hangs. Cancel ends it and keeps the frames"
    STATUS.is_baking, STATUS.status = True, f"{before}{told}"
    words = draw(panels.XPBD_PT_main).words
    assert words[words.index("No frame for 45 s") :][1:] != [], "the bar shows but the beginning"
    assert f"{told}." in " ".join(words)
    assert max(map(len, words)) < 50


def test_changed_inputs_are_wrapped_to_the_panel(bpy, panels, active):
    active("JELLY")
    bpy.context.scene.xpbd.report = json.dumps({"frames": 1, "stale": [f"Suzanne: {'long name ' * 12}"]})
    words = draw(panels.XPBD_PT_cache).words
    assert max(map(len, words)) < 50


def test_a_result_with_warnings(bpy, panels, active):
    active("JELLY")
    bpy.context.scene.xpbd.report = json.dumps(
        {
            "frames": 250,
            "seconds": {"total": 3.21},
            "solver_fps": 123.4,
            "device": "CPU",
            "warnings": ["W_PRECISION: far"],
        }
    )
    line, inside = "Baked 250 frames in 3.2 s · 1 notice", {"250 in 3.2 s", "123 fps", "CPU", "Far (W_PRECISION)"}
    assert {line, *inside} <= set(draw(panels.XPBD_PT_main).words)
    closed = set(draw(panels.XPBD_PT_main, closed=["XPBD_PT_result"]).words)
    assert line in closed
    assert not inside & closed
    bpy.context.scene.xpbd.report = json.dumps({"frames": 1, "seconds": {"total": 3.21}, "error": "E_DIVERGED: so"})
    closed = set(draw(panels.XPBD_PT_main, closed=["XPBD_PT_result"]).words)
    assert {"Baked 1 frame in 3.2 s", "So (E_DIVERGED)"} <= closed, "a fault is never behind a disclosure"


def test_a_long_value_stands_below_its_label(bpy, panels, active):
    """Half a line of the sidebar has about 16 letters."""
    active("JELLY")
    region = "Suzanne: Left Sleeve, frames 8 to 24"
    summary = {"frames": 30, "region": region, "seam_error_mm": 0.0, "resumed_after": 7}
    bpy.context.scene.xpbd.report = json.dumps(summary)
    words = draw(panels.XPBD_PT_main).words
    assert region not in words
    assert " ".join(words[words.index("Region") + 1 : words.index("Seam")]) == region
    assert words[words.index("Seam") + 1] == "0 mm"


def test_an_error_is_wrapped_to_the_panel(bpy, panels, active):
    from blender_xpbd.addon.data.bake_status import STATUS

    active("JELLY")
    STATUS.message = f"E_WORKER: {'the worker crashed and ' * 8}that is all."
    lines = [word for word in draw(panels.XPBD_PT_main).words if "crashed" in word or "worker" in word]
    assert len(lines) > 3
    assert all(len(line) < 60 for line in lines)


@pytest.mark.parametrize(
    "report", ["{", "[]", "3", '{"frames": "x", "warnings": 3, "seconds": []}', '{"frames": 1e999}']
)
def test_a_report_of_a_stranger_does_no_harm(bpy, panels, active, report):
    active("JELLY")
    bpy.context.scene.xpbd.report = report
    draw(panels.XPBD_PT_main)


def test_drawing_changes_nothing(bpy, panels, active):
    obj = active("JELLY")
    before = {p.identifier: str(getattr(obj.xpbd, p.identifier)) for p in obj.xpbd.bl_rna.properties}
    for cls in of_panels(panels):
        draw(cls)
    assert {p.identifier: str(getattr(obj.xpbd, p.identifier)) for p in obj.xpbd.bl_rna.properties} == before


def test_materials_of_the_menu_fit_the_role(bpy, panels, active):
    from blender_xpbd.addon.ui.menus import XPBD_MT_material

    active("CLOTH")
    words = draw(XPBD_MT_material).words
    assert (words[:2], words[-2:]) == (["Cotton", "Linen"], ["Own Material", "Own, for Experts"])
    assert not {"Jelly, Soft", "Rope"} & set(words)
    active("JELLY")
    assert draw(XPBD_MT_material).words[:4] == ["Jelly, Soft", "Jelly, Medium", "Jelly, Firm", "Gelatin"]


def test_the_object_menu(bpy):
    from blender_xpbd.addon.ui.menus import XPBD_MT_object

    layout = draw(XPBD_MT_object)
    assert layout.words == [
        "Set XPBD Role: None",
        "Set XPBD Role: Jelly",
        "Set XPBD Role: Cloth",
        "Set XPBD Role: Strand",
        "Set XPBD Role: Grains",
        "Set XPBD Role: Collider",
        "Fill with Grains",
        "Check XPBD",
        "Bake XPBD",
        "Play XPBD",
        "Export XPBD Bake",
        "Clear XPBD Bake",
        "Clear All XPBD Bakes",
        "Copy Settings to Selected",
    ]
    assert ("xpbd.bake", "INVOKE_DEFAULT") in [(name, layout.operator_context) for name, _ in layout.operators]


def test_every_fault_is_shown(bpy, panels, make_body, monkeypatch):
    from blender_xpbd.addon.data.bake_status import STATUS

    for name in "ABC":
        make_body(name)
    faults = (
        'E_GEOM_EMPTY: object "A": No faces.\nE_DATA_LINKED: object "B": Linked.\nE_GEOM_EMPTY: object "C": No faces.'
    )
    monkeypatch.setattr(STATUS, "message", faults)
    words = " ".join(draw(panels.XPBD_PT_main).words)
    assert 'Objects "A", "C": No faces.' in words
    assert 'Object "B": Linked.' in words


def test_a_pose_asks_for_a_key_where_there_is_one(bpy, panels, active):
    obj = active("JELLY")
    pose = obj.xpbd.poses.add()

    def asks():
        return "target" in draw(panels.XPBD_PT_pose).properties

    assert not asks()
    pose.target = "Left over"
    assert asks()
    pose.target = ""
    obj.shape_key_add(name="Basis")
    assert asks()


def test_creep_is_greyed_where_nothing_yields(bpy, active):
    from blender_xpbd.addon.ui.plasticity_panel import XPBD_PT_plasticity

    settings = active("CLOTH").xpbd
    settings.preset = "MATERIAL"
    assert draw(XPBD_PT_plasticity).greyed == ["creep"]
    for name in ("yield_strain", "yield_curvature"):
        setattr(settings, name, 5.0)
        assert draw(XPBD_PT_plasticity).greyed == []
        setattr(settings, name, 0.0)
