# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that lie on each other: they come to rest, keep their gaps, and stick or slide by Coulomb's law."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.scene.errors import XpbdError
from tests.solver.scenes import GRAVITY, cloth, pins, plane, touching

pytestmark = pytest.mark.usefixtures("taichi_cpu")

FRICTION = 0.5
# of a layer, and between it and what it lies on [m]; a quarter of the mean edge at least
GAP = 0.005


def layers(count, seed=0):
    """Uneven sheets, each a gap and a little more above the one below."""
    random = np.random.default_rng(seed)
    bodies = []
    for number in range(count):
        body = cloth(6, size=0.15, height=GAP * (1.5 + 1.2 * number), identifier=f"b{number}", contact_offset=GAP)
        shift = np.append(random.uniform(-0.01, 0.01, 2), 0.0)
        positions = body.positions + shift + random.uniform(-2e-4, 2e-4, body.positions.shape)
        bodies.append(replace(body, positions=positions))
    return bodies


def test_layers_on_a_floor_come_to_rest():
    """Of three layers the lowest is not pushed into the floor, and none wanders: without anchors at 1 mm/s."""
    simulation = touching(*layers(3), colliders=[plane()], substeps=10)
    for _ in range(36):
        simulation.advance()
    before = simulation.positions()
    for _ in range(6):
        simulation.advance()
    after = simulation.positions()
    speed = np.linalg.norm(after - before, axis=1) / (6 / 24)
    assert np.percentile(speed, 99) < 1e-4
    # the lowest layer
    assert after[:36, 2].min() + simulation.system.origin[2] > 0.95 * GAP


def slope(ratio, iterations):
    """A sheet on a sheet that is held, under gravity that leans by tan θ = ratio · μ."""
    angle = np.arctan(ratio * FRICTION)
    below = cloth(9, identifier="below", friction=FRICTION, contact_offset=GAP)
    below = replace(below, pins=pins(below.positions, np.arange(81)))
    above = cloth(6, 0.25, GAP, identifier="above", friction=FRICTION, contact_offset=GAP)
    gravity = GRAVITY * np.array([np.sin(angle), 0.0, -np.cos(angle)])
    simulation = touching(below, above, gravity=gravity, iterations=iterations, substeps=10)
    return simulation, simulation.system.starts[1], gravity


def path(simulation, first, frames):
    """How far the mean of what lies above comes along the slope, frame by frame [m]."""
    ways = [simulation.positions()[first:, 0].mean()]
    for _ in range(frames):
        simulation.advance()
        ways.append(simulation.positions()[first:, 0].mean())
    return np.array(ways) - ways[0]


@pytest.mark.parametrize("iterations", [1, 4])
def test_it_sticks_below_the_angle_of_friction(iterations):
    simulation, first, _ = slope(0.98, iterations)
    ways = path(simulation, first, 24)
    assert abs(ways[24] - ways[12]) < 1e-5


@pytest.mark.parametrize("iterations", [1, 4])
def test_it_slides_above_the_angle_of_friction(iterations):
    simulation, first, gravity = slope(1.02, iterations)
    way = path(simulation, first, 24)[-1]
    acceleration = gravity[0] + FRICTION * gravity[2]
    # the slope has little more than friction takes: a tenth of the path is 2e-3 of μ
    assert way == pytest.approx(0.5 * acceleration, rel=0.1)


def test_anchors_of_another_job_are_refused():
    simulation = touching(*layers(2), colliders=[plane()], substeps=5)
    for _ in range(8):
        simulation.advance()
    kept = simulation.checkpoint()
    assert len(kept["anchors"]) > 0
    for column, value in ((1, 1e6), (1, -1.0), (2, 0.5), (0, 2.0), (5, np.nan)):
        rows = kept["anchors"].copy()
        rows[0, column] = value
        with pytest.raises(XpbdError, match="anchors") as fault:
            simulation.restore(8, {**kept, "anchors": rows})
        assert fault.value.code == "E_CACHE"
    with pytest.raises(XpbdError, match="anchors"):
        simulation.restore(8, {name: kept[name] for name in kept if name != "anchors"})
    simulation.restore(8, kept)
    np.testing.assert_array_equal(simulation.checkpoint()["anchors"], kept["anchors"])


@pytest.mark.parametrize("restitution", [0.5, 1.0])
def test_an_uneven_sheet_rebounds_by_its_restitution_and_gains_no_energy(restitution):
    """Its pairs share particles: where each is given its rebound once, one after the other, ends of edges fly off."""
    random = np.random.default_rng(0)
    below = cloth(9, identifier="below", friction=0.0, contact_offset=GAP, restitution=restitution)
    below = replace(below, pins=pins(below.positions, np.arange(81)))
    above = cloth(
        6, 0.25, 2.0 * GAP, identifier="above", friction=0.0, contact_offset=GAP,
        restitution=restitution, internal_damping=0.0, damping=0.0,
    )  # fmt: skip
    shift = np.column_stack([random.uniform(-0.01, 0.01, (36, 2)), np.zeros(36)])
    above = replace(above, positions=above.positions + shift, velocity=np.array([0.0, 0.0, -1.0]))
    simulation = touching(below, above, gravity=(0, 0, 0), substeps=10)
    first = simulation.system.starts[1]
    masses = 1.0 / simulation.system.inverse_masses[first : first + 36]
    for _ in range(2):
        simulation.advance()
        velocities = simulation.checkpoint()["velocities"][first : first + 36, :3]
        assert masses @ (velocities**2).sum(axis=1) < 1.01 * masses.sum()
    assert masses @ velocities[:, 2] / masses.sum() == pytest.approx(restitution, rel=0.02)
    assert masses @ (velocities**2).sum(axis=1) == pytest.approx(restitution**2 * masses.sum(), rel=0.02)


@pytest.mark.parametrize("fall", [0.0, 0.03])
def test_what_slides_or_lands_is_braked_by_coulombs_law(fall):
    """By μ times all of the impulse that stops the fall, and nothing throws it up at the vertices below."""
    speed = 0.8
    below = cloth(17, identifier="below", friction=FRICTION, contact_offset=GAP)
    below = replace(below, pins=pins(below.positions, np.arange(289)))
    above = cloth(6, 0.2, GAP + fall, identifier="above", friction=FRICTION, contact_offset=GAP)
    simulation = touching(below, replace(above, velocity=np.array([speed, 0.0, 0.0])), substeps=20)
    way = path(simulation, simulation.system.starts[1], 12)[-1]
    left = speed - FRICTION * np.sqrt(2.0 * GRAVITY * fall)
    expected = speed * np.sqrt(2.0 * fall / GRAVITY) + left**2 / (2.0 * FRICTION * GRAVITY)
    assert way == pytest.approx(expected, rel=0.03)
