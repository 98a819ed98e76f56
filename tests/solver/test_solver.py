# SPDX-License-Identifier: GPL-3.0-or-later
"""The XPBD loop against what can be derived by hand."""

import numpy as np
import pytest

from blender_xpbd.scene.errors import XpbdError
from blender_xpbd.solver.order import tasks
from blender_xpbd.solver.step.plan import PATHS
from blender_xpbd.solver.system.statistics import Measure
from tests.solver.scenes import GRAVITY, cloth, particles, pins, run, solver

pytestmark = pytest.mark.usefixtures("taichi_cpu")


@pytest.mark.parametrize("substeps", [5, 20])
@pytest.mark.parametrize("iterations", [1, 4, 16])
def test_hanging_mass_stretches_by_its_weight(substeps, iterations):
    """Stretch = m g α, whatever the substeps and iterations."""
    mass, compliance = 0.5, 4e-3
    simulation = particles(
        [[0, 0, 0], [0, 0, -1.0]], [0.0, mass], [[0, 1]], compliance, substeps=substeps, iterations=iterations
    )
    lengths = [-run(simulation, 1)[1, 2] for _ in range(400)]
    assert np.mean(lengths[-200:]) - 1.0 == pytest.approx(mass * GRAVITY * compliance, rel=0.02)


def test_spring_decays_as_backward_euler():
    """One iteration is backward Euler: decay per step 1/√(1 + ω²h²), frequency as derived in the references."""
    mass, compliance, substeps = 1.0, 1e-3, 10
    spring = particles(
        [[0, 0, 0], [0, 0, -1.0]], [0.0, mass], [[0, 1]], compliance, gravity=(0, 0, 0), substeps=substeps
    )
    state = spring.checkpoint()
    state["positions"][1, 2] -= 0.5
    spring.restore(0, state)
    h, x, v = 1 / 24 / substeps, 0.5, 0.0
    for _ in range(10):
        for _ in range(substeps):
            predicted = x + h * v
            ahead = predicted / (1 + h * h / (compliance * mass))
            x, v = ahead, (ahead - x) / h
        assert -run(spring, 1)[1, 2] - 1.0 == pytest.approx(x, abs=2e-5)


@pytest.mark.parametrize("iterations", [1, 30])
def test_static_chain_carries_the_weight_below(iterations):
    """Extension of link i = α · (weight below it)."""
    links, mass, compliance = 5, 0.2, 1e-3
    points = [[0, 0, -0.1 * i] for i in range(links + 1)]
    pairs = [[i, i + 1] for i in range(links)]
    simulation = particles(points, [0.0] + [mass] * links, pairs, compliance, substeps=40, iterations=iterations)
    damped = np.zeros(links)
    for _ in range(300):
        z = run(simulation, 1)[:, 2]
        damped += (z[:-1] - z[1:] - 0.1) / 300
    expected = compliance * mass * GRAVITY * np.arange(links, 0, -1)
    np.testing.assert_allclose(damped, expected, rtol=0.05)


def test_bdf2_keeps_the_energy_of_a_spring_that_euler_loses():
    """ω = 31.6 rad/s for 2 s: BDF2 at h = 1/240 s keeps the amplitude and the period, backward Euler nothing."""
    amplitudes = {}
    for integration in ("SYMPLECTIC_EULER", "BDF2"):
        spring = particles(
            [[0, 0, 0], [0, 0, -1.0]], [0.0, 1.0], [[0, 1]], 1e-3, gravity=(0, 0, 0), substeps=10,
            time_integration=integration, frames=(1, 60),
        )  # fmt: skip
        state = spring.checkpoint()
        state["positions"][1, 2] -= 0.5
        if integration == "BDF2":
            state["older_positions"][1, 2] -= 0.5
        spring.restore(0, state)
        path = np.array([-run(spring, 1)[1, 2] - 1.0 for _ in range(48)])
        amplitudes[integration] = np.abs(path[36:]).max()
    assert amplitudes["SYMPLECTIC_EULER"] < 0.03
    assert amplitudes["BDF2"] > 0.3


def test_same_bytes_in_every_run():
    first, second = (solver(cloth(12, pinned=[0, 11]), substeps=10) for _ in range(2))
    assert run(first, 20).tobytes() == run(second, 20).tobytes()


