# SPDX-License-Identifier: GPL-3.0-or-later
"""Force fields, air and pushes: what they do to points, sheets and solids."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.bodies.body_model import BodyModel
from blender_xpbd.device.arrays import read_array
from blender_xpbd.scene.body import Body
from blender_xpbd.scene.force import Force
from blender_xpbd.scene.material import Material
from blender_xpbd.scene.parameters.external_parameters import EXTERNAL_PARAMETERS
from blender_xpbd.scene.track import Track
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.step.plan import COLOURS, SERIAL, THREADS
from blender_xpbd.solver.system.system import assemble, build_system
from tests.reference.force_fields import acceleration
from tests.solver.scenes import GRAVITY, cloth, jelly_cube, plane, scene

pytestmark = pytest.mark.usefixtures("taichi_cpu")

STILL = (0.0, 0.0, 0.0)
FRAME = 1.0 / 24.0


def placed(place=(0.3, -0.2, 0.1)):
    """A transform whose Z axis points along (0.6, 0, 0.8)."""
    matrix = np.eye(4)
    matrix[:3, :3] = [[0.8, 0.0, 0.6], [0.0, 1.0, 0.0], [-0.6, 0.0, 0.8]]
    matrix[:3, 3] = place
    return matrix[None]


def field(kind, transforms=None, **values):
    return Force("f0", "Field", kind, np.eye(4)[None] if transforms is None else transforms, **values)


def wind(speed, **values):
    """Air along Z."""
    return field("WIND", strength=speed, wind_factor=1.0, **values)


def points(positions, velocities, forces, path=SERIAL, tracks=(), **keywords):
    """A solver of free points of 2 kg."""
    positions = np.asarray(positions, np.float64)
    material = Material.from_values({"internal_damping": 0.0, **keywords.pop("material", {})})
    body = Body("b0", "Points", "CLOTH", positions, np.zeros(0, np.int32), np.zeros(0, np.int32), material)
    own = np.arange(len(positions), dtype=np.int32)
    model = BodyModel(
        body=body,
        positions=positions,
        masses=np.full(len(positions), 2.0),
        blocks=(),
        elements=np.repeat(own[:, None], 4, axis=1),
        weights=np.tile([1.0, 0.0, 0.0, 0.0], (len(positions), 1)),
        pin_weights=np.zeros(len(positions)),
        edges=np.zeros((0, 2), np.int32),
    )
    keywords = {"gravity": STILL, "precision": "DOUBLE", **keywords}
    whole = replace(scene(body, **keywords), forces=tuple(forces), tracks=tuple(tracks))
    system = assemble(whole, (model,))
    return Solver(replace(system, velocities=np.asarray(velocities, np.float64)), (path,))


def places(solver):
    return solver.positions() + solver.system.origin


def velocities(solver):
    return read_array(solver._state.particles.velocities)[:, :3]


FIELDS = {
    "force": {"kind": "FORCE", "strength": -3.0, "flow": 0.4},
    "force of a line": {"kind": "FORCE", "strength": 2.0, "shape": "LINE"},
    "force of a plane": {"kind": "FORCE", "strength": 2.0, "shape": "PLANE", "side": "POSITIVE"},
    "gravitation": {"kind": "FORCE", "strength": 2.0, "inverse_square": True},
    "power": {"kind": "FORCE", "strength": 2.0, "falloff": 1.5, "minimum_distance": 0.4, "maximum_distance": 1.3},
    "tube": {
        "kind": "FORCE", "falloff_kind": "TUBE", "falloff": 1.0, "radial_falloff": 2.0, "minimum_radius": 0.2,
        "maximum_radius": 1.1,
    },
    "cone": {"kind": "FORCE", "falloff_kind": "CONE", "radial_falloff": 0.5, "maximum_radius": 100.0},
    "wind on points": {"kind": "WIND", "strength": 3.0, "shape": "PLANE", "flow": 1.0},
    "vortex": {"kind": "VORTEX", "strength": 2.0, "shape": "PLANE", "falloff": 1.0},
    "vortex of a point": {"kind": "VORTEX", "strength": 2.0},
    "magnet": {"kind": "MAGNET", "strength": 2.0},
    "magnet of a plane": {"kind": "MAGNET", "strength": 2.0, "shape": "PLANE"},
    "harmonic": {"kind": "HARMONIC", "strength": 9.0, "damping": 0.3, "rest_length": 0.25},
    "charge": {"kind": "CHARGE", "strength": 2.0, "falloff": 2.0},
    "drag": {"kind": "DRAG", "strength": 0.7, "damping": 0.4},
    "units": {"kind": "DRAG", "strength": 0.7, "damping": 0.4, "length_unit": 0.1},
    "power in units": {"kind": "FORCE", "strength": 2.0, "falloff": 1.5, "length_unit": 0.1},
}  # fmt: skip


@pytest.mark.parametrize("values", FIELDS.values(), ids=FIELDS)
@pytest.mark.parametrize(("path", "weight"), [(SERIAL, 1.0), (COLOURS, 1.0), (SERIAL, 0.4)])
def test_a_field_does_to_points_what_blender_says(values, path, weight):
    force = field(transforms=placed(), **values)
    rng = np.random.default_rng(7)
    starts, speeds = rng.normal(size=(40, 3)), rng.normal(size=(40, 3))
    h = 1e-4
    material = {"force_weight": weight}
    solver = points(starts, speeds, [force], path, duration=h, substeps=1, material=material)
    solver.advance()
    solver.advance()
    # the first substep is half a kick: after the second one and a half have acted
    found = (velocities(solver) - speeds) / (1.5 * h)
    expected = np.array([acceleration(force, x, v, weight) for x, v in zip(starts, speeds, strict=True)])
    assert np.abs(expected).max() > 0.01
    np.testing.assert_allclose(found, expected, rtol=1e-2, atol=2e-3 * np.abs(expected).max())


@pytest.mark.parametrize("integration", ["SYMPLECTIC_EULER", "BDF2"])
def test_a_uniform_field_is_a_fall(integration):
    solver = points([[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]], np.zeros((2, 3)), [field("WIND", strength=4.0)],
                    substeps=4, time_integration=integration)  # fmt: skip
    before = places(solver)
    for _ in range(24):
        solver.advance()
    # what BDF2 does in its first substep is of first order
    accuracy = 5e-4 if integration == "BDF2" else 1e-6
    np.testing.assert_allclose(places(solver) - before, [[0.0, 0.0, 2.0]] * 2, rtol=0.0, atol=accuracy)


def test_gravity_and_fields_add_up_with_damping():
    """A field of −g holds what damping slows, whatever the damping."""
    solver = points([[0.0, 0.0, 0.0]], np.zeros((1, 3)), [field("WIND", strength=GRAVITY)], substeps=3,
                    gravity=(0.0, 0.0, -GRAVITY), material={"damping": 5.0})  # fmt: skip
    for _ in range(12):
        solver.advance()
    np.testing.assert_allclose(places(solver), 0.0, atol=1e-6)


@pytest.mark.parametrize("weight", [1.0, 0.5])
def test_a_vortex_keeps_what_turns_with_it_on_its_circle(weight):
    """At half the weight twice the strength turns as fast: the circle was lost, for its pull was halved as well."""
    omega, frames = 2.0, 48
    solver = points([[1.0, 0.0, 0.0], [0.0, -2.0, 0.5]], [[0.0, 2.0, 0.0], [4.0, 0.0, 0.0]],
                    [field("VORTEX", strength=omega / weight, shape="PLANE")], substeps=20,
                    material={"force_weight": weight})  # fmt: skip
    for _ in range(frames):
        solver.advance()
    found = places(solver)
    angles = np.array([0.0, -np.pi / 2.0]) + omega * frames * FRAME
    expected = np.stack([np.cos(angles), np.sin(angles)], axis=1) * [[1.0], [2.0]]
    np.testing.assert_allclose(found[:, :2], expected, atol=5e-3)
    np.testing.assert_allclose(found[:, 2], [0.0, 0.5], atol=1e-9)


def test_a_magnet_changes_no_speed():
    solver = points([[1.0, 0.0, 0.0]], [[0.0, 3.0, 0.0]], [field("MAGNET", strength=40.0, shape="PLANE")], substeps=5)
    for _ in range(40):
        solver.advance()
    assert np.linalg.norm(velocities(solver)) == pytest.approx(3.0, rel=1e-6)


def test_resistance_never_turns_motion_round():
    solver = points([[0.0, 0.0, 0.0]], [[5.0, 0.0, 0.0]], [field("FORCE", strength=0.0, flow=1e4)], substeps=1)
    for _ in range(5):
        solver.advance()
        assert -1e-9 <= velocities(solver)[0, 0] <= 5.0


def test_strength_and_place_go_evenly_through_a_frame():
    """A strength that grows as t moves a point by t³/6."""
    frames = 13
    tracks = [Track("f0", "strength", np.arange(frames) * FRAME)]
    solver = points(
        [[0.0, 0.0, 0.0]], np.zeros((1, 3)), [field("WIND")], tracks=tracks, substeps=40, frames=(1, frames)
    )
    for _ in range(frames - 1):
        solver.advance()
    t = (frames - 1) * FRAME
    assert places(solver)[0, 2] == pytest.approx(t**3 / 6.0, rel=5e-3)
    moving = np.tile(np.eye(4), (2, 1, 1))
    moving[1, 2, 3] = 2.0
    floats = points([[0.0, 0.0, 0.0]], np.zeros((1, 3)), [field("FORCE", moving)], substeps=4, frames=(1, 2))
    np.testing.assert_allclose(
        floats.system.external.field_floats(0)[:, 0, 2] + floats.system.origin[2], [0, 0.5, 1, 1.5]
    )


@pytest.mark.parametrize("name", ["maximum_distance", "maximum_radius"])
@pytest.mark.parametrize("ends", [(0.0, 3.0), (3.0, 0.0)])
def test_an_end_that_is_switched_takes_no_reach_meanwhile(name, ends):
    """What is nearer than the end is in the field before, while and after it is there."""
    force = field("WIND", strength=2.0, falloff_kind="TUBE")
    solver = points([[2.0, 0.0, 2.0]], np.zeros((1, 3)), [force], tracks=[Track("f0", name, np.array(ends))],
                    substeps=8, frames=(1, 2))  # fmt: skip
    solver.advance()
    np.testing.assert_allclose(velocities(solver)[0], [0.0, 0.0, 2.0 * FRAME * 7.5 / 8.0], rtol=1e-6)


def turbulent(seed, size, path=SERIAL):
    rng = np.random.default_rng(3)
    starts = rng.uniform(-20.0, 20.0, (4000, 3))
    solver = points(starts, np.zeros_like(starts), [field("TURBULENCE", strength=5.0, seed=seed, size=size)], path,
                    duration=0.01, substeps=1)  # fmt: skip
    solver.advance()
    return velocities(solver) / 0.005


def test_turbulence_has_the_strength_of_blenders():
    """Three octaves of improved Perlin noise; 0.17 is the standard deviation that Blender's has at random places."""
    found = turbulent(1, 1.7)
    np.testing.assert_allclose(found.mean(axis=0), 0.0, atol=0.1)
    np.testing.assert_allclose(found.std(axis=0), 5.0 * 0.17, rtol=0.15)
    assert np.abs(found).max() < 5.0
    np.testing.assert_array_equal(found, turbulent(1, 1.7))
    np.testing.assert_allclose(found, turbulent(1, 1.7, COLOURS), atol=1e-5)
    assert np.abs(np.corrcoef(found.ravel(), turbulent(2, 1.7).ravel())[0, 1]) < 0.1


