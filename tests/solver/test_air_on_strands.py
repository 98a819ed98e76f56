# SPDX-License-Identifier: GPL-3.0-or-later
"""What moving air does to strands, and to the threads of a cloth."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.device.arrays import read_array
from blender_xpbd.scene.force import Force
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.step.plan import COLOURS, SERIAL, THREADS
from blender_xpbd.solver.system.system import build_system
from tests.solver.scenes import GRAVITY, cloth, scene
from tests.solver.strands import helix, line, strand

pytestmark = pytest.mark.usefixtures("taichi_cpu")

STILL = (0.0, 0.0, 0.0)
AIR, DRAG, DENSITY = 1.2, 1.2, 50.0


def wind(direction, speed):
    """Air along a direction."""
    axis = np.asarray(direction) / np.linalg.norm(direction)
    across = np.cross(axis, np.eye(3)[np.abs(axis).argmin()])
    across /= np.linalg.norm(across)
    matrix = np.eye(4)
    matrix[:3, :3] = np.stack([across, np.cross(axis, across), axis], axis=1)
    return Force("f0", "Wind", "WIND", matrix[None], strength=speed, wind_factor=1.0)


def solver_of(body, force, path=SERIAL, **settings):
    whole = replace(scene(body, **settings), forces=(force,), air_density=AIR)
    return Solver(build_system(whole), (path,))


def velocities(solver):
    return read_array(solver._state.particles.velocities)[:, :3]


def fall_speed(direction, radius, count):
    """How fast a rod falls through still air after a second [m/s]."""
    rod = strand(line(count, direction=direction), radius=radius, density=DENSITY, air_drag=DRAG)
    solver = solver_of(rod, wind((0.0, 0.0, 1.0), 0.0), substeps=10)
    for _ in range(24):
        solver.advance()
    return -velocities(solver)[:, 2]


@pytest.mark.parametrize("radius", [0.0005, 0.001, 0.002])
@pytest.mark.parametrize("count", [3, 17])
def test_a_level_rod_falls_at_its_terminal_speed(radius, count):
    """ρ C_D r v² = ρₛ π r² g for each metre of it."""
    terminal = np.sqrt(np.pi * DENSITY * radius * GRAVITY / (AIR * DRAG))
    np.testing.assert_allclose(fall_speed((1.0, 0.0, 0.0), radius, count), terminal, rtol=1e-3)


@pytest.mark.parametrize("radius", [0.0005, 0.001, 0.002])
def test_an_upright_rod_falls_freely(radius):
    # the first of 240 substeps has half of its weight
    np.testing.assert_allclose(fall_speed((0.0, 0.0, 1.0), radius, 9), GRAVITY * (1.0 - 0.5 / 240.0), rtol=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("degrees", [0.0, 30.0, 60.0, 90.0])
@pytest.mark.parametrize("path", [SERIAL, COLOURS])
def test_wind_pushes_across_a_rod(degrees, path):
    angle, speed, h, radius = np.radians(degrees), 5.0, 1e-4, 0.01
    way = np.array([np.cos(angle), 0.0, np.sin(angle)])
    body = strand(line(5, 2.0, way), radius=radius, density=1000.0, air_drag=0.9)
    solver = solver_of(body, wind((1.0, 0.0, 0.0), speed), path, gravity=STILL, duration=h, substeps=1)
    solver.advance()
    momentum = solver.system.models[0].masses[:5] @ velocities(solver)[:5]
    across = speed * (np.array([1.0, 0.0, 0.0]) - way[0] * way)
    force = 0.5 * AIR * 0.9 * 2.0 * radius * 2.0 * np.linalg.norm(across) * across
    # the first substep has half of a force
    np.testing.assert_allclose(momentum / (0.5 * h), force, rtol=2e-3, atol=1e-3)


def test_a_tapered_strand_bears_wind_by_its_thickness():
    factors = np.linspace(1.0, 0.2, 9).astype(np.float32)
    body = replace(strand(line(9), radius=0.01, density=1000.0), vertex_factors={"radius": factors})
    h = 1e-4
    solver = solver_of(body, wind((0.0, 1.0, 0.0), 10.0), gravity=STILL, duration=h, substeps=1)
    solver.advance()
    forces = solver.system.models[0].masses[:9] * velocities(solver)[:9, 1] / (0.5 * h)
    halves = 0.5 * AIR * 1.2 * 100.0 * 0.01 * 0.5 * (factors[1:] + factors[:-1]) / 8.0
    expected = np.zeros(9)
    expected[1:] += halves
    expected[:-1] += halves
    np.testing.assert_allclose(forces.sum(), expected.sum(), rtol=1e-3)


@pytest.mark.slow
def test_threads_of_a_cloth_stand_in_the_wind():
    """A sheet that lies along the wind has none of it; the thread across it has."""
    sheet = cloth(3, air_drag=1.2, radius=0.01)
    corner = int(np.argmax(sheet.positions[:, 0] + sheet.positions[:, 1]))
    end = sheet.positions[corner] + [0.0, 0.0, 0.5]
    hung = replace(
        sheet,
        positions=np.concatenate([sheet.positions, [end]]),
        loose_edges=np.array([[corner, len(sheet.positions)]], np.int32),
    )
    h = 1e-4
    solver = solver_of(hung, wind((1.0, 0.0, 0.0), 10.0), gravity=STILL, duration=h, substeps=1)
    solver.advance()
    momentum = solver.system.models[0].masses @ velocities(solver)[: len(solver.system.models[0].masses)]
    np.testing.assert_allclose(momentum[0] / (0.5 * h), 0.5 * AIR * 1.2 * 0.02 * 0.5 * 100.0, rtol=0.01)


@pytest.mark.slow
def test_paths_agree_on_a_helix_in_the_wind():
    points = helix()
    body = strand(points, pinned=(0,), radius=0.002, youngs_modulus=1e8, density=1000.0)
    results = []
    for path in (SERIAL, THREADS):
        solver = solver_of(body, wind((1.0, 0.5, 0.0), 8.0), path, substeps=10)
        for _ in range(6):
            solver.advance()
        results.append(solver.positions())
    np.testing.assert_array_equal(*results)
    assert results[0][:, 0].max() > points[:, 0].max() + 0.05
