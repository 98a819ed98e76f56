# SPDX-License-Identifier: GPL-3.0-or-later
"""Pieces put together step by step are as pieces put together at once."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.geometry.cage.assembly import assemble, assemble_linked, assemble_merged
from blender_xpbd.geometry.cage.lattice import Lattice
from blender_xpbd.geometry.cage.pieces import Pieces, merge_pieces, with_links

LATTICE = Lattice((5, 5, 5))
NONE = np.zeros((0, 2), np.int64)


def random_pieces(rng: np.random.Generator) -> tuple[Pieces, np.ndarray]:
    """Pieces of neighbouring tetrahedra, some of them several times, without links; and links between neighbours."""
    x, y, z = rng.integers(1, 4, (3, 6))
    cells = (x * 5 + y) * 5 + z
    tetrahedra = np.sort(rng.choice(12 * cells[:, None] + np.arange(12), 40).reshape(-1))
    count = len(tetrahedra)
    pieces = Pieces(tetrahedra, np.zeros(count, np.int64), np.zeros(count, bool), NONE, np.arange(count))
    across = LATTICE.neighbours(tetrahedra)
    one, other = np.nonzero((across[:, :, None] == tetrahedra[None, None, :]).any(axis=1))
    links = np.stack([one, other], axis=1)[one < other]
    return pieces, links[rng.random(len(links)) < 0.6]


def assert_same(found: tuple[np.ndarray, np.ndarray], pieces: Pieces) -> None:
    for mine, wanted in zip(found, assemble(LATTICE, pieces), strict=True):
        np.testing.assert_array_equal(mine, wanted)
        assert mine.dtype == wanted.dtype


@given(st.integers(0, 10_000))
def test_links_that_come_later(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pieces, links = random_pieces(rng)
    late = rng.random(len(links)) < 0.3
    before = with_links(pieces, links[~late])
    after = with_links(before, links[late])
    assert_same(assemble_linked(LATTICE, after, *assemble(LATTICE, before), links[late]), after)


@given(st.integers(0, 10_000))
def test_pieces_that_come_later(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pieces, links = random_pieces(rng)
    count = len(pieces.tetrahedron) - 5
    early = (links < count).all(axis=1)
    first = Pieces(
        pieces.tetrahedron[:count], pieces.inside_samples[:count], pieces.is_whole[:count], NONE, np.arange(count)
    )
    before, after = with_links(first, links[early]), with_links(pieces, links)
    assert_same(assemble_linked(LATTICE, after, *assemble(LATTICE, before), links[~early]), after)


@given(st.integers(0, 10_000))
def test_pieces_that_are_merged(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pieces, links = random_pieces(rng)
    before = with_links(pieces, links)
    twins = np.flatnonzero(pieces.tetrahedron[1:] == pieces.tetrahedron[:-1])
    twins = twins[rng.random(len(twins)) < 0.7]
    after, merged = merge_pieces(before, np.stack([twins, twins + 1], axis=1))
    assert_same(assemble_merged(*assemble(LATTICE, before), merged), after)
