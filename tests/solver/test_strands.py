# SPDX-License-Identifier: GPL-3.0-or-later
"""Strands as a whole: they swing, hang, bend and twist as theory says, whatever they are joined from."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.scene.body import Pins
from blender_xpbd.scene.track import Track
from blender_xpbd.solver.order import tasks
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.step.plan import PATHS
from blender_xpbd.solver.system.system import build_system
from tests.solver.scenes import GRAVITY, plane, scene, solver
from tests.solver.strands import LIMP, STEEL, helix, line, strand

pytestmark = pytest.mark.usefixtures("taichi_cpu")


def played(simulation, frames):
    """Positions of all particles after each frame [m], shape (frames, particles, 3)."""
    places = []
    for _ in range(frames):
        simulation.advance()
        places.append(simulation.positions() + simulation.system.origin)
    return np.array(places)


def period(angles, duration=1.0 / 24.0):
    """Mean time between rising zeros [s]."""
    rising = np.flatnonzero((angles[:-1] < 0.0) & (angles[1:] >= 0.0))
    times = rising - angles[rising] / (angles[rising + 1] - angles[rising])
    return np.diff(times).mean() * duration


def leaning(count, angle):
    way = np.radians(angle)
    return line(count, direction=(np.sin(way), 0.0, -np.cos(way)))


@pytest.mark.parametrize(("angle", "expected"), [(10.0, 2.0099), (90.0, 2.3678)])
def test_one_link_swings_as_a_pendulum(angle, expected):
    """It keeps its height: over three periods a mean of 0.1 %."""
    places = played(solver(strand(leaning(2, angle), [0], radius=0.005, **LIMP), substeps=20), 190)
    assert period(np.arctan2(places[:, 1, 0], -places[:, 1, 2])) == pytest.approx(expected, rel=1e-3)


def test_a_chain_swings_as_one_that_has_no_links():
    """Of the first mode: 2π · 2/2.4048 √(L/g)."""
    places = played(solver(strand(leaning(20, 3.0), [0], radius=0.005, **LIMP), substeps=20), 190)
    assert period(places[:, :, 0].mean(axis=1)) == pytest.approx(1.6684, rel=0.01)


def test_a_chain_that_falls_from_level_stays_in_its_plane():
    places = played(solver(strand(leaning(20, 90.0), [0], radius=0.005, **LIMP), substeps=20), 240)
    assert np.abs(places[:, :, 1]).max() < 1e-4
    links = np.linalg.norm(np.diff(places, axis=1), axis=2)
    assert np.abs(links * 19.0 - 1.0).max() < 1e-2


def cantilever(count, **values):
    """One metre of steel, 1 cm thick, of which a further edge is held; particles and the sag of theory [m]."""
    step, radius = 1.0 / count, 0.005
    points = line(count + 2, 1.0 + step, start=(-step, 0.0, 0.0))
    rigidity = STEEL["youngs_modulus"] * np.pi * radius**4 / 4.0
    load = STEEL["density"] * np.pi * radius**2 * GRAVITY
    return strand(points, [0, 1], radius=radius, damping=20.0, **STEEL, **values), load / (8.0 * rigidity)


@pytest.mark.parametrize(("count", "tolerance"), [(5, 0.05), (20, 0.005), (60, 0.005)])
@pytest.mark.parametrize("iterations", [1, 3])
def test_a_cantilever_sags_as_theory_says_however_fine_it_is(count, tolerance, iterations):
    body, sag = cantilever(count)
    places = played(solver(body, substeps=10, iterations=iterations), 60)
    assert -places[-1, count + 1, 2] == pytest.approx(sag, rel=tolerance)


def test_a_helix_hangs_by_its_twist():
    """W / 2k of a close-coiled spring, k = G d⁴/(8 D³ N)."""
    points, shear, radius = helix(), 1.42e8, 0.01
    body = strand(
        points, [0, 1], radius=radius, twist_stiffness=shear, youngs_modulus=3.0 * shear, damping=3.0, density=1000.0
    )
    places = played(solver(body, substeps=20), 120)[-1, :60]
    length = np.linalg.norm(np.diff(points, axis=0), axis=1).sum()
    stiffness = shear * (2.0 * radius) ** 4 / (8.0 * 0.2**3 * 6.0)
    sag = 1000.0 * np.pi * radius**2 * length * GRAVITY / (2.0 * stiffness)
    assert -1.0 - places[:, 2].min() == pytest.approx(sag, rel=0.1)
    assert np.linalg.norm(np.diff(places, axis=0), axis=1).sum() == pytest.approx(length, rel=1e-3)


def turning(angle, centre):
    """A turn about X through a point."""
    matrix = np.eye(4)
    matrix[1:3, 1:3] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    matrix[:3, 3] = centre - matrix[:3, :3] @ centre
    return matrix


def test_pins_that_turn_twist_the_strand():
    """An end that turns by a right angle takes the other, which nothing holds, with it."""
    points, frames = line(20), 30
    turns = np.array([turning(np.pi / 2.0 * min(k / 15.0, 1.0), points[0]) for k in range(frames)])
    held = Pins.following(np.array([0, 1], np.int32), np.ones(2, np.float32), turns)
    body = replace(strand(points, radius=0.005, **STEEL), pins=held)
    simulation = solver(body, frames=(1, frames), gravity=(0.0, 0.0, 0.0), substeps=5)
    places = played(simulation, frames - 1)
    np.testing.assert_allclose(places[-1, :20], points, atol=1e-5)
    expected = [np.cos(np.pi / 4.0), np.sin(np.pi / 4.0), 0.0, 0.0]
    turned = simulation.orientations()
    np.testing.assert_allclose(turned * np.sign(turned[:, :1]), np.tile(expected, (19, 1)), atol=1e-3)


def star():
    """Three arms of five edges from one vertex, and a ring of eight that one of them ends in."""
    arms = [line(6, direction=way)[1:] for way in ((1.0, 0.0, 0.2), (-0.5, 0.8, 0.0), (-0.5, -0.8, 0.1))]
    points = np.concatenate([np.zeros((1, 3)), *arms])
    edges = [[0 if k == 0 else 5 * arm + k, 5 * arm + k + 1] for arm in range(3) for k in range(5)]
    angle = 2.0 * np.pi * np.arange(1, 8) / 8.0
    ring = points[5] + np.stack([0.3 * (1.0 - np.cos(angle)), 0.3 * np.sin(angle), 0.0 * angle], axis=1)
    edges += [[5, 16], *([k, k + 1] for k in range(16, 22)), [22, 5]]
    return np.concatenate([points, ring]), edges


def test_branches_and_rings_rest_as_they_are_modelled():
    points, edges = star()
    body = strand(points, edges=edges, radius=0.01, **STEEL)
    places = played(solver(body, gravity=(0.0, 0.0, 0.0), substeps=5), 10)[-1]
    np.testing.assert_allclose(places, points, atol=1e-5)


def test_branches_and_rings_come_back_to_their_shape():
    points, edges = star()
    body = strand(points, [0, 1], edges=edges, radius=0.01, damping=10.0, **{**STEEL, "youngs_modulus": 2e10})
    free = replace(body, velocity=np.array([0.0, 0.0, 2.0]))
    places = played(solver(free, gravity=(0.0, 0.0, 0.0), substeps=10), 100)
    assert np.abs(places[2] - places[0])[:23].max() > 1e-3
    np.testing.assert_allclose(places[-1, :23], points, atol=2e-3)


def test_a_strand_that_wants_to_be_straight_unrolls():
    angle = np.linspace(0.0, np.pi, 20)
    points = np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1) / np.pi
    values = {
        "radius": 0.005,
        "rest_angle": "FLAT",
        "damping": 3.0,
        **STEEL,
        "youngs_modulus": 2e9,
        "twist_stiffness": 8e8,
    }
    places = played(solver(strand(points, **values), gravity=(0.0, 0.0, 0.0), substeps=10), 80)[-1]
    assert np.linalg.norm(places[-1] - places[0]) == pytest.approx(1.0, rel=2e-3)


@pytest.mark.parametrize("twist", [0.0, 4e8, 8e10])
def test_a_free_strand_keeps_its_momentum(twist):
    """It is thrown, curled and spinning; wobbling does not move its middle, and hardly slows its spin."""
    points = helix(30, 2.0, 0.1, 0.5)
    body = strand(points, radius=0.01, youngs_modulus=1e9, twist_stiffness=twist, density=7800.0)
    body = replace(body, velocity=np.array([1.0, 2.0, 0.5]))
    simulation = solver(body, gravity=(0.0, 0.0, 0.0), substeps=10)
    state = simulation.checkpoint()
    arms = simulation.positions() - simulation.positions().mean(axis=0)
    state["velocities"][:, :3] += np.cross([0.0, 3.0, 2.0], arms)
    masses = simulation.system.models[0].masses[:, None]
    simulation.restore(0, state)

    def motion():
        places, speeds = simulation.positions(), simulation.checkpoint()["velocities"][:, :3]
        middle = (masses * places).sum(axis=0) / masses.sum()
        return (masses * speeds).sum(axis=0), np.cross(places - middle, masses * speeds).sum(axis=0)

    momentum, spin = motion()
    played(simulation, 48)
    after, spin_after = motion()
    np.testing.assert_allclose(after, momentum, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(spin_after, spin, atol=0.05 * float(np.linalg.norm(spin)))


def test_its_radius_is_its_gap():
    body = strand(line(10, start=(0.0, 0.0, 0.05)), radius=0.02, **LIMP)
    tapered = replace(body, vertex_factors={"radius": np.linspace(1.0, 0.5, 10).astype(np.float32)})
    assert solver(tapered).system.models[0].masses[0] > 2.0 * solver(tapered).system.models[0].masses[-1]
    places = played(solver(body, colliders=[plane()], substeps=10), 24)[-1]
    np.testing.assert_allclose(places[:, 2], 0.02, atol=1e-4)


def hair(count=7):
    """Bent strands of ten edges that hang from pins, one body."""
    points = np.concatenate([helix(11, 1.0, 0.02, 0.3) + k * np.array([0.05, 0.03, 0.0]) for k in range(count)])
    edges = [[11 * k + n, 11 * k + n + 1] for k in range(count) for n in range(10)]
    values = {"radius": 0.001, "youngs_modulus": 4e9, "bending_share": 0.01, "twist_stiffness": 1e7}
    return strand(points, [11 * k + n for k in range(count) for n in (0, 1)], edges=edges, **values)


@pytest.mark.parametrize("settings", [{}, {"iterations": 2}, {"solver_mode": "PBD"}])
@pytest.mark.parametrize("task_seconds", [1.0, 1e-9])
def test_all_paths_give_the_same_bytes(settings, task_seconds, monkeypatch):
    monkeypatch.setattr(tasks, "TASK_SECONDS", task_seconds)
    results = [played(Solver(build_system(scene(hair(), substeps=5, **settings)), (path,)), 3) for path in PATHS]
    assert np.isfinite(results[0]).all()
    assert np.abs(results[0][-1] - results[0][0]).max() > 1e-3
    for other in results[1:]:
        np.testing.assert_array_equal(results[0], other)


def test_a_strand_is_in_one_part(monkeypatch):
    """So that strands are shared out among threads, and none of them waits for the last task."""
    monkeypatch.setattr(tasks, "TASK_SECONDS", 1e-9)
    system = build_system(scene(hair(32)))
    assert system.schedule.parts.count > 4
    last = system.schedule.parts.task_count - 1
    assert np.diff(system.schedule.segment_starts[last]).sum() <= 2


def test_it_goes_on_from_a_checkpoint_with_the_same_bytes():
    first, second = (solver(hair(2), substeps=5) for _ in range(2))
    whole = played(first, 6)
    played(second, 3)
    third = solver(hair(2), substeps=5)
    third.restore(3, second.checkpoint())
    np.testing.assert_array_equal(played(third, 3), whole[3:])
    np.testing.assert_array_equal(third.orientations(), first.orientations())


@pytest.mark.parametrize("name", ["youngs_modulus", "twist_stiffness", "bending_share"])
def test_its_stiffness_follows_a_track(name):
    """As a strand that is built with the value: nothing of its systems belongs to the one it was built with."""
    material = replace(hair(1).material, **{name: getattr(hair(1).material, name) * 4.0})
    stiff, soft = replace(hair(1), material=material), hair(1)
    values = np.array([getattr(soft.material, name)] * 2 + [getattr(material, name)] * 6)
    whole = scene(soft, frames=(1, 8), substeps=5)
    tracked = Solver(build_system(replace(whole, tracks=(Track("b0", name, values),))), ("SERIAL",))
    plain = solver(soft, frames=(1, 8), substeps=5)
    other = solver(stiff, frames=(1, 8), substeps=5)
    ways = played(tracked, 7)
    np.testing.assert_allclose(ways[0], played(plain, 1)[0], atol=1e-5)
    start = solver(soft, frames=(1, 8), substeps=5)
    played(start, 2)
    other.restore(2, start.checkpoint())
    np.testing.assert_allclose(ways[-1], played(other, 5)[-1], atol=1e-4)
    assert np.abs(ways[-1] - played(plain, 6)[-1]).max() > 1e-4


@pytest.mark.parametrize("pinned", [[0], [0, 60]], ids=["a hinge", "both ends"])
def test_a_stiff_wire_of_short_segments_gains_nothing(pinned):
    """Of steel, 60 of 1 cm at 10 substeps: its tension turns an edge by many times what it is off."""
    body = strand(line(61, 0.6), pinned, radius=0.001, **STEEL)
    places = played(solver(body, substeps=10), 48)
    assert np.abs(np.linalg.norm(np.diff(places, axis=1), axis=2) / 0.01 - 1.0).max() < 1e-4
    # a rod that falls on a hinge has √(3 g L) at its tip at most; between two ends it sags by its weight
    speed = np.linalg.norm(np.diff(places, axis=0), axis=2).max() * 24.0
    assert speed < (1.02 * np.sqrt(3.0 * GRAVITY * 0.6) if len(pinned) == 1 else 0.2)
