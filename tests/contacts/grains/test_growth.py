# SPDX-License-Identifier: GPL-3.0-or-later
"""Grains that start inside each other begin at a size at which they do not."""

from __future__ import annotations

import numpy as np
import pytest

from blender_xpbd.contacts.grains.growth import DURATION, build_growth

OWN = np.ones((1, 1), np.bool_)


def test_none_overlaps_at_the_start_and_all_are_whole_in_the_end() -> None:
    random = np.random.default_rng(0)
    places, radii = random.uniform(-0.1, 0.1, (300, 3)), random.uniform(0.005, 0.015, 300)
    growth = build_growth(places, radii, np.zeros(300, np.int32), OWN)
    assert growth
    assert growth.pairs[0] > 20
    shrunk = radii * growth.at(0.0)
    gaps = np.linalg.norm(places[:, None] - places[None], axis=2) - shrunk[:, None] - shrunk[None]
    # what overlaps by less than a hundredth is left
    assert (gaps + np.eye(300) > -0.011 * 2.0 * radii.max()).all()
    assert (np.diff([growth.at(t) for t in np.linspace(0.0, DURATION, 20)], axis=0) >= 0.0).all()
    np.testing.assert_array_equal(growth.at(DURATION), 1.0)
    np.testing.assert_array_equal(growth.at(5.0), 1.0)


@pytest.mark.parametrize("spacing", [0.9951, 1.0, 1.2])
def test_what_touches_is_left_alone(spacing: float) -> None:
    places = np.array([[0.0, 0.0, 0.0], [2.0 * spacing, 0.0, 0.0]])
    growth = build_growth(places, np.ones(2), np.zeros(2, np.int32), OWN)
    assert not growth
    np.testing.assert_array_equal(growth.shares, 1.0)


def test_bodies_that_do_not_meet_may_lie_in_each_other() -> None:
    places, owners = np.zeros((2, 3)), np.arange(2, dtype=np.int32)
    assert not build_growth(places, np.ones(2), owners, np.eye(2, dtype=np.bool_))
    both = build_growth(places, np.ones(2), owners, np.ones((2, 2), np.bool_))
    np.testing.assert_array_equal(both.shares, 0.0)
    np.testing.assert_array_equal(both.pairs, [1, 0])


def test_without_grains_nothing_grows() -> None:
    assert not build_growth(np.zeros((0, 3)), np.zeros(0), np.zeros(0, np.int32), OWN)