@pytest.mark.parametrize(("iterations", "integration"), [(1, "SYMPLECTIC_EULER"), (3, "BDF2")])
@pytest.mark.parametrize("task_seconds", [1.0, 1e-8])
def test_all_paths_give_the_serial_result(iterations, integration, task_seconds, monkeypatch):
    monkeypatch.setattr(tasks, "TASK_SECONDS", task_seconds)
    body = cloth(12, pinned=[0, 11], internal_damping=1.0, damping=0.1, damping_time=0.01)
    serial, threads, colours = (
        run(solver(body, path=path, substeps=5, iterations=iterations, time_integration=integration), 4)
        for path in PATHS
    )
    # the compiler may round them differently, and a cloth without bending stiffness is chaotic: few frames
    np.testing.assert_array_equal(threads, serial)
    np.testing.assert_allclose(colours, serial, rtol=0, atol=1e-12)


@pytest.mark.parametrize("integration", ["SYMPLECTIC_EULER", "BDF2"])
def test_checkpoint_goes_on_bit_for_bit(integration):
    body = cloth(12, pinned=[0, 11])
    whole = solver(body, time_integration=integration)
    run(whole, 5)
    saved = whole.checkpoint()
    expected = run(whole, 10)
    resumed = solver(body, time_integration=integration)
    resumed.restore(5, saved)
    assert run(resumed, 10).tobytes() == expected.tobytes()


def test_checkpoint_of_another_system_is_refused():
    with pytest.raises(XpbdError, match="E_CACHE"):
        solver(cloth(5)).restore(1, solver(cloth(6)).checkpoint())


def test_pins_follow_their_targets_between_frames():
    body = cloth(6)
    path = body.positions[None, [0, 5]] + np.array([[0, 0, 0], [0.1, 0, 0], [0.3, 0, 0.0]])[:, None]
    body = type(body)(**{**body.__dict__, "pins": pins(body.positions, [0, 5], targets=path)})
    simulation = solver(body, frames=(1, 3), substeps=4)
    for frame in range(2):
        np.testing.assert_allclose(run(simulation, 1)[[0, 5]], path[frame + 1], atol=1e-6)


def test_soft_pin_swings_at_its_frequency():
    """Weight 0.5 hangs at g / (2πf)² below its place on the average."""
    body = cloth(2, stretch_compliance=1e6, stiffness_input="COMPLIANCE", bending_model="NONE", pin_frequency=2.0)
    body = type(body)(**{**body.__dict__, "pins": pins(body.positions, [0, 1, 2, 3], 0.5)})
    simulation = solver(body, substeps=50)
    heights = [run(simulation, 1)[0, 2] for _ in range(48)]
    assert np.mean(heights) == pytest.approx(-GRAVITY / (2 * np.pi * 2.0) ** 2, rel=0.02)


def test_wobble_damping_keeps_momentum():
    """The damped frame has the undamped one's linear and angular momentum, and less energy."""
    momenta = []
    for rate in (0.0, 20.0):
        simulation = solver(cloth(8, internal_damping=rate, stretch_stiffness=50.0), gravity=(0, 0, 0), substeps=10)
        state = simulation.checkpoint()
        state["velocities"][:, :3] = np.random.default_rng(0).normal(0, 1, (64, 3))
        simulation.restore(0, state)
        run(simulation, 1)
        arrays = simulation.checkpoint()
        masses = 1.0 / simulation.system.inverse_masses[:, None]
        x, p = arrays["positions"][:, :3].astype(float), masses * arrays["velocities"][:, :3]
        momenta.append((p.sum(axis=0), np.cross(x, p).sum(axis=0), (p**2 / masses).sum()))
    (linear, angular, energy), (damped_linear, damped_angular, damped_energy) = momenta
    np.testing.assert_allclose(damped_linear, linear, atol=1e-6)
    np.testing.assert_allclose(damped_angular, angular, atol=1e-6)
    assert damped_energy < 0.5 * energy


def test_not_finite_positions_are_reported():
    simulation = solver(cloth(4), frames=(10, 20))
    state = simulation.checkpoint()
    state["positions"][::2, 0] = 1e308
    state["positions"][1::2, 0] = -1e308
    simulation.restore(1, state)
    with pytest.raises(XpbdError) as caught:
        run(simulation, 1)
    assert caught.value.code == "E_DIVERGED"
    assert caught.value.object_name == "Cloth"
    assert caught.value.frame == 12


def test_pbd_mode_is_stiffer_with_greater_stiffness():
    strains = []
    for stiffness in (0.01, 0.5, 1.0):
        body = cloth(8, pinned=[0, 7], pbd_stretch_stiffness=stiffness)
        simulation = solver(body, solver_mode="PBD", substeps=10)
        run(simulation, 24)
        strains.append(Measure(simulation.system)(simulation.positions())[0, 0])
    assert strains[0] > 2.0 * strains[1]
    assert strains[1] > 1.3 * strains[2]
