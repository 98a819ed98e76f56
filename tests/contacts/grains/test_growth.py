# SPDX-License-Identifier: GPL-3.0-or-later
"""Grains that start inside each other begin at a size at which they do not."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from blender_xpbd.contacts.grains.growth import DURATION, build_growth
from blender_xpbd.scene.errors import XpbdError

OWN = np.ones((1, 1), np.bool_)
FREE = np.ones(300, np.bool_)
NAMES = ("Sand", "Gravel", "Dust")


def test_none_overlaps_at_the_start_and_all_are_whole_in_the_end() -> None:
    random = np.random.default_rng(0)
    places, radii = random.uniform(-0.1, 0.1, (300, 3)), random.uniform(0.005, 0.015, 300)
    growth = build_growth(places, radii, np.zeros(300, np.int32), OWN, FREE[:300], NAMES)
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
    growth = build_growth(places, np.ones(2), np.zeros(2, np.int32), OWN, FREE[:2], NAMES)
    assert not growth
    np.testing.assert_array_equal(growth.shares, 1.0)


def test_bodies_that_do_not_meet_may_lie_in_each_other() -> None:
    places, owners = np.zeros((2, 3)), np.arange(2, dtype=np.int32)
    assert not build_growth(places, np.ones(2), owners, np.eye(2, dtype=np.bool_), FREE[:2], NAMES)
    both = build_growth(places, np.ones(2), owners, np.ones((2, 2), np.bool_), FREE[:2], NAMES)
    np.testing.assert_array_equal(both.shares, 0.0)
    np.testing.assert_array_equal(both.pairs, [1, 0])


def test_without_grains_nothing_grows() -> None:
    assert not build_growth(np.zeros((0, 3)), np.zeros(0), np.zeros(0, np.int32), OWN, FREE[:0], NAMES)


@pytest.mark.parametrize(("is_free", "grows"), [((False, False), False), ((True, False), True), ((True, True), True)])
def test_what_is_pinned_together_keeps_its_size(is_free: tuple[bool, bool], grows: bool) -> None:
    """A wall of pinned grains would have holes at first."""
    places = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    growth = build_growth(places, np.ones(2), np.zeros(2, np.int32), OWN, np.array(is_free), NAMES)
    assert bool(growth) == grows
    np.testing.assert_array_equal(growth.shares, 0.5 if grows else 1.0)


def test_grains_of_unlike_sizes_are_all_compared() -> None:
    """From 1 mm to 3 cm, some of them exactly powers of 2."""
    random = np.random.default_rng(1)
    places = random.uniform(-0.1, 0.1, (300, 3))
    radii = np.r_[
        random.uniform(0.001, 0.004, 200), random.uniform(0.004, 0.03, 60), np.exp2(random.integers(-9, -5, 40))
    ]
    owners = np.repeat(np.arange(3, dtype=np.int32), 100)
    share = np.linalg.norm(places[:, None] - places[None], axis=2) / (radii[:, None] + radii[None])
    share[np.diag_indices(300)] = np.inf
    growth = build_growth(places, radii, owners, np.ones((3, 3), np.bool_), FREE, NAMES)
    np.testing.assert_allclose(growth.shares, np.where(share.min(axis=1) < 0.99, share.min(axis=1), 1.0), rtol=1e-12)
    first = np.minimum(*np.nonzero(np.triu(share < 0.99)))
    np.testing.assert_array_equal(growth.pairs, np.bincount(owners[first], minlength=3))


def test_a_large_grain_among_many_small_ones_takes_no_memory_of_its_own() -> None:
    """Around each of the small ones, what the large one reaches is all of them: nine million pairs."""
    count = 3_000
    places = np.random.default_rng(2).uniform(-0.06, 0.06, (count + 1, 3))
    places[-1] = 0.0
    radii = np.r_[np.full(count, 0.002), 0.1]
    tracemalloc.start()
    growth = build_growth(places, radii, np.zeros(count + 1, np.int32), OWN, np.ones(count + 1, np.bool_), NAMES)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert growth.pairs[0] >= count
    assert most < 20e6


def peak_of(call):
    """What calls take of memory at most [bytes]."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def crowd(kind: str, count: int) -> np.ndarray:
    """Points that are nearly at one place: what Blender's Collapse leaves, a fill that was scaled down, and a line."""
    if kind == "collapsed":
        return np.zeros((count, 3))
    random = np.random.default_rng(3)
    if kind == "scaled fill":
        return random.uniform(-0.01, 0.01, (count, 3))
    return random.uniform(0.0, 0.05, (count, 1)) * np.array([1.0, 2.0, -1.0])


@pytest.mark.parametrize("kind", ["collapsed", "scaled fill", "line"])
def test_a_crowd_that_would_fill_the_memory_is_refused_before_it_does(kind: str) -> None:
    """20,000 of them would have 200 million pairs."""
    places = np.concatenate([[[5.0, 0.0, 0.0]], crowd(kind, 20_000)])
    owners = np.array([0, *[1] * 20_000], np.int32)

    def build() -> None:
        with pytest.raises(XpbdError, match=r"Gravel.* start inside one of 0\.02 m") as refused:
            build_growth(
                places, np.full(20_001, 0.02), owners, np.ones((2, 2), np.bool_), np.ones(20_001, np.bool_), NAMES
            )
        assert refused.value.code == "E_OVERLAP"

    assert peak_of(build) < 60e6


def test_a_crowd_of_hundreds_grows_and_takes_little_memory() -> None:
    count = 1_200
    places, radii, owners = np.zeros((count, 3)), np.full(count, 0.02), np.zeros(count, np.int32)

    def build() -> None:
        growth = build_growth(places, radii, owners, OWN, np.ones(count, np.bool_), NAMES)
        assert growth.pairs[0] == count * (count - 1) // 2

    assert peak_of(build) < 60e6


def test_what_is_pinned_in_one_place_is_compared_in_parts() -> None:
    """Nothing can be moved, so nothing is listed."""
    count = 1_200
    places, radii, owners = np.zeros((count, 3)), np.full(count, 0.02), np.zeros(count, np.int32)
    assert peak_of(lambda: build_growth(places, radii, owners, OWN, np.zeros(count, np.bool_), NAMES)) < 60e6
