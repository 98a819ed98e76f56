# SPDX-License-Identifier: GPL-3.0-or-later
"""Seams of split surfaces: found, joined and torn."""

import numpy as np

from blender_xpbd.geometry.surface.seams import find_seams, joined_vertices, strains_across
from tests.solver.scenes import grid


def split_grid(count, columns=None):
    """A grid of quads, split along all inner edges, or along a column of vertices alone."""
    positions, sizes, corners = grid(count)
    if columns is None:
        return positions[corners], corners.astype(np.int32) + 1, sizes, np.arange(len(corners), dtype=np.int32)
    line = np.arange(count, dtype=np.int32) + columns * count
    copy = np.arange(len(positions), dtype=np.int32)
    copy[line] = len(positions) + np.arange(count)
    middles = positions[corners].reshape(-1, 4, 3).mean(axis=1)
    right = np.repeat(middles[:, 0] > positions[line[0], 0], 4)
    own = np.where(right, copy[corners], corners).astype(np.int32)
    return (
        np.concatenate([positions, positions[line]]),
        np.r_[np.arange(len(positions)), line].astype(np.int32) + 1,
        sizes,
        own,
    )


def test_all_edges_between_faces_are_seams():
    positions, identifiers, sizes, corners = split_grid(4)
    seams = find_seams(identifiers, positions, sizes, corners)
    assert len(seams) == 2 * 3 * 2
    shown = joined_vertices(seams, np.zeros(len(seams), np.bool_))
    assert len(np.unique(shown)) == 16
    np.testing.assert_array_equal(positions[shown], positions)
    alone = joined_vertices(seams, np.ones(len(seams), np.bool_))
    np.testing.assert_array_equal(alone, np.arange(len(positions)))


def test_a_crack_opens_where_two_seams_of_a_line_have_torn():
    """A single torn edge within the sheet opens nothing: its ends are still joined around it."""
    positions, identifiers, sizes, corners = split_grid(5, columns=2)
    seams = find_seams(identifiers, positions, sizes, corners)
    assert len(seams) == 4
    order = np.argsort(positions[seams.ends[:, 0, 0], 1])
    torn = np.zeros(4, np.bool_)
    torn[order[1]] = True
    assert len(np.unique(joined_vertices(seams, torn))) == 25
    torn[order[2]] = True
    assert len(np.unique(joined_vertices(seams, torn))) == 26
    torn[:] = True
    assert len(np.unique(joined_vertices(seams, torn))) == 30


def test_at_the_border_a_torn_seam_opens():
    positions, identifiers, sizes, corners = split_grid(5, columns=2)
    seams = find_seams(identifiers, positions, sizes, corners)
    torn = np.arange(4) == np.argmin(positions[seams.ends[:, 0, 0], 1])
    assert len(np.unique(joined_vertices(seams, torn))) == 26


def test_strain_counts_across_the_seam_alone():
    positions, identifiers, sizes, corners = split_grid(4)
    seams = find_seams(identifiers, positions, sizes, corners)
    along_x = np.abs(np.diff(positions[seams.ends[:, 0]], axis=1)[:, 0, 0]) > 0.1
    strains = strains_across(seams, positions * [1.3, 1.0, 1.0], sizes, corners)
    np.testing.assert_allclose(strains[~along_x], 0.3)
    np.testing.assert_allclose(strains[along_x], 0.0, atol=1e-12)
    turned = positions @ np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    np.testing.assert_allclose(strains_across(seams, turned, sizes, corners), 0.0, atol=1e-12)


def test_what_lies_apart_is_not_one():
    positions, identifiers, sizes, corners = split_grid(4)
    moved = positions + 0.01 * (np.arange(len(positions)) < 4)[:, None]
    whole, less = (find_seams(identifiers, places, sizes, corners) for places in (positions, moved))
    assert len(less) == len(whole) - 2


def test_without_identifiers_there_are_none():
    positions, sizes, corners = grid(4)
    assert len(find_seams(np.zeros(16, np.int32), positions, sizes, corners)) == 0
