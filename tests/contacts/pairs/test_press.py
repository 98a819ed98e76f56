# SPDX-License-Identifier: GPL-3.0-or-later
"""The force between two sides is given again in the next substep, and taken back where it is too much."""

import numpy as np
import pytest

from blender_xpbd.device.arrays import read_array
from tests.contacts.pairs import pair_kernels as kernels
from tests.contacts.pairs.one_pair import EDGES, GAP, MASSES, VERTEX, H, Pair

pytestmark = pytest.mark.usefixtures("taichi_cpu")


def pressing(kind, places):
    """A pair that was pushed apart by 5 mm, at the start of the next substep, and how its points moved."""
    pair = Pair(kind, places, carriers=kernels.points_of_particles(np.array([0, 1, 1, 1])))
    moved = pair.touch()
    kernels.note_forces(pair.particles, pair.surfaces, pair.pairs, H, True)
    assert not read_array(pair.surfaces.gradients).any()
    pair.next_substep()
    return pair, moved


@pytest.mark.parametrize("share", [1.0, 0.5])
@pytest.mark.parametrize(("kind", "places"), [(0, VERTEX), (1, EDGES)])
def test_a_force_acts_by_the_square_of_the_duration(kind, places, share):
    pair, moved = pressing(kind, places)
    before = pair.positions
    kernels.press_all(pair.particles, pair.surfaces, pair.pairs, share * H, True)
    pressed = pair.positions - before
    # the push has turned the sides by less than 3e-3
    np.testing.assert_allclose(pressed, share**2 * moved, atol=3e-3 * np.abs(moved).max())
    np.testing.assert_allclose((MASSES[:, None] * pressed).sum(axis=0), 0.0, atol=1e-8)


def test_what_is_too_much_is_taken_back():
    """Nothing has pushed the sides together meanwhile, so that all of it is."""
    pair, _ = pressing(0, VERTEX)
    kernels.press_all(pair.particles, pair.surfaces, pair.pairs, H, True)
    assert pair.positions[0, 2] - pair.positions[1:, 2].mean() > 1.2 * GAP
    pair.touch()
    found = kernels.measured(np.array([0]), pair.positions[None])[2]
    np.testing.assert_allclose(found, GAP, rtol=1e-3)


@pytest.mark.parametrize(("kind", "places"), [(0, VERTEX), (1, EDGES)])
def test_a_force_presses_no_farther_than_a_gap_beyond_the_gap(kind, places):
    """One that a heavy body had, where the light side has lost its backing, would throw it by metres."""
    pair, _ = pressing(kind, places)
    kernels.press_all(pair.particles, pair.surfaces, pair.pairs, 30.0 * H, True)
    found = kernels.measured(np.array([kind]), pair.positions[None])[2]
    assert 1.5 * GAP < found[0] < 2.05 * GAP
