# SPDX-License-Identifier: GPL-3.0-or-later
"""Goals: a body swings about where it is drawn to, with the frequency that is asked for."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.scene.body import Pins
from blender_xpbd.scene.track import Track
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.system.system import build_system
from tests.bodies.test_materials import jelly
from tests.solver.scenes import GRAVITY, cloth, run, solver

BODIES = pytest.mark.parametrize("make", [lambda **v: cloth(5, **v), jelly], ids=["cloth", "jelly"])
pytestmark = pytest.mark.usefixtures("taichi_cpu")


def with_goal(body, offsets=((0.0, 0.0, 0.0),), weight=1.0):
    """Drawn to its rest positions, moved by an offset at each frame."""
    targets = body.positions + np.asarray(offsets)[:, None]
    count = body.vertex_count
    return replace(body, goal=Pins(np.arange(count, dtype=np.int32), np.full(count, weight, np.float32), targets))


@BODIES
@pytest.mark.parametrize("substeps", [5, 40])
def test_gravity_moves_all_of_a_body_by_as_much_as_its_frequency_says(make, substeps):
    frequency = 2.0
    body = with_goal(make(goal_frequency=frequency, internal_damping=0.0, damping=5.0))
    simulation = solver(body, frames=(1, 60), substeps=substeps)
    sag = (simulation.system.positions[: len(simulation.system.models[0].positions)] + simulation.system.origin) - run(
        simulation, 59
    )[: len(simulation.system.models[0].positions)]
    np.testing.assert_allclose(sag[:, 2], GRAVITY / (2.0 * np.pi * frequency) ** 2, rtol=0.03)


@BODIES
@pytest.mark.parametrize("substeps", [10, 40])
@pytest.mark.parametrize("weight", [1.0, 0.25])
def test_a_body_swings_about_its_goal_with_the_frequency_asked_for(make, substeps, weight):
    """It is let go beside its goal: a quarter of a period later it passes it. The stiffness goes by the weight."""
    frequency, fps = 2.0, 240
    body = make(goal_frequency=frequency, internal_damping=0.0)
    body = replace(with_goal(body, weight=weight), start=np.add(body.positions, (0.05, 0.0, 0.0)))
    simulation = solver(body, frames=(1, fps), substeps=substeps, duration=1 / fps, gravity=(0.0, 0.0, 0.0))
    rest = simulation.system.models[0].positions[:, 0].mean()
    places = [run(simulation, 1)[: len(simulation.system.models[0].positions), 0].mean() - rest for _ in range(150)]
    crossing = next(number for number, place in enumerate(places, 1) if place < 0.0)
    assert crossing / fps == pytest.approx(0.25 / (frequency * np.sqrt(weight)), rel=0.04)


@BODIES
def test_the_frequency_follows_its_track(make):
    """Let go in the middle of the bake, it falls."""
    body = with_goal(make(goal_frequency=10.0))
    simulation = solver(body, frames=(1, 21), substeps=10)
    values = np.where(np.arange(21) < 10, 10.0, 0.0)
    tracked = replace(simulation.system.scene, tracks=(Track("b0", "goal_frequency", values),))
    simulation = Solver(replace(build_system(tracked), objects=None), ("SERIAL",))
    count = len(simulation.system.models[0].positions)
    before = run(simulation, 10)[:count, 2].mean()
    after = run(simulation, 10)[:count, 2].mean()
    assert before - after == pytest.approx(0.5 * GRAVITY * (10 / 24) ** 2, rel=0.1)


def test_a_start_elsewhere_than_at_rest_is_where_the_first_frame_is():
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    for body in (cloth(6), jelly()):
        moved = replace(body, start=body.positions @ turn.T + [0.0, 0.0, 1.0])
        simulation = solver(moved, frames=(1, 5), substeps=5)
        surface = simulation.surface(simulation.positions()) + simulation.system.origin
        np.testing.assert_allclose(surface, moved.start, atol=2e-6)


def test_without_a_frequency_or_weights_nothing_draws():
    body = with_goal(cloth(5, goal_frequency=0.0))
    assert len(solver(body, frames=(1, 5)).system.drawn[0].particles) == 0
    assert len(solver(cloth(5), frames=(1, 5)).system.drawn[0].particles) == 0
