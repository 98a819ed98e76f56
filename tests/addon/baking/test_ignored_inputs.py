# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bake takes no notice of is named before it starts, and what it does take into account is not."""

from __future__ import annotations

import json

import pytest

from tests.addon.deformers import (
    DEFORMERS,
    deform_by_armature,
    deform_by_count,
    deform_by_hook,
    deform_by_parent,
    rest_in_armature,
)
from tests.addon.strands import make_curve

ACTING = ("FORCE", "WIND", "VORTEX", "MAGNET", "HARMONIC", "CHARGE", "TURBULENCE", "DRAG")
IDLE = ("LENNARDJ", "TEXTURE", "FLUID_FLOW", "GUIDE", "BOID")


@pytest.fixture
def read(bpy):
    """A function that reads the scene to its end; it returns code and text of the warnings."""
    from blender_xpbd.addon.baking.scene_reader import read_scene
    from blender_xpbd.addon.data.bake_options import BakeOptions

    def run(**values):
        steps = read_scene(bpy.context, BakeOptions(**{"frame_start": 1, "frame_end": 20, **values}))
        run.steps = 0
        try:
            while True:
                next(steps)
                run.steps += 1
        except StopIteration as end:
            return [(notice.code, notice.message) for notice in end.value.notices]

    return run


@pytest.fixture
def add_field(bpy):
    """A function that adds a force field."""

    def add(name="Field", kind="TEXTURE", **values):
        bpy.ops.object.effector_add(type="FORCE")
        obj = bpy.context.object
        obj.name, obj.field.type = name, kind
        for attribute, value in values.items():
            setattr(obj.field, attribute, value)
        return obj

    return add


def told(warnings, code="W_IGNORED"):
    """The one warning of its code."""
    (text,) = [text for its, text in warnings if its == code]
    return text


@pytest.mark.parametrize("kind", IDLE)
def test_force_fields_of_kinds_that_do_not_act(make_body, read, add_field, kind):
    make_body()
    add_field("Gust", kind)
    assert '"Gust"' in told(read(), "W_FORCE")


@pytest.mark.parametrize("kind", ACTING)
def test_force_fields_that_act_are_not_told(make_body, read, add_field, kind):
    make_body()
    add_field("Gust", kind, **({"linear_drag": 1.0} if kind == "DRAG" else {"strength": 1.0, "flow": 1.0}))
    assert read() == []


@pytest.mark.parametrize(
    "change",
    [
        lambda bpy, obj: setattr(obj.field, "strength", 0.0),
        lambda bpy, obj: setattr(obj.field, "type", "NONE"),
        lambda bpy, obj: setattr(obj, "hide_viewport", True),
        lambda bpy, obj: bpy.data.objects.remove(obj),
        lambda bpy, obj: bpy.context.scene.collection.objects.unlink(obj),
    ],
)
def test_force_fields_that_are_none(bpy, make_body, read, add_field, change):
    make_body()
    change(bpy, add_field(flow=0.0))
    assert read() == []


def test_a_force_field_in_an_excluded_collection_is_none(bpy, make_body, read, add_field):
    make_body()
    field = add_field()
    collection = bpy.data.collections.new("Off")
    bpy.context.scene.collection.children.link(collection)
    collection.objects.link(field)
    bpy.context.scene.collection.objects.unlink(field)
    assert len(read()) == 1
    bpy.context.view_layer.layer_collection.children["Off"].exclude = True
    assert read() == []


def test_a_force_field_that_begins_later(bpy, make_body, read, add_field):
    make_body()
    field = add_field(strength=0.0, flow=0.0)
    field.keyframe_insert("field.strength", frame=1)
    assert '"Field"' in told(read(), "W_FORCE")


@pytest.mark.parametrize(("count", "names"), [(2, '"B0" and "B1"'), (12, '"B0", "B1", "B10", "B11", "B2" and 7 more')])
def test_what_is_alike_is_one_warning(make_body, read, add_field, count, names):
    make_body()
    for index in range(count):
        add_field(f"B{index}")
    assert names in told(read(), "W_FORCE")


