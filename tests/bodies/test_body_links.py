# SPDX-License-Identifier: GPL-3.0-or-later
"""Vertices that links alone reach: they weigh something, and hang."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.bodies.kinds import build_body
from blender_xpbd.geometry.surface.seams import find_seams
from blender_xpbd.scene.body import Pins
from blender_xpbd.scene.links import AT_MOST, EQUAL, Links
from blender_xpbd.scene.settings import SolverSettings
from blender_xpbd.solver.system.system import build_system
from blender_xpbd.solver.tearing import make_solver
from tests.solver.cut_jelly import cut_bar
from tests.solver.scenes import cloth, jelly_cube, pins, run, scene, solver
from tests.solver.strands import line, strand
from tests.solver.test_tearing import split

pytestmark = pytest.mark.usefixtures("taichi_cpu")

LENGTH = 0.2


def hanging(body, first, count=1, kind=EQUAL):
    """A body with a row of further vertices below one of its own, on a link each."""
    old = body.vertex_count
    places = body.positions[first] - np.outer(np.arange(1, count + 1), [0.0, 0.0, LENGTH])
    pairs = np.array([[first if i == 0 else old + i - 1, old + i] for i in range(count)], np.int32)
    none = np.zeros(count)
    links = Links(pairs, np.full(count, kind, np.int32), none, none, np.ones(count))
    factors = {name: np.append(values, np.ones(count, np.float32)) for name, values in body.vertex_factors.items()}
    return replace(body, positions=np.concatenate([body.positions, places]), links=links, vertex_factors=factors)


def lone_masses(body, count=1):
    model = build_body(body, SolverSettings())
    return model.masses[model.elements[-count:, 0]], model


BODIES = {
    "cloth": lambda: cloth(6, 0.3, 1.0),
    "jelly": lambda: jelly_cube(0.2, 1.0, 4),
    "strand": lambda: strand(line(5, 0.4)),
}


@pytest.mark.parametrize("name", BODIES)
def test_they_weigh_as_much_as_others_on_average(name):
    """Without a mass they stood still in the air, and what hung on them hung on a nail."""
    body = BODIES[name]()
    masses, model = lone_masses(hanging(body, 0, 2), 2)
    whole = build_body(body, SolverSettings()).masses.sum()
    np.testing.assert_allclose(masses, whole / body.vertex_count, rtol=1e-6)
    codes = {notice.code: notice.message for notice in model.notices}
    assert "2 vertices that only links reach weigh" in codes["W_LINK"]
    assert "W_GEOM_LOOSE" not in codes


@pytest.mark.parametrize("name", BODIES)
def test_a_group_for_the_weight_scales_them_and_then_it_is_no_guess(name):
    body = BODIES[name]()
    plain, _ = lone_masses(hanging(body, 0))
    body = replace(body, vertex_factors={"density": np.ones(body.vertex_count, np.float32)})
    lighter = hanging(body, 0)
    lighter.vertex_factors["density"][-1] = 0.25
    masses, model = lone_masses(lighter)
    assert (plain > 0.0).all()
    np.testing.assert_allclose(masses, 0.25 * plain, rtol=1e-5)
    assert "W_LINK" not in {notice.code for notice in model.notices}


def test_vertices_that_are_joints_weigh_as_they_did():
    """Their own particles have no mass."""
    body = jelly_cube(0.2, 1.0, 4)
    plain, _ = lone_masses(hanging(body, 0))
    corner = np.array([body.vertex_count - 1], np.int32)
    pinned = replace(body, pins=Pins(corner, np.ones(1, np.float32), body.positions[None, corner]))
    masses, model = lone_masses(hanging(pinned, 0))
    np.testing.assert_allclose(masses, plain, rtol=1e-6)
    assert "W_GEOM_LOOSE" not in {notice.code for notice in model.notices}


def test_a_vertex_that_nothing_reaches_keeps_its_place_and_is_told():
    body = hanging(cloth(6, 0.3, 1.0), 0)
    body = replace(body, positions=np.concatenate([body.positions, [[0.0, 0.0, 2.0]]]))
    model = build_body(body, SolverSettings())
    assert model.masses[-1] == 0.0
    assert "W_GEOM_LOOSE" in {notice.code for notice in model.notices}


@pytest.mark.parametrize("name", BODIES)
def test_they_fall_as_fast_as_the_body(name):
    """Let go together, nothing pulls at the link."""
    body = hanging(BODIES[name](), 0, kind=AT_MOST)
    fall = run_vertices(body, 6) - body.positions
    np.testing.assert_allclose(fall[-1], fall[0], atol=2e-3)
    assert fall[-1, 2] < -0.2


@pytest.mark.slow
def test_a_strand_bends_by_what_hangs_on_it():
    """A clamped strand under the weight at its tip: the dip grows by the same with each further vertex."""
    dips = []
    for count in range(3):
        body = strand(line(3, 0.2), pinned=[0, 1], damping=5.0, youngs_modulus=1e9)
        end = run_vertices(hanging(body, 2, count) if count else body, 40, substeps=20)
        dips.append(-end[2, 2])
    assert dips[1] > 1.5 * dips[0]
    assert dips[2] - dips[1] == pytest.approx(dips[1] - dips[0], rel=0.03)


def test_what_hangs_on_jelly_swings_and_turns_none_of_its_tetrahedra():
    """It was held through the nearest tetrahedron, far outside of it, as by a lever."""
    body = jelly_cube(0.2, 1.0, 4)
    lowest = int(np.argmin(body.positions[:, 2]))
    body = hanging(replace(body, pins=pins(body.positions, range(body.vertex_count))), lowest)
    start = body.positions.copy()
    start[-1] = start[lowest] + LENGTH * np.array([0.5, 0.0, -np.sqrt(0.75)])
    # half of its period of 0.9 s
    end = run_vertices(replace(body, start=start), 11)
    np.testing.assert_allclose(end[:-1], body.positions[:-1], atol=1e-6)
    assert np.linalg.norm(end[-1] - end[lowest]) == pytest.approx(LENGTH, rel=1e-3)
    assert end[-1, 0] - end[lowest, 0] < -0.4 * LENGTH


def test_they_grow_no_lighter_while_a_sheet_tears():
    """Its vertices become more, and a mean over them less."""
    body = split(cloth(5, 0.3, 1.0))
    seams = len(find_seams(body.seams, body.positions, body.face_sizes, body.corners))
    hung = hanging(body, 0)
    hung = replace(hung, seams=np.append(body.seams, 0).astype(np.int32))
    whole, model = lone_masses(hung)
    torn, _ = lone_masses(replace(hung, torn=np.ones(seams, np.bool_)))
    np.testing.assert_allclose(torn, whole, rtol=1e-6)
    np.testing.assert_allclose(whole, lone_masses(hanging(cloth(5, 0.3, 1.0), 0))[0], rtol=1e-6)
    assert [notice.code for notice in model.notices] == ["W_LINK"]


def test_what_hangs_on_a_solid_that_tears_stays_on_its_link():
    bar = cut_bar(3, resolution=8, youngs_modulus=2e4, tear_strain=5.0, internal_damping=1.0)
    first = int(np.argmax(bar.positions[:, 0] - bar.positions[:, 2]))
    held = np.flatnonzero(bar.positions[:, 0] < 1e-6)
    body = hanging(replace(bar, pins=pins(bar.positions, held)), first)
    body = replace(body, seams=np.append(bar.seams, 0).astype(np.int32))
    simulation = make_solver(build_system(scene(body, frames=(1, 20), gravity=(0.0, 0.0, -30.0))))
    for _ in range(12):
        simulation.advance()
    places = simulation.surface(simulation.positions())
    assert simulation.counts(0)[0] > 0
    assert np.isfinite(places).all()
    assert np.linalg.norm(places[-1] - places[first]) == pytest.approx(LENGTH, rel=2e-3)


def run_vertices(body, frames, **settings):
    """Where the vertices are after some frames [m], shape (vertices, 3)."""
    simulation = solver(body, **settings)
    model, particles = simulation.system.models[0], run(simulation, frames)
    return np.einsum("vj,vjk->vk", model.weights, particles[model.elements])
