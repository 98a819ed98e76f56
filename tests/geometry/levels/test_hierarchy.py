# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.geometry.levels.hierarchy import CoarseLevel, build_hierarchy
from blender_xpbd.geometry.surface.topology import boundary_edges, unique_pairs
from tests.geometry.surfaces import sphere
from tests.geometry.triangle_shapes import grid_mesh


def sides(triangles: np.ndarray) -> np.ndarray:
    return unique_pairs(np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]))


def built(positions, triangles, pinned=(0,), masses=None, pairs=None) -> tuple[CoarseLevel, ...]:
    fixed = np.zeros(len(positions), bool)
    fixed[list(pinned)] = True
    masses = np.ones(len(positions)) if masses is None else masses
    return build_hierarchy(positions, triangles, sides(triangles) if pairs is None else pairs, masses, fixed)


def square(cells: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A flat square of 1 m, its triangles, and its edges and both diagonals of its quads."""
    flat, triangles = grid_mesh(cells, cells)
    index = np.arange((cells + 1) ** 2).reshape(cells + 1, cells + 1)
    other = np.stack([index[1:, :-1].ravel(), index[:-1, 1:].ravel()], axis=1)
    return np.column_stack([flat, 0.0 * flat[:, 0]]), triangles, np.concatenate([sides(triangles), other])


@st.composite
def sheets(draw):
    """A sheet of triangles: uneven, bent, with holes, in several pieces, pinned anywhere."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    flat, triangles = grid_mesh(draw(st.integers(2, 18)), draw(st.integers(2, 18)))
    flat = flat + draw(st.floats(0.0, 0.02)) * random.standard_normal(flat.shape)
    heights = draw(st.floats(0.0, 0.3)) * np.sin(draw(st.floats(0.0, 9.0)) * flat[:, 0])
    kept = random.random(len(triangles)) >= draw(st.sampled_from([0.0, 0.1, 0.4]))
    pinned = random.choice(len(flat), draw(st.integers(1, 6)), replace=False)
    return np.column_stack([flat, heights]), triangles[kept], pinned, random.uniform(0.1, 3.0, len(flat)), random


@given(sheets())
def test_weights_are_shares_and_fixed_vertices_stay(sheet):
    positions, triangles, pinned, masses, _ = sheet
    fixed = np.isin(np.arange(len(positions)), pinned)
    for level in built(positions, triangles, pinned, masses):
        assert (level.weights >= 0.0).all()
        sums = level.weights.sum(axis=1)
        assert (np.isclose(sums, 1.0) | (sums == 0.0)).all()
        assert (sums[fixed] == 0.0).all()
        assert (level.inverse_masses[fixed[level.sources]] == 0.0).all()
        fixed = fixed[level.sources]


@given(sheets())
def test_all_of_a_held_piece_is_moved(sheet):
    positions, triangles, pinned, masses, _ = sheet
    for level in built(positions, triangles, pinned, masses)[:1]:
        reached = set(np.flatnonzero(level.weights.sum(axis=1))) | set(pinned)
        for pair in sides(triangles):
            assert (pair[0] in reached) == (pair[1] in reached)


@given(sheets())
def test_levels_keep_momentum_and_angular_momentum(sheet):
    """Σ m (P d) = Σ M d and Σ m x × (P d) = Σ M X × d for any moves d of coarse vertices that may move."""
    positions, triangles, pinned, masses, random = sheet
    fixed = np.isin(np.arange(len(positions)), pinned)
    for level in built(positions, triangles, pinned, masses):
        free = level.inverse_masses > 0.0
        above = np.where(free, 1.0 / np.where(free, level.inverse_masses, 1.0), 0.0)
        moves = random.standard_normal(level.positions.shape) * free[:, None]
        carried = np.einsum("ij,ijk->ik", level.weights, moves[level.parents]) * masses[:, None]
        momentum = above[:, None] * moves
        np.testing.assert_allclose(carried.sum(axis=0), momentum.sum(axis=0), atol=1e-9)
        spin = np.cross(level.positions, momentum).sum(axis=0)
        np.testing.assert_allclose(np.cross(positions, carried).sum(axis=0), spin, atol=1e-9)
        fixed = fixed[level.sources]
        # what is fixed counts for nothing on the levels above
        positions, masses = level.positions, np.where(fixed, 1.0, above)


@given(sheets())
def test_restriction_finds_the_places_at_rest_again(sheet):
    positions, triangles, pinned, masses, _ = sheet
    for level in built(positions, triangles, pinned, masses):
        rows = np.repeat(np.arange(len(level.positions)), np.diff(level.restriction_starts))
        terms = level.restriction_weights[:, None] * positions[level.restriction_vertices]
        again = np.zeros_like(level.positions)
        np.add.at(again, rows, terms)
        np.testing.assert_allclose(again, level.positions, atol=1e-12)
        np.testing.assert_allclose(np.bincount(rows, level.restriction_weights)[np.unique(rows)], 1.0)
        positions = level.positions


@given(sheets())
def test_links_are_slack_or_straight_at_rest(sheet):
    """A link that is shorter than its ends are apart would contract the cloth."""
    positions, triangles, pinned, masses, _ = sheet
    for level in built(positions, triangles, pinned, masses):
        ends = level.positions[level.links]
        assert (level.lengths >= np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1) * (1 - 1e-12)).all()
        assert (level.inverse_masses[level.links] > 0.0).any(axis=1).all()
        assert len(unique_pairs(level.links)) == len(level.links)