def test_turbulence_is_smooth():
    line = np.linspace(0.0, 3.0, 3001)[:, None] * [[0.3, 0.5, 0.8]]
    solver = points(line, np.zeros_like(line), [field("TURBULENCE", strength=1.0)], duration=0.01, substeps=1)
    solver.advance()
    steps = np.abs(np.diff(velocities(solver) / 0.005, axis=0)).max()
    assert 1e-4 < steps < 0.02


def test_noise_is_that_of_blender_and_differs_from_frame_to_frame():
    """(0 to 127)/128 of it over 1 to 2, taken away up to 64: 0.168 in the mean."""
    starts = np.zeros((20000, 3))
    solver = points(starts, starts, [field("WIND", strength=0.0, noise=2.0)], duration=0.01, substeps=1)
    solver.advance()
    first = velocities(solver)[:, 2].copy() / 0.005
    solver.advance()
    second = velocities(solver)[:, 2] / 0.01 - first / 2.0
    for found in (first, second):
        assert found.mean() == pytest.approx(2.0 * 0.168, rel=0.08)
        assert found.min() > -2.0 * 0.52
        assert 1.7 < found.max() < 2.0
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.05


def test_noise_of_turbulence_changes_and_its_eddies_stand_still():
    starts = np.random.default_rng(5).uniform(-9.0, 9.0, (500, 3))

    def gains(**values):
        """Of speed in each of two frames."""
        solver = points(starts, np.zeros_like(starts), [field("TURBULENCE", strength=5.0, **values)], duration=1e-4,
                        substeps=1)  # fmt: skip
        solver.advance()
        first = velocities(solver).copy()
        solver.advance()
        return first / 0.5, velocities(solver) - first

    still, later = gains()
    np.testing.assert_allclose(later, still, atol=1e-6)
    noisy, other = gains(noise=2.0)
    assert np.abs(other - noisy).max() > 0.1 * np.abs(still).max()


