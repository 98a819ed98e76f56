# SPDX-License-Identifier: GPL-3.0-or-later
"""Wobble damping, of what falls and of what is held, against NumPy and against what can be derived by hand."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.bodies.pin_motion import carried
from tests.reference.xpbd import damp_internal_motion
from tests.solver.scenes import cloth, grid, jelly_cube, pins, run, solver

pytestmark = pytest.mark.usefixtures("taichi_cpu")

RATE = 5.0
SHARE = 1.0 - np.exp(-RATE / 24)
PATHS = ["SERIAL", "COLOURS"]


def swaying_tower(rate, weight=1.0):
    """The way of the top of a tower of jelly [m], frame by frame, held at its foot and struck aside."""
    body = jelly_cube(1.0, 0.0, 8, youngs_modulus=1e6, density=1000.0, internal_damping=rate)
    places = body.positions * [0.1, 0.1, 0.5]
    foot = np.flatnonzero(places[:, 2] < 0.01)
    body = replace(body, positions=places, pins=pins(places, foot, weight))
    simulation = solver(body, gravity=(0.0, 0.0, 0.0), substeps=20)
    state = simulation.checkpoint()
    count = simulation.system.starts[1]
    heights = state["positions"][:count, 2] - state["positions"][:count, 2].min()
    is_free = simulation.system.inverse_masses[:count] > 0.0
    state["velocities"][:count, 0] = 0.2 * (heights / heights.max()) ** 2 * is_free
    simulation.restore(0, state)
    top = int(np.argmax(heights))
    return np.array([run(simulation, 1)[top, 0] for _ in range(48)]) - simulation.system.positions[top, 0]


def decay(path):
    """The rate at which the greatest deflections of a swing fall [1/s]."""
    sizes = np.abs(path)
    peaks = np.flatnonzero((sizes[1:-1] >= sizes[:-2]) & (sizes[1:-1] > sizes[2:])) + 1
    assert len(peaks) >= 6
    return -np.polyfit(peaks / 24, np.log(sizes[peaks]), 1)[0]


@pytest.mark.parametrize("weight", [1.0, 0.999])
def test_a_held_tower_is_damped_as_the_slider_says(weight):
    """Velocities are damped at 5/s, so what swings at half of it; it did at 0.03/s where the foot was left out."""
    free, damped = (decay(swaying_tower(rate, weight)) for rate in (0.0, RATE))
    assert damped - free == pytest.approx(RATE / 2, rel=0.05)


@pytest.mark.parametrize("path", PATHS)
def test_falls_are_not_braked(path):
    """Sheets of one object, one of which hangs by an edge: the others fall as without damping."""
    positions, sizes, corners = grid(4)
    places = np.concatenate([positions + np.array([3.0 * n, 0.0, 0.0]) for n in range(3)])
    shifted = np.concatenate([corners + 16 * n for n in range(3)]).astype(np.int32)
    values = {"positions": places, "face_sizes": np.tile(sizes, 3), "corners": shifted}
    frames = []
    for rate in (0.0, RATE):
        body = replace(cloth(4, internal_damping=rate), **values, pins=pins(places, np.arange(4)))
        frames.append(run(solver(body, substeps=4, path=path), 24)[16:])
    np.testing.assert_allclose(frames[1], frames[0], atol=1e-4)
    assert frames[1][:, 2].max() < -4.9


def held(vertices, targets=None, path="SERIAL", **values):
    """A loose sheet of jelly-like cloth, held at some vertices, after one frame; and what NumPy makes of the same."""
    results = []
    for rate in (0.0, RATE):
        body = cloth(6, internal_damping=rate, stretch_stiffness=1.0, bending_stiffness=0.0, **values)
        body = replace(body, pins=pins(body.positions, vertices, targets=targets))
        simulation = solver(body, gravity=(0, 0, 0), substeps=4, path=path)
        state = simulation.checkpoint()
        random = np.random.default_rng(0).normal(0.0, 0.3, (36, 3))
        state["velocities"][:, :3] = random * (simulation.system.inverse_masses > 0.0)[:, None]
        simulation.restore(0, state)
        simulation.advance()
        results.append(simulation.checkpoint())
    undamped, damped = results
    x, v = undamped["positions"][:, :3].astype(float), undamped["velocities"][:, :3].astype(float)
    expected = damp_internal_motion(x, v, simulation.system.inverse_masses, SHARE, vertices)
    return damped["velocities"][:, :3], expected, v


HOLDS = {"nothing": [], "a corner": [0], "two corners": [0, 30], "an edge": list(range(6)), "three": [0, 5, 30]}


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("vertices", HOLDS.values(), ids=HOLDS)
def test_the_motion_that_pins_leave_free_is_kept(vertices, path):
    found, expected, before = held(vertices, path=path)
    np.testing.assert_allclose(found, expected, atol=2e-3)
    assert np.abs(expected - before).max() > 0.05


@pytest.mark.parametrize("vertices", [[0, 30], [0, 5, 30]])
def test_what_moves_with_its_pins_is_damped_against_these(vertices):
    """Two pins, or three, that turn about the first of them."""
    places = grid(6)[0]
    angle = 0.1
    turn = np.array([[1.0, 0.0, 0.0], [0.0, np.cos(angle), -np.sin(angle)], [0.0, np.sin(angle), np.cos(angle)]])
    turn = turn @ [[np.cos(angle), -np.sin(angle), 0.0], [np.sin(angle), np.cos(angle), 0.0], [0.0, 0.0, 1.0]]
    moved = carried(places[vertices], places[:4], (places[:4] - places[0]) @ turn.T + places[0])
    targets = np.concatenate([[places[vertices]], np.tile(moved, (49, 1, 1))])
    found, expected, _ = held(vertices, targets=targets)
    np.testing.assert_allclose(found, expected, atol=2e-3)