def test_same_mesh_same_levels():
    """To the last bit, wherever the arrays happen to lie in memory: a bake that goes on builds its levels again."""
    first, in_the_way = built(*square(20)[:2]), []
    for number in range(30):
        in_the_way.append(np.ones(37 * number + 1))
        for mine, others in zip(first, built(*square(20)[:2]), strict=True):
            for name in CoarseLevel.__dataclass_fields__:
                np.testing.assert_array_equal(getattr(mine, name), getattr(others, name))


def test_a_square_is_coarsened_by_nine_then_by_four():
    positions, triangles, pairs = square(48)
    counts = [len(level.positions) for level in built(positions, triangles, (0, 48), pairs=pairs)]
    assert counts[0] == pytest.approx(len(positions) / 9, rel=0.15)
    assert counts[1] == pytest.approx(counts[0] / 4, rel=0.25)
    assert 4 <= counts[-1] <= 9


def test_links_of_a_flat_square_are_as_long_as_their_ends_are_apart():
    positions, triangles, pairs = square(48)
    for level in built(positions, triangles, (0, 48), pairs=pairs):
        ends = level.positions[level.links]
        np.testing.assert_allclose(level.lengths, np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1), rtol=1e-9)


def test_moves_that_are_linear_come_down_exactly_inside():
    """Barycentric weights: what a coarse triangle does, the vertices in it do."""
    positions, triangles, pairs = square(48)
    level = built(positions, triangles, (0, 48), pairs=pairs)[0]
    anchors = positions[level.sources]
    found = np.einsum("ij,ijk->ik", level.weights, anchors[level.parents])
    inside = (np.abs(positions[:, :2] - 0.5) < 0.35).all(axis=1)
    np.testing.assert_allclose(found[inside], positions[inside], atol=1e-9)


def test_a_closed_surface_has_none():
    positions, triangles = sphere(40, 30)
    assert len(boundary_edges(triangles)) == 0
    assert built(positions, triangles) == ()


def test_folds_as_fine_as_a_level_have_none():
    """Most coarse vertices would have no neighbour that they may be linked to."""
    positions, triangles, pairs = square(60)
    positions[:, 2] = 0.05 * np.sin(80.0 * positions[:, 0])
    assert built(positions, triangles, pairs=pairs) == ()
    positions[:, 2] = 0.05 * np.sin(8.0 * positions[:, 0])
    assert len(built(positions, triangles, pairs=pairs)) > 1


def test_a_sheet_that_nothing_holds_has_levels_that_all_of_it_moves_with():
    levels = built(*square(20)[:2], pinned=())
    assert len(levels) > 1
    for level in levels:
        assert (level.inverse_masses > 0.0).all()
        np.testing.assert_allclose(level.weights.sum(axis=1), 1.0)


def test_of_two_sheets_the_one_that_is_held_has_levels():
    positions, triangles, _ = square(20)
    both = np.concatenate([positions, positions + np.array([3.0, 0.0, 0.0])])
    level = built(both, np.concatenate([triangles, triangles + len(positions)]))[0]
    assert (level.weights[len(positions) :] == 0.0).all()
    assert (level.weights[1 : len(positions)].sum(axis=1) > 0.0).all()


MESHES = {
    "single triangle": (np.eye(3), np.array([[0, 1, 2]])),
    "two loose triangles": (np.concatenate([np.eye(3), np.eye(3) + 4.0]), np.array([[0, 1, 2], [3, 4, 5]])),
    "no triangles": (np.eye(3), np.zeros((0, 3), np.int64)),
    "one place": (np.zeros((3, 3)), np.array([[0, 1, 2]])),
}


@pytest.mark.parametrize("name", MESHES)
def test_degenerate_meshes_have_none(name):
    assert built(*MESHES[name]) == ()


def test_vertices_at_one_place_give_none():
    positions, triangles, _ = square(20)
    positions[triangles[50, 1]] = positions[triangles[50, 0]]
    assert built(positions, triangles) == ()


def test_edges_of_three_triangles_give_none():
    positions, triangles, _ = square(20)
    fin = np.array([[triangles[50, 0], triangles[50, 1], len(positions)]])
    assert built(np.concatenate([positions, [[0.5, 0.5, 1.0]]]), np.concatenate([triangles, fin])) == ()


def test_building_is_quick():
    """Roughly linear: nothing in it may be quadratic."""
    positions, triangles, pairs = square(99)
    started = time.perf_counter()
    built(positions, triangles, (0, 99), pairs=pairs)
    assert time.perf_counter() - started < 5.0
