# SPDX-License-Identifier: GPL-3.0-or-later
"""Closed surfaces that are filled."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.constraints.enclosed_volume import ATMOSPHERE, build_enclosed_volume, build_gas
from tests.constraints.projection_kernel import projected
from tests.geometry.surfaces import cube, enclosed_volume, join, sphere

pytestmark = pytest.mark.usefixtures("taichi_cpu")

BALL, BALL_TRIANGLES = sphere(16, 8)
BALL_VOLUME = enclosed_volume(BALL, BALL_TRIANGLES)


def pressure_of(multipliers, inverse_h2):
    """λ/h² [Pa]."""
    return multipliers[:, 0] * inverse_h2


def test_the_volume_reaches_its_ratio():
    block = build_enclosed_volume(BALL, BALL_TRIANGLES, ratio=1.7)
    moved, _ = projected(block, BALL, np.ones(len(BALL)), iterations=20)
    assert enclosed_volume(moved, BALL_TRIANGLES) == pytest.approx(1.7 * BALL_VOLUME, rel=1e-5)


@pytest.mark.parametrize("gauge", [-30_000.0, 500.0, 200_000.0])
def test_the_multiplier_is_the_pressure_at_rest(gauge):
    """With particles too heavy to move, λ/h² is the gauge pressure that was asked for."""
    block = build_gas(BALL, BALL_TRIANGLES, gauge)
    _, multipliers = projected(block, BALL, np.full(len(BALL), 1e-12), inverse_h2=1e4)
    np.testing.assert_allclose(pressure_of(multipliers, 1e4), gauge, rtol=2e-4, atol=0.5)


@given(st.floats(0.3, 4.0), st.floats(-0.9, 5.0), st.sampled_from([1e-8, 1e-4, 1.0, 1e3]))
def test_the_fixed_point_is_the_gas_law(stretch, excess, lightness):
    """P V = p₀ V₀, absolute, wherever the surface comes to rest."""
    ambient, inverse_h2 = 1000.0, 1e4
    block = build_gas(BALL, BALL_TRIANGLES, excess * ambient, ambient)
    start = BALL * [stretch, 1.0, 1.0]
    moved, multipliers = projected(block, start, np.full(len(BALL), lightness), inverse_h2, iterations=100)
    volume = enclosed_volume(moved, BALL_TRIANGLES)
    absolute = ambient + pressure_of(multipliers, inverse_h2)[0]
    assert absolute * volume == pytest.approx(ambient * (1.0 + excess) * BALL_VOLUME, rel=1e-4)


def test_a_steep_start_does_not_overshoot():
    """One projection of a gas that is far too thin ends between where it is and where it wants to be."""
    block = build_gas(BALL, BALL_TRIANGLES, 0.0)
    for size in (0.5, 0.9, 1.1, 3.0):
        for lightness in (1e-9, 1e-6, 1e-3, 1.0):
            moved, _ = projected(block, BALL * [size, 1.0, 1.0], np.full(len(BALL), lightness), 1e4, iterations=1)
            low, high = sorted((size * BALL_VOLUME, BALL_VOLUME))
            assert 0.8 * low < enclosed_volume(moved, BALL_TRIANGLES) < 1.3 * high


@pytest.mark.parametrize("build", [build_enclosed_volume, lambda x, t: build_gas(x, t, 0.0)])
@pytest.mark.parametrize("squash", [0.0, 0.01, -1.0])
def test_an_empty_or_turned_surface_is_blown_up_again(build, squash):
    """Within substeps that each start at rest, since a gas has to move the mass of its skin."""
    block = build(BALL, BALL_TRIANGLES)
    positions = BALL * [1.0, 1.0, squash] + np.random.default_rng(0).normal(0.0, 1e-3, BALL.shape)
    for _ in range(30):
        positions, _ = projected(block, positions, np.ones(len(BALL)), 1e4, iterations=3)
        assert np.isfinite(positions).all()
    assert enclosed_volume(positions, BALL_TRIANGLES) == pytest.approx(BALL_VOLUME, rel=1e-3)


def test_far_from_the_origin_the_pressure_keeps_its_digits():
    block = build_gas(BALL, BALL_TRIANGLES, 500.0)
    _, multipliers = projected(block, BALL + np.array([8.0, -8.0, 8.0]), np.full(len(BALL), 1e-12), inverse_h2=1e4)
    np.testing.assert_allclose(pressure_of(multipliers, 1e4), 500.0, atol=2.0)


def test_each_shell_is_a_constraint_and_normals_do_not_matter():
    points, triangles = join(cube(), (BALL + np.array([5.0, 0.0, 0.0]), BALL_TRIANGLES[:, ::-1]))
    block = build_gas(points, triangles, 0.0)
    assert len(block) == 2
    np.testing.assert_allclose(block.parameters[:, 0], [8.0, BALL_VOLUME], rtol=1e-12)
    np.testing.assert_allclose(block.type.evaluate(points, block), 0.0, atol=1e-12)
    np.testing.assert_allclose(block.parameters[:, 2], block.parameters[:, 0] / ATMOSPHERE)


def test_an_open_surface_has_no_volume():
    for build in (build_enclosed_volume, lambda x, t: build_gas(x, t, 0.0)):
        with pytest.raises(ValueError, match="open edges"):
            build(BALL, BALL_TRIANGLES[1:])
    with pytest.raises(ValueError, match="ambient"):
        build_gas(BALL, BALL_TRIANGLES, 0.0, 0.0)


def test_a_factor_scales_the_force_on_its_particle():
    """Every particle goes the same way as without, as far as its factor says; the pressure itself is what it was."""
    factors = np.linspace(0.0, 2.0, len(BALL))
    moves = []
    for chosen in (None, factors):
        block = build_gas(BALL, BALL_TRIANGLES, 5e5, factors=chosen)
        moves.append(projected(block, BALL, np.ones(len(BALL)), inverse_h2=1e4)[0] - BALL)
        _, multipliers = projected(block, BALL, np.full(len(BALL), 1e-7), inverse_h2=1e4)
        np.testing.assert_allclose(pressure_of(multipliers, 1e4), 5e5, rtol=1e-3)
    shares = np.linalg.norm(moves[1], axis=1) / np.linalg.norm(moves[0], axis=1)
    np.testing.assert_allclose(shares / shares.max(), factors / 2.0, atol=1e-3)
    np.testing.assert_array_equal(moves[1][0], BALL[0] - BALL[0])


@pytest.mark.parametrize("share", [0.5, 1.0])
def test_a_volume_is_reached_where_only_half_the_skin_is_pushed(share):
    factors = np.where(BALL[:, 2] > 0.0, share, 0.0)
    block = build_enclosed_volume(BALL, BALL_TRIANGLES, ratio=1.3, factors=factors)
    moved, _ = projected(block, BALL, np.ones(len(BALL)), iterations=20)
    assert enclosed_volume(moved, BALL_TRIANGLES) == pytest.approx(1.3 * BALL_VOLUME, rel=1e-5)
    np.testing.assert_array_equal(moved[factors == 0.0], BALL[factors == 0.0])
