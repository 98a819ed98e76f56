# SPDX-License-Identifier: GPL-3.0-or-later
"""Cloth with coarse levels: stiff with few substeps, no stiffer than its material, and the same on every path."""

import dataclasses
import itertools

import numpy as np
import pytest

from blender_xpbd.bodies.cloth import build_cloth
from blender_xpbd.bodies.hierarchy import LEAST_STRETCH
from blender_xpbd.scene.collider import Collider
from blender_xpbd.scene.settings import SolverSettings
from blender_xpbd.solver.order.level_tables import BELOW_COUNT, COUNT, FIRST, build_hierarchy_tables
from blender_xpbd.solver.order.tasks import MOST_PARTS
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.step.plan import PATHS
from blender_xpbd.solver.system.system import build_system
from tests.solver import scenes
from tests.solver.scenes import cloth, solver

pytestmark = pytest.mark.usefixtures("taichi_cpu")

RIGID = {
    "stiffness_input": "COMPLIANCE",
    "stretch_compliance": 1e-8,
    "bending_model": "DISTANCE",
    "bending_compliance": 1e-8,
    "area_density": 1e4,
}


def level_count(simulation):
    return len(
        build_hierarchy_tables(simulation.system.models, simulation.system.starts, simulation.system.scene).levels
    )


def stretch_percent(simulation):
    """Mean of the absolute strain of edges, and its 99th percentile."""
    model = simulation.system.models[0]
    positions = simulation.positions()
    lengths = [
        np.linalg.norm(x[model.edges[:, 0]] - x[model.edges[:, 1]], axis=1) for x in (positions, model.positions)
    ]
    strain = 100.0 * (lengths[0] / lengths[1] - 1.0)
    return np.abs(strain).mean(), np.percentile(strain, 99)


def hung(count=21, **values):
    """A square that hangs from its upper side."""
    body = cloth(count, pinned=count * np.arange(count) + count - 1, bending_model="NONE", **values)
    upright = body.positions[:, [0, 2, 1]]
    return dataclasses.replace(body, positions=upright, pins=scenes.pins(upright, body.pins.vertices))


def settled_height(simulation, frames=70):
    for _ in range(frames):
        simulation.advance()
        state = simulation.checkpoint()
        state["velocities"] *= 0.8
        simulation.restore(simulation.frame_index, state)
    return np.ptp(simulation.positions()[:, 2])


@pytest.mark.parametrize(("side", "substeps"), [(50, 3), (50, 10), (50, 20), (100, 3)])
def test_rigid_cloth_hardly_stretches_and_needs_no_more_substeps_where_it_is_finer(side, substeps):
    simulation = solver(cloth(side, pinned=(0, side - 1), **RIGID), substeps=substeps, frames=(1, 80))
    for frame in (24, 60):
        while simulation.frame_index < frame:
            simulation.advance()
        mean, high = stretch_percent(simulation)
        assert mean <= 1.0
        assert high <= 5.0


def test_plain_sweeps_do_not_reach_that():
    simulation = solver(cloth(50, pinned=(0, 49), **RIGID), substeps=10, acceleration="NONE")
    for _ in range(30):
        simulation.advance()
    assert stretch_percent(simulation)[1] > 10.0


def test_more_substeps_do_not_strain_cloth_more():
    """Levels are not left out too early: without them, 60 substeps strain it more than 20 with them."""
    strains = []
    for substeps in (20, 60):
        simulation = solver(cloth(40, pinned=(0, 39), area_density=0.15, stretch_stiffness=2e3), substeps=substeps)
        scenes.run(simulation, 12)
        strains.append(stretch_percent(simulation)[1])
    assert strains[1] < 0.5 * strains[0]


