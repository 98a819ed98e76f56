# SPDX-License-Identifier: GPL-3.0-or-later
"""When coarse levels pay, and how their stiffness is shared out."""

import dataclasses

import numpy as np
import pytest

from blender_xpbd.bodies.cloth import build_cloth
from blender_xpbd.bodies.hierarchy import LEAST_SHARE_LEFT, LEAST_STRETCH
from blender_xpbd.scene.settings import SolverSettings
from tests.solver.scenes import cloth, pins

G = 9.81
H = 1.0 / 480.0


@pytest.fixture(scope="module")
def hierarchy():
    found = build_cloth(cloth(31, pinned=range(31), stretch_stiffness=1e5), SolverSettings()).hierarchy
    assert found is not None
    return found


def test_a_rigid_spring_undoes_all_and_a_limp_one_nothing(hierarchy):
    assert dataclasses.replace(hierarchy, compliance=0.0).left(H) == 1.0
    assert dataclasses.replace(hierarchy, compliance=1e9).left(H) < 1e-6
    # w = α/h²: half of it
    assert dataclasses.replace(hierarchy, weight=2.0, compliance=2.0 * H * H).left(H) == pytest.approx(0.5)


def test_levels_pay_where_a_chain_would_stretch(hierarchy):
    """2 n² g h² / L against the least stretch, from both sides."""
    rigid = dataclasses.replace(hierarchy, compliance=0.0, hops=30, depth=1.0)
    step = np.sqrt(LEAST_STRETCH * rigid.depth / (2.0 * rigid.hops**2 * G))
    assert rigid.pays(1.001 * step, G)
    assert not rigid.pays(0.999 * step, G)
    assert not rigid.pays(1.001 * step, 0.5 * G)


def test_soft_springs_need_no_levels(hierarchy):
    share = LEAST_SHARE_LEFT
    limit = hierarchy.weight * H * H * (1.0 / share - 1.0)
    assert dataclasses.replace(hierarchy, compliance=0.99 * limit, hops=300).pays(H, G)
    assert not dataclasses.replace(hierarchy, compliance=1.01 * limit, hops=300).pays(H, G)


def test_softer_springs_soften_all_levels(hierarchy):
    softer = hierarchy.softened(4.0)
    assert softer.compliance == pytest.approx(4.0 * hierarchy.compliance)
    np.testing.assert_allclose(softer.stiffness(H)[:, 0], 4.0 * hierarchy.stiffness(H)[:, 0])


def test_every_level_is_as_stiff_as_the_cloth(hierarchy):
    for level, (compliance, _) in zip(hierarchy.levels, hierarchy.stiffness(H), strict=True):
        assert (level.lengths**2).sum() / compliance == pytest.approx(hierarchy.rigidity)


def test_finer_levels_take_what_is_left_of_coarser_ones(hierarchy):
    taken = hierarchy.stiffness(H)[:, 1]
    assert taken[0] == pytest.approx(1.0 - hierarchy.left(H))
    assert (np.diff(taken) > 0.0).all()
    assert ((taken > 0.0) & (taken < 1.0)).all()


def test_nothing_hangs_on_a_part_that_is_pinned_as_a_whole():
    """Beside a free part it ended the worker with a division by 0."""
    held, free = cloth(31, stretch_stiffness=1e5), cloth(31)
    positions = np.concatenate([held.positions, free.positions - np.array((0.0, 0.0, 1.0))])
    both = dataclasses.replace(
        held,
        positions=positions,
        face_sizes=np.concatenate([held.face_sizes, free.face_sizes]),
        corners=np.concatenate([held.corners, free.corners + held.vertex_count]),
        pins=pins(positions, range(held.vertex_count)),
    )
    assert build_cloth(both, SolverSettings()).hierarchy is None


def test_a_stray_vertex_in_the_middle_does_not_count():
    """A cloth without pins, whose ways are counted from its middle; the division by 0 was the same."""
    square = cloth(32, stretch_stiffness=1e5)
    stray = dataclasses.replace(square, positions=np.concatenate([square.positions, np.zeros((1, 3))]))
    alone, found = (build_cloth(body, SolverSettings()).hierarchy for body in (square, stray))
    assert alone is not None
    assert found is not None
    assert (found.hops, found.depth) == (alone.hops, pytest.approx(alone.depth))
    assert found.pays(H, G) == alone.pays(H, G)
