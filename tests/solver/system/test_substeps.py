# SPDX-License-Identifier: GPL-3.0-or-later
"""How many substeps the materials of a scene ask for, and that jelly then yields as it should."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.geometry.solid.tetrahedra import signed_volumes
from blender_xpbd.scene.body import Pins
from blender_xpbd.scene.material import Material
from blender_xpbd.scene.presets import preset_values
from blender_xpbd.scene.track import Track
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.system.statistics import Measure
from blender_xpbd.solver.system.substeps import (
    DAMPED_WAVE_SHARE,
    WAVE_SHARE,
    hit_speed,
    substeps_for_cloth,
    substeps_for_hits,
    substeps_for_material,
    substeps_for_stiffness,
    substeps_for_waves,
    substeps_for_weight,
    substeps_needed,
)
from blender_xpbd.solver.system.system import build_system
from blender_xpbd.worker.quality import by_material, with_settings
from tests.geometry.surfaces import cube, sphere
from tests.scene.falls.grounds import about_y, sheet, turned
from tests.solver.scenes import cloth, jelly_cube, jelly_of, mesh_box, pins, plane, run, scene

pytestmark = pytest.mark.usefixtures("taichi_cpu")

GRAVITY = 9.81


def stiff_jelly(modulus, **settings):
    return build_system(scene(jelly_cube(0.1, resolution=4, youngs_modulus=modulus), **settings))


def by_its_material(job):
    """A solver with the substeps that the materials choose; bodies are met by points alone."""
    system = build_system(job)
    return Solver(replace(with_settings(system, by_material(system)), objects=None))


def test_stiffness_asks_by_its_root_whatever_substeps_there_are():
    few, many = (substeps_for_stiffness(stiff_jelly(1e6, substeps=substeps)) for substeps in (5, 40))
    assert many == pytest.approx(few, rel=0.1)
    assert substeps_for_stiffness(stiff_jelly(1e8)) == pytest.approx(10 * few, rel=0.1)
    assert substeps_for_stiffness(build_system(scene(cloth(4)))) == 0


def test_what_may_be_pressed_needs_more():
    still, moving = np.eye(4)[None], np.tile(np.eye(4), (50, 1, 1))
    needed = [
        substeps_for_stiffness(stiff_jelly(1e6, colliders=[plane(transforms=transforms)]))
        for transforms in (still, moving)
    ]
    assert needed[1] > 2 * needed[0]


def test_a_hit_is_as_fast_as_the_start_the_fall_and_the_collider_make_it():
    def speed(body, *colliders, **keywords):
        return hit_speed(build_system(scene(body, colliders=colliders, frames=(1, 100), **keywords)), 0)

    cube = jelly_cube(0.2, height=5.0, resolution=3)
    fall = np.sqrt(2.0 * GRAVITY * 1.0)
    assert speed(cube) == 0.0
    assert speed(cube, plane()) == pytest.approx(fall)
    higher = replace(cube, start=cube.positions + np.array([0.0, 0.0, 1.0]))
    assert speed(higher, plane()) == pytest.approx(np.sqrt(2.0) * fall)
    assert speed(cube, plane(height=2.0)) == 0.0
    assert speed(cube, plane(), gravity=(0.0, 0.0, 0.0)) == 0.0
    thrown = replace(cube, velocity=np.array([3.0, 0.0, 0.0]))
    assert speed(thrown, plane()) == pytest.approx(np.hypot(fall, 3.0))
    transforms = np.tile(np.eye(4), (100, 1, 1))
    transforms[:, 2, 3] = np.linspace(0.0, 99.0 / 24.0, 100)
    assert speed(cube, plane(transforms=transforms)) == pytest.approx(fall + 1.0)
    # a frame of falling is no more than g T
    short = build_system(scene(cube, colliders=[plane()], frames=(1, 2)))
    assert hit_speed(short, 0) == pytest.approx(GRAVITY / 24.0)


def test_what_lies_on_a_slope_or_slides_down_it_is_not_crossed_by_waves():
    """Only what hits full on is; how fast it comes down the slope counts for how far it goes in a substep."""
    long = turned(sheet([(-1.0, 0.0), (40.0, 0.0)]), np.radians(30.0))
    body = jelly_cube(0.2, height=0.01, resolution=4, youngs_modulus=2e5, density=1000.0)
    steep = about_y(np.radians(30.0))
    lying = replace(body, positions=body.positions @ steep.T)

    def asked(body, collider):
        system = build_system(scene(body, colliders=[collider], frames=(1, 37)))
        return substeps_for_waves(system), substeps_for_hits(system)

    assert asked(lying, long) == (0, pytest.approx(41, abs=5))
    higher = replace(lying, positions=lying.positions + np.array([0.0, 0.0, 0.3]))
    assert asked(higher, long)[0] > 50
    box = turned(mesh_box(0.5), np.arctan(0.45))
    held = replace(body, positions=(body.positions + np.array([0.0, 0.0, 0.5])) @ about_y(np.arctan(0.45)).T)
    assert asked(held, box) == (0, pytest.approx(2, abs=2))


def test_waves_cross_what_lies_flat_more_often():
    def asked(size, height=1.0, **material):
        corners, triangles = cube()
        places = 0.5 * corners * size + np.array([0.0, 0.0, 0.5 * size[2] + height])
        given = {"density": 1000.0, "solid_model": "COROTATED", **material}
        body = jelly_of((places, triangles), Material.from_values(given))
        system = build_system(scene(body, colliders=[plane()], frames=(1, 100)))
        return substeps_for_waves(system), substeps_for_material(system)

    flat = np.array([0.5, 0.5, 0.25])
    # 2 √(E/ρ) T per share of the height
    expected = np.ceil(2.0 * np.sqrt(60.0) / 24.0 / (DAMPED_WAVE_SHARE * 0.25))
    assert asked(flat, youngs_modulus=60e3) == (expected, expected)
    assert asked(np.array([0.5, 0.25, 0.5]), youngs_modulus=60e3)[0] == pytest.approx(expected / 2.0, abs=1)
    assert asked(flat, youngs_modulus=240e3)[0] == pytest.approx(2.0 * expected, abs=1)
    # what lies on the floor does not rebound, and what is hard rebounds by its restitution
    assert asked(flat, 0.02, youngs_modulus=60e3)[0] == 0
    assert asked(flat, youngs_modulus=1e8)[0] == 0


def test_waves_that_a_warm_start_keeps_ask_for_less():
    """All stable neo-Hookean jelly starts warm, however soft it is and whatever substeps it gets."""

    def asked(**values):
        material = Material.from_values({"density": 1000.0, "youngs_modulus": 60e3, **values})
        corners, triangles = cube()
        body = jelly_of((0.25 * corners + np.array([0.0, 0.0, 1.25]), triangles), material)
        return substeps_for_waves(build_system(scene(body, colliders=[plane()], frames=(1, 100))))

    crossings = 2.0 * np.sqrt(60.0) / 24.0 / 0.5
    few, many = np.ceil(crossings / WAVE_SHARE), np.ceil(crossings / DAMPED_WAVE_SHARE)
    assert asked() == asked(poissons_ratio=0.0) == few
    assert asked(youngs_modulus=0.6e3) == np.ceil(0.1 * crossings / WAVE_SHARE)
    assert asked(solid_model="COROTATED") == many


def test_iterations_that_were_typed_before_do_not_count():
    corners, triangles = cube()
    material = Material.from_values({"density": 1000.0, "youngs_modulus": 100e3})
    body = jelly_of((0.25 * corners + np.array([0.0, 0.0, 1.25]), triangles), material)

    def asked(**settings):
        return substeps_for_waves(build_system(scene(body, colliders=[plane()], frames=(1, 100), **settings)))

    assert asked(iterations=4, quality="MATERIAL") == asked(iterations=1, quality="MATERIAL")
    assert asked(iterations=4, quality="FIXED") > asked(iterations=1, quality="FIXED")


def test_what_is_drawn_to_a_goal_does_not_fall_to_the_floor():
    cube = jelly_cube(0.2, height=5.0, resolution=3)
    vertices = np.arange(len(cube.positions))
    frequency = cube.material.goal_frequency
    ways = np.array([0.0, 0.1, 0.0])[None, None] * np.arange(100)[:, None, None]

    def speed(count, weight=1.0):
        weights = np.full(count, weight, np.float32)
        drawn = replace(cube, goal=Pins(vertices[:count], weights, cube.positions[:count] + ways))
        return hit_speed(build_system(scene(drawn, colliders=[plane()], frames=(1, 100))), 0)

    rate = 2.0 * np.pi * frequency
    goes = 0.1 * 24.0
    assert speed(len(vertices)) == pytest.approx(2.0 * GRAVITY / rate + goes, rel=1e-3)
    assert speed(len(vertices), 0.25) == pytest.approx(2.0 * GRAVITY / (0.5 * rate) + goes, rel=1e-3)
    # a part that nothing draws hangs as low as it likes
    assert speed(len(vertices) - 1) == pytest.approx(np.sqrt(2.0 * GRAVITY * 1.0))


@pytest.mark.parametrize(("keyed", "falls"), [("own", True), ("other", False)])
def test_only_its_own_keys_of_the_goals_strength_let_a_body_fall(keyed, falls):
    cubes = [replace(jelly_cube(0.2, height=height, resolution=3), identifier=name) for name, height in
             (("own", 5.0), ("other", 9.0))]  # fmt: skip
    vertices = np.arange(len(cubes[0].positions))
    drawn = [
        replace(one, goal=Pins(vertices, np.ones(len(vertices), np.float32), one.positions[None])) for one in cubes
    ]
    both = scene(*drawn, colliders=[plane()], frames=(1, 100))
    assert not np.isinf(both.goal_reach(drawn[0], GRAVITY))
    one_keyed = replace(both, tracks=(Track(keyed, "goal_frequency", np.linspace(0.0, 3.0, 100)),))
    assert np.isinf(one_keyed.goal_reach(drawn[0], GRAVITY)) == falls


def test_a_goal_is_as_fast_as_its_fastest_vertex():
    cube = jelly_cube(0.2, height=5.0, resolution=3)
    vertices = np.arange(len(cube.positions))
    middle = cube.positions.mean(axis=0)
    angles = 0.1 * np.arange(100)
    turned = [
        (cube.positions - middle) @ np.array([[np.cos(a), np.sin(a), 0], [-np.sin(a), np.cos(a), 0], [0, 0, 1]])
        for a in angles
    ]

    def speed(places):
        drawn = replace(cube, goal=Pins(vertices, np.ones(len(vertices), np.float32), places))
        return hit_speed(build_system(scene(drawn, colliders=[plane()], frames=(1, 100))), 0)

    chord = 2.0 * np.sin(0.05) * np.hypot(0.1, 0.1)
    assert speed(np.array(turned) + middle) == pytest.approx(speed(cube.positions[None]) + 24.0 * chord, rel=1e-6)


def test_what_begins_away_from_its_goal_swings_to_it():
    cube = jelly_cube(0.2, height=5.0, resolution=3)
    vertices = np.arange(len(cube.positions))
    rate = 2.0 * np.pi * cube.material.goal_frequency

    def speed(distance, weight=1.0, **values):
        weights = np.full(len(vertices), weight, np.float32)
        places = cube.positions[None] - [0.0, 0.0, distance]
        drawn = replace(cube, goal=Pins(vertices, weights, places), **values)
        return hit_speed(build_system(scene(drawn, colliders=[plane()], frames=(1, 100))), 0)

    def expected(distance, rate):
        return np.sqrt(2.0 * GRAVITY * (2.0 * GRAVITY / rate**2 + distance)) + rate * distance

    assert speed(0.3) == pytest.approx(expected(0.3, rate), rel=1e-6)
    assert speed(0.3, 0.25) == pytest.approx(expected(0.3, 0.5 * rate), rel=1e-6)
    assert speed(0.3, start=cube.positions - [0.0, 0.0, 0.3]) == pytest.approx(expected(0.0, rate), rel=1e-6)


def test_fast_and_fine_jelly_needs_more():
    coarse, fine = (
        substeps_for_hits(build_system(scene(jelly_cube(0.2, 5.0, resolution), colliders=[plane()], frames=(1, 100))))
        for resolution in (4, 8)
    )
    assert fine == pytest.approx(2 * coarse, abs=2)


def test_no_fewer_than_the_default_and_no_more_than_the_limit_but_for_weight():
    assert substeps_for_material(stiff_jelly(1e2)) == 20
    assert substeps_for_material(stiff_jelly(1e2, maximum_substeps=7)) == 7
    assert substeps_for_material(stiff_jelly(1e9, maximum_substeps=90)) == 90
    tiny = build_system(scene(jelly_cube(1e-4, resolution=8), colliders=[plane()]))
    weight = substeps_for_weight(tiny, tiny.models[0])
    assert substeps_for_material(tiny) == weight > 160
    assert substeps_needed(tiny) > weight


def test_a_tiny_cube_is_held():
    """With 20 substeps it ends in E_DIVERGED."""
    simulation = by_its_material(scene(jelly_cube(1e-4, resolution=8), colliders=[plane()], frames=(1, 5)))
    for _ in range(2):
        simulation.advance()
    assert Measure(simulation.system)(simulation.positions())[0, 1] < 0.1


def jelly(surface, preset):
    """Jelly of a surface, positions [m] and triangles, in 8 cells."""
    return jelly_of(surface, Material.from_values(preset_values(preset, "JELLY")))


@pytest.mark.parametrize(("quality", "effort"), [("DRAFT", 0.5), ("MATERIAL", 1.0), ("FINAL", 4.0)])
def test_draft_takes_half_and_final_four_times_as_many(quality, effort):
    for gravity in ((0.0, 0.0, 0.0), (0.0, 0.0, -GRAVITY)):
        normal = substeps_for_material(stiff_jelly(1e6, gravity=gravity))
        assert substeps_for_material(stiff_jelly(1e6, gravity=gravity, quality=quality)) == np.ceil(effort * normal)
    assert substeps_for_material(build_system(scene(cloth(4), quality=quality))) == 20 * effort
    limited = stiff_jelly(1e8, quality=quality, maximum_substeps=30)
    assert substeps_for_material(limited) == 30 * effort


@pytest.mark.parametrize(("size", "gravity", "expected"), [(1.0, 9.81, 40), (0.25, 9.81, 80), (0.25, 9.81 / 4, 40)])
def test_cloth_gets_substeps_by_how_far_its_weight_moves_it_per_edge(size, gravity, expected):
    """200.4 / 24 √(g / 9.81 L) of them, as the nearest multiple of 20: edges of 5 cm and of 1.25 cm."""
    system = build_system(scene(cloth(21, size=size), gravity=(0.0, 0.0, -gravity)))
    assert substeps_for_cloth(system) == substeps_for_material(system) == expected


@pytest.mark.parametrize("pinned", [(0, 24), ()], ids=["hangs", "lies on a box"])
def test_default_substeps_keep_cloth_from_stretching(pinned):
    body = cloth(25, size=0.5, height=0.14, pinned=pinned, area_density=0.15, stretch_stiffness=2000.0)
    job = scene(body, colliders=[] if pinned else [mesh_box(0.12)], frames=(1, 25))
    strains = []
    for simulation in (Solver(replace(build_system(job), objects=None)), by_its_material(job)):
        edges = simulation.system.models[0].edges
        rest, now = body.positions, run(simulation, 20)
        lengths = [np.linalg.norm(points[edges[:, 0]] - points[edges[:, 1]], axis=1) for points in (rest, now)]
        strains.append(float(np.percentile(lengths[1] / lengths[0] - 1.0, 99)))
    assert strains[1] < 0.5 * strains[0]
    assert strains[1] < 0.05


def test_a_draft_keeps_what_tiny_cells_need():
    tiny = {
        quality: build_system(scene(jelly_cube(1e-4, resolution=4), quality=quality))
        for quality in ("DRAFT", "MATERIAL")
    }
    assert substeps_for_material(tiny["DRAFT"]) == substeps_for_weight(tiny["MATERIAL"], tiny["MATERIAL"].models[0])


def volume(simulation):
    """Volume of what fills the tetrahedra, inside out or not [m³]."""
    block = next(block for block in simulation.system.schedule.blocks if block is not None)
    rest = np.abs(signed_volumes(simulation.system.positions, block.indices))
    fill = 1.0 / (block.parameters[:, -1] * rest)
    return float((fill * np.abs(signed_volumes(simulation.positions().astype(np.float64), block.indices))).sum())


@pytest.mark.parametrize(("preset", "converged"), [("JELLY_SOFT", 0.78), ("JELLY_FIRM", 0.98), ("RUBBER", 0.995)])
def test_a_small_ball_keeps_the_volume_of_the_converged_run_when_it_hits(preset, converged):
    """20 substeps leave 0.80 of Firm and 0.73 of Rubber; converged are 320."""
    points, triangles = sphere(32, 16)
    ball = jelly((0.1 * points + [0.0, 0.0, 0.1005], triangles), preset)
    ball = replace(ball, velocity=np.array([0.0, 0.0, -np.sqrt(2.0 * GRAVITY)]))
    chosen = substeps_for_material(build_system(scene(ball, colliders=[plane()], frames=(1, 3))))
    parts = 5
    job = scene(ball, colliders=[plane()], duration=1 / 24 / parts, substeps=round(chosen / parts))
    simulation = Solver(replace(build_system(job), objects=None))
    least = 1.0
    for _ in range(parts):
        simulation.advance()
        surface = signed_volume(simulation.surface(simulation.positions()), triangles)
        least = min(least, surface / signed_volume(ball.positions, triangles))
    assert least == pytest.approx(converged, abs=0.03)


def signed_volume(points, triangles):
    first, second, third = np.moveaxis(points.astype(np.float64)[triangles], 1, 0)
    return float(np.einsum("ij,ij->", first, np.cross(second, third)) / 6.0)


@pytest.mark.parametrize(("size", "preset", "converged"), [(0.2, "JELLY_MEDIUM", 0.848), (1.0, "RUBBER", 0.934)])
def test_a_cube_that_is_pressed_to_half_bulges(size, preset, converged):
    """20 substeps leave 0.66 and 0.69; converged are 320."""
    corners, triangles = cube()
    frames = 25
    lid = np.tile(np.diag([1.0, -1.0, -1.0, 1.0]), (frames, 1, 1))
    lid[:, 2, 3] = size * np.linspace(1.0, 0.5, frames)
    block = jelly((size * (0.5 * corners + [0.0, 0.0, 0.5]), triangles), preset)
    colliders = [plane(), replace(plane(transforms=lid), identifier="c1")]
    simulation = by_its_material(scene(block, colliders=colliders, frames=(1, frames)))
    before = volume(simulation)
    for _ in range(frames - 1):
        simulation.advance()
    assert volume(simulation) / before == pytest.approx(converged, abs=0.03)


def held_bar(preset, size):
    """A bar of five times its thickness, held at one end, that hangs down under a weak weight."""
    corners, triangles = cube()
    bar = jelly((size * (corners * [0.5, 0.1, 0.1]), triangles), preset)
    held = np.flatnonzero(corners[:, 0] < 0.0)
    material = Material.from_values({**preset_values(preset, "JELLY"), "damping": 4.0})
    return replace(bar, material=material, pins=pins(bar.positions, held))


def sag(bar, substeps):
    simulation = Solver(build_system(scene(bar, gravity=(0.0, 0.0, -1.0), frames=(1, 60), substeps=substeps)))
    for _ in range(48):
        simulation.advance()
    return float((bar.positions - simulation.surface(simulation.positions()))[:, 2].max())


@pytest.mark.parametrize(("preset", "size"), [("RUBBER", 1.0), ("RUBBER", 0.5), ("JELLY_FIRM", 0.1)])
def test_bars_bend_as_converged_ones(preset, size):
    """Along the shape alone, Rubber would be as soft as it needs to be no more than a tenth too soft."""
    bar = held_bar(preset, size)
    chosen = substeps_for_material(build_system(scene(bar)))
    assert sag(bar, chosen) == pytest.approx(sag(bar, 4 * chosen), rel=0.1)