@pytest.mark.parametrize(
    ("model", "values", "tolerance"),
    [
        # soft: 1 to 1.5 % of stretch under its own weight
        ("SPRINGS", {"stretch_stiffness": 1e3, "area_density": 3.0}, 0.12),
        ("SPRINGS", {"stiffness_input": "COMPLIANCE", "stretch_compliance": 1e-5, "area_density": 400.0}, 0.12),
        ("ISOTROPIC", {"stretch_stiffness": 1e3, "area_density": 3.0}, 0.12),
    ],
)
def test_soft_cloth_keeps_its_stretch(model, values, tolerance):
    """That of plain XPBD with so many substeps that it is converged."""
    body = hung(membrane_model=model, **values)
    accelerated = solver(body, substeps=10, frames=(1, 200))
    assert level_count(accelerated) > 0
    exact = settled_height(solver(body, substeps=240, acceleration="NONE", frames=(1, 200)), 60) - 1.0
    assert exact > 0.01
    assert settled_height(accelerated) - 1.0 == pytest.approx(exact, rel=tolerance)
    # which plain sweeps of the same substeps miss by far
    assert settled_height(solver(body, substeps=10, acceleration="NONE", frames=(1, 200))) - 1.0 > 2.0 * exact


def two_cloths(**keywords):
    bodies = (cloth(24, pinned=(0, 23), area_density=0.15), cloth(30, height=0.5, pinned=(0,), identifier="b1"))
    return solver(*bodies, substeps=8, **keywords)


@pytest.mark.parametrize(("integration", "parts"), [("SYMPLECTIC_EULER", 16), ("BDF2", 4)])
def test_all_paths_agree(monkeypatch, integration, parts):
    monkeypatch.setattr("blender_xpbd.solver.order.schedule.part_count", lambda blocks: parts)
    monkeypatch.setattr("blender_xpbd.solver.order.level_operations.FEWEST_LINKS", 100)
    monkeypatch.setattr("blender_xpbd.solver.order.level_operations.LEAST_SHARE", dict.fromkeys(range(4), 4))
    results = {}
    for path in PATHS:
        simulation = two_cloths(path=path, time_integration=integration)
        assert level_count(simulation) >= 4
        results[path] = scenes.run(simulation, 5)
    np.testing.assert_array_equal(results["SERIAL"], results["THREADS"])
    np.testing.assert_allclose(results["SERIAL"], results["COLOURS"], atol=1e-9)


def test_a_bake_goes_on_bit_for_bit():
    whole, first, second = two_cloths(), two_cloths(), two_cloths()
    expected = scenes.run(whole, 6)
    scenes.run(first, 3)
    second.restore(3, first.checkpoint())
    np.testing.assert_array_equal(scenes.run(second, 3), expected)


@pytest.mark.parametrize(
    ("body", "settings"),
    [
        (cloth(30), {}),
        (cloth(15, pinned=(0, 14)), {}),
        (cloth(20, pinned=range(400)), {}),
        (cloth(30, pinned=(0, 29)), {"solver_mode": "PBD"}),
        (cloth(30, pinned=(0, 29)), {"substeps": 200}),
        (cloth(30, pinned=(0, 29), stretch_stiffness=5.0), {}),
        (cloth(30, pinned=(0, 29), membrane_model="ORTHOTROPIC"), {}),
    ],
    ids=["no pins", "few vertices", "nothing moves", "PBD", "many substeps", "rubber", "woven"],
)
def test_what_does_not_gain_is_solved_plainly(body, settings):
    """And with the very same bytes as when the acceleration is off."""
    results = []
    for acceleration in ("HIERARCHY", "NONE"):
        simulation = solver(body, acceleration=acceleration, **settings)
        assert level_count(simulation) == 0
        results.append(scenes.run(simulation, 2))
    np.testing.assert_array_equal(*results)


def test_pinned_cloth_of_the_presets_is_accelerated_unless_that_is_off():
    body = cloth(30, pinned=(0, 29))
    assert level_count(solver(body)) > 0
    assert level_count(solver(body, acceleration="NONE")) == 0


def ball(radius):
    transform = np.eye(4)
    transform[2, 3] = -radius
    return Collider("c0", "Ball", "SPHERE", transform[None], radius=radius)


def test_cloth_that_hangs_on_what_it_touches_is_accelerated():
    stretches = []
    for acceleration in ("HIERARCHY", "NONE"):
        body = cloth(50, height=0.01)
        simulation = solver(body, colliders=(ball(0.3),), acceleration=acceleration)
        assert (level_count(simulation) > 0) == (acceleration == "HIERARCHY")
        scenes.run(simulation, 20)
        stretches.append(stretch_percent(simulation))
    (mean, high), (plain_mean, plain_high) = stretches
    assert high < 0.7 * plain_high
    assert mean < 0.6 * plain_mean


