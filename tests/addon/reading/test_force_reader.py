# SPDX-License-Identifier: GPL-3.0-or-later
"""Force fields are read as Blender's own particles feel them, and followed through the frames."""

from __future__ import annotations

import numpy as np
import pytest

from blender_xpbd.scene.force import FORCE_KINDS
from tests.reference.force_fields import acceleration

PLACE, VELOCITY = (1.5, 0.3, 0.7), (0.2, 2.0, 0.4)
RATE = 100.0


@pytest.fixture
def scene_of(bpy):
    """A function that reads the scene to its end; it returns the job's scene and the texts of the warnings by code."""
    from blender_xpbd.addon.baking.scene_reader import read_scene
    from blender_xpbd.addon.data.bake_options import BakeOptions

    def run(end=1):
        steps = read_scene(bpy.context, BakeOptions(frame_start=1, frame_end=end))
        try:
            while True:
                next(steps)
        except StopIteration as result:
            reading = result.value
        return reading.scene, [(notice.code, notice.message) for notice in reading.notices]

    return run


@pytest.fixture
def add_field(bpy):
    """A function that adds a field as Blender's menu does."""

    def add(kind, location=(0.1, -0.2, 0.3), rotation=(0.3, 0.5, 0.2), **values):
        bpy.ops.object.effector_add(type=kind, location=location, rotation=rotation)
        obj = bpy.context.object
        for name, value in values.items():
            setattr(obj.field, name, value)
        return obj

    return add


def give_field(bpy, obj, kind):
    """Let an object that is there have a field."""
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.forcefield_toggle()
    obj.field.type = kind


def particle_acceleration(bpy, weight=1.0):
    """Of a particle of 1 kg [m/s²] with a weight of all fields, and where and how fast it is meanwhile."""
    scene = bpy.context.scene
    fields = bpy.data.collections.new("Fields")
    for obj in (one for one in scene.objects if one.field is not None and one.field.type != "NONE"):
        fields.objects.link(obj)
    scene.gravity, scene.render.fps = (0.0, 0.0, 0.0), int(RATE)
    mesh = bpy.data.meshes.new("Source")
    mesh.from_pydata([PLACE], [], [])
    source = bpy.data.objects.new("Source", mesh)
    scene.collection.objects.link(source)
    source.modifiers.new("Particles", "PARTICLE_SYSTEM")
    settings = source.particle_systems[0].settings
    settings.count, settings.frame_start, settings.frame_end, settings.lifetime = 1, 1, 1, 1000
    settings.emit_from, settings.use_emit_random = "VERT", False
    settings.normal_factor, settings.object_align_factor = 0.0, VELOCITY
    settings.effector_weights.all = weight
    # without one of its own a particle feels no charge; of 1 C/kg it does what all bodies do
    settings.force_field_1.type, settings.force_field_1.strength = "CHARGE", 1.0
    settings.effector_weights.collection = fields
    settings.mass, settings.integrator, settings.timestep, settings.subframes = 1.0, "RK4", 1.0 / RATE, 9
    states = []
    for frame in range(1, 5):
        scene.frame_set(frame)
        particle = source.evaluated_get(bpy.context.evaluated_depsgraph_get()).particle_systems[0].particles[0]
        states.append((np.array(particle.location), np.array(particle.velocity)))
    found = (states[3][1] - states[1][1]) * RATE / 2.0
    scene.frame_set(1)
    return found, *states[2]


