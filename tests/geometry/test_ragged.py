# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.geometry.ragged import ramp


@given(st.lists(st.integers(0, 5), max_size=20))
def test_a_ramp_counts_each_list_from_zero(counts: list[int]) -> None:
    expected = [number for count in counts for number in range(count)]
    found = ramp(np.array(counts, np.int64))
    assert found.tolist() == expected
    assert found.dtype == np.int64
