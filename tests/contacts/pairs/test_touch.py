# SPDX-License-Identifier: GPL-3.0-or-later
"""A push parts sides by what is asked and keeps momentum; friction stays in its cone."""

import numpy as np
import pytest

from blender_xpbd.device.arrays import read_array, write_array
from tests.contacts.pairs import pair_kernels as kernels
from tests.contacts.pairs.one_pair import EDGES, GAP, VERTEX, H, Pair

pytestmark = pytest.mark.usefixtures("taichi_cpu")


@pytest.mark.parametrize(("kind", "places"), [(0, VERTEX), (1, EDGES)])
def test_sides_part_to_the_gap_and_momentum_stays(kind, places):
    pair = Pair(kind, places)
    moved = pair.touch()
    momentum = pair.masses[:, None] * moved
    np.testing.assert_allclose(momentum.sum(axis=0), 0.0, atol=1e-8)
    np.testing.assert_allclose(np.cross(places, momentum).sum(axis=0), 0.0, atol=1e-8)
    found = kernels.measured(np.array([kind]), pair.positions[None])[2]
    np.testing.assert_allclose(found, GAP, rtol=1e-3)


def test_points_that_share_particles_part_by_just_as_much():
    """Four points of two tetrahedra that share a face: three particles carry points of both sides."""
    rng = np.random.default_rng(3)
    corners = 0.1 * rng.normal(size=(5, 3))
    weights = rng.dirichlet(np.ones(4), 4)
    particles = np.array([[0, 1, 2, 3], *[[1, 2, 3, 4]] * 3])
    points = np.einsum("ij,ijc->ic", weights, corners[particles])
    weights, elements = weights.astype(np.float32), np.column_stack([particles, np.zeros(4, int)])
    pair = Pair(0, corners, np.array([1.0, 2.0, 0.5, 3.0, 1.0]), carriers=(elements, weights))
    w, normals, found = kernels.measured(np.array([0]), points[None])
    # as if it wanted 5 mm more than it has
    table = read_array(pair.pairs.pair_floats)
    table[0, 0] = found[0] + 0.005
    write_array(pair.pairs.pair_floats, table)
    kernels.find(pair.particles, pair.surfaces, pair.pairs, 1, H, 1.0, True)
    moved = pair.touch()
    np.testing.assert_allclose((pair.masses[:, None] * moved).sum(axis=0), 0.0, atol=1e-8)
    way = w[0] @ np.einsum("ij,ijc->ic", weights, moved[particles])
    np.testing.assert_allclose(way, 0.005 * normals[0], rtol=1e-4, atol=1e-7)
    assert not read_array(pair.surfaces.gradients).any()


def test_what_has_no_mass_does_not_move():
    pair = Pair(0, VERTEX, np.array([1.0, np.inf, np.inf, np.inf]))
    moved = pair.touch()
    assert not moved[1:].any()
    np.testing.assert_allclose(moved[0], [0.0, 0.0, 0.005], atol=1e-8)


@pytest.mark.parametrize(("slide", "friction"), [(0.001, 0.3), (0.1, 0.3), (0.1, 0.0)])
def test_friction_sticks_within_its_cone_and_slides_beyond(slide, friction):
    """λₜ is at most μ λₙ, whatever the sweeps; a slide that takes less is taken back wholly."""
    pair = Pair(0, VERTEX, np.array([1.0, np.inf, np.inf, np.inf]), friction=friction)
    pair.move(np.array([[slide, 0.0, 0.0], *[[0.0] * 3] * 3]))
    moved = pair.touch(5)
    taken = min(slide, friction * 0.005)
    np.testing.assert_allclose(moved[0], [-taken, 0.0, 0.005], atol=1e-7)


def test_what_sticks_comes_back_in_the_next_substep():
    """Something pulls the vertex back by 0.2 mm after the last sweep: the next substep knows it."""
    pair = Pair(0, VERTEX, np.array([1.0, np.inf, np.inf, np.inf]), friction=0.3)
    pair.touch()
    back = np.array([[0.0002, 0.0, -0.0005], *[[0.0] * 3] * 3])
    pair.move(back)
    pair.next_substep()
    assert read_array(pair.pairs.anchor_count)[0] == 1
    moved = pair.touch()
    # the cone takes 0.3 of a push of 0.5 mm
    np.testing.assert_allclose(moved[0], [-0.00015, 0.0, 0.0005], atol=1e-7)


def test_what_slips_is_let_go():
    pair = Pair(0, VERTEX, np.array([1.0, np.inf, np.inf, np.inf]), friction=0.3)
    pair.move(np.array([[0.1, 0.0, 0.0], *[[0.0] * 3] * 3]))
    pair.touch()
    pair.next_substep()
    assert read_array(pair.pairs.anchor_count)[0] == 0


def test_a_push_that_others_made_needless_is_taken_back():
    pair = Pair(0, VERTEX, np.array([1.0, np.inf, np.inf, np.inf]), friction=0.3)
    pair.touch()
    pair.move(np.array([[0.0, 0.0, 0.002], *[[0.0] * 3] * 3]))
    pair.touch()
    assert pair.positions[0, 2] == pytest.approx(GAP, rel=1e-5)


def test_sides_that_begin_too_near_glide_apart():
    pair = Pair(0, VERTEX, np.array([1.0, np.inf, np.inf, np.inf]), h=0.001)
    assert pair.touch()[0, 2] == pytest.approx(0.001, rel=1e-4)


@pytest.mark.parametrize(
    ("kind", "places"),
    [
        (0, np.array([[-0.003, 0.2, 0.0098], [0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])),
        (1, np.array([[-0.5, 0.2, 0.0098], [-0.003, 0.2, 0.0098], [0.0, -1.0, 0.0], [0.0, 1.0, 0.0]])),
    ],
)
def test_what_slides_over_an_edge_of_a_flat_surface_is_not_thrown_up(kind, places):
    """It begins 3 mm before the edge, so that the normal leans; 0.2 mm too near are 0.2 mm when it has passed."""
    pair = Pair(kind, places, np.array([1.0, 1.0, np.inf, np.inf]) if kind else np.array([1.0, *[np.inf] * 3]))
    moving = 2 if kind else 1
    pair.move(np.array([[0.006, 0.0, 0.0]] * moving + [[0.0] * 3] * (4 - moving)))
    moved = pair.touch()
    np.testing.assert_allclose(moved[moving - 1, :2], 0.0, atol=1e-7)
    assert np.abs(moved[:, 2]).max() < 2.1e-4
