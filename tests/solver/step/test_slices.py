# SPDX-License-Identifier: GPL-3.0-or-later
"""What goes by the duration of a substep, in a frame that is divided whether it must be or not."""

import numpy as np
import pytest

from blender_xpbd.constraints.constraint import WARM
from blender_xpbd.solver.step import pair_substeps
from blender_xpbd.solver.system.mode import static_mode
from tests.solver.scenes import cloth, jelly_cube, plane, touching

pytestmark = pytest.mark.usefixtures("taichi_cpu")

DIVIDED = 3


def divide(monkeypatch, count):
    """Let a frame be divided."""
    slices = lambda self, frame_index: count if frame_index == DIVIDED else 1  # noqa: E731
    monkeypatch.setattr(pair_substeps.PairSubsteps, "slices", slices)
    monkeypatch.setattr(pair_substeps.PairSubsteps, "has_passed", True)


def heights(simulation, frames):
    """Mean height after each frame."""
    found = []
    for _ in range(frames):
        simulation.advance()
        found.append(float(simulation.positions()[: simulation.system.starts[1], 2].mean()))
    return np.array(found) + simulation.system.origin[2]


@pytest.mark.parametrize("integration", ["SYMPLECTIC_EULER", "BDF2"])
def test_a_fall_goes_on_as_it_was(integration, monkeypatch):
    divide(monkeypatch, 8)
    simulation = touching(cloth(5), substeps=4, time_integration=integration)
    found = heights(simulation, 7)
    np.testing.assert_allclose(found, -0.5 * 9.81 * (np.arange(1, 8) / 24.0) ** 2, atol=2e-3)


def test_what_forces_did_in_a_substep_goes_by_the_square_of_its_duration():
    simulation = touching(jelly_cube(0.3, 0.0, 3, youngs_modulus=3e5), colliders=[plane()], substeps=8)
    assert static_mode(simulation.system) & WARM
    simulation.advance()
    before = simulation.checkpoint()
    simulation._slices.rescale(0.25)
    after = simulation.checkpoint()
    for name in ("corrections", "lagrange_multipliers"):
        assert np.abs(before[name]).max() > 0.0
        np.testing.assert_array_equal(after[name], before[name] / 16.0)