@pytest.mark.parametrize(
    ("role", "typed", "own", "chosen", "word"),
    [
        ("JELLY", "youngs_modulus", "stretch_compliance", {"preset": "CUSTOM"}, "compliances"),
        ("CLOTH", "stretch_stiffness", "bending_compliance", {"preset": "CUSTOM"}, "compliances"),
        ("JELLY", "youngs_modulus", "pbd_volume_stiffness", {"solver_mode": "PBD"}, "shares"),
        ("CLOTH", "stretch_stiffness", "pbd_stretch_stiffness", {"solver_mode": "PBD", "preset": "CUSTOM"}, "shares"),
    ],
)
def test_stiffness_that_was_typed_before_another_way_of_giving_it_was_chosen(
    make_body, read, role, typed, own, chosen, word
):
    """It said how stiff the body is, and counted no longer."""
    body, other = make_body("Typed", role=role), make_body("Shown", role=role)
    setattr(body.xpbd, typed, 7.0)
    for name, value in chosen.items():
        setattr(body.xpbd, name, value)
        setattr(other.xpbd, name, value)
    text = told(read())
    assert word in text
    assert '"Typed"' in text
    assert '"Shown"' not in text, "what a preset has shown was not typed"
    setattr(body.xpbd, own, 0.5)
    body.xpbd.preset = "CUSTOM"
    assert read() == [], "its stiffness is given as it counts"


def test_links_that_are_animated_are_told(bpy, make_body, read):
    """Add-ons put keys on attributes; a bake reads them at its first frame."""
    mesh = bpy.data.meshes.new("Ladder")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (1, 0, 1), (0, 0, 1), (0, 0, 2)], [(3, 4)], [(0, 1, 2, 3)])
    make_body("Ladder", mesh=mesh)
    make_body("Still")
    kinds = mesh.attributes.new("xpbd_link", "INT", "EDGE")
    lengths = mesh.attributes.new("xpbd_rest_length", "FLOAT", "EDGE")
    rope = next(edge.index for edge in mesh.edges if 4 in edge.vertices)
    kinds.data[rope].value, lengths.data[rope].value = 2, 1.5
    assert not [text for code, text in read() if code == "W_ANIMATED"]
    path = f'attributes["xpbd_rest_length"].data[{rope}].value'
    mesh.keyframe_insert(path, frame=1)
    lengths.data[rope].value = 0.5
    mesh.keyframe_insert(path, frame=5)
    text = told(read(), "W_ANIMATED")
    assert 'xpbd_rest_length of "Ladder"' in text
    assert "Still" not in text


@pytest.mark.parametrize("role", ["STRAND", "GRAINS"])
def test_stiffness_that_no_choice_takes_away(bpy, make_body, read, role):
    mesh = bpy.data.meshes.new("Line")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (2, 0, 0)], [(0, 1), (1, 2)] if role == "STRAND" else [], [])
    settings = make_body(role=role, mesh=mesh).xpbd
    settings.youngs_modulus, settings.preset = 1e6, "CUSTOM"
    bpy.context.scene.xpbd.solver_mode = "PBD"
    assert read() == []


def test_bodies_that_lie_on_each_other_count(make_body, read):
    for name, role in (("A", "CLOTH"), ("B", "JELLY"), ("C", "CLOTH")):
        make_body(name, role=role)
    assert read() == []


@pytest.mark.parametrize("deform", DEFORMERS)
def test_a_sphere_that_deforms(bpy, make_body, read, deform):
    make_body()
    ball = make_body("Ball", role="COLLIDER")
    ball.xpbd.collider_shape = "SPHERE"
    make_body("Floor", role="COLLIDER")
    deform(bpy, ball)
    text = told(read())
    assert '"Ball"' in text
    assert '"Floor"' not in text


@pytest.mark.parametrize("deform", [deform for deform in DEFORMERS if deform is not deform_by_count])
def test_a_mesh_that_deforms_counts(bpy, make_body, read, deform):
    make_body()
    deform(bpy, make_body("Wall", role="COLLIDER"))
    assert read() == []


def test_loose_parts_of_a_collider(bpy, make_body, read):
    make_body()
    mesh = bpy.data.meshes.new("Net")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0), (5, 0, 0), (5, 1, 0)], [(3, 4)], [(0, 1, 2)])
    net = make_body("Net", role="COLLIDER", mesh=mesh)
    make_body("Wall", role="COLLIDER")
    assert '"Net"' in told(read())
    net.xpbd.collider_shape = "PLANE"
    assert read() == []