FIELDS = {
    "force": ("FORCE", {"strength": -3.0, "flow": 0.5}),
    "force of a line": ("FORCE", {"shape": "LINE", "strength": 2.0}),
    "force of a plane": ("FORCE", {"shape": "PLANE", "strength": 2.0}),
    "gravitation": ("FORCE", {"strength": 3.0, "use_gravity_falloff": True}),
    "power": ("FORCE", {"strength": 3.0, "falloff_power": 1.5, "use_min_distance": True, "distance_min": 0.5}),
    "end": ("FORCE", {"strength": 3.0, "use_max_distance": True, "distance_max": 1.0}),
    "tube": (
        "FORCE",
        {
            "falloff_type": "TUBE",
            "falloff_power": 1.0,
            "radial_falloff": 2.0,
            "use_radial_min": True,
            "radial_min": 0.2,
        },
    ),
    "cone": ("FORCE", {"falloff_type": "CONE", "radial_falloff": 0.5, "use_radial_min": True, "radial_min": 10.0}),
    "above": ("FORCE", {"z_direction": "POSITIVE"}),
    "below": ("FORCE", {"z_direction": "NEGATIVE"}),
    "wind": ("WIND", {"strength": 5.0}),
    "wind without flow": ("WIND", {"strength": 5.0, "flow": 0.0, "falloff_power": 1.0}),
    "vortex": ("VORTEX", {"strength": 2.0}),
    "vortex of a point": ("VORTEX", {"strength": 2.0, "shape": "POINT"}),
    "magnet": ("MAGNET", {"strength": 2.0}),
    "magnet of a plane": ("MAGNET", {"strength": 2.0, "shape": "PLANE"}),
    "harmonic": ("HARMONIC", {"strength": 9.0, "harmonic_damping": 0.3, "rest_length": 0.4}),
    "harmonic with flow": ("HARMONIC", {"strength": 4.0, "flow": 1.0, "falloff_power": 1.0}),
    "charge": ("CHARGE", {"strength": -2.0, "falloff_power": 1.0}),
    "drag by speed": ("DRAG", {"linear_drag": 0.7, "quadratic_drag": 0.0}),
    "drag": ("DRAG", {"linear_drag": 0.3, "quadratic_drag": 0.4}),
}


@pytest.mark.parametrize("weight", [1.0, 0.4])
@pytest.mark.parametrize(("kind", "values"), FIELDS.values(), ids=FIELDS)
def test_blenders_particles_feel_what_is_read(bpy, make_body, scene_of, add_field, kind, values, weight):
    make_body()
    add_field(kind, **values)
    found, place, velocity = particle_acceleration(bpy, weight)
    (force,) = scene_of()[0].forces
    expected = acceleration(force, place, velocity, weight)
    np.testing.assert_allclose(found, expected, rtol=2e-3, atol=2e-3)


SCALED = {
    "mirrored force of a line": ("FORCE", {"shape": "LINE", "z_direction": "POSITIVE"}, (-1.0, 1.0, 1.0)),
    "mirrored wind": ("WIND", {"strength": 5.0}, (2.0, -0.5, 3.0)),
    "wind turned round": ("WIND", {"strength": 5.0}, (1.0, 1.0, -2.0)),
    "flat force": ("FORCE", {"falloff_power": 1.0}, (0.0, 1.0, 1.0)),
    "flat wind": ("WIND", {"strength": 5.0, "falloff_power": 1.0}, (0.0, 0.0, 2.0)),
    "flat tube": ("FORCE", {"falloff_type": "TUBE", "radial_falloff": 1.0}, (1.0, 0.0, 1.0)),
    "force of a plane without a side": ("FORCE", {"shape": "PLANE"}, (1.0, 1.0, 0.0)),
    "force of a line without a direction": ("FORCE", {"shape": "LINE"}, (1.0, 1.0, 0.0)),
    "wind without a direction": ("WIND", {"strength": 5.0}, (0.0, 0.0, 0.0)),
    "vortex without an axis": ("VORTEX", {"strength": 2.0}, (1.0, 1.0, 0.0)),
    "vanished harmonic": ("HARMONIC", {"strength": 9.0, "harmonic_damping": 0.3}, (0.0, 0.0, 0.0)),
}


@pytest.mark.parametrize(("kind", "values", "scale"), SCALED.values(), ids=SCALED)
def test_blenders_particles_feel_nothing_of_a_fields_scale(bpy, make_body, scene_of, add_field, kind, values, scale):
    make_body()
    add_field(kind, **values).scale = scale
    bpy.context.view_layer.update()
    found, place, velocity = particle_acceleration(bpy)
    (force,) = scene_of()[0].forces
    np.testing.assert_allclose(found, acceleration(force, place, velocity), rtol=2e-3, atol=2e-3)


