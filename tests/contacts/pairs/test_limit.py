# SPDX-License-Identifier: GPL-3.0-or-later
"""After the truncation no pair passes through itself on the whole straight way, whatever its particles want."""

import numpy as np
import pytest
import taichi as ti
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.contacts.pairs import tables
from blender_xpbd.device.arrays import read_array, write_array
from blender_xpbd.device.runtime import real_type
from tests.contacts.pairs import pair_kernels as kernels
from tests.contacts.pairs.reference import distances, smallest_on_the_way

pytestmark = pytest.mark.usefixtures("taichi_cpu")

COUNT = 40
FAR = 1e6


def near_pairs(rng, gap):
    """Kinds, and points of which the sides are at most ``gap`` apart, somewhere within a metre of the origin."""
    kinds, places = rng.integers(0, 2, COUNT), rng.normal(size=(COUNT, 4, 3))
    _, normals, found = kernels.measured(kinds, places)
    sides = np.where(kinds == 0, 1, 2)[:, None] > np.arange(4)
    wanted = gap * rng.uniform(0.1, 1.0, COUNT)
    places += np.where(sides, 1.0, 0.0)[:, :, None] * ((wanted - found)[:, None] * normals)[:, None, :]
    single = places.astype(np.float32).astype(np.float64)
    apart = distances(kinds, single) > 0.05 * gap
    return kinds[apart], single[apart]


def limited(kinds, places, moves, inverse_masses, slides, elements=None, weights=None, gap=0.01):
    """Where particles (particles, 3) that start at ``places`` and want to move end up."""
    count = len(places)
    particles = kernels.moving(places, inverse_masses, np.zeros_like(places))
    embeds = elements is not None
    if not embeds:
        elements, weights = kernels.points_of_particles(np.zeros(count, int))
    surfaces = kernels.surfaces_of(elements, weights, count)
    pairs = kernels.pairs_of(kinds, np.arange(4 * len(kinds)).reshape(-1, 4), gap)
    kernels.find(particles, surfaces, pairs, len(kinds), 1.0, FAR, embeds)
    ends = read_array(particles.positions)
    ends[:, :3] += moves
    write_array(particles.positions, ends)
    kernels.limit_all(particles, surfaces, pairs, kernels.limits_of(count), slides, FAR, embeds)
    return read_array(particles.positions)[:, :3].astype(float)


@given(st.integers(0, 10**6), st.floats(-4.0, -1.5), st.integers(0, 2), st.just(0.01))
def test_pairs_of_particles_never_meet(seed, exponent, slides, gap):
    rng = np.random.default_rng(seed)
    kinds, places = near_pairs(rng, gap)
    moves = 10.0**exponent * rng.normal(size=places.shape)
    ends = limited(kinds, places.reshape(-1, 3), moves.reshape(-1, 3), np.ones(4 * len(kinds)), slides, gap=gap)
    assert smallest_on_the_way(kinds, places, ends.reshape(places.shape)).min() > 0.0


@given(st.integers(0, 10**6), st.floats(-4.0, -1.5))
def test_what_cannot_meet_goes_where_it_wants_to(seed, exponent):
    rng = np.random.default_rng(seed)
    kinds, places = near_pairs(rng, 0.01)
    _, normals, _ = kernels.measured(kinds, places)
    sides = np.where(np.where(kinds == 0, 1, 2)[:, None] > np.arange(4), 1.0, -1.0)
    moves = 10.0**exponent * (sides[:, :, None] * normals[:, None, :] * rng.uniform(0.0, 1.0, (len(kinds), 4, 1)))
    ends = limited(kinds, places.reshape(-1, 3), moves.reshape(-1, 3), np.ones(4 * len(kinds)), 0)
    tolerance = 1e-6 * (1.0 + 10.0**exponent) if real_type() == ti.f32 else 1e-12
    np.testing.assert_allclose(ends.reshape(places.shape), places + moves, rtol=0.0, atol=10.0 * tolerance)