@pytest.mark.parametrize("weight", [0.5, 1.0])
@pytest.mark.parametrize("deform", [deform_by_armature, deform_by_parent, deform_by_hook, rest_in_armature])
def test_a_rig_under_pins(bpy, make_body, read, deform, weight):
    body = make_body()
    body.vertex_groups.new(name="Pins").add([0, 1], weight, "REPLACE")
    deform(bpy, body)
    assert read() == []
    body.xpbd.pin_group = "Pins"
    assert '"Body"' in told(read(), "W_RIG")
    for modifier in body.modifiers:
        modifier.show_viewport = modifier.show_render = False
    body.parent = None
    assert read() == []


def test_a_hook_of_a_curve_is_told_without_a_button(bpy, read):
    """Only meshes can follow a rig."""
    from blender_xpbd.addon.checking.check_scene import note_findings

    curve = make_curve(("POLY",))
    curve.xpbd.role = "STRAND"
    deform_by_hook(bpy, curve)
    assert '"Curve"' in told(read())
    assert not any(finding.code == "W_RIG" for finding in note_findings(bpy.context))


def test_animated_settings(bpy, make_body, read):
    """Those that are read once, by a script: Blender's windows do not offer it; the others are followed."""
    body = make_body()
    wall = make_body("Wall", role="COLLIDER")
    make_body("Other", role="COLLIDER")
    scene = bpy.context.scene
    scene.xpbd.use_floor = True
    for data in (body, wall, scene):
        # an action that has the data's slot, in every version
        data.keyframe_insert("hide_render" if data is not scene else "audio_volume")
        action = data.animation_data.action
        for name in ["floor_height", "floor_friction"] if data is scene else ["friction", "contact_offset"]:
            path = f"xpbd.{name}"
            if hasattr(action, "fcurves"):
                action.fcurves.new(path)
            else:
                action.layers[0].strips[0].channelbags[0].fcurves.new(path)
    text = told(read(), "W_ANIMATED")
    assert 'floor_friction of "Scene"; contact_offset of "Body"; contact_offset of "Wall".' in text


IDLE_KEYS = [
    ("creep", {}, {"yield_strain": 5.0}, "yield_strain"),
    ("yield_curvature", {"bending_model": "ISOMETRIC"}, {"bending_model": "DIHEDRAL"}, "bending_model"),
    ("pressure", {}, {"pressure_model": "GAS"}, "pressure_model"),
    ("shape_frequency", {}, {"shape_matching": "WHOLE"}, "shape_matching"),
    ("goal_frequency", {}, {"goal_source": "OBJECT"}, "goal_source"),
    ("stretch_compliance", {}, {"preset": "CUSTOM"}, "preset"),
]


@pytest.mark.parametrize(("name", "off", "on", "stop"), IDLE_KEYS, ids=str)
def test_keys_of_what_has_nothing_to_act_on(bpy, make_body, read, name, off, on, stop):
    """They were followed through the frames, and changed not a byte."""
    body, other = make_body("Body"), make_body("Other")
    for obj in (body, other):
        obj.xpbd.preset = "MATERIAL"
        for choice, value in off.items():
            setattr(obj.xpbd, choice, value)
    body.xpbd.keyframe_insert(name, frame=1)
    text = told(read(), "W_ANIMATED")
    label, stops = (body.xpbd.bl_rna.properties[one].name for one in (name, stop))
    assert f'{label} of "Body"' in text
    assert stops in text
    assert '"Other"' not in text
    for choice, value in on.items():
        setattr(body.xpbd, choice, value)
    assert [code for code, _ in read() if code == "W_ANIMATED"] == []


def test_keys_of_compression_count_where_expert_springs_are_used(make_body, read):
    """With Own, for Experts cloth is of springs, whatever the Membrane says."""
    body = make_body("Body")
    body.xpbd.preset, body.xpbd.membrane_model = "CUSTOM", "ISOTROPIC"
    body.xpbd.keyframe_insert("compression_share", frame=1)
    assert read() == []


@pytest.mark.parametrize(("mode", "stop"), [("XPBD", "Material"), ("PBD", "Mode")])
def test_keys_of_another_kind_of_stiffness_name_what_helps(bpy, make_body, read, mode, stop):
    body = make_body("Body")
    bpy.context.scene.xpbd.solver_mode = mode
    body.xpbd.preset = "MATERIAL"
    body.xpbd.keyframe_insert("stretch_compliance", frame=1)
    assert told(read(), "W_ANIMATED").endswith(f'of "Body" (see {stop}).')


