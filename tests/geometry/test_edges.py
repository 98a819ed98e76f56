# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.geometry.chunks import CHUNK
from blender_xpbd.geometry.edges import edge_lengths


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@given(seed=st.integers(0, 10_000), count=st.integers(0, 30))
def test_lengths_are_distances_in_the_precision_of_the_positions(kind: type, seed: int, count: int) -> None:
    random = np.random.default_rng(seed)
    positions, edges = random.normal(size=(12, 3)).astype(kind), random.integers(0, 12, (count, 2))
    found = edge_lengths(positions, edges)
    assert found.dtype == kind
    expected = [np.linalg.norm(positions[a].astype(float) - positions[b]) for a, b in edges]
    np.testing.assert_allclose(found, expected, rtol=1e-6 if kind is np.float32 else 1e-14, atol=0.0)


def test_edges_of_several_chunks() -> None:
    positions = np.random.default_rng(0).normal(size=(100, 3))
    edges = np.random.default_rng(1).integers(0, 100, (2 * CHUNK + 5, 2))
    expected = np.linalg.norm(positions[edges[:, 0]] - positions[edges[:, 1]], axis=1)
    np.testing.assert_allclose(edge_lengths(positions, edges), expected, rtol=1e-12)
