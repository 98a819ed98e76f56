# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.geometry.components import connected_components
from blender_xpbd.geometry.solid.clusters import overlapping_clusters


@given(st.integers(1, 60), st.floats(0.05, 3.0), st.integers(0, 2**31))
def test_clusters_cover_linked_particles_with_connected_balls(count: int, radius: float, seed: int) -> None:
    random = np.random.default_rng(seed)
    positions = random.uniform(-1.0, 1.0, (count, 3))
    edges = random.integers(0, count, (2 * count, 2))
    clusters = overlapping_clusters(positions, edges, radius)
    assert set(np.concatenate(clusters)) == set(edges.ravel())
    for cluster in clusters:
        assert (np.diff(cluster) > 0).all()
        assert np.linalg.norm(np.ptp(positions[cluster], axis=0)) <= 2.0 * np.sqrt(3.0) * radius + 1e-9
        inside = edges[np.isin(edges, cluster).all(axis=1)]
        assert len(np.unique(connected_components(count, inside)[cluster])) == 1


def test_pieces_side_by_side_are_not_held_together() -> None:
    line = np.arange(10.0)
    positions = np.concatenate([np.c_[line, 0 * line, 0 * line], np.c_[line, 0 * line + 0.1, 0 * line]])
    edges = np.stack([np.arange(9), np.arange(1, 10)], axis=1)
    clusters = overlapping_clusters(positions, np.concatenate([edges, edges + 10]), 3.0)
    assert all((cluster < 10).all() or (cluster >= 10).all() for cluster in clusters)


def test_clusters_of_one_piece_overlap() -> None:
    positions = np.c_[np.arange(40.0), np.zeros((40, 2))]
    clusters = overlapping_clusters(positions, np.stack([np.arange(39), np.arange(1, 40)], axis=1), 4.0)
    assert len(clusters) > 3
    links = [[cluster[0], member] for cluster in clusters for member in cluster]
    assert len(np.unique(connected_components(40, np.array(links)))) == 1


def test_a_radius_is_needed() -> None:
    with pytest.raises(ValueError, match="radius"):
        overlapping_clusters(np.zeros((2, 3)), np.array([[0, 1]]), 0.0)