def test_a_field_may_vanish_through_the_frames(make_body, scene_of, add_field):
    make_body()
    field = add_field("FORCE")
    for frame, scale in ((1, 1.0), (3, 0.0), (5, 1.0)):
        field.scale = (scale, scale, scale)
        field.keyframe_insert("scale", frame=frame)
    transforms = scene_of(5)[0].forces[0].transforms
    np.testing.assert_allclose(transforms[:, :3, 3], [[0.1, -0.2, 0.3]] * len(transforms), atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(transforms[:, :3, 2], axis=1), [1.0, 1.0, 0.0, 1.0, 1.0], atol=1e-6)


def test_what_blenders_wind_is_on_cloth_is_air_here(make_body, scene_of, add_field):
    make_body()
    add_field("WIND", strength=5.0)
    add_field("FORCE", wind_factor=0.25)
    assert {force.kind: force.wind_factor for force in scene_of()[0].forces} == {"WIND": 1.0, "FORCE": 0.25}


def test_keys_drivers_and_parents_are_followed(bpy, make_body, scene_of, add_field):
    make_body()
    gust = add_field("WIND", strength=0.0)
    gust.field.keyframe_insert("strength", frame=1)
    gust.field.strength = 8.0
    gust.field.keyframe_insert("strength", frame=5)
    driven = add_field("FORCE")
    driven.field.driver_add("flow").driver.expression = "frame / 10"
    parent = bpy.data.objects.new("Parent", None)
    bpy.context.scene.collection.objects.link(parent)
    driven.parent = parent
    parent.keyframe_insert("location", frame=1)
    parent.location.x = 4.0
    parent.keyframe_insert("location", frame=5)
    still = add_field("VORTEX")
    scene, notices = scene_of(5)
    by_name = {force.name: force for force in scene.forces}
    tracks = {(track.target, track.parameter): track.values for track in scene.tracks}
    np.testing.assert_allclose(tracks[by_name[gust.name].identifier, "strength"][[0, 2, 4]], [0.0, 4.0, 8.0], atol=1e-4)
    np.testing.assert_allclose(tracks[by_name[driven.name].identifier, "flow"], np.arange(1, 6) / 10, atol=1e-6)
    assert len(tracks) == 2
    places = by_name[driven.name].transforms[:, 0, 3]
    assert places[4] - places[0] == pytest.approx(4.0, abs=1e-5)
    assert len(by_name[still.name].transforms) == 1
    assert notices == []


def test_lengths_count_in_blender_units(bpy, make_body, scene_of, add_field):
    bpy.context.scene.unit_settings.scale_length = 0.01
    make_body()
    add_field("FORCE", location=(1.0, 2.0, 3.0), strength=7.0)
    (force,) = scene_of()[0].forces
    assert (force.strength, force.length_unit) == (7.0, pytest.approx(0.01))
    np.testing.assert_allclose(force.transforms[0, :3, 3], [0.01, 0.02, 0.03], rtol=1e-6)


def test_the_switch(bpy, make_body, scene_of, add_field):
    make_body()
    add_field("FORCE")
    bpy.context.scene.xpbd.use_force_fields = False
    scene, notices = scene_of()
    assert scene.forces == ()
    assert notices == []


def test_a_collection_and_an_own_field(bpy, make_body, scene_of, add_field):
    first, second, third = (make_body(name) for name in "ABC")
    force, wind = add_field("FORCE"), add_field("WIND")
    chosen = bpy.data.collections.new("Chosen")
    bpy.context.scene.collection.children.link(chosen)
    chosen.objects.link(wind)
    second.xpbd.force_collection = chosen
    give_field(bpy, third, "HARMONIC")
    scene, notices = scene_of()
    names = {force.identifier: force.name for force in scene.forces}
    acting = {body.name: None if body.fields is None else {names[one] for one in body.fields} for body in scene.bodies}
    assert acting == {first.name: None, second.name: {wind.name}, third.name: {force.name, wind.name}}
    assert notices == []
    chosen.objects.unlink(wind)
    assert [code for code, _ in scene_of()[1]] == ["W_GROUP"]