@pytest.mark.parametrize("name", ["air_drag", "air_lift"])
def test_keys_of_air_without_force_fields(bpy, make_body, read, name):
    body = make_body("Body")
    bpy.context.scene.xpbd.air_density = 1.2
    body.xpbd.keyframe_insert(name, frame=1)
    assert read() == []
    bpy.context.scene.xpbd.use_force_fields = False
    assert "Force Fields" in told(read(), "W_ANIMATED")


@pytest.mark.parametrize("how", ["PINS", "ATTACHED"])
def test_keys_of_pin_frequency_where_nothing_is_held(make_body, read, how):
    body, other = make_body("Body"), make_body("Other", "COLLIDER", location=(0.0, 0.0, -3.0))
    body.vertex_groups.new(name="Empty")
    body.xpbd.keyframe_insert("pin_frequency", frame=1)
    for body.xpbd.pin_group in ("", "Empty"):
        text = told(read(), "W_ANIMATED")
        assert 'Soft Pin Frequency of "Body" (see Pin Group and Attach to)' in text
    if how == "PINS":
        body.vertex_groups["Empty"].add([0], 0.5, "REPLACE")
    else:
        body.xpbd.attach_object = other
    assert [code for code, _ in read() if code == "W_ANIMATED"] == []


@pytest.mark.parametrize("is_keyed", [False, True])
def test_weights_of_force_fields_without_a_field(bpy, make_body, read, add_field, is_keyed):
    body = make_body("Body")
    make_body("Other", location=(0.0, 0.0, 3.0))
    if is_keyed:
        body.xpbd.keyframe_insert("force_weight", frame=1)
    else:
        body.xpbd.force_weight = 0.5
    text = told(read(), "W_FORCE")
    assert '"Body"' in text
    assert '"Other"' not in text
    field = add_field("Gust", "FORCE")
    assert read() == []
    bpy.data.objects.remove(field)
    if not is_keyed:
        body.xpbd.force_weight = 0.0
        assert read() == [], "it asks for no fields, and has none"


def add_shaper(bpy, body, kind):
    """A modifier with all that it needs to move something."""
    modifier = body.modifiers.new("Shaper", kind)
    names = {"SHRINKWRAP": ["target"], "WARP": ["object_from", "object_to"]}.get(kind, [])
    for name in names:
        setattr(modifier, name, bpy.data.objects.new(name, bpy.data.meshes.new(name)))
    return modifier


@pytest.mark.parametrize("kind", ["CAST", "DISPLACE", "SHRINKWRAP", "SIMPLE_DEFORM", "WARP", "WAVE"])
def test_deformers_that_come_after_the_simulation(bpy, make_body, read, kind):
    body = make_body("Body")
    smooth = make_body("Other", location=(0.0, 0.0, 3.0)).modifiers.new("Smooth", "SMOOTH")
    modifier = add_shaper(bpy, body, kind)
    text = told(read())
    assert '"Body"' in text
    assert '"Other"' not in text
    for one in (modifier, smooth):
        one.show_viewport = one.show_render = False
    assert read() == []


@pytest.mark.parametrize(("kind", "values"), [
    ("CAST", {"factor": 0.0}),
    ("CAST", {"use_x": False, "use_y": False, "use_z": False}),
    ("DISPLACE", {"strength": 0.0}),
    ("DISPLACE", {"mid_level": 1.0}),
    ("DISPLACE", {"direction": "RGB_TO_XYZ"}),
    ("SHRINKWRAP", {"target": None}),
    ("SIMPLE_DEFORM", {"deform_method": "BEND", "angle": 0.0}),
    ("SIMPLE_DEFORM", {"deform_method": "TAPER", "factor": 0.0}),
    ("WARP", {"strength": 0.0}),
    ("WARP", {"object_from": None}),
    ("WAVE", {"height": 0.0}),
])  # fmt: skip
def test_deformers_that_do_nothing_are_not_told(bpy, make_body, read, kind, values):
    body = make_body("Body")
    modifier = add_shaper(bpy, body, kind)
    assert '"Body"' in told(read())
    for name, value in values.items():
        setattr(modifier, name, value)
    assert read() == []


