# SPDX-License-Identifier: GPL-3.0-or-later
"""What flies keeps its angular momentum; what touches does not get it back, and jelly rolls to rest."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.solver.acts.spin import ROLLING
from blender_xpbd.solver.order import spinning_pieces, tasks
from blender_xpbd.solver.step.plan import PATHS
from tests.geometry.surfaces import sphere
from tests.solver.scenes import GRAVITY, cloth, jelly_cube, plane, run, solver, touching

pytestmark = pytest.mark.usefixtures("taichi_cpu")

OMEGA = np.array([0.0, 0.0, 12.5])
THROWN = np.array([1.0, 0.0, 2.0])
NOWHERE = (0.0, 0.0, 0.0)


def bar(identifier="b0", **material):
    """A firm bar of 0.3 m, 1 m above the floor."""
    body = jelly_cube(0.3, resolution=4, youngs_modulus=2e5, internal_damping=0.0, **material)
    return replace(body, identifier=identifier, positions=body.positions * [1.0, 0.25, 0.25] + [0.0, 0.0, 1.0])


def spun(simulation, omega=OMEGA):
    """All turn about the centre of mass."""
    state = simulation.checkpoint()
    x, m = state["positions"][:, :3], 1.0 / state["positions"][:, 3]
    state["velocities"][:, :3] = np.cross(omega, x - m @ x / m.sum())
    simulation.restore(0, state)
    return simulation


def angular_momentum(simulation, chosen=slice(None)):
    """About the centre of mass [kg m²/s]."""
    state = simulation.checkpoint()
    x, v, m = state["positions"][chosen, :3], state["velocities"][chosen, :3], 1.0 / state["positions"][chosen, 3]
    arms, slip = x - m @ x / m.sum(), v - m @ v / m.sum()
    return m @ np.cross(arms, slip)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("substeps", [5, 20])
def test_a_bar_in_a_vacuum_keeps_its_spin(path, substeps):
    """Symplectic Euler alone loses ω³ h per time: a quarter in the first second at 20 substeps."""
    simulation = spun(solver(bar(), path=path, substeps=substeps, gravity=NOWHERE))
    before = angular_momentum(simulation)
    start = simulation.positions().copy()
    frames = 48
    end = run(simulation, frames) - simulation.system.origin
    np.testing.assert_allclose(angular_momentum(simulation), before, rtol=1e-9, atol=1e-9 * before[2])
    # the angle: the bar grows by the pull, and a substep of finite length turns by a little less than ω h
    along = end[np.argmax(start[:, 0])] - end[np.argmin(start[:, 0])]
    angle = np.arctan2(along[1], along[0])
    ends = start[np.argmax(start[:, 0])] - start[np.argmin(start[:, 0])]
    turned = (angle - np.arctan2(ends[1], ends[0]) - OMEGA[2] * frames / 24) % (2 * np.pi)
    assert min(turned, 2 * np.pi - turned) < 0.05 * OMEGA[2] * frames / 24


def test_it_falls_and_tumbles_as_it_should():
    """Gravity has no torque, drag takes all alike, and bodies keep theirs apart."""
    simulation = solver(bar(), bar("b1", damping=1.0), substeps=10)
    first = slice(0, simulation.system.starts[1])
    second = slice(simulation.system.starts[1], None)
    state = simulation.checkpoint()
    for chosen, omega in ((first, [3.0, 8.0, -2.0]), (second, [0.0, -9.0, 4.0])):
        x = state["positions"][chosen, :3]
        state["velocities"][chosen, :3] = np.cross(omega, x - x.mean(axis=0)) + THROWN
    simulation.restore(1, state)
    before = angular_momentum(simulation, first), angular_momentum(simulation, second)
    run(simulation, 24)
    np.testing.assert_allclose(angular_momentum(simulation, first), before[0], rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(angular_momentum(simulation, second), before[1] * np.exp(-1.0), rtol=1e-8, atol=1e-9)


def test_cloth_in_flight_keeps_its_own():
    simulation = spun(solver(cloth(8), substeps=10, gravity=NOWHERE, precision="DOUBLE"), np.array([2.0, 6.0, 4.0]))
    before = angular_momentum(simulation)
    run(simulation, 24)
    np.testing.assert_allclose(angular_momentum(simulation), before, rtol=1e-8)


@pytest.mark.parametrize("members", [256, 7])
def test_threads_give_the_same_bytes(members, monkeypatch):
    monkeypatch.setattr(tasks, "TASK_SECONDS", 1e-8)
    monkeypatch.setattr(spinning_pieces, "LEAST_MEMBERS", members)
    serial, threads, colours = (run(spun(solver(bar(), path=path, substeps=10)), 6) for path in PATHS)
    np.testing.assert_array_equal(threads, serial)
    np.testing.assert_allclose(colours, serial, rtol=0, atol=1e-9)


def test_what_touches_is_left_alone():
    """Friction of the floor stops a bar that spins on it, in the time that it takes by Coulomb's law."""
    body = replace(bar(friction=0.5), positions=bar().positions - [0.0, 0.0, bar().positions[:, 2].min()])
    simulation = spun(solver(body, colliders=[plane(friction=0.5)], substeps=10))
    run(simulation, 4)
    assert angular_momentum(simulation)[2] > 0.0
    run(simulation, 44)
    assert abs(angular_momentum(simulation)[2]) < 1e-3