def falling(body, forces, frames=24, path=SERIAL, gravity=(0.0, 0.0, -GRAVITY), **keywords):
    """Heights of the centre after each frame, and the solver."""
    whole = replace(
        scene(body, gravity=gravity, **{"substeps": 5, "precision": "DOUBLE", **keywords}), forces=tuple(forces)
    )
    solver, heights = Solver(build_system(whole), (path,)), []
    for _ in range(frames):
        solver.advance()
        heights.append(places(solver)[:, 2].mean())
    return np.array(heights), solver


@pytest.mark.parametrize("count", [4, 9, 17])
@pytest.mark.parametrize("substeps", [5, 20])
def test_a_sheet_falls_through_still_air_as_its_drag_says(count, substeps):
    heights, solver = falling(cloth(count), [wind(0.0)], substeps=substeps)
    terminal = np.sqrt(2.0 * 0.15 * GRAVITY / (1.2 * 1.2))
    t = np.arange(1, 25) * FRAME
    expected = -(terminal**2) / GRAVITY * np.log(np.cosh(GRAVITY * t / terminal))
    np.testing.assert_allclose(heights, expected, atol=0.005)
    assert velocities(solver)[:, 2].mean() == pytest.approx(-terminal, rel=1e-3)


def test_paths_agree_in_the_wind():
    body = cloth(9)
    results = [falling(body, [wind(6.0, noise=3.0)], 6, path)[1].positions() for path in (SERIAL, THREADS)]
    np.testing.assert_array_equal(*results)
    np.testing.assert_allclose(falling(body, [wind(6.0, noise=3.0)], 6, COLOURS)[1].positions(), results[0], atol=2e-4)


