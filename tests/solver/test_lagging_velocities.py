# SPDX-License-Identifier: GPL-3.0-or-later
"""Velocities of jelly lag behind forces, so that it keeps its wobble: soft by its moves, stiff by its impulses."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.constraints.constraint import DELAYED, WARM
from blender_xpbd.solver.step import pair_substeps
from blender_xpbd.solver.step.plan import PATHS
from blender_xpbd.solver.system.mode import static_mode
from blender_xpbd.solver.tearing import carried
from tests.solver.scenes import jelly_cube, pins, plane, run, solver, touching

pytestmark = pytest.mark.usefixtures("taichi_cpu")

# Young's moduli [Pa] of what is too soft to start warm at 40 substeps, and of what is not
SOFT, STIFF = 2e4, 6e5
KINDS = pytest.mark.parametrize(("modulus", "mode"), [(SOFT, DELAYED), (STIFF, DELAYED | WARM)])


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


def energy_kept(modulus, substeps):
    """Of a slab that is stretched and let go without gravity: the greatest kinetic energy of late frames per early."""
    simulation = solver(slab(modulus), substeps=substeps, gravity=(0.0, 0.0, 0.0))
    state = simulation.checkpoint()
    state["positions"][:, 0] *= 1.1
    simulation.restore(0, state)
    energies = []
    for _ in range(36):
        simulation.advance()
        state = simulation.checkpoint()
        energies.append(float(((state["velocities"][:, :3] ** 2).sum(axis=1) / state["positions"][:, 3]).sum()))
    return max(energies[24:]) / max(energies[:12])


@pytest.mark.parametrize(
    ("modulus", "substeps", "mode", "least"), [(SOFT, 12, DELAYED, 0.42), (STIFF, 40, DELAYED | WARM, 0.1)]
)
def test_what_flies_keeps_its_energy_and_gains_none(modulus, substeps, mode, least):
    """Without lag the soft one keeps 0.34 of it."""
    assert static_mode(falling(modulus, substeps=substeps).system) == mode
    assert least < energy_kept(modulus, substeps) < 1.02


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


def test_what_bounces_does_not_lag_and_comes_to_rest():
    """A cube that begins to sag on a floor hopped on and on: each wobble was a hit that got back what it lost."""
    body = jelly_cube(0.4, height=0.0, resolution=8, restitution=0.8, youngs_modulus=2e5)
    simulation = solver(body, colliders=[plane()], substeps=20)
    run(simulation, 96)
    assert np.abs(simulation.checkpoint()["velocities"][:, :3]).max() < 0.01


def test_rest_is_as_without():
    """A hanging slab, swinging to rest, hangs as low with few substeps as with many."""
    found = [run(held_slab(substeps), 96)[:, 2].min() for substeps in (20, 80)]
    assert found[0] == pytest.approx(found[1], abs=0.01)


def held_slab(substeps):
    """One that hangs from a side."""
    body = slab(SOFT)
    held = np.flatnonzero(body.positions[:, 0] < 1e-9 + body.positions[:, 0].min())
    body = replace(body, pins=pins(body.positions, held), material=replace(body.material, damping=6.0))
    return solver(body, substeps=substeps)


def test_what_rests_goes_on_with_more_substeps():
    """What was noted as a move of a long substep threw it: 11 mm in the mean in two frames."""
    resting = held_slab(10)
    before = run(resting, 96)
    state = {name: array.copy() for name, array in resting.checkpoint().items()}
    again = held_slab(160)
    again.restore(96, state)
    assert static_mode(again.system) == static_mode(resting.system) == DELAYED
    assert np.abs(run(again, 2) - before).mean() < 2e-3


@pytest.mark.parametrize("missing", [("delayed_accelerations", "accelerations_before"), ("corrections",)])
def test_what_goes_on_from_another_mode_has_nothing_noted(missing):
    """Less is joined where something tears, and may be too soft then for what it was."""
    simulation = falling(SOFT, substeps=20)
    state = dict(simulation.checkpoint())
    before = {name: array + 1.0 for name, array in state.items() if name not in missing}
    found = carried(simulation.system, before, simulation.system, state)
    assert set(found) == set(state)
    for name in set(missing) & set(state):
        assert not found[name].any()


def test_a_frame_in_slices_goes_on_as_it_was(monkeypatch):
    """What was noted is right for any duration of a substep."""
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
