# SPDX-License-Identifier: GPL-3.0-or-later
"""The shares of stiffness of a cage: as much as its fill, farther in, so that bars bend as they should."""

from __future__ import annotations

import numpy as np
import pytest

from blender_xpbd.geometry.cage.cage import Cage, build_cage
from blender_xpbd.geometry.cage.stiffness import GREATEST_SHARE, LEAST_SHARE
from tests.geometry.elasticity import bar, pure_compliances
from tests.geometry.surfaces import cone, cube, join, rotation_of_seed, sphere, torus, two_fingers

CLOSED = {"cube": cube(), "sphere": sphere(), "torus": torus(), "cone": cone(), "fingers": two_fingers(0.5)}
WIDTH = 1.0
# cells that a bar is thick
CELLS = 3.2


def bar_cage(rotation: np.ndarray) -> Cage:
    positions, triangles = bar(WIDTH, rotation)
    return build_cage(positions, triangles, round(CELLS / WIDTH * float(np.ptp(positions, axis=0).max())))


@pytest.mark.parametrize("resolution", [5, 12])
@pytest.mark.parametrize("name", CLOSED)
def test_a_cage_is_as_stiff_as_it_is_full_and_no_cell_without_bounds(name, resolution):
    cage = build_cage(*CLOSED[name], resolution)
    assert len(cage.stiffness) == len(cage.tetrahedra)
    assert cage.stiffness.min() >= np.float32(LEAST_SHARE)
    assert cage.stiffness.max() <= np.float32(GREATEST_SHARE)
    assert cage.stiffness.sum() == pytest.approx(cage.fill.sum(), rel=0.03)


def test_it_lies_farther_in_and_is_the_materials_own_deep_inside():
    cage = build_cage(*cube(), 16)
    depths = 1.0 - np.abs(cage.vertices[cage.tetrahedra].mean(axis=1)).max(axis=1)
    deep = depths > 4.5 * 2.0 / 16
    np.testing.assert_allclose(cage.stiffness[deep], 1.0, atol=0.002)
    assert cage.stiffness @ depths > cage.fill @ depths


def test_what_is_symmetric_is_symmetrically_stiff():
    cage = build_cage(*cube(), 9)
    centres = cage.vertices[cage.tetrahedra].mean(axis=1)
    np.testing.assert_allclose(cage.stiffness @ centres / cage.stiffness.sum(), 0.0, atol=1e-6)


def test_parts_that_do_not_touch_do_not_change_each_other():
    positions, triangles = sphere()
    alone = build_cage(positions, triangles, 8)
    # as many cells per length, whole cells away
    both = build_cage(*join((positions, triangles), (positions + np.array([8.0, 0.0, 0.0]), triangles)), 40)
    first = both.stiffness[both.vertices[both.tetrahedra[:, 0], 0] < 4.0]
    np.testing.assert_allclose(np.sort(first), np.sort(alone.stiffness), atol=0.05)


@pytest.mark.parametrize("seed", [None, 1, 2])
def test_a_bar_stretches_and_bends_as_theory_has_it(seed):
    """Exact loads, so that no clamp has a share in it; with the fill as shares 0.85 to 0.9 remains of the bending."""
    rotation = np.eye(3) if seed is None else rotation_of_seed(seed)
    cage = bar_cage(rotation)
    stretch, *bends = pure_compliances(cage.vertices, cage.tetrahedra, cage.stiffness, WIDTH, rotation)
    assert stretch == pytest.approx(1.0, abs=0.04)
    np.testing.assert_allclose(bends, 1.0, atol=0.1)
    by_fill = pure_compliances(cage.vertices, cage.tetrahedra, np.maximum(cage.fill, 0.1), WIDTH, rotation)
    assert max(by_fill[1:]) < np.mean(bends) - 0.02
