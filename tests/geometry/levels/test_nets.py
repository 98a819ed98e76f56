# SPDX-License-Identifier: GPL-3.0-or-later
"""Coarse nets are the Galerkin products of the springs below, on any mesh."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given

from blender_xpbd.geometry.cholesky import SparseRows
from blender_xpbd.geometry.levels.nets import MOST_SHARES, Net, build_nets
from tests.geometry.levels.test_hierarchy import sheets, sides, square


def dense(matrix: SparseRows, columns: int) -> np.ndarray:
    full = np.zeros((len(matrix.starts) - 1, columns))
    full[matrix.rows, matrix.columns] = matrix.values
    return full


def laplacian(pairs: np.ndarray, stiffness: np.ndarray, count: int) -> np.ndarray:
    full = np.zeros((count, count))
    for (a, b), k in zip(pairs, stiffness, strict=True):
        full[[a, b, a, b], [a, b, b, a]] += [k, k, -k, -k]
    return full


def held_square(cells: int = 24) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    positions, _, pairs = square(cells)
    masses = np.ones(len(positions))
    masses[[0, cells]] = 0.0
    return positions, pairs, masses


def test_nets_become_coarser_until_few_vertices_are_left() -> None:
    positions, pairs, masses = held_square()
    nets = build_nets(positions, pairs, np.ones(len(pairs)), masses)
    counts = [len(positions), *(len(net.masses) for net in nets)]
    assert len(nets) >= 2
    assert all(above <= 0.7 * below for below, above in itertools.pairwise(counts))
    assert counts[1] < counts[0] / 5
    assert counts[-1] < 30


def test_springs_of_a_net_are_the_galerkin_product() -> None:
    positions, pairs, masses = held_square()
    stiffness = np.random.default_rng(1).uniform(0.5, 2.0, len(pairs))
    net = build_nets(positions, pairs, stiffness, masses)[0]
    shares = dense(net.prolongation, len(net.masses))
    free = ~net.is_fixed
    product = shares.T @ laplacian(pairs, stiffness, len(positions)) @ shares
    springs = dense(net.springs, len(net.masses))
    off = ~np.eye(len(free), dtype=bool) & free[:, None] & free
    np.testing.assert_allclose(springs[off], np.maximum(-product[off], 0.0), atol=1e-12)


@given(sheets())
def test_what_moves_all_of_a_net_moves_all_below(sheet) -> None:
    positions, triangles, pinned, masses, random = sheet
    pairs = sides(triangles)
    if len(pairs) == 0:
        return
    masses = masses.copy()
    masses[pinned] = 0.0
    below = len(positions)
    for net in build_nets(positions, pairs, random.uniform(0.1, 5.0, len(pairs)), masses):
        check(net, below)
        below = len(net.masses)


def check(net: Net, below: int) -> None:
    assert len(net.prolongation.starts) == below + 1
    assert (net.prolongation.values > 0.0).all()
    assert (np.diff(net.prolongation.starts) <= MOST_SHARES).all()
    # beside what is fixed a vertex moves less
    sums = dense(net.prolongation, len(net.masses)).sum(axis=1)
    assert (sums <= 1.0 + 1e-9).all()
    if not net.is_fixed.any():
        assert (np.isclose(sums, 1.0) | (sums == 0.0)).all()
    np.testing.assert_allclose(
        dense(net.restriction, below), dense(net.prolongation, len(net.masses)).T, rtol=0.0, atol=1e-15
    )
    places = dense(net.places, below).sum(axis=1)
    np.testing.assert_allclose(places[np.diff(net.places.starts) > 0], 1.0)
    assert (net.masses[net.is_fixed] == 0.0).all()
    assert (net.masses[~net.is_fixed] > 0.0).all()
    springs = dense(net.springs, len(net.masses))
    np.testing.assert_allclose(springs, springs.T, atol=1e-9 * springs.max(initial=1.0))
    assert (net.lengths > 0.0).all()


def test_a_closed_tube_has_nets_as_good_as_a_sheet() -> None:
    around, along = 24, 20
    angle = 2.0 * np.pi * np.arange(around) / around
    positions = np.stack(
        [
            np.repeat(0.02 * np.arange(along), around),
            np.tile(np.cos(angle), along),
            np.tile(np.sin(angle), along),
        ],
        axis=1,
    )
    index = np.arange(around * along).reshape(along, around)
    ways = [(index, np.roll(index, -1, axis=1)), (index[:-1], index[1:])]
    pairs = np.concatenate([np.stack([a.ravel(), b.ravel()], axis=1) for a, b in ways])
    nets = build_nets(positions, pairs, np.ones(len(pairs)), np.ones(len(positions)))
    assert len(nets) >= 2
    # each vertex has neighbours on all sides
    assert np.diff(nets[0].springs.starts).min() >= 3


@pytest.mark.parametrize("count", [0, 2])
def test_what_is_too_small_has_no_nets(count: int) -> None:
    pairs = np.array([[0, 1]] * (count // 2)).reshape(-1, 2)
    assert (
        build_nets(np.zeros((count, 3)) + np.arange(count)[:, None], pairs, np.ones(len(pairs)), np.ones(count)) == ()
    )
