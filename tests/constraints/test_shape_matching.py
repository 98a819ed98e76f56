# SPDX-License-Identifier: GPL-3.0-or-later
"""Pools that go back to their shape."""

import numpy as np
import pytest

from blender_xpbd.constraints.shape_matching import (
    build_shape_matching,
    cluster_compliance,
    frequency_compliance,
)
from tests.constraints.projection_kernel import projected

pytestmark = pytest.mark.usefixtures("taichi_cpu")

CUBE = np.stack(np.meshgrid(*[np.arange(4.0)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
MASSES = np.random.default_rng(0).uniform(0.5, 2.0, len(CUBE))
WHOLE = [np.arange(len(CUBE), dtype=np.int32)]


def half_turn(positions):
    return positions * [-1.0, -1.0, 1.0] + [5.0, -3.0, 2.0]


def test_a_turned_body_stays_where_it_is():
    block = build_shape_matching(CUBE, MASSES, WHOLE, 0.0)
    moved, _ = projected(block, half_turn(CUBE), 1.0 / MASSES)
    np.testing.assert_allclose(moved, half_turn(CUBE), atol=3e-6)


@pytest.mark.parametrize("squash", [(1, 1, -1), (1, 1, 0), (1, 0, 0), (0, 0, 0), (-2, 0.5, 3)])
def test_comes_back_from_inside_out_and_flat(squash):
    block = build_shape_matching(CUBE, MASSES, WHOLE, 0.0)
    bent = CUBE * np.array(squash, float)
    moved, _ = projected(block, bent, 1.0 / MASSES, iterations=3)
    assert block.type.evaluate(moved, block)[0, 0] < 1e-4
    np.testing.assert_allclose(MASSES @ moved, MASSES @ bent, rtol=1e-5, atol=1e-3)


def test_pbd_is_the_published_rule():
    """Δx = k (g − x), Müller et al. 2005, eq. 9, for any masses."""
    block = build_shape_matching(CUBE, MASSES, WHOLE, 0.3)
    bent = CUBE + np.random.default_rng(1).normal(0.0, 0.2, CUBE.shape)
    moved, _ = projected(block, bent, 1.0 / MASSES, pbd=True)
    goal, _ = projected(build_shape_matching(CUBE, MASSES, WHOLE, 1.0), bent, 1.0 / MASSES, pbd=True)
    np.testing.assert_allclose(moved, bent + 0.3 * (goal - bent), atol=3e-6)


def test_a_particle_swings_with_the_given_frequency():
    """One substep is backward Euler: the offset falls to 1/(1 + h² ω²)."""
    frequency, inverse_h2 = 3.0, 1e4
    block = build_shape_matching(CUBE, MASSES, WHOLE, frequency_compliance(frequency))
    bent = CUBE * [1.1, 1.0, 1.0]
    before = block.type.evaluate(bent, block)
    for iterations in (1, 5):
        moved, _ = projected(block, bent, 1.0 / MASSES, inverse_h2, iterations)
        share = 1.0 / (1.0 + (2.0 * np.pi * frequency) ** 2 / inverse_h2)
        np.testing.assert_allclose(block.type.evaluate(moved, block), share * before, rtol=1e-4)


def test_clusters_share_the_mass_of_their_members():
    clusters = [np.arange(40, dtype=np.int32), np.arange(20, 64, dtype=np.int32)]
    block = build_shape_matching(CUBE, MASSES, clusters, 0.0)
    shares = np.zeros(64)
    np.add.at(shares, block.pools.members, block.pools.values.reshape(-1, 4)[:, 3])
    np.testing.assert_allclose(shares, MASSES, rtol=1e-12)


def test_a_uniform_strain_stores_the_energy_of_the_material():
    """½ E ε² per volume, for one cluster and for two that overlap completely."""
    modulus, density, strain = 2e5, 1000.0, 1e-4
    masses = np.full(64, density * 64.0 / 64)
    for clusters in (WHOLE, WHOLE * 2):
        compliance = cluster_compliance(CUBE, masses, clusters, modulus, density)
        block = build_shape_matching(CUBE, masses, clusters, compliance)
        stretched = CUBE * [1.0 + strain, 1.0, 1.0]
        energy = (block.type.evaluate(stretched, block) ** 2 / (2.0 * block.parameters[:, -1:])).sum()
        assert energy == pytest.approx(0.5 * modulus * strain**2 * 64.0, rel=1e-6)


def test_pinned_members_hold_the_others():
    weights = 1.0 / MASSES
    weights[:16] = 0.0
    block = build_shape_matching(CUBE, MASSES, WHOLE, 0.0)
    bent = CUBE.copy()
    bent[16:] += [0.3, 0.2, 0.0]
    moved, _ = projected(block, bent, weights, iterations=200)
    np.testing.assert_array_equal(moved[:16], bent[:16])
    np.testing.assert_allclose(moved, CUBE, atol=1e-3)


def test_what_cannot_work_is_left_out():
    masses = MASSES.copy()
    masses[5:] = 0.0
    clusters = [np.arange(3, 8, dtype=np.int32), np.arange(4, 9, dtype=np.int32), np.arange(4, dtype=np.int32)]
    block = build_shape_matching(CUBE, masses, clusters, np.array([1.0, 1.0, np.inf]))
    assert len(block) == 1
    np.testing.assert_array_equal(block.members(0), [3, 4])
    assert len(build_shape_matching(CUBE, masses, [], 1.0)) == 0
    assert frequency_compliance(0.0) == np.inf