def test_bodies_that_meet_exchange_spin():
    """A bar that spins beside another one hits it; alone, or far away, it keeps its spin."""
    kept = []
    for distance in (0.12, 5.0):
        other = replace(bar("b1"), positions=bar().positions + np.array([0.0, distance, 0.0]))
        simulation = touching(bar(), other, substeps=10, gravity=NOWHERE)
        mine = slice(0, simulation.system.starts[1])
        state = simulation.checkpoint()
        x = state["positions"][mine, :3]
        state["velocities"][mine, :3] = np.cross(OMEGA, x - x.mean(axis=0))
        simulation.restore(0, state)
        before = angular_momentum(simulation, mine)[2]
        run(simulation, 8)
        kept.append(angular_momentum(simulation, mine)[2] / before)
    assert kept[0] < 0.8
    assert kept[1] == pytest.approx(1.0, abs=1e-6)


def test_pieces_are_what_nothing_holds():
    """Of three bodies, one is pinned, and one has two pieces."""
    loose = cloth(3, identifier="b1")
    twice = np.concatenate([loose.positions, loose.positions + 2.0])
    pair = replace(
        loose,
        identifier="b2",
        positions=twice,
        face_sizes=np.tile(loose.face_sizes, 2),
        corners=np.concatenate([loose.corners, loose.corners + 9]).astype(np.int32),
    )
    spinning = solver(cloth(3, pinned=[0]), loose, pair).system.spinning
    assert len(spinning) == 3
    np.testing.assert_array_equal(spinning.of_particles, np.repeat([-1, 0, 1, 2], 9))
    assert len(solver(loose, time_integration="BDF2").system.spinning) == 0


def ball(radius=0.5, **material):
    """A ball of jelly that lies on the floor; flat below, so that it has no vertex to tip from."""
    positions, triangles = sphere(32, 17)
    body = jelly_cube(1.0, resolution=8, **material)
    # upright rings, so that the axis of the sphere is level
    positions = radius * positions[:, [2, 0, 1]] + [0.0, 0.0, radius]
    sizes = np.full(len(triangles), 3, np.int32)
    return replace(body, positions=positions, face_sizes=sizes, corners=triangles.ravel().astype(np.int32))


def test_a_ball_at_rest_does_not_roll_away():
    """It is pushed to a side all the time, as the order of the projections has it: by 6 mm in 1.5 s, and faster."""
    simulation = solver(ball(internal_damping=5.0), colliders=[plane()])
    ways = []
    for _ in range(36):
        simulation.advance()
        state = simulation.checkpoint()
        masses = 1.0 / state["positions"][:, 3]
        ways.append(masses @ state["positions"][:, :2] / masses.sum())
    assert np.linalg.norm(np.array(ways) - ways[0], axis=1).max() < 2e-3


def test_rolling_friction_takes_a_hundredth_of_the_weight():
    """A ball of 1 MPa loses less than 0.02 m/s in half a second without."""
    simulation = solver(ball(youngs_modulus=1e6, internal_damping=0.0), colliders=[plane()], substeps=80)
    run(simulation, 12)
    state = simulation.checkpoint()
    x, m = state["positions"][:, :3], 1.0 / state["positions"][:, 3]
    state["velocities"][:, :3] = np.cross([0.0, 2.0, 0.0], x - m @ x / m.sum()) + THROWN * [1.0, 0.0, 0.0]
    simulation.restore(12, state)
    run(simulation, 12)
    after = simulation.checkpoint()["velocities"][:, :3]
    lost = 1.0 - float(m @ after[:, 0] / m.sum())
    # I + m r² is 7/5 of m r²
    assert 0.9 < lost / (0.5 * ROLLING * GRAVITY / 1.4) < 2.0