@given(st.integers(0, 10**6), st.floats(-4.0, -1.5), st.floats(0.0, 0.8))
def test_pairs_of_points_in_shared_tetrahedra_never_meet(seed, exponent, outside):
    """Points of a jelly's surface: each side's lie in one tetrahedron, up to ``outside`` out of it."""
    rng = np.random.default_rng(seed)
    kinds, places = near_pairs(rng, 0.01)
    count = len(kinds)
    # a tetrahedron around each side; its points by their barycentric weights
    tetrahedra = rng.normal(size=(count, 2, 4, 3)) * (1.5 - outside) + places[:, [0, 2]][:, :, None, :]
    tetrahedra = tetrahedra.astype(np.float32).astype(np.float64)
    side = np.where(np.where(kinds == 0, 1, 2)[:, None] > np.arange(4), 0, 1)
    corners = tetrahedra[np.arange(count)[:, None], side]
    matrix = np.concatenate([np.swapaxes(corners, 2, 3), np.ones((count, 4, 1, 4))], axis=2)
    solvable = (np.abs(np.linalg.det(matrix)) > 0.05).all(axis=1)
    right = np.concatenate([places, np.ones((count, 4, 1))], axis=2)
    weights = np.linalg.solve(matrix[solvable], right[solvable][..., None])[..., 0].astype(np.float32)
    kinds, side, corners = kinds[solvable], side[solvable], tetrahedra[solvable]
    elements = np.zeros((len(kinds), 4, 5), np.int32)
    elements[:, :, :4] = 8 * np.arange(len(kinds))[:, None, None] + 4 * side[:, :, None] + np.arange(4)
    moves = 10.0**exponent * rng.normal(size=corners.shape)
    masses = np.ones(corners[..., 0].size)
    flat = corners.reshape(-1, 3)
    options = {"elements": elements.reshape(-1, 5), "weights": weights.reshape(-1, 4)}
    ends = limited(kinds, flat, moves.reshape(-1, 3), masses, 1, **options).reshape(-1, 8, 3)
    own = (4 * side[:, :, None] + np.arange(4)).reshape(len(kinds), 16)

    def points(particles):
        gathered = np.take_along_axis(particles, own[:, :, None], axis=1).reshape(-1, 4, 4, 3)
        return np.einsum("kij,kijc->kic", weights.astype(float), gathered)

    starts = points(flat.reshape(-1, 8, 3))
    apart = distances(kinds, starts) > 5e-4
    assert smallest_on_the_way(kinds[apart], starts[apart], points(ends)[apart]).min() > 0.0


@given(st.integers(0, 10**6), st.floats(0.0, 0.8), st.booleans())
def test_particles_without_mass_go_where_they_are_told(seed, share, pushes):
    """The other side is held to what they leave, and may follow where they make way."""
    rng = np.random.default_rng(seed)
    kinds, places = near_pairs(rng, 0.01)
    found = kernels.measured(kinds, places)
    normals, apart = found[1][:, None, :], found[2][:, None, None]
    sides = np.where(kinds == 0, 1, 2)[:, None] > np.arange(4)
    told = np.where(pushes, share, -10.0) * apart * normals
    moves = np.where(sides[:, :, None], -0.1 * normals, told)
    ends = limited(kinds, places.reshape(-1, 3), moves.reshape(-1, 3), sides.astype(float).ravel(), 1)
    ends = ends.reshape(places.shape)
    np.testing.assert_allclose(ends[~sides], (places + moves)[~sides], rtol=0.0, atol=1e-6)
    assert smallest_on_the_way(kinds, places, ends).min() > 0.0
    if not pushes:
        way = -(normals * (ends - places)).sum(axis=2)
        assert (way[sides] > 9.0 * np.broadcast_to(apart[:, :, 0], sides.shape)[sides]).all()


def test_a_slide_keeps_what_does_not_lead_through_the_plane():
    """A vertex comes slanted onto a triangle that cannot give way: it slides along."""
    places = np.array([[0.2, 0.2, 0.01], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    moves = np.zeros((4, 3))
    moves[0] = [0.1, 0.0, -0.1]
    masses = np.array([1.0, 0.0, 0.0, 0.0])
    cut = limited(np.array([0]), places, moves, masses, 0)[0] - places[0]
    slid = limited(np.array([0]), places, moves, masses, 1)[0] - places[0]
    assert cut[0] < 0.02
    assert slid[0] == pytest.approx(0.1, rel=1e-5)
    assert slid[2] > -0.01


def test_the_certificate_needs_the_least_gap():
    """Approach in every substep: the gap stays above the least one times the gap wanted."""
    places = np.array([[0.2, 0.2, 0.01], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    moves = np.zeros((4, 3))
    moves[0, 2] = -1.0
    for _ in range(40):
        places = limited(np.array([tables.VERTEX_TRIANGLE]), places, moves, np.ones(4), 0)
    assert places[0, 2] > 0.9e-3 * 0.01
