# SPDX-License-Identifier: GPL-3.0-or-later
"""Velocities of jelly lag behind forces, so that it keeps its wobble: soft by its moves, stiff by its impulses."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.constraints.constraint import DELAYED, WARM
from blender_xpbd.solver.step import pair_substeps
from blender_xpbd.solver.step.plan import PATHS
from blender_xpbd.solver.system.mode import static_mode
from tests.solver.scenes import jelly_cube, pins, plane, run, solver, touching

pytestmark = pytest.mark.usefixtures("taichi_cpu")

# Young's moduli [Pa] of what is too soft to start warm at 40 substeps, and of what is not
SOFT, STIFF = 2e4, 6e5
KINDS = pytest.mark.parametrize(("modulus", "mode"), [(SOFT, DELAYED), (STIFF, WARM)])


def slab(modulus):
    """A slab of jelly that falls flat."""
    body = jelly_cube(1.0, resolution=8, youngs_modulus=modulus, density=1000.0, internal_damping=0.0, friction=0.0)
    return replace(body, positions=body.positions * [1.0, 1.0, 0.25] + [0.0, 0.0, 0.3])


def falling(modulus, path="SERIAL", **settings):
    return solver(slab(modulus), colliders=[plane()], path=path, **settings)


def rise(modulus, substeps):
    """How far the centre of mass rises after the impact [m]."""
    simulation = falling(modulus, substeps=substeps)
    heights = []
    for _ in range(16):
        simulation.advance()
        state = simulation.checkpoint()["positions"]
        heights.append(float((state[:, 2] / state[:, 3]).sum() / (1.0 / state[:, 3]).sum()))
    lowest = int(np.argmin(heights[:11]))
    return max(heights[lowest:]) - heights[lowest]


def test_flat_jelly_rebounds_as_with_many_substeps():
    """Without, a quarter of the rise is lost."""
    assert static_mode(falling(SOFT, substeps=20).system) == DELAYED
    assert rise(SOFT, 20) == pytest.approx(rise(SOFT, 320), rel=0.1)


@KINDS
def test_what_flies_keeps_its_energy_and_gains_none(modulus, mode):
    """A slab is stretched by a tenth and let go; Euler's step alone takes 0.9 of the stiff one's swing in a second."""
    simulation = solver(slab(modulus), substeps=40, gravity=(0.0, 0.0, 0.0))
    assert static_mode(simulation.system) == mode
    state = simulation.checkpoint()
    state["positions"][:, 0] *= 1.1
    simulation.restore(0, state)
    energies = []
    for _ in range(36):
        simulation.advance()
        state = simulation.checkpoint()
        energies.append(float(((state["velocities"][:, :3] ** 2).sum(axis=1) / state["positions"][:, 3]).sum()))
    early, late = max(energies[:12]), max(energies[24:])
    assert 0.1 * early < late < 1.02 * early


@pytest.mark.parametrize("path", PATHS[1:])
@KINDS
def test_all_paths_move_alike(modulus, mode, path):
    alone, other = (run(falling(modulus, name, substeps=20), 12) for name in ("SERIAL", path))
    np.testing.assert_array_equal(alone, other)


@KINDS
def test_it_goes_on_from_any_frame_with_the_same_bytes(modulus, mode):
    whole = falling(modulus, substeps=20)
    for _ in range(8):
        whole.advance()
    state = {name: array.copy() for name, array in whole.checkpoint().items()}
    again = falling(modulus, substeps=20)
    again.restore(8, state)
    np.testing.assert_array_equal(run(whole, 6), run(again, 6))


def test_rest_is_as_without():
    """A hanging slab, swinging to rest, hangs as low with few substeps as with many."""
    found = []
    for substeps in (20, 80):
        body = slab(SOFT)
        held = np.flatnonzero(body.positions[:, 0] < 1e-9 + body.positions[:, 0].min())
        body = replace(body, pins=pins(body.positions, held), material=replace(body.material, damping=6.0))
        found.append(run(solver(body, substeps=substeps), 96)[:, 2].min())
    assert found[0] == pytest.approx(found[1], abs=0.01)


def test_a_frame_in_slices_goes_on_as_it_was(monkeypatch):
    """What was noted of a substep belongs to its duration."""
    monkeypatch.setattr(pair_substeps.PairSubsteps, "begins_clear", lambda *_: False)
    found = []
    for divided in (-1, 3):
        slices = lambda self, frame, divided=divided: 8 if frame == divided else 1  # noqa: E731
        monkeypatch.setattr(pair_substeps.PairSubsteps, "slices", slices)
        body = slab(SOFT)
        held = np.flatnonzero(body.positions[:, 0] < 1e-9 + body.positions[:, 0].min())
        simulation = touching(replace(body, pins=pins(body.positions, held)), substeps=10)
        assert static_mode(simulation.system) & DELAYED
        found.append(run(simulation, 7))
    assert np.abs(found[1] - found[0]).max() < 0.01
