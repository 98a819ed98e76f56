# SPDX-License-Identifier: GPL-3.0-or-later
"""Jelly as a whole: one projection per substep against many, cold and warm."""

from dataclasses import replace

import numpy as np
import pytest
from validation.meshes import jelly, lattice_box
from validation.simulation import held, run, start

from blender_xpbd.constraints.constraint import WARM
from blender_xpbd.scene.body import Body, Tetrahedralization
from blender_xpbd.scene.material import Material
from blender_xpbd.solver.order import tasks
from blender_xpbd.solver.step.plan import PATHS
from blender_xpbd.solver.system.mode import static_mode
from blender_xpbd.solver.system.statistics import Measure
from tests.geometry.surfaces import cube
from tests.solver.scenes import plane, solver

pytestmark = pytest.mark.usefixtures("taichi_cpu")


def elongation(substeps, iterations):
    """Of a bar that hangs by its end and came to rest [m]."""
    vertices, tetrahedra = lattice_box((0.1, 0.1, 0.3), (2, 2, 6))
    body = jelly(vertices, tetrahedra, density=1000.0, youngs_modulus=20e3, damping=12.0)
    low = vertices[:, 2] < 1e-9
    solver = start(held(body, vertices[:, 2] > 0.3 - 1e-9), substeps, iterations)
    return -float(run(solver, 30)[low, 2].mean())


def test_one_projection_hangs_as_many_do():
    once, often = elongation(40, 1), elongation(10, 12)
    assert often > 0.015
    assert once == pytest.approx(often, rel=0.03)


@pytest.mark.parametrize("size", [0.005, 0.01, 1.0])
def test_stiff_small_jelly_stays_at_rest(size):
    """Cut cells have corners of very different mass, and small ones are stiff for their mass."""
    turn = np.linalg.qr(np.array([[0.9, 0.2, -0.1], [0.3, 0.8, 0.4], [0.0, -0.3, 0.9]]))[0]
    corners, triangles = cube()
    body = Body(
        "b0",
        "Cube",
        "JELLY",
        (corners * [2.0, 1.0, 1.0] * size) @ turn.T,
        np.full(len(triangles), 3, np.int32),
        triangles.ravel().astype(np.int32),
        Material(),
        tetrahedralization=Tetrahedralization("CAGE", 4),
    )
    simulation = solver(body, frames=(1, 12))
    for _ in range(10):
        simulation.advance()
    strain = Measure(simulation.system)(simulation.positions())[0, 0]
    assert strain < 1e-6


def block(modulus, height=0.0, **values):
    """A cube of 0.2 m of 135 cells."""
    vertices, tetrahedra = lattice_box((0.2, 0.2, 0.2), (3, 3, 3))
    return jelly(vertices + np.array([0.0, 0.0, height]), tetrahedra, density=1000.0, youngs_modulus=modulus, **values)


@pytest.mark.parametrize("poissons_ratio", [0.3, 0.45, 0.49])
@pytest.mark.parametrize(("modulus", "speed"), [(1e5, 10.0), (1e6, 30.0), (1e7, 30.0)])
def test_warm_jelly_is_thrown_and_rests(modulus, speed, poissons_ratio):
    """Not faster where it is soft: at 30 m/s its corners evert for good, with 60, 80 and 160 cold substeps too."""
    body = block(modulus, 0.5, poissons_ratio=poissons_ratio, damping=1.0, restitution=0.0)
    body = replace(body, body=replace(body.body, velocity=np.array([0.0, 0.0, -speed])))
    solver = start(body, 20, colliders=[plane()])
    run(solver, 60)
    _, _, volume, inverted = Measure(solver.system)(solver.positions())[0]
    assert inverted == 0
    assert abs(volume) < 0.02


@pytest.mark.parametrize("modulus", [1e5, 1e6, 3e6, 1e7, 1e8])
def test_nothing_changes_the_spin_of_a_turning_body(modulus):
    """Free and without drag: a substep loses no spin, and a warm start gives none."""
    body = block(modulus)
    solver = start(body, 20, gravity=(0, 0, 0))
    masses = 1.0 / solver.system.inverse_masses
    state = solver.checkpoint()
    centre = np.average(solver.system.positions, axis=0, weights=masses)
    state["velocities"][:, :3] = np.cross([0.3, 0.1, 12.0], solver.system.positions - centre)
    solver.restore(0, state)
    spins = []
    for _ in range(4):
        run(solver, 12)
        x, v = solver.positions(), solver.checkpoint()["velocities"][:, :3]
        centre = np.average(x, axis=0, weights=masses)
        spins.append(float((masses[:, None] * np.cross(x - centre, v)).sum(axis=0)[2]))
    np.testing.assert_allclose(spins, spins[0], rtol=1e-9)


def test_warm_paths_and_checkpoints_give_the_same_bytes(monkeypatch):
    monkeypatch.setattr(tasks, "TASK_SECONDS", 1e-8)
    body = block(1e6, 0.02, damping_time=1e-3)
    solvers = {path: start(body, 10, colliders=[plane()], path=path) for path in PATHS}
    assert static_mode(solvers["SERIAL"].system) & WARM
    early = {path: run(solver, 3) for path, solver in solvers.items()}
    saved = solvers["SERIAL"].checkpoint()
    late = {path: run(solver, 3) for path, solver in solvers.items()}
    for ends in (early, late):
        np.testing.assert_array_equal(ends["THREADS"], ends["SERIAL"])
        np.testing.assert_allclose(ends["COLOURS"], ends["SERIAL"], rtol=0, atol=1e-11)
    resumed = start(body, 10, colliders=[plane()])
    resumed.restore(3, saved)
    assert run(resumed, 3).tobytes() == late["SERIAL"].tobytes()


def test_a_warm_start_is_left_out_where_it_cannot_be():
    def mode(modulus=1e6, substeps=20, iterations=1, **values):
        return static_mode(start(block(modulus, **values), substeps, iterations).system) & WARM

    assert mode()
    assert mode(modulus=1e3)
    assert not mode(iterations=2)
    assert not mode(solid_model="COROTATED")