@pytest.mark.parametrize(
    ("values", "word", "count"),
    [
        ({"shape": "SURFACE"}, "surfaces", 0),
        ({"shape": "POINTS"}, "vertices", 0),
        ({"use_absorption": True}, "Absorption", 1),
    ],
)
def test_what_is_not_followed_is_told(bpy, make_body, scene_of, values, word, count):
    make_body()
    source = make_body("Source", role="NONE")
    give_field(bpy, source, "FORCE")
    for name, value in values.items():
        setattr(source.field, name, value)
    scene, ((code, text),) = scene_of()
    assert code == "W_FORCE"
    assert word in text
    assert '"Source"' in text
    assert len(scene.forces) == count


@pytest.mark.parametrize(
    ("role", "damping", "is_told"), [("GRAINS", 0.0, True), ("GRAINS", 0.5, False), ("CLOTH", 0.0, False)]
)
def test_grains_that_wind_passes_by_are_told(make_body, scene_of, add_field, role, damping, is_told):
    body = make_body(role=role)
    body.xpbd.damping = damping
    air = add_field("WIND")
    air.field.wind_factor = 1.0
    told = [text for code, text in scene_of()[1] if code == "W_FORCE"]
    assert [f'"{body.name}"' in text for text in told] == [True] * is_told
    air.field.wind_factor = 0.0
    assert not [text for code, text in scene_of()[1] if code == "W_FORCE"]


def test_absorption_that_comes_later_is_told(make_body, scene_of, add_field):
    make_body()
    keyed(add_field("FORCE"), "use_absorption", {1: False, 3: True})
    ((code, text),) = scene_of(3)[1]
    assert code == "W_FORCE"
    assert "Absorption" in text


def test_an_animated_choice_is_told(make_body, scene_of, add_field):
    make_body()
    add_field("FORCE").field.keyframe_insert("use_gravity_falloff", frame=3)
    ((code, text),) = scene_of(3)[1]
    assert code == "W_FORCE"
    assert "first frame" in text


def keyed(obj, name, values):
    """Key a setting of a field at frames."""
    for frame, value in values.items():
        setattr(obj.field, name, value)
        obj.field.keyframe_insert(name, frame=frame)


@pytest.mark.parametrize("playhead", [1, 5])
@pytest.mark.parametrize(
    ("name", "values", "acts"),
    [
        ("type", {1: "NONE", 3: "WIND"}, False),
        ("type", {1: "WIND", 3: "NONE"}, True),
        ("apply_to_location", {1: False, 3: True}, False),
        ("apply_to_location", {1: True, 3: False}, True),
    ],
)
def test_the_first_frame_decides_wherever_the_playhead_is(
    bpy, make_body, scene_of, add_field, playhead, name, values, acts
):
    make_body()
    keyed(add_field("WIND"), name, values)
    bpy.context.scene.frame_set(playhead)
    scene, ((code, text),) = scene_of(5)
    assert [force.kind for force in scene.forces] == ["WIND"] * acts
    assert code == "W_FORCE"
    assert "first frame" in text
    assert bpy.context.scene.frame_current == playhead


def test_the_numbers_are_those_of_the_first_kind(make_body, scene_of, add_field):
    make_body()
    keyed(add_field("HARMONIC", harmonic_damping=0.3, rest_length=0.4), "type", {1: "HARMONIC", 3: "FORCE"})
    scene, _ = scene_of(5)
    assert scene.forces[0].rest_length == pytest.approx(0.4)
    assert scene.tracks == ()


@pytest.mark.parametrize(
    ("kind", "values", "acts"),
    [
        ("FORCE", {"noise": 5.0}, True),
        ("DRAG", {"noise": 5.0, "linear_drag": 0.0, "quadratic_drag": 0.0}, True),
        ("VORTEX", {"shape": "PLANE"}, True),
        ("VORTEX", {"shape": "POINT"}, False),
        ("FORCE", {}, False),
    ],
)
def test_what_acts_without_strength(make_body, scene_of, add_field, kind, values, acts):
    make_body()
    add_field(kind, **{"strength": 0.0, "flow": 0.0, **values})
    scene, notices = scene_of()
    assert [force.kind for force in scene.forces] == [kind] * acts
    assert notices == []