def test_a_deformer_that_does_nothing_yet_is_told(make_body, read):
    modifier = make_body("Body").modifiers.new("Displace", "DISPLACE")
    for frame, strength in ((1, 0.0), (10, 1.0)):
        modifier.strength = strength
        modifier.keyframe_insert("strength", frame=frame)
    assert '"Body"' in told(read())


@pytest.mark.parametrize(("strength", "scale", "is_textured", "is_told"), [
    (0.009, 0.01, False, False),
    (0.09, 1.0, False, False), (0.09, 1.0, True, False), (-0.09, 2.0, False, False),
    (0.11, 1.0, False, True), (-0.11, 1.0, True, True), (0.11, 0.01, False, False), (4.0, 0.01, False, True),
])  # fmt: skip
def test_a_displacement_is_told_by_how_far_it_moves(bpy, make_body, read, strength, scale, is_textured, is_told):
    """By half of its strength, at most the gap of 5 mm or a tenth of an edge of 0.5."""
    body = make_body("Body", scale=(scale, scale, scale))
    modifier = body.modifiers.new("Displace", "DISPLACE")
    modifier.strength = strength
    if is_textured:
        modifier.texture = bpy.data.textures.new("Clouds", "CLOUDS")
    assert any('"Body"' in text and "Displace" in text for _, text in read()) == is_told


@pytest.mark.parametrize("kind", ["DISPLACE", "CAST"])
def test_a_displacement_after_subdivision_is_detail(bpy, make_body, read, kind):
    """It cannot be applied to what is simulated; what casts the result to a ball is told all the same."""
    body = make_body("Body")
    subdivision = body.modifiers.new("Subdivision", "SUBSURF")
    add_shaper(bpy, body, kind)
    assert any("Displace" in text for _, text in read()) == (kind == "CAST")
    subdivision.levels = subdivision.render_levels = 0
    assert any("Displace" in text for _, text in read())


def test_deformers_that_the_goal_follows_are_not_told(make_body, read):
    body = make_body("Body")
    body.modifiers.new("Displace", "DISPLACE").strength = 0.1
    body.xpbd.goal_source = "DEFORMED"
    assert read() == []
    body.modifiers.new("Subdivision", "SUBSURF")
    body.modifiers.new("Wave", "WAVE")
    assert '"Body"' in told(read()), "after what changes the vertices"


def test_a_group_that_is_missing_is_not_told_to_be_idle(make_body, read):
    body = make_body("Body")
    body.xpbd.push_group = "Nowhere"
    assert "do nothing" not in " ".join(text for _, text in read())


def test_keys_of_creep_beside_keys_of_the_yield(make_body, read):
    body = make_body("Body")
    body.xpbd.keyframe_insert("creep", frame=1)
    body.xpbd.keyframe_insert("yield_strain", frame=1)
    assert read() == []


@pytest.mark.parametrize(
    ("name", "of_scene", "on"),
    [
        ("air_drag", "air_density", 1.2),
        ("force_weight", "use_force_fields", 1),
    ],
)
def test_keys_of_what_the_scene_has_switched_off(bpy, make_body, read, add_field, name, of_scene, on):
    body, settings = make_body("Body"), bpy.context.scene.xpbd
    add_field("Gust", "FORCE")
    body.xpbd.preset = "MATERIAL"
    body.xpbd.keyframe_insert(name, frame=1)
    setattr(settings, of_scene, 0)
    assert f"see {settings.bl_rna.properties[of_scene].name}" in told(read(), "W_ANIMATED")
    setattr(settings, of_scene, on)
    assert read() == []


@pytest.mark.parametrize(
    ("name", "beside", "on"),
    [
        ("push_group", "push_z", 1.0),
        ("attach_group", "attach_object", None),
        ("goal_group", "goal_source", "OBJECT"),
        ("pressure_group", "pressure_model", "GAS"),
    ],
)
def test_groups_that_have_nothing_to_act_on(bpy, make_body, read, name, beside, on):
    bpy.ops.mesh.primitive_cube_add()
    mesh = bpy.context.object.data.copy()
    body = make_body("Body", mesh=mesh)
    make_body("Other")
    body.vertex_groups.new(name="Group").add([0, 1], 1.0, "REPLACE")
    setattr(body.xpbd, name, "Group")
    text = told(read(), "W_GROUP")
    label, stop = (body.xpbd.bl_rna.properties[one].name for one in (name, beside))
    assert f'{label} of "Body"' in text
    assert stop in text
    body.xpbd.preset = "MATERIAL"
    setattr(body.xpbd, beside, bpy.context.object if on is None else on)
    assert [code for code, _ in read() if code == "W_GROUP"] == []


