# SPDX-License-Identifier: GPL-3.0-or-later
"""What is found in cells is what comparing all points finds."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.geometry.near_points import cells_of, parts_of, points_near


@given(st.integers(1, 50), st.floats(0.05, 3.0), st.floats(0.0, 1e12), st.integers(0, 2**31))
def test_pairs_are_those_of_all_distances(count: int, radius: float, offset: float, seed: int) -> None:
    random = np.random.default_rng(seed)
    positions = random.uniform(-1.0, 1.0, (count, 3))
    # some lie so far away that the cells between could not be numbered
    positions[random.random(count) < 0.3] += offset
    centres = np.flatnonzero(random.random(count) < 0.7)
    owners, members = points_near(positions, cells_of(positions, radius), centres, radius)
    distances = np.linalg.norm(positions[centres, None] - positions[None], axis=2)
    assert set(zip(*np.nonzero(distances <= radius), strict=True)) == set(zip(owners, members, strict=True))


@given(st.integers(1, 60), st.floats(0.05, 3.0), st.integers(1, 400), st.integers(0, 2**31))
def test_parts_have_all_centres_and_few_points_around(count: int, radius: float, most: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    positions = random.uniform(-1.0, 1.0, (count, 3))
    cells, centres = cells_of(positions, radius), np.flatnonzero(random.random(count) < 0.7)
    parts = list(parts_of(cells, centres, most))
    np.testing.assert_array_equal(np.concatenate([centres[:0], *parts]), centres)
    beside = (np.abs(cells[:, None] - cells[None]) <= 1).all(axis=2).sum(axis=1)
    assert all(len(part) == 1 or beside[part].sum() <= most for part in parts)
