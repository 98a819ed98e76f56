# SPDX-License-Identifier: GPL-3.0-or-later
"""Sweeps over springs that go further than each error, but for the last one."""

import numpy as np
import pytest

from blender_xpbd.constraints.constraint import OVER_RELAXATION
from blender_xpbd.constraints.distance import build_distance
from blender_xpbd.constraints.membrane import build_membrane
from blender_xpbd.constraints.two_sided_distance import build_bumper, build_rope, build_two_sided_distance
from tests.constraints.projection_kernel import projected

pytestmark = pytest.mark.usefixtures("taichi_cpu")

LINKS = 8
MANY = 800
LENGTH = 1.0 / LINKS
REST = np.stack([np.arange(LINKS + 1) * LENGTH, np.zeros(LINKS + 1), np.zeros(LINKS + 1)], axis=1)
PAIRS = np.stack([np.arange(LINKS), np.arange(1, LINKS + 1)], axis=1).astype(np.int32)
# the first end is held
INVERSE_MASSES = np.array([0.0, *[1.0] * LINKS])


def pulled():
    """A chain whose parts are predicted to fall along it, the farther the nearer to its free end."""
    places = REST.copy()
    places[:, 0] *= 1.02
    return places


def chain(compliance):
    return build_distance(REST, PAIRS, compliance)


def compressible(compliance):
    return build_two_sided_distance(REST, PAIRS, compliance, 3.0 * compliance)


def strip(compliance):
    """Two rows of triangles, woven; stiff where the compliance is small."""
    other = REST + np.array([0.0, LENGTH, 0.0])
    points = np.concatenate([REST, other])
    first, below = PAIRS[:, 0], LINKS + 1
    corners = np.concatenate(
        [
            np.stack([first, first + 1, first + 1 + below], axis=1),
            np.stack([first, first + 1 + below, first + below], axis=1),
        ]
    ).astype(np.int32)
    stiffness = 1.0 / compliance
    along = np.tile([1.0, 0.0, 0.0], (len(corners), 1))
    return points, build_membrane(points, corners, stiffness, stiffness, stiffness, 0.0, along)


def off(block, places, masses, sweeps, relaxation):
    """How far sweeps end from where many plain ones do [m]."""
    found, right = (
        projected(block, places, masses, iterations=number, relaxation=factor)[0]
        for number, factor in ((sweeps, relaxation), (MANY, 1.0))
    )
    return np.abs(found - right).max()


@pytest.mark.parametrize("build", [chain, compressible])
@pytest.mark.parametrize("compliance", [0.0, 0.05])
def test_springs_are_solved_by_fewer_sweeps(build, compliance):
    block = build(compliance)
    plain = off(block, pulled(), INVERSE_MASSES, 8, 1.0)
    assert off(block, pulled(), INVERSE_MASSES, 8, OVER_RELAXATION) < 0.9 * plain


@pytest.mark.parametrize("build", [chain, compressible])
@pytest.mark.parametrize("damping", [0.0, 0.3])
@pytest.mark.parametrize("compliance", [0.0, 0.05])
def test_many_sweeps_find_the_same_as_without(build, compliance, damping):
    """Springs are as stiff as their material, and as damped."""
    block = build(compliance)
    given = {"iterations": MANY, "damping": damping, "previous": REST}
    relaxed, multipliers = projected(block, pulled(), INVERSE_MASSES, relaxation=OVER_RELAXATION, **given)
    plain, expected = projected(block, pulled(), INVERSE_MASSES, relaxation=1.0, **given)
    np.testing.assert_allclose(relaxed, plain, atol=2e-5)
    np.testing.assert_allclose(multipliers, expected, atol=2e-5)


def test_woven_triangles_too():
    points, block = strip(0.02)
    start, masses = points * [1.005, 1.0, 1.0], np.where(points[:, 0] > 0.0, 1.0, 0.0)
    assert off(block, start, masses, MANY, OVER_RELAXATION) < 1e-5
    plain = off(block, start, masses, 8, 1.0)
    assert off(block, start, masses, 8, OVER_RELAXATION) < 0.9 * plain


@pytest.mark.parametrize("sweeps", range(2, 9))
@pytest.mark.parametrize("seed", range(3))
def test_ropes_never_push_and_bumpers_never_pull(sweeps, seed):
    random = np.random.default_rng(seed)
    places = REST + random.uniform(-0.4, 0.4, REST.shape) * [LENGTH, 0.0, 0.0]
    for build, sign in ((build_rope, -1.0), (build_bumper, 1.0)):
        block = build(REST, PAIRS, 0.0)
        moved, multipliers = projected(block, places, INVERSE_MASSES, iterations=sweeps, relaxation=OVER_RELAXATION)
        assert (sign * multipliers >= 0.0).all()
        # what moved is what the multipliers say: none is left over that did nothing
        push = np.zeros(len(REST))
        np.add.at(push, PAIRS[:, 0], -multipliers[:, 0])
        np.add.at(push, PAIRS[:, 1], multipliers[:, 0])
        np.testing.assert_allclose(moved[:, 0] - places[:, 0], INVERSE_MASSES * push, atol=2e-6)


@pytest.mark.parametrize("seed", range(3))
def test_springs_of_one_side_never_go_to_the_other_in_any_sweep(seed):
    """A plain sweep at the end would hide what came before."""
    random = np.random.default_rng(seed)
    places = REST + random.uniform(-0.4, 0.4, REST.shape) * [LENGTH, 0.0, 0.0]
    for build, sign in ((build_rope, -1.0), (build_bumper, 1.0)):
        for sweeps in range(1, 9):
            _, multipliers = projected(
                build(REST, PAIRS, 0.0), places, INVERSE_MASSES, iterations=sweeps, relaxation=1.6, last=1.6
            )
            assert (sign * multipliers >= 0.0).all()


def test_a_rope_ends_at_its_length_and_not_beyond_it():
    pair = np.array([[0, 1]], np.int32)
    block = build_rope(REST[[0, -1]], pair, 0.0)
    for sweeps in (2, 3, 8):
        moved, _ = projected(block, 1.5 * REST[[0, -1]], [0.0, 1.0], iterations=sweeps, relaxation=OVER_RELAXATION)
        assert moved[1, 0] == pytest.approx(1.0, abs=1e-6)
        slack, multipliers = projected(
            block, 0.5 * REST[[0, -1]], [0.0, 1.0], iterations=sweeps, relaxation=OVER_RELAXATION
        )
        assert slack[1, 0] == 0.5
        assert multipliers[0, 0] == 0.0
