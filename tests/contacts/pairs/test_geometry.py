# SPDX-License-Identifier: GPL-3.0-or-later
"""Closest points against a reference in extended precision, in the precision in which Taichi runs."""

import numpy as np
import pytest
import taichi as ti
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.contacts.pairs.tables import NEAR_WEIGHTS
from blender_xpbd.device.arrays import read_array
from blender_xpbd.device.runtime import real_type
from tests.contacts.pairs.one_pair import EDGES, Pair
from tests.contacts.pairs.pair_kernels import measured
from tests.contacts.pairs.reference import distances

pytestmark = pytest.mark.usefixtures("taichi_cpu")

COUNT = 200


def rounding():
    return 1.2e-7 if real_type() == ti.f32 else 2.3e-16


def random_pairs(seed, shape, size):
    """Kinds (pairs,) and points (pairs, 4, 3) that single precision has; ``size`` is how far off the shape they are."""
    rng = np.random.default_rng(seed)
    kinds, places = rng.integers(0, 2, COUNT), rng.normal(size=(COUNT, 4, 3))
    off = size * rng.normal(size=(COUNT, 3))
    if shape == "flat":
        places[:, :, 2] *= size
    elif shape == "sliver":
        places[:, 3] = places[:, 1] + rng.uniform(-0.5, 1.5, (COUNT, 1)) * (places[:, 2] - places[:, 1]) + off
    elif shape == "parallel":
        places[:, 3] = places[:, 2] + rng.uniform(-2.0, 2.0, (COUNT, 1)) * (places[:, 1] - places[:, 0]) + off
    elif shape == "point":
        places[:, 3] = places[:, 2]
        places[::2, 1] = places[::2, 0]
    return kinds, places.astype(np.float32).astype(np.float64)


shapes = st.sampled_from(["any", "flat", "sliver", "parallel", "point"])
exponents = st.floats(-9.0, -0.5)


@given(st.integers(0, 10**6), shapes, exponents)
def test_distances_are_right_but_for_rounding(seed, shape, exponent):
    kinds, places = random_pairs(seed, shape, 10.0**exponent)
    weights, _, found = measured(kinds, places)
    expected = distances(kinds, places)
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=100.0 * rounding())
    by_weights = np.linalg.norm((weights[:, :, None] * places).sum(axis=1), axis=1)
    # a sliver's weights are its rim's: as near as it is thin
    np.testing.assert_allclose(by_weights, expected, rtol=0.0, atol=1000.0 * rounding())


@given(st.integers(0, 10**6), shapes, exponents)
def test_weights_are_those_of_points_on_both_sides(seed, shape, exponent):
    kinds, places = random_pairs(seed, shape, 10.0**exponent)
    weights, _, _ = measured(kinds, places)
    sides = np.where(kinds == 0, 1, 2)[:, None] > np.arange(4)
    np.testing.assert_allclose((weights * sides).sum(axis=1), 1.0, atol=10.0 * rounding())
    np.testing.assert_allclose((weights * ~sides).sum(axis=1), -1.0, atol=10.0 * rounding())
    assert (weights * np.where(sides, 1.0, -1.0) >= -10.0 * rounding()).all()


@given(st.integers(0, 10**6), shapes, exponents)
def test_normals_are_units_and_point_from_side_b_to_side_a(seed, shape, exponent):
    kinds, places = random_pairs(seed, shape, 10.0**exponent)
    weights, normals, found = measured(kinds, places)
    np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1.0, atol=10.0 * rounding())
    ways = (weights[:, :, None] * places).sum(axis=1)
    # where the normal is that of a triangle in which slivers end, it is as exact as that triangle is thick
    np.testing.assert_allclose(normals * found[:, None], ways, rtol=0.0, atol=2000.0 * rounding())


def test_sides_that_touch_stay_on_the_side_where_they_were():
    """A vertex and an edge, both in the middle of the other side, and the two sides they may have come from."""
    places = np.array(
        [
            [[0.2, 0.2, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
            [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 1.0, 0.0]],
        ]
    )
    for side in (1.0, -1.0):
        previous = np.tile([0.6, 0.0, 0.8 * side], (2, 1))
        _, normals, found = measured(np.array([0, 1]), places, previous)
        np.testing.assert_allclose(normals, np.tile([0.0, 0.0, side], (2, 1)), atol=1e-6)
        np.testing.assert_allclose(found, 0.0, atol=1e-6)


def test_what_is_a_single_point_has_some_normal():
    places = np.ones((2, 4, 3))
    weights, normals, found = measured(np.array([0, 1]), places)
    np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1.0, rtol=1e-6)
    assert np.isfinite(weights).all()
    assert (found == 0.0).all()
    previous = np.tile([0.0, 0.6, 0.8], (2, 1))
    np.testing.assert_allclose(measured(np.array([0, 1]), places, previous)[1], previous, rtol=1e-6)


def parallel_edges(turn, about=0.5, shift=0.0, tilt=0.0):
    """Edges of a metre 5 mm apart, of which the upper one is turned about a point of the lower one and tilted [rad]."""
    ends = np.array([0.0, 1.0]) - about
    upper = np.column_stack([about + shift + ends, turn * ends, 0.005 + tilt * (ends + about)])
    return np.array([*upper, [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])


def touches_at(places):
    """Where along both edges a pair of them is pushed apart."""
    pair = Pair(1, places)
    weights = read_array(pair.pairs.near_floats)[NEAR_WEIGHTS : NEAR_WEIGHTS + 3]
    return np.array([weights[0], -weights[2]])


@pytest.mark.parametrize("shift", [0.0, 0.4])
def test_parallel_edges_touch_in_the_middle_of_their_overlap_however_they_turn(shift):
    """Else what is pushed there goes from end to end, and never rests."""
    turned = [(1e-4, 0.1), (1e-4, 0.9), (-1e-4, 0.2), (1e-5, 0.5), (0.0, 0.5)]
    found = [touches_at(parallel_edges(turn, about, shift)) for turn, about in turned]
    middle = 0.5 + 0.5 * shift
    np.testing.assert_allclose(found, [[middle - shift, middle]] * len(turned), atol=0.01)


def test_where_parallel_edges_touch_does_not_jump_as_they_turn():
    """From edges that cross near an end to parallel ones."""
    turns = np.linspace(0.04, 0.0, 200)
    ways = np.abs(np.diff([touches_at(parallel_edges(turn, 0.1)) for turn in turns], axis=0))
    assert ways.max() < 0.02


@pytest.mark.parametrize("places", [parallel_edges(0.04, 0.2), parallel_edges(0.0, tilt=1e-3), EDGES])
def test_edges_that_are_not_all_but_parallel_touch_where_they_are_nearest(places):
    """Also where one tilts, so that one end of it is nearer."""
    weights = measured(np.array([1]), places[None])[0][0]
    np.testing.assert_allclose(touches_at(places), [weights[1], -weights[3]], atol=1e-6)
