# SPDX-License-Identifier: GPL-3.0-or-later
"""Damping inside constraints and closing seams, with both ways to integrate, against what can be derived by hand."""

from dataclasses import replace

import numpy as np
import pytest
from validation.simulation import bare

from blender_xpbd.constraints.attachments.attachment import LAG, build_attachment
from blender_xpbd.constraints.distance import build_distance
from blender_xpbd.constraints.stitch import build_stitch
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.system.system import assemble
from tests.solver.scenes import run, scene

pytestmark = pytest.mark.usefixtures("taichi_cpu")

INTEGRATIONS = ["SYMPLECTIC_EULER", "BDF2"]
PAIR = np.array([[0, 1]], np.int32)
APART = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, -1.0]])


def pair(block, masses, damping_time=0.0, positions=APART, **keywords):
    """Two particles without gravity, held by a block of constraints."""
    model = bare(positions, np.array(masses), (block,))
    material = replace(model.body.material, damping_time=damping_time)
    model = replace(
        model, body=replace(model.body, material=material), damping_times=np.full(len(positions), damping_time)
    )
    return Solver(assemble(scene(model.body, **{"gravity": (0, 0, 0), **keywords}), (model,)))


def moved_apart(simulation, distance):
    """The second particle out of place, and at rest there."""
    state = simulation.checkpoint()
    for name in ("positions", "older_positions"):
        if name in state:
            state[name][1, 2] -= distance
    simulation.restore(0, state)


@pytest.mark.parametrize("iterations", [1, 3])
@pytest.mark.parametrize("integration", INTEGRATIONS)
@pytest.mark.parametrize("is_attachment", [False, True])
def test_an_oscillator_decays_by_its_damping_time(integration, iterations, is_attachment):
    """k x + k τ ẋ: the amplitude falls by e^(−½ τ ω² t). ω = 10/s, τ = 0.04 s: by e^(−2 t)."""
    compliance, damping_time, substeps = 0.01, 0.04, 200
    if is_attachment:
        block = build_attachment(PAIR, np.array([compliance]))
        positions = np.zeros((2, 3))
    else:
        block, positions = build_distance(APART, PAIR, compliance), APART
    simulation = pair(
        block, [0.0, 1.0], damping_time, positions, substeps=substeps, iterations=iterations,
        time_integration=integration,
    )  # fmt: skip
    moved_apart(simulation, 0.1)
    path = np.array([run(simulation, 1)[1, 2] - positions[1, 2] for _ in range(48)])
    times = np.arange(1, 49) / 24
    damped = np.sqrt(100.0 - 4.0)
    # x = e^(−λ t) (a cos ωt + b sin ωt): the decay that leaves the least, by least squares
    decays = np.linspace(1.0, 4.0, 301)
    residuals = []
    for decay in decays:
        basis = np.exp(-decay * times)[:, None] * np.stack([np.cos(damped * times), np.sin(damped * times)], axis=1)
        residuals.append(np.linalg.lstsq(basis, path, rcond=None)[1][0])
    assert decays[np.argmin(residuals)] == pytest.approx(2.0, rel=0.08)


@pytest.mark.parametrize("frequency", [1.0, 3.0, 10.0])
def test_what_is_drawn_to_a_goal_swings_on(frequency):
    """Euler's step alone would leave e^(−ω² h t/2) of it after 2 s: 0.92, 0.48 and 0.0003."""
    rate, substeps = 2.0 * np.pi * frequency, 20
    simulation = pair(
        build_attachment(PAIR, np.array([rate**-2])), [0.0, 1.0], positions=np.zeros((2, 3)), substeps=substeps
    )
    moved_apart(simulation, 0.1)
    energies = []
    for _ in range(48):
        place, velocity = run(simulation, 1)[1, 2], simulation.checkpoint()["velocities"][1, 2]
        energies.append(rate**2 * place**2 + velocity**2)
    left = np.sqrt(energies[-1]) / (0.1 * rate)
    expected = np.exp(-(rate**2) / (24 * substeps))
    lag = LAG / (1.0 + (rate / (24 * substeps)) ** 2)
    assert left == pytest.approx(expected ** (1.0 - lag), rel=0.05)
    assert left < 1.0


@pytest.mark.parametrize("damping", [0.0, 2.0, 20.0])
@pytest.mark.parametrize("hardness", [0.001, 0.07, 0.5, 1.0, 2.0, 8.0, 1000.0])
def test_a_hard_attachment_gains_no_energy(hardness, damping):
    """Of hardness (ω h)² and damping ω² h τ; with a lag of ``LAG`` whatever these are, it explodes."""
    simulation = pair(
        build_attachment(PAIR, np.array([1.0 / (480.0**2 * hardness)])),
        [0.0, 1.0],
        damping / (480.0 * hardness),
        positions=np.zeros((2, 3)),
        substeps=20,
    )
    moved_apart(simulation, 0.1)
    assert np.abs([run(simulation, 1)[1, 2] for _ in range(24)]).max() <= 0.1


@pytest.mark.parametrize("integration", INTEGRATIONS)
def test_a_seam_closes_at_its_speed(integration):
    """0.5 m/s against a weight that keeps the thread taut."""
    simulation = pair(
        build_stitch(PAIR, closing_speed=0.5), [0.0, 1.0], gravity=(0, 0, -9.81), time_integration=integration
    )
    early, late = run(simulation, 12)[1, 2], run(simulation, 24)[1, 2]
    assert late - early == pytest.approx(0.5, abs=0.002)
    assert run(simulation, 24)[1, 2] == pytest.approx(0.0, abs=1e-4)