def tilted(angle):
    """A sheet whose normal makes an angle with Z, towards X."""
    body = cloth(5, air_drag=1.2, air_lift=1.0)
    turn = np.array([[np.cos(angle), 0.0, np.sin(angle)], [0.0, 1.0, 0.0], [-np.sin(angle), 0.0, np.cos(angle)]])
    return replace(body, positions=body.positions @ turn.T)


@pytest.mark.parametrize("degrees", [0.0, 30.0, 60.0, 90.0, 120.0, 210.0])
def test_drag_and_lift_of_a_slanting_sheet(degrees):
    angle, speed, h = np.radians(degrees), 5.0, 1e-3
    _, solver = falling(tilted(angle), [wind(speed)], 1, gravity=STILL, duration=h, substeps=1)
    force = 0.15 * velocities(solver).mean(axis=0) / (0.5 * h)
    c = abs(np.cos(angle))
    normal = np.array([np.sin(angle), 0.0, np.cos(angle)]) * np.sign(np.cos(angle))
    along = np.array([0.0, 0.0, 1.0])
    expected = 0.5 * 1.2 * speed**2 * c * (1.2 * along + 1.0 * (normal - c * along))
    np.testing.assert_allclose(force, expected, rtol=0.03, atol=1e-3)


def test_wind_reaches_a_solid_from_outside_alone():
    """Of a cube the face in the wind bears all of it: ½ ρ C A v²; the mass is that of its particles."""
    body = jelly_cube(0.5, resolution=3, air_lift=0.0)
    whole = replace(scene(body, gravity=STILL, substeps=1, duration=1e-3), forces=(wind(20.0),))
    system = build_system(whole)
    solver = Solver(system)
    solver.advance()
    masses = system.models[0].masses
    momentum = masses @ velocities(solver)
    np.testing.assert_allclose(momentum, [0.0, 0.0, 0.5e-3 * 0.5 * 1.2 * 1.2 * 0.25 * 400.0], rtol=1e-3, atol=1e-4)


def test_damping_slows_relative_to_the_air():
    heights, _ = falling(cloth(4, damping=2.0, air_drag=0.0, air_lift=0.0), [wind(3.0)], gravity=STILL)
    assert heights[-1] == pytest.approx(3.0 * (1.0 - (1.0 - np.exp(-2.0)) / 2.0), rel=1e-4)