def test_cloth_without_pins_that_meets_nothing_is_left_alone():
    assert level_count(solver(cloth(50))) == 0


def test_uneven_stiffness_is_left_alone():
    body = cloth(30, pinned=(0, 29))
    uneven = dataclasses.replace(body, vertex_factors={"stiffness": np.linspace(0.1, 1.0, 900, dtype=np.float32)})
    assert build_cloth(uneven, SolverSettings()).hierarchy is None
    assert build_cloth(body, SolverSettings()).hierarchy is not None


def test_levels_pay_where_the_first_sweep_would_stretch_the_cloth():
    hierarchy = build_cloth(cloth(30, pinned=(0, 29), stretch_stiffness=1e5), SolverSettings()).hierarchy
    # from a corner, half of the edges of a side to the middle and all of the other side, with diagonals
    assert hierarchy.hops == 29
    length, h = hierarchy.depth / hierarchy.hops, 1e-3
    stretch = 2 * hierarchy.hops * scenes.GRAVITY * h * h / length
    enough = h * np.sqrt(LEAST_STRETCH / stretch)
    assert hierarchy.pays(1.01 * enough, scenes.GRAVITY)
    assert not hierarchy.pays(0.99 * enough, scenes.GRAVITY)


@pytest.mark.parametrize(("gravity", "is_accelerated"), [(9.81, True), (0.1, False), (0.0, False)])
def test_levels_pay_by_the_gravity_of_the_scene(gravity, is_accelerated):
    """Along whichever axis: a cloth that hardly weighs anything stretches little at its pins."""
    simulation = solver(cloth(30, pinned=(0, 29)), gravity=(gravity, 0.0, 0.0))
    assert (level_count(simulation) > 0) == is_accelerated


def test_tables_of_several_bodies_name_their_own_vertices():
    system = build_system(scenes.scene(cloth(24, pinned=(0, 23)), cloth(30, pinned=(0,), identifier="b1"), substeps=8))
    tables = build_hierarchy_tables(system.models, system.starts, system.scene)
    finest = np.flatnonzero(tables.levels[:, BELOW_COUNT] >= 24 * 24)
    assert len(finest) == 2
    for row, (start, end) in zip(finest, itertools.pairwise(system.starts), strict=True):
        first, count = tables.levels[row, FIRST], tables.levels[row, COUNT]
        terms = slice(tables.restriction_starts[first], tables.restriction_starts[first + count])
        vertices = tables.restriction_vertices[terms]
        assert start <= vertices.min() <= vertices.max() < end


def test_links_of_a_colour_share_no_vertex_that_moves():
    system = build_system(scenes.scene(cloth(24, pinned=(0, 23)), substeps=8))
    tables = build_hierarchy_tables(system.models, system.starts, system.scene)
    for colours in tables.colours:
        for first, last in itertools.pairwise(colours):
            ends = tables.links[first:last].ravel()
            ends = ends[tables.positions[ends, 3] > 0.0]
            assert len(np.unique(ends)) == len(ends)


@pytest.mark.parametrize(("acceleration", "is_left"), [("HIERARCHY", True), ("NONE", False)])
def test_coarse_levels_are_left_to_the_processor(acceleration, is_left):
    system = build_system(
        scenes.scene(cloth(24, pinned=(0,), area_density=0.15), substeps=8, acceleration=acceleration)
    )
    assert (system.graphics_work == 0) == is_left


def test_more_bodies_than_turns():
    """More chains than can be claimed one by one once made a frame that never ended."""
    bodies = [cloth(20, pinned=(0,), identifier=f"b{n}") for n in range(2 * MOST_PARTS + 3)]
    system = build_system(scenes.scene(*bodies, substeps=2))
    solvers = [Solver(system, (path,)) for path in ("THREADS", "COLOURS")]
    assert level_count(solvers[0]) >= len(bodies)
    found, expected = (scenes.run(mine, 1) for mine in solvers)
    np.testing.assert_allclose(found, expected, atol=1e-9)