def test_a_push_that_is_keyed_has_its_group(make_body, read):
    body = make_body("Body")
    body.vertex_groups.new(name="Group").add([0, 1], 1.0, "REPLACE")
    body.xpbd.push_group = "Group"
    body.xpbd.keyframe_insert("push_x", frame=1)
    assert read() == []


def test_fields_that_shall_only_turn(make_body, read, add_field):
    """Rotation is on by default, but nothing is turned by a field."""
    make_body()
    field = add_field("Spin", "FORCE", apply_to_location=False, apply_to_rotation=True)
    assert '"Spin"' in told(read(), "W_FORCE")
    field.field.apply_to_rotation = False
    assert read() == [], "switched off on purpose"
    field.field.apply_to_rotation = field.field.apply_to_location = True
    assert read() == []
    field.field.type, field.field.apply_to_location = "BOID", False
    assert read() == [], "it would do nothing with Location either"


def test_keys_of_the_floors_height_are_followed_and_no_warning(bpy, make_body, read):
    make_body()
    scene = bpy.context.scene
    scene.xpbd.use_floor = True
    scene.keyframe_insert("xpbd.floor_height", frame=1)
    assert read() == []
    scene.xpbd.use_floor = False
    assert told(read(), "W_ANIMATED") == 'Some animated XPBD settings do nothing: Height of "Scene" (see Floor).'


@pytest.mark.parametrize("path", ["location", "rotation_euler", "delta_scale"])
@pytest.mark.parametrize("of_parent", [False, True])
def test_animation_of_what_nothing_holds_is_named(bpy, make_body, read, path, of_parent):
    body, other = make_body("Body"), bpy.data.objects.new("Other", None)
    bpy.context.scene.collection.objects.link(other)
    body.parent = other
    (other if of_parent else body).keyframe_insert(path, frame=3)
    assert '"Body"' in told(read())


@pytest.mark.parametrize("how", ["PINS", "GOAL", "SETTING"])
def test_animation_that_counts_is_not_named(bpy, make_body, read, how):
    body = make_body("Body")
    body.keyframe_insert("location" if how != "SETTING" else "color", frame=3)
    if how == "PINS":
        body.vertex_groups.new(name="Pin").add([0], 1.0, "REPLACE")
        body.xpbd.pin_group = "Pin"
    elif how == "GOAL":
        body.xpbd.goal_source = "OBJECT"
    assert read() == []


def follow_a_curve(bpy, body, mover):
    """Animate Path: the time of the curve is keyed, and nothing of an object."""
    curve = bpy.data.curves.new("Way", "CURVE")
    curve.splines.new("POLY").points.add(1)
    curve.splines[0].points[1].co = (1.0, 0.0, 0.0, 1.0)
    curve.use_path = True
    curve.keyframe_insert("eval_time", frame=3)
    mover = bpy.data.objects.new("Way", curve)
    bpy.context.scene.collection.objects.link(mover)
    body.constraints.new("FOLLOW_PATH").target = mover


def key_influence(bpy, body, mover):
    constraint = body.constraints.new("COPY_LOCATION")
    constraint.target = mover
    constraint.keyframe_insert("influence", frame=3)


def copy_location(bpy, body, mover):
    mover.keyframe_insert("location", frame=3)
    body.constraints.new("COPY_LOCATION").target = mover


def be_a_child(bpy, body, mover):
    mover.keyframe_insert("rotation_euler", frame=3)
    body.constraints.new("CHILD_OF").target = mover


def follow_in_turn(bpy, body, mover):
    """What is followed is moved by a constraint itself."""
    between = bpy.data.objects.new("Between", None)
    bpy.context.scene.collection.objects.link(between)
    copy_location(bpy, between, mover)
    body.constraints.new("COPY_TRANSFORMS").target = between


