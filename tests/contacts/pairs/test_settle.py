# SPDX-License-Identifier: GPL-3.0-or-later
"""After a substep sides part with e times their approach, and no push is kept as speed."""

import numpy as np
import pytest

from tests.contacts.pairs.one_pair import MASSES, VERTEX, Pair

pytestmark = pytest.mark.usefixtures("taichi_cpu")


@pytest.mark.parametrize(("before", "restitution", "after"), [(-1.0, 0.5, 0.5), (-1.0, 0.0, 0.0), (-0.01, 0.5, 0.0)])
def test_sides_part_with_the_speed_of_approach_times_e(before, restitution, after):
    velocities = np.array([[0.0, 0.0, before], *[[0.0] * 3] * 3])
    pair = Pair(0, VERTEX, MASSES, velocities, restitution=restitution)
    pair.touch()
    start = np.array([[0.1, 0.0, -0.2], *[[0.0] * 3] * 3])
    got = pair.settle(start)
    np.testing.assert_allclose((MASSES[:, None] * (got - start)).sum(axis=0), 0.0, atol=1e-6)
    assert got[0, 2] - np.array([0.5, 0.3, 0.2]) @ got[1:, 2] == pytest.approx(after, abs=1e-6)


def test_only_the_speed_of_the_push_is_taken_back():
    """The push was 5 mm in 10 ms: what parts at 2 m/s keeps 1.5 of them."""
    pair = Pair(0, VERTEX, np.array([1.0, np.inf, np.inf, np.inf]))
    pair.touch()
    assert pair.settle(np.array([[0.0, 0.0, 2.0], *[[0.0] * 3] * 3]))[0, 2] == pytest.approx(1.5, rel=1e-4)


@pytest.mark.parametrize(("slip", "taken"), [(3.0, 0.3), (0.2, 0.2)])
def test_friction_goes_with_all_of_the_normal_impulse(slip, taken):
    """The push stopped 0.5 of 1.5 m/s; what stops the other 1 m/s has friction too, but turns no slip around."""
    pair = Pair(0, VERTEX, np.array([1.0, np.inf, np.inf, np.inf]), friction=0.3)
    pair.move(np.array([[0.1, 0.0, 0.0], *[[0.0] * 3] * 3]))
    pair.touch()
    got = pair.settle(np.array([[slip, 0.0, -1.0], *[[0.0] * 3] * 3]))
    np.testing.assert_allclose(got[0], [slip - taken, 0.0, 0.0], atol=1e-6)


def test_what_sticks_keeps_its_velocity_along_the_surface():
    pair = Pair(0, VERTEX, np.array([1.0, np.inf, np.inf, np.inf]), friction=0.3)
    pair.move(np.array([[0.0005, 0.0, 0.0], *[[0.0] * 3] * 3]))
    pair.touch()
    pair.move(np.array([[1e-5, 0.0, 0.0], *[[0.0] * 3] * 3]))
    got = pair.settle(np.array([[0.1, 0.0, -1.0], *[[0.0] * 3] * 3]))
    np.testing.assert_allclose(got[0], [0.1, 0.0, 0.0], atol=1e-6)
