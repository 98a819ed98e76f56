# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.geometry.cage.cage import build_cage
from blender_xpbd.geometry.colouring import colour_constraints, colour_order
from blender_xpbd.geometry.surface.topology import bending_pairs, face_diagonals, unique_edges
from tests.geometry.surfaces import grid_of_quads, sphere


def assert_valid(indices: np.ndarray, colours: np.ndarray) -> None:
    """No particle has two constraints of one colour."""
    pairs = np.stack([np.repeat(colours, indices.shape[1]), indices.reshape(-1)], axis=1)
    assert len(np.unique(pairs, axis=0)) == indices.size


def cloth(side: int) -> np.ndarray:
    faces = grid_of_quads(side, side)
    return np.concatenate([unique_edges(*faces), face_diagonals(*faces), bending_pairs(*faces)])


@given(st.integers(0, 10_000), st.integers(1, 4), st.integers(4, 60), st.integers(0, 300))
def test_constraints_of_one_colour_share_no_particle(seed: int, width: int, particles: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    indices = rng.permuted(np.tile(np.arange(particles), (count, 1)), axis=1)[:, :width]
    colours = colour_constraints(indices, particles)
    assert colours.dtype == np.int32
    assert_valid(indices, colours)
    if count:
        assert np.array_equal(np.unique(colours), np.arange(colours.max() + 1))
    assert np.array_equal(colours, colour_constraints(indices, particles))


def test_a_star_needs_as_many_colours_as_it_has_rays() -> None:
    rays = np.stack([np.zeros(500, dtype=int), np.arange(1, 501)], axis=1)
    assert np.array_equal(np.sort(colour_constraints(rays, 501)), np.arange(500))


def test_a_cloth_needs_few_colours() -> None:
    constraints = cloth(60)
    colours = colour_constraints(constraints, 3600)
    assert_valid(constraints, colours)
    # Twelve constraints meet at a particle.
    assert colours.max() + 1 <= 15


def test_a_cage_needs_few_colours() -> None:
    cage = build_cage(*sphere(), 10)
    colours = colour_constraints(cage.tetrahedra, len(cage.vertices))
    assert_valid(cage.tetrahedra, colours)
    assert colours.max() + 1 <= 1.5 * np.bincount(cage.tetrahedra.reshape(-1)).max()


def test_a_million_constraints() -> None:
    constraints = cloth(412)
    colours = colour_constraints(constraints, 412 * 412)
    assert_valid(constraints[:200_000], colours[:200_000])


def test_the_order_is_by_colour_and_then_as_given() -> None:
    order, offsets = colour_order(np.array([1, 0, 2, 1, 0, 1]))
    assert order.tolist() == [1, 4, 0, 3, 5, 2]
    assert offsets.tolist() == [0, 2, 5, 6]


def test_no_constraints_have_no_colours() -> None:
    colours = colour_constraints(np.zeros((0, 2), dtype=np.int32), 5)
    order, offsets = colour_order(colours)
    assert len(colours) == 0
    assert len(order) == 0
    assert offsets.tolist() == [0]


@pytest.mark.parametrize("bad", [-1, 3])
def test_a_particle_that_does_not_exist_is_refused(bad: int) -> None:
    with pytest.raises(ValueError, match="does not exist"):
        colour_constraints(np.array([[0, bad]]), 3)