def follow_a_bone(bpy, body, mover):
    rig = bpy.data.objects.new("Rig", bpy.data.armatures.new("Rig"))
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    bone = rig.data.edit_bones.new("Hand")
    bone.tail = (0.0, 0.0, 1.0)
    bpy.ops.object.mode_set(mode="OBJECT")
    rig.pose.bones["Hand"].keyframe_insert("location", frame=3)
    constraint = body.constraints.new("COPY_LOCATION")
    constraint.target, constraint.subtarget = rig, "Hand"


def fall_as_a_rigid_body(bpy, body, mover):
    bpy.ops.rigidbody.world_add()
    with bpy.context.temp_override(object=body, active_object=body, selected_objects=[body]):
        bpy.ops.rigidbody.object_add(type="ACTIVE")


MOVED = [
    follow_a_curve,
    key_influence,
    copy_location,
    be_a_child,
    follow_in_turn,
    follow_a_bone,
    fall_as_a_rigid_body,
]


@pytest.fixture
def mover(bpy):
    """An empty that others may follow."""
    mover = bpy.data.objects.new("Mover", None)
    bpy.context.scene.collection.objects.link(mover)
    return mover


@pytest.mark.parametrize("move", MOVED)
def test_what_moves_an_object_that_nothing_holds_is_named(bpy, make_body, mover, read, move):
    body = make_body("Body")
    move(bpy, body, mover)
    assert '"Body"' in told(read())
    body.xpbd.goal_source = "OBJECT"
    assert read() == []


def muted(body, mover):
    mover.keyframe_insert("location", frame=3)
    constraint = body.constraints.new("COPY_LOCATION")
    constraint.target, constraint.mute = mover, True


def without_influence(body, mover):
    mover.keyframe_insert("location", frame=3)
    constraint = body.constraints.new("COPY_LOCATION")
    constraint.target, constraint.influence = mover, 0.0


def of_what_stands(body, mover):
    body.constraints.new("COPY_LOCATION").target = mover


def of_each_other(body, mover):
    body.constraints.new("COPY_LOCATION").target = mover
    mover.constraints.new("COPY_ROTATION").target = body


def of_no_path(body, mover):
    """A path that is none, which scripts may name: what has no data has no time that is keyed."""
    body.constraints.new("FOLLOW_PATH").target = mover


def keyed_by(body):
    """An action that is an object's, and its first curve."""
    body.keyframe_insert("location", index=0, frame=3)
    action = body.animation_data.action
    curves = action.layers[0].strips[0].channelbags[0].fcurves if hasattr(action, "layers") else action.fcurves
    return action, curves[0]


def by_a_muted_track(body, mover):
    action, _ = keyed_by(body)
    body.animation_data.action = None
    track = body.animation_data.nla_tracks.new()
    track.strips.new("Strip", 1, action)
    track.mute = True


def by_a_muted_curve(body, mover):
    _, curve = keyed_by(body)
    curve.mute = True


def by_a_muted_driver(body, mover):
    body.driver_add("location", 0).mute = True


@pytest.mark.parametrize(
    "stand",
    [
        muted,
        without_influence,
        of_what_stands,
        of_each_other,
        of_no_path,
        by_a_muted_track,
        by_a_muted_curve,
        by_a_muted_driver,
    ],
)
def test_what_moves_nothing_is_not_named(bpy, make_body, mover, read, stand):
    body = make_body("Body")
    stand(body, mover)
    assert read() == []


def test_it_is_told_wherever_a_bake_is_reported(bpy, make_body, fake_worker, add_field, capfd, tmp_path):
    from blender_xpbd.addon import command_line
    from blender_xpbd.addon.baking.report_text import summary_warnings

    make_body("A")
    add_field("Gust")
    arguments = ["--cache", str(tmp_path / "cache"), "--frames", "1", "3", "--substeps", "2", "--json"]
    assert command_line.main(arguments) == 0
    out, err = capfd.readouterr()
    reported = json.loads(out.splitlines()[-1])["warnings"]
    assert [warning.partition(":")[0] for warning in reported] == ["W_FORCE"]
    assert summary_warnings(bpy.context.scene.xpbd.report) == reported
    assert all(warning in err for warning in reported)


def test_time_stretching_is_told(bpy, make_body, read):
    make_body()
    render = bpy.context.scene.render
    render.frame_map_old = render.frame_map_new = 50
    assert "W_IGNORED" not in dict(read())
    render.frame_map_old = 100
    assert "Time Stretching" in told(read())
