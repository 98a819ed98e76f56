# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies in flight, against the exact solution of v' = g − k v; and that drag changes nothing of what rests."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.scene.track import SCENE_TARGET, Track
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.step.plan import PATHS
from blender_xpbd.solver.system.system import build_system
from tests.solver.scenes import GRAVITY, cloth, particles, run, scene, solver

pytestmark = pytest.mark.usefixtures("taichi_cpu")

THROWN = np.array([1.0, -2.0, 3.0])
DOWN = np.array([0.0, 0.0, -GRAVITY])


def flown(place, velocity, gravity, rate, time):
    """Place and velocity after a time of flight."""
    if rate == 0.0:
        return place + velocity * time + 0.5 * gravity * time**2, velocity + gravity * time
    final, lost = gravity / rate, -np.expm1(-rate * time)
    return place + final * time + (velocity - final) * lost / rate, final + (velocity - final) * (1.0 - lost)


def thrown(rate, **values):
    return replace(cloth(3, damping=rate, **values), velocity=THROWN)


@pytest.mark.parametrize("rate", [0.0, 1e-3, 0.5, 6.0, 100.0])
@pytest.mark.parametrize("substeps", [1, 3, 20])
@pytest.mark.parametrize("integration", ["SYMPLECTIC_EULER", "BDF2"])
def test_a_body_in_flight_follows_the_exact_path(rate, substeps, integration):
    body = thrown(rate)
    simulation = solver(body, substeps=substeps, time_integration=integration, precision="DOUBLE")
    for frame in (1, 2, 12, 24):
        got = run(simulation, frame - simulation.frame_index)
        way, _ = flown(np.zeros(3), THROWN, DOWN, rate, frame / 24)
        np.testing.assert_allclose(got - body.positions, np.tile(way, (9, 1)), rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize("path", PATHS)
def test_single_precision_keeps_it_too(path):
    simulation = solver(thrown(0.5), path=path, substeps=20, precision="SINGLE")
    way, _ = flown(np.zeros(3), THROWN, DOWN, 0.5, 1.0)
    np.testing.assert_allclose(run(simulation, 24) - cloth(3).positions, np.tile(way, (9, 1)), rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("substeps", [1, 20])
@pytest.mark.parametrize("drags", [(0.0, 0.0), (2.0, 2.0), (0.0, 8.0), (8.0, 0.0)])
def test_where_gravity_and_drag_change_with_a_frame_it_is_exact_too(substeps, drags):
    """At first gravity points up."""
    change, frames = 5, 13
    tracks = [Track(SCENE_TARGET, "gravity_z", np.where(np.arange(frames) < change, 4.0, -GRAVITY))]
    if drags[0] != drags[1]:
        tracks.append(Track("b0", "damping", np.where(np.arange(frames) < change, *drags)))
    whole = scene(thrown(drags[0]), substeps=substeps, frames=(1, frames), precision="DOUBLE")
    got = run(Solver(build_system(replace(whole, tracks=tuple(tracks)))), frames - 1)
    place, velocity = flown(np.zeros(3), THROWN, np.array([0.0, 0.0, 4.0]), drags[0], change / 24)
    place, _ = flown(place, velocity, DOWN, drags[1], (frames - 1 - change) / 24)
    np.testing.assert_allclose(got - cloth(3).positions, np.tile(place, (9, 1)), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("integration", ["SYMPLECTIC_EULER", "BDF2"])
@pytest.mark.parametrize("substeps", [2, 20])
def test_drag_takes_nothing_from_the_weight_of_what_rests(substeps, integration):
    """A mass that hangs from a spring stretches it by m g α."""
    mass, alpha = 0.5, 4e-3
    simulation = particles(
        [[0, 0, 0], [0, 0, -1.0]], [0.0, mass], [[0, 1]], alpha, damping=20.0, substeps=substeps,
        time_integration=integration, precision="DOUBLE",
    )  # fmt: skip
    assert -run(simulation, 60)[1, 2] - 1.0 == pytest.approx(mass * GRAVITY * alpha, rel=1e-5)


def test_masses_follow_an_animated_drag():
    """Built from the greatest drag, then with a smaller one, also where a bake goes on from a checkpoint."""
    values = np.where(np.arange(9) < 2, 60.0, 10.0)
    whole = scene(thrown(10.0), substeps=4, frames=(1, 9), precision="DOUBLE")
    animated = replace(whole, tracks=(Track("b0", "damping", values),))
    expected, first, second = (
        Solver(build_system(whole)),
        Solver(build_system(animated)),
        Solver(build_system(animated)),
    )
    run(first, 4)
    second.restore(4, first.checkpoint())
    np.testing.assert_array_equal(run(first, 4), run(second, 4))
    np.testing.assert_allclose(second.checkpoint()["positions"][:, 3], expected.checkpoint()["positions"][:, 3])


@pytest.mark.parametrize("factor", [0.0, 0.25, -0.5, 3.0])
@pytest.mark.parametrize("integration", ["SYMPLECTIC_EULER", "BDF2"])
def test_each_body_falls_by_its_own_share_of_gravity(factor, integration):
    first, second = thrown(0.5, gravity_factor=factor), replace(thrown(0.5), identifier="b1", name="Other")
    whole = scene(first, second, substeps=3, time_integration=integration, precision="DOUBLE")
    got = run(Solver(build_system(whole)), 24)
    for number, share in enumerate((factor, 1.0)):
        way, _ = flown(np.zeros(3), THROWN, share * DOWN, 0.5, 1.0)
        np.testing.assert_allclose(got[9 * number : 9 * number + 9] - first.positions, np.tile(way, (9, 1)), atol=3e-6)


def test_a_share_of_gravity_may_be_animated():
    change, frames = 5, 13
    shares = Track("b0", "gravity_factor", np.where(np.arange(frames) < change, 0.0, 2.0))
    whole = scene(thrown(0.0), substeps=20, frames=(1, frames), precision="DOUBLE")
    got = run(Solver(build_system(replace(whole, tracks=(shares,)))), frames - 1)
    place, velocity = flown(np.zeros(3), THROWN, 0.0 * DOWN, 0.0, change / 24)
    place, _ = flown(place, velocity, 2.0 * DOWN, 0.0, (frames - 1 - change) / 24)
    np.testing.assert_allclose(got - cloth(3).positions, np.tile(place, (9, 1)), rtol=1e-6, atol=1e-6)
