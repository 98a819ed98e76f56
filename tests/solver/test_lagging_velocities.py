# SPDX-License-Identifier: GPL-3.0-or-later
"""Velocities of jelly that starts warm lag behind forces, so that it keeps its wobble; what hardly moves is damped.

What is held is not, however little it moves, for it is to jiggle.
"""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.constraints.constraint import WARM
from blender_xpbd.solver.step.plan import PATHS
from blender_xpbd.solver.system.mode import static_mode
from tests.solver.scenes import jelly_cube, pins, plane, run, solver

pytestmark = pytest.mark.usefixtures("taichi_cpu")


def slab():
    """A slab of jelly that falls flat."""
    body = jelly_cube(0.6, 1.0, 6, youngs_modulus=1e6, density=1000.0, internal_damping=0.0, friction=0.0)
    return replace(body, positions=body.positions * [1.0, 1.0, 0.5])


def soft_cube():
    """A cube that its fall presses to half its height."""
    return jelly_cube(0.5, 0.5, 5, youngs_modulus=2e4, density=1000.0, internal_damping=0.0, friction=0.0)


def rise(substeps, body):
    """How far the centre of mass rises after the impact [m]."""
    simulation = solver(body, colliders=[plane()], substeps=substeps)
    heights = []
    for _ in range(24):
        simulation.advance()
        state = simulation.checkpoint()["positions"]
        heights.append(float((state[:, 2] / state[:, 3]).sum() / (1.0 / state[:, 3]).sum()))
    lowest = int(np.argmin(heights[:13]))
    return max(heights[lowest:]) - heights[lowest]


def test_flat_jelly_rebounds_as_with_many_substeps():
    """Without the lag, a third of the rise is lost: 0.067 m with 320 substeps, 0.072 with 1,280."""
    assert static_mode(solver(slab(), colliders=[plane()], substeps=40).system) & WARM
    assert rise(40, slab()) == pytest.approx(rise(320, slab()), rel=0.14)


def test_soft_jelly_rebounds_as_with_many_substeps():
    """It has 0.86 of the rise where it does not start warm."""
    assert rise(20, soft_cube()) == pytest.approx(rise(160, soft_cube()), rel=0.07)


def stretched(share, frames):
    """A slab that is stretched and let go without gravity: velocities at the end of each frame (frames, particles)."""
    simulation = solver(slab(), substeps=40, gravity=(0.0, 0.0, 0.0))
    state = simulation.checkpoint()
    state["positions"][:, 0] *= 1.0 + share
    simulation.restore(0, state)
    found = []
    for _ in range(frames):
        simulation.advance()
        found.append(np.linalg.norm(simulation.checkpoint()["velocities"][:, :3], axis=1))
    return np.array(found)


def test_what_flies_keeps_its_energy_and_gains_none():
    """Without the lag it has 0.05 of it after three more frames."""
    energies = (stretched(0.05, 24) ** 2).sum(axis=1)
    assert energies[3] > 0.15 * energies[0]
    assert energies[1:].max() < energies[0]


def test_what_hardly_moves_is_damped():
    """With the same lag for all strain rates, it would still have 9 mm/s."""
    assert stretched(5e-4, 8)[-1].max() < 1.5e-3


@pytest.mark.parametrize("modulus", [2e4, 2e5])
def test_what_is_pinned_jiggles_as_with_many_substeps(modulus):
    """A bar that is pinned at one end is let go. Without the lag it swings 9 and 11 % less in the third second."""

    def swing(substeps):
        body = jelly_cube(0.5, 1.0, 8, youngs_modulus=modulus, density=1000.0, internal_damping=0.0)
        points = body.positions * [1.0, 0.3, 0.3]
        is_held = np.flatnonzero(points[:, 0] < points[:, 0].min() + 1e-6)
        held = replace(body, positions=points, pins=pins(points, is_held))
        simulation = solver(held, substeps=substeps)
        heights = np.array([run(simulation, 1)[:, 2].min() for _ in range(72)])
        return np.ptp(heights[48:])

    assert swing(20) == pytest.approx(swing(320), rel=0.05)


@pytest.mark.parametrize("path", PATHS[1:])
def test_all_paths_move_alike(path):
    alone, other = (run(solver(slab(), colliders=[plane()], path=name, substeps=40), 14) for name in ("SERIAL", path))
    np.testing.assert_array_equal(alone, other)