def test_blenders_vortex_without_strength_slows(bpy, make_body, scene_of, add_field):
    make_body()
    add_field("VORTEX", strength=0.0, flow=0.0, shape="PLANE")
    found, place, velocity = particle_acceleration(bpy)
    assert np.linalg.norm(found) > 1.0
    np.testing.assert_allclose(found, acceleration(scene_of()[0].forces[0], place, velocity), rtol=2e-3, atol=2e-3)


def test_a_field_of_particles_is_told(bpy, make_body, scene_of):
    body = make_body()
    body.modifiers.new("Particles", "PARTICLE_SYSTEM")
    body.particle_systems[0].settings.force_field_1.type = "FORCE"
    assert ("W_FORCE", 'Force fields of particles do not act: "' + body.name + '".') in scene_of()[1]


def test_a_push_and_its_group(bpy, make_body, scene_of):
    body = make_body()
    body.xpbd.push_z, body.xpbd.force_weight = 2.0, 0.5
    body.vertex_groups.new(name="Tip").add([0], 0.25, "REPLACE")
    body.xpbd.push_group = "Tip"
    body.xpbd.keyframe_insert("push_x", frame=1)
    body.xpbd.push_x = 4.0
    body.xpbd.keyframe_insert("push_x", frame=3)
    scene, _ = scene_of(3)
    (read,) = scene.bodies
    assert (read.material.push_z, read.material.force_weight) == (2.0, 0.5)
    assert read.vertex_factors["push"][0] == np.float32(0.25)
    assert read.vertex_factors["push"][1:].max() == 0.0
    (track,) = scene.tracks
    assert (track.target, track.parameter, track.values[-1]) == (read.identifier, "push_x", 4.0)


def weighed(body, kind="CLOTH", **weights):
    """Weights of Blender's own physics of a body, set."""
    settings = body.modifiers.new("Own", kind).settings.effector_weights
    for name, value in weights.items():
        setattr(settings, name, value)
    return settings


def told_weights(scene_of):
    return [text for code, text in scene_of()[1] if code == "W_FORCE" and text.startswith("Field Weights")]


@pytest.mark.parametrize("kind", ["CLOTH", "SOFT_BODY"])
@pytest.mark.parametrize(
    ("weights", "ours", "is_told"),
    [
        ({}, {}, False),
        ({}, {"gravity_factor": 0.5, "force_weight": 0.2}, False),
        ({"all": 0.3}, {}, True),
        ({"all": 0.3}, {"force_weight": 0.3}, False),
        ({"gravity": 0.0}, {}, True),
        ({"gravity": 0.0}, {"gravity_factor": 0.0}, False),
        ({"wind": 0.0}, {}, True),
        ({"vortex": 0.0}, {}, False),
    ],
)
def test_field_weights_of_blenders_own_physics_are_told(make_body, scene_of, add_field, kind, weights, ours, is_told):
    """A Cloth modifier with *All* at 0 kept no field away from the bake, and nothing said so."""
    body = make_body()
    weighed(body, kind, **weights)
    for name, value in ours.items():
        setattr(body.xpbd, name, value)
    add_field("WIND")
    assert [body.name in text for text in told_weights(scene_of)] == [True] * is_told


@pytest.mark.parametrize("kind", [kind.identifier for kind in FORCE_KINDS])
def test_there_is_a_weight_for_each_kind_of_field(make_body, scene_of, add_field, kind):
    """A magnet's has another name than the field: reading the scene ended with an AttributeError."""
    weights = weighed(make_body())
    add_field(kind)
    assert not told_weights(scene_of)
    setattr(weights, {"MAGNET": "magnetic"}.get(kind, kind.lower()), 0.5)
    assert told_weights(scene_of)


def test_field_weights_count_where_there_is_something_to_weigh(bpy, make_body, scene_of, add_field):
    body = make_body()
    weights = weighed(body, all=0.5)
    assert not told_weights(scene_of)
    weights.all = 1.0
    weights.collection = bpy.data.collections.new("Few")
    add_field("FORCE")
    assert told_weights(scene_of)
    body.xpbd.force_collection = weights.collection
    assert not told_weights(scene_of)
    weights.keyframe_insert("all", frame=1)
    assert told_weights(scene_of)
