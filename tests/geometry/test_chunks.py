# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.geometry.chunks import chunks, coordinates


@given(st.integers(0, 50), st.integers(1, 12))
def test_chunks_cover_all_rows_in_order(count: int, size: int) -> None:
    parts = list(chunks(count, size))
    assert [row for part in parts for row in range(part.start, part.stop)] == list(range(count))
    assert all(0 < part.stop - part.start <= size for part in parts)


@given(st.integers(0, 1000), st.integers(0, 7), st.integers(1, 4), st.sampled_from([np.int32, np.int64]))
def test_coordinates_are_those_of_the_corners(seed: int, count: int, corners: int, kind: type) -> None:
    random = np.random.default_rng(seed)
    positions, elements = random.normal(size=(9, 3)), random.integers(0, 9, (count, corners)).astype(kind)
    found = coordinates(np.ascontiguousarray(positions.T), elements)
    np.testing.assert_array_equal(np.stack(found, axis=-1), positions[elements].swapaxes(0, 1))
