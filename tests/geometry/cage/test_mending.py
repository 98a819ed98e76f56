# SPDX-License-Identifier: GPL-3.0-or-later
"""Random heaps of pieces are mended: nothing hinges on an edge or a vertex, and nothing is lost."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.geometry.cage.assembly import assemble, face_components
from blender_xpbd.geometry.cage.lattice import TETRAHEDRA_PER_CELL, TETRAHEDRON_VOLUME, Lattice
from blender_xpbd.geometry.cage.mending import mend
from blender_xpbd.geometry.cage.pieces import Pieces
from blender_xpbd.geometry.components import connected_components
from blender_xpbd.geometry.solid.tetrahedra import signed_volumes, tetrahedron_edges

LATTICE = Lattice((7, 7, 7))
MIDDLE = TETRAHEDRA_PER_CELL * ((3 * 7 + 3) * 7 + 3)


def pieces_of(tetrahedra: np.ndarray, linked: np.ndarray) -> Pieces:
    """A piece in each tetrahedron; those of ``linked`` neighbours hang together."""
    across = LATTICE.neighbours(tetrahedra)
    one, other = np.nonzero((across[:, :, None] == tetrahedra[None, None, :]).any(axis=1))
    links = np.stack([one, other], axis=1)[(one < other) & linked[one] & linked[other]].astype(np.int32)
    count = len(tetrahedra)
    return Pieces(tetrahedra, np.ones(count, np.int64), np.zeros(count, bool), links, np.arange(count))


def hinges(tetrahedra: np.ndarray) -> int:
    """How many more parts hang together by faces than by vertices."""
    by_vertex = connected_components(int(tetrahedra.max()) + 1, tetrahedron_edges(tetrahedra))[tetrahedra[:, 0]]
    return int(face_components(tetrahedra).max()) + 1 - len(np.unique(by_vertex))


@given(st.integers(0, 10_000), st.integers(2, 12))
def test_no_hinge_is_left(seed: int, count: int) -> None:
    random = np.random.default_rng(seed)
    tetrahedra = np.sort(MIDDLE + random.choice(12, count, replace=False))
    pieces, vertices, mended = mend(LATTICE, pieces_of(tetrahedra, random.random(count) < 0.8))
    assert hinges(mended) == 0
    np.testing.assert_allclose(signed_volumes(vertices, mended), TETRAHEDRON_VOLUME)
    assert set(tetrahedra) <= set(pieces.tetrahedron), "what was there stays"
    np.testing.assert_array_equal(pieces.tetrahedron[pieces.of_sample], tetrahedra)
    assert pieces.inside_samples.sum() == count
    for found, expected in zip((vertices, mended), assemble(LATTICE, pieces), strict=True):
        np.testing.assert_array_equal(found, expected)


def two_that_share(count: int) -> np.ndarray:
    """Two tetrahedra around the middle with so many common corners, which are no neighbours unless they share three."""
    numbers = np.arange(MIDDLE, MIDDLE + 12)
    corners = LATTICE.corner_numbers(numbers)
    shared = (corners[:, None, :, None] == corners[None, :, None, :]).any(axis=3).sum(axis=2)
    return numbers[np.argwhere(shared == count)[0]]


@pytest.mark.parametrize("shared", [1, 2])
def test_two_that_nothing_links_stay_apart(shared: int) -> None:
    """Without a link their vertices are not the same, so there is no hinge."""
    pieces, _, tetrahedra = mend(LATTICE, pieces_of(np.sort(two_that_share(shared)), np.ones(2, bool)))
    assert len(pieces.tetrahedron) == 2
    assert len(np.unique(tetrahedra)) == 8


def test_neighbours_that_are_linked_share_a_face() -> None:
    pair = np.sort(two_that_share(3))
    assert len(np.unique(mend(LATTICE, pieces_of(pair, np.ones(2, bool)))[2])) == 5
    assert len(np.unique(mend(LATTICE, pieces_of(pair, np.zeros(2, bool)))[2])) == 8