def test_weights_and_collections_choose():
    bodies = [
        replace(cloth(3, identifier="b0")),
        replace(cloth(3, identifier="b1", force_weight=0.5)),
        replace(cloth(3, identifier="b2"), fields=()),
        replace(cloth(3, identifier="b3"), fields=("f0",)),
    ]
    whole = replace(scene(*bodies, gravity=STILL, substeps=4), forces=(field("WIND", strength=2.0),))
    solver = Solver(build_system(whole))
    for _ in range(24):
        solver.advance()
    heights = places(solver)[:, 2].reshape(4, 9).mean(axis=1)
    np.testing.assert_allclose(heights, [1.0, 0.5, 0.0, 1.0], atol=1e-4)


def test_a_keyed_push_moves_its_group():
    """A push of 3 m/s² from the third frame on, on half of the vertices: these alone are let go by what is not tied."""
    frames = 5
    push = np.array([0.0, 0.0, 3.0, 3.0, 3.0])
    body = replace(
        cloth(2, stretch_stiffness=1e-6, bending_model="NONE"),
        vertex_factors={"push": np.array([1.0, 1.0, 0.0, 0.5], np.float32)},
    )
    whole = replace(scene(body, gravity=STILL, substeps=20, frames=(1, frames)), tracks=(Track("b0", "push_z", push),))
    solver = Solver(build_system(whole))
    for _ in range(frames - 1):
        solver.advance()
    # it grows over the second frame
    speed = 3.0 * FRAME * (0.5 + 2.0)
    np.testing.assert_allclose(velocities(solver)[:, 2], speed * np.array([1.0, 1.0, 0.0, 0.5]), rtol=0.02, atol=1e-4)


OTHER_VALUES = {
    "force_weight": 0.4, "air_drag": 0.3, "air_lift": 1.5, "push_x": 2.0, "push_y": -3.0, "push_z": 5.0
}  # fmt: skip


def tracked(name, values, **keywords):
    """Where the vertices of a sheet in a wind are after the frames of a track."""
    body = replace(cloth(5), material=Material.from_values(keywords))
    whole = replace(
        scene(body, gravity=STILL, substeps=5, precision="DOUBLE", frames=(1, 5)),
        forces=(wind(6.0, transforms=placed()),),
        tracks=() if values is None else (Track("b0", name, np.asarray(values, np.float64)),),
    )
    solver = Solver(build_system(whole))
    for _ in range(4):
        solver.advance()
    return solver.positions()


def test_there_is_another_value_of_every_external_parameter():
    # the share of gravity has tests of its own
    animatable = {parameter.name for parameter in EXTERNAL_PARAMETERS if parameter.animatable}
    assert set(OTHER_VALUES) == animatable - {"gravity_factor"}


@pytest.mark.parametrize(("name", "other"), OTHER_VALUES.items())
def test_every_external_parameter_follows_its_track(name, other):
    np.testing.assert_array_equal(tracked(name, np.full(5, other)), tracked(name, None, **{name: other}))
    late = tracked(name, [0.0, 0.0, 0.0, other, other])
    for value in (0.0, other):
        assert np.abs(late - tracked(name, np.full(5, value))).max() > 1e-4


def test_a_jelly_pressed_to_a_wall_by_a_field_rests():
    """What rests under a field counts as resting, though gravity is nought and it bounces."""
    body = jelly_cube(0.4, height=0.0, resolution=3, restitution=0.8)
    whole = replace(
        scene(body, colliders=[plane(friction=0.5)], gravity=STILL, substeps=10),
        forces=(field("WIND", strength=-GRAVITY),),
    )
    solver = Solver(build_system(whole))
    for _ in range(48):
        solver.advance()
    assert np.abs(velocities(solver)).max() < 0.02


def test_a_bake_goes_on_from_a_checkpoint():
    forces = [wind(4.0, noise=2.0), Force("f1", "T", "TURBULENCE", np.eye(4)[None], strength=3.0)]
    _, whole = falling(cloth(6), forces, 6)
    _, begun = falling(cloth(6), forces, 3)
    _, other = falling(cloth(6), forces, 1)
    other.restore(3, begun.checkpoint())
    for _ in range(3):
        other.advance()
    np.testing.assert_array_equal(other.positions(), whole.positions())


def test_nothing_of_it_is_compiled_without():
    solver = Solver(build_system(scene(cloth(3))))
    variant = solver._plan.variant
    assert not variant.is_forced
    assert not variant.fields
    assert not variant.has_air
    assert not solver.system.external
