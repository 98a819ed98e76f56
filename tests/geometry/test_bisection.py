# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of points."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.geometry.bisection import bisect


@given(st.integers(0, 200), st.integers(0, 5), st.integers(0, 10))
def test_parts_are_of_equal_size_and_repeatable(count, power, seed):
    # points on a coarse lattice, so that many lie at the same place
    points = np.random.default_rng(seed).integers(0, 4, (count, 3)).astype(float)
    labels = bisect(points, 2**power)
    sizes = np.bincount(labels, minlength=2**power)
    assert len(labels) == count
    assert len(sizes) == 2**power
    assert sizes.max(initial=0) - sizes.min() <= power or count < 2**power
    np.testing.assert_array_equal(labels, bisect(points, 2**power))


def test_a_strip_is_cut_across():
    points = np.stack([np.arange(100.0), np.tile([0.0, 1.0], 50), np.zeros(100)], axis=1)
    np.testing.assert_array_equal(bisect(points, 4), np.repeat([0, 1, 2, 3], 25))


@pytest.mark.parametrize("count", [0, 3, -2])
def test_other_numbers_of_parts_are_refused(count):
    with pytest.raises(ValueError, match="power of 2"):
        bisect(np.zeros((5, 3)), count)
