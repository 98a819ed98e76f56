# SPDX-License-Identifier: GPL-3.0-or-later
"""Distances, and networks of them as an elastic solid; what holds for every constraint is tested elsewhere."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.constraints.distance import build_distance, network_compliance
from tests.constraints.projection_kernel import projected

PAIR = np.array([[0, 1]], np.int32)
REST = np.array([[0.0, 0.0, 0.0], [0.6, 0.0, 0.8]])


@pytest.mark.usefixtures("taichi_cpu")
@given(st.floats(0.05, 5.0), st.floats(0.0, 10.0), st.floats(0.1, 10.0), st.floats(0.0, 10.0))
def test_one_projection_is_the_implicit_step_of_a_spring(stretch, compliance, first, second):
    """Along the line the equation is linear: C + α̃ λ = 0 after one projection, and the centre of mass stays."""
    block = build_distance(REST, PAIR, compliance)
    moved, multipliers = projected(block, stretch * REST, [first, second])
    value = block.type.evaluate(moved.astype(np.float64), block)[0, 0]
    assert value + compliance * multipliers[0, 0] == pytest.approx(0.0, abs=5e-6 * max(1.0, stretch))
    change = moved - stretch * REST
    np.testing.assert_allclose(np.cross(change, REST[1]), 0.0, atol=5e-6 * max(1.0, stretch))
    np.testing.assert_allclose(second * change[0] + first * change[1], 0.0, atol=1e-4)


def test_pairs_at_one_place_are_left_out():
    positions = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [3.0, 4.0, 0.0]])
    block = build_distance(positions, np.array([[0, 1], [1, 2], [2, 0]], np.int32), np.array([1.0, 2.0, 3.0]))
    np.testing.assert_array_equal(block.indices, [[1, 2], [2, 0]])
    np.testing.assert_allclose(block.parameters, [[5.0, 2.0], [5.0, 3.0]])


def directions(dimensions, count=4000):
    """Unit vectors, spread evenly."""
    if dimensions == 2:
        angles = (np.arange(count) + 0.5) * np.pi / count
        return np.stack([np.cos(angles), np.sin(angles), np.zeros(count)], axis=1)
    height = 1.0 - (2.0 * np.arange(count) + 1.0) / count
    turn = np.pi * (1.0 + 5.0**0.5) * np.arange(count)
    around = np.sqrt(1.0 - height**2)
    return np.stack([around * np.cos(turn), around * np.sin(turn), height], axis=1)


@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_springs_in_all_directions_store_the_energy_of_the_solid(dimensions, seed):
    """½ Σ C²/α is that of an isotropic solid of modulus E with ν = 1/4 (in the plane 1/3)."""
    random, modulus, volume = np.random.default_rng(seed), 2e5, 0.3
    along = directions(dimensions)
    lengths = random.uniform(0.5, 2.0, len(along))
    alpha = network_compliance(lengths, np.full(len(along), volume / len(along)), modulus, dimensions)
    strain = np.zeros((3, 3))
    strain[:dimensions, :dimensions] = random.normal(size=(dimensions, dimensions)) * 1e-3
    strain = 0.5 * (strain + strain.T)
    extensions = lengths * np.einsum("ni,ij,nj->n", along, strain, along)
    ratio = 0.25 if dimensions == 3 else 1.0 / 3.0
    mu = modulus / (2.0 * (1.0 + ratio))
    # λ of the solid, or of the plane
    lame = modulus * ratio / ((1.0 + ratio) * (1.0 - (dimensions - 1) * ratio))
    expected = volume * (mu * (strain**2).sum() + 0.5 * lame * np.trace(strain) ** 2)
    assert 0.5 * (extensions**2 / alpha).sum() == pytest.approx(expected, rel=2e-3)


def test_an_edge_that_stands_for_nothing_is_limp():
    assert network_compliance(np.ones(1), np.zeros(1), 1e6, 3)[0] > 1e200
