# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of pieces against slow sure answers; whole cages are tested in ``test_cage``."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.geometry.cage.inside import Grid
from blender_xpbd.geometry.cage.lattice import TETRAHEDRA_PER_CELL, Lattice
from blender_xpbd.geometry.cage.pieces import (
    Pieces,
    PieceTable,
    merge_pieces,
    sample_tetrahedra_table,
    unique_links,
    with_links,
)

LATTICE = Lattice((5, 5, 5))


def random_pieces(seed: int, count: int = 30) -> Pieces:
    """Pieces of few tetrahedra in the middle, so that many share one, with some links."""
    random = np.random.default_rng(seed)
    middle = TETRAHEDRA_PER_CELL * ((2 * 5 + 2) * 5 + 2)
    return Pieces(
        middle + random.integers(0, 12, count),
        random.integers(0, 5, count),
        random.random(count) < 0.3,
        unique_links(random.integers(0, count, (20, 2)), count),
        random.integers(0, count, 50),
    )


pairs_of = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=40)


@given(pairs_of)
def test_links_stand_once_without_direction(pairs: list[tuple[int, int]]) -> None:
    found = unique_links(np.array(pairs, np.int32).reshape(-1, 2), 10)
    expected = {(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]}
    assert [tuple(link) for link in found.tolist()] == sorted(expected)
    assert found.dtype == np.int32


@given(st.integers(0, 10_000))
def test_all_pieces_of_a_tetrahedron_are_found(seed: int) -> None:
    pieces = random_pieces(seed)
    numbers = [-1, 0, *range(pieces.tetrahedron.min(), 1 + pieces.tetrahedron.max())]
    asked = np.random.default_rng(seed + 1).choice(numbers, 15)
    slots, found = PieceTable(pieces).find(asked)
    expected = {(slot, piece) for slot, piece in np.argwhere(asked[:, None] == pieces.tetrahedron).tolist()}
    assert set(zip(slots.tolist(), found.tolist(), strict=True)) == expected
    assert len(slots) == len(expected)


@given(st.integers(0, 10_000))
def test_pieces_across_faces_are_those_of_neighbouring_tetrahedra(seed: int) -> None:
    pieces = random_pieces(seed)
    chosen = np.flatnonzero(pieces.is_whole)
    parts = PieceTable(pieces).across_faces(LATTICE, pieces, chosen)
    found = [tuple(pair) for part in parts for pair in part.tolist()]
    across = LATTICE.neighbours(pieces.tetrahedron)
    expected = {(a, b) for a in chosen for b in range(len(across)) if pieces.tetrahedron[b] in across[a]}
    assert set(found) == expected
    assert len(found) == len(expected)


@given(st.integers(0, 10_000))
def test_merged_pieces_keep_all_that_they_had(seed: int) -> None:
    pieces = random_pieces(seed)
    order = np.argsort(pieces.tetrahedron, kind="stable")
    same = np.flatnonzero(pieces.tetrahedron[order][1:] == pieces.tetrahedron[order][:-1])[::2]
    fewer, merged = merge_pieces(pieces, np.stack([order[same], order[same + 1]], axis=1))
    assert len(fewer.tetrahedron) == len(pieces.tetrahedron) - len(same)
    np.testing.assert_array_equal(fewer.tetrahedron[merged], pieces.tetrahedron)
    assert fewer.inside_samples.sum() == pieces.inside_samples.sum()
    np.testing.assert_array_equal(fewer.of_sample, merged[pieces.of_sample])
    np.testing.assert_array_equal(fewer.links, unique_links(merged[pieces.links], len(fewer.tetrahedron)))


@given(st.integers(0, 10_000), pairs_of)
def test_more_links_come_to_those_that_there_are(seed: int, pairs: list[tuple[int, int]]) -> None:
    pieces = random_pieces(seed)
    more = with_links(pieces, np.array(pairs, np.int64).reshape(-1, 2))
    expected = {tuple(link) for link in pieces.links.tolist()}
    expected |= {(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]}
    assert [tuple(link) for link in more.links.tolist()] == sorted(expected)


def test_samples_lie_in_the_tetrahedra_of_the_table() -> None:
    grid = Grid((20, 20, 20), 4, ((0.31, 0.37), (0.43, 0.29), (0.53, 0.41)))
    steps, counts = sample_tetrahedra_table(LATTICE, grid)
    assert counts.sum() == 4**3
    # the samples of a cell in the middle, by themselves
    numbers = np.array([2 * 4 + np.arange(4)] * 3)
    axes = [grid.places(axis, numbers[axis]) / grid.rate for axis in range(3)]
    located = LATTICE.locate(np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3))
    np.testing.assert_array_equal(located.reshape(4, 4, 4), steps + TETRAHEDRA_PER_CELL * ((2 * 5 + 2) * 5 + 2))
