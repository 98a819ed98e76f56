# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that attract each other by their masses, against theory and against sums over all pairs."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.device.arrays import read_array
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.step.plan import SERIAL, THREADS
from blender_xpbd.solver.system.system import build_system
from tests.solver.grain_scenes import grain_scene, grains

pytestmark = pytest.mark.usefixtures("taichi_cpu")
RADIUS = 0.01
ONE_KILOGRAM = 1.0 / (4.0 / 3.0 * np.pi * RADIUS**3)
ANGLES = np.radians([90.0, 210.0, 330.0])
RING = np.column_stack([np.cos(ANGLES), np.sin(ANGLES), np.zeros(3)])


def attracting(*bodies, path=SERIAL, attraction=0.5, softening=0.0, **keywords):
    whole = grain_scene(*bodies, gravity=(0.0, 0.0, 0.0), duration=0.01, frames=(1, 2000), **keywords)
    whole = replace(whole, attraction=attraction, attraction_softening=softening)
    return Solver(build_system(whole), (path,))


def four_bodies(velocity, place=(0.0, 0.0, 0.0)):
    held = grains(RING, "b0", pinned=[0, 1, 2], radius=RADIUS, density=ONE_KILOGRAM)
    return attracting(held, grains([place], "b1", velocity, radius=RADIUS, density=ONE_KILOGRAM), substeps=2)


def way(simulation, frames):
    places = []
    for _ in range(frames):
        places.append(simulation.positions()[3].astype(np.float64) + simulation.system.origin)
        simulation.advance()
    return np.array(places)


def test_a_body_among_three_goes_its_way_and_keeps_its_energy():
    places = way(four_bodies((0.3, 0.2, 0.0)), 203)
    np.testing.assert_allclose(places[200, :2], (0.4769, 0.4693), atol=1e-3)
    speeds = (places[2:] - places[:-2]) / 0.02
    distances = np.linalg.norm(places[1:-1, None] - RING, axis=2)
    energies = 0.5 * (speeds**2).sum(axis=1) - 0.5 * (1.0 / distances).sum(axis=1)
    np.testing.assert_allclose(energies[::10], -1.435, rtol=0.01)


def test_it_swings_through_their_plane_with_the_period_of_theory():
    heights = way(four_bodies((0.0, 0.0, 0.0), (0.0, 0.0, 0.02)), 1000)[:, 2]
    rises = np.flatnonzero((heights[:-1] < 0.0) & (heights[1:] >= 0.0))
    times = 0.01 * (rises + heights[rises] / (heights[rises] - heights[rises + 1]))
    assert times[1] - times[0] == pytest.approx(2.0 * np.pi / np.sqrt(1.5), rel=0.005)


def cluster(count, **values):
    points = np.random.default_rng(2).normal(size=(count, 3)) * [3.0, 2.0, 1.0]
    return grains(points, radius=1e-3, density=1e9, **values)


@pytest.mark.parametrize(("count", "tolerance"), [(400, 1e-4), (3000, 0.02)])
def test_accelerations_are_the_sums_over_all_pairs(count, tolerance):
    """Up to 512 bodies exactly, of more nearly so."""
    body, softening = cluster(count), 0.1
    simulation = attracting(body, attraction=1e-3, softening=softening, substeps=1)
    mass = simulation.system.attraction.masses[0]
    simulation.advance()
    # the first substep of a body at rest: x = a h²/2, for its first velocity is that of a moment
    moved = read_velocities(simulation)
    apart = body.positions[None] - body.positions[:, None]
    wanted = 1e-3 * mass * (apart / ((apart**2).sum(axis=2, keepdims=True) + softening**2) ** 1.5).sum(axis=1)
    errors = np.linalg.norm(moved / (0.5 * 0.01) - wanted, axis=1) / np.linalg.norm(wanted, axis=1).mean()
    assert np.sqrt((errors**2).mean()) < tolerance


def read_velocities(simulation):
    return read_array(simulation._state.particles.velocities)[:, :3].astype(np.float64)


def test_threads_and_a_checkpoint_change_no_byte_of_a_cluster():
    def start(path):
        return attracting(cluster(3000), path=path, attraction=1e-2, softening=0.05, substeps=2)

    alone, resumed = start(SERIAL), start(THREADS)
    for _ in range(4):
        alone.advance()
    saved = alone.checkpoint()
    resumed.restore(4, saved)
    for _ in range(4):
        alone.advance()
        resumed.advance()
    np.testing.assert_array_equal(alone.positions(), resumed.positions())


def test_what_has_no_weight_neither_attracts_nor_is_attracted():
    light = grains([[0.5, 0.0, 0.0]], "b1", radius=RADIUS, density=ONE_KILOGRAM, attraction_weight=0.0)
    heavy = grains([[0.0, 0.0, 0.0]], "b0", radius=RADIUS, density=ONE_KILOGRAM)
    simulation = attracting(heavy, light, substeps=2)
    before = simulation.positions().copy()
    for _ in range(5):
        simulation.advance()
    np.testing.assert_array_equal(simulation.positions(), before)
