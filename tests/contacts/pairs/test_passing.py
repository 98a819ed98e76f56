# SPDX-License-Identifier: GPL-3.0-or-later
"""What passes through on its straight way is told, whatever the way; and hardly anything else is."""

import numpy as np
import pytest
import taichi as ti
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.contacts.pairs.passing import may_pass
from blender_xpbd.contacts.pairs.tables import EDGE_EDGE, VERTEX_TRIANGLE
from tests.contacts.pairs import pair_kernels as kernels
from tests.contacts.pairs.reference import distances, jammed_edges, smallest_on_the_way

pytestmark = pytest.mark.usefixtures("taichi_cpu")

COUNT = 40
FAR = 1e6
# what comes so near, by the greatest coordinate, may also be told
DOUBTFUL = 1e-3


@ti.kernel
def judge(
    starts: kernels.VECTORS,
    ends: kernels.VECTORS,
    surfaces: kernels.Surfaces,
    pairs: kernels.Pairs,
    told: kernels.INTS,
    embeds: ti.template(),
):
    ti.loop_config(serialize=True)
    for n in range(pairs.near_count[0]):
        told[n] = may_pass(starts, ends, surfaces, pairs, n, embeds)


def told_of(kinds, starts, ends, elements=None, weights=None):
    """Whether each pair of four points may pass through itself; starts and ends are (particles, 3)."""
    embeds = elements is not None
    if not embeds:
        elements, weights = kernels.points_of_particles(np.zeros(len(starts), int))
    first, last = (kernels.moving(places, np.ones(len(starts)), np.zeros_like(starts)) for places in (starts, ends))
    surfaces = kernels.surfaces_of(elements, weights, len(starts))
    pairs = kernels.pairs_of(kinds, np.arange(4 * len(kinds)).reshape(-1, 4), 0.01)
    kernels.find(first, surfaces, pairs, len(kinds), 1.0, FAR, embeds)
    told = np.zeros(len(kinds), np.int32)
    judge(first.positions, last.positions, surfaces, pairs, told, embeds)
    return told > 0


def single(places):
    """As the solver keeps them in single precision."""
    return places.astype(np.float32).astype(np.float64)


def crosses(kinds, starts, ends):
    """Whether pairs meet on their ways, by the roots of the cubic of when four points lie in a plane (pairs,)."""
    result = np.zeros(len(kinds), bool)
    times = np.linspace(0.0, 1.0, 4)
    for k, kind in enumerate(kinds):
        places = starts[k] + times[:, None, None] * (ends[k] - starts[k])
        volumes = np.linalg.det(places[:, 1:] - places[:, :1])
        roots = np.roots(np.polyfit(times, volumes, 3))
        for root in roots[(np.abs(roots.imag) < 1e-9) & (roots.real >= 0.0) & (roots.real <= 1.0)].real:
            then = starts[k] + root * (ends[k] - starts[k])
            result[k] |= distances(np.array([kind]), then[None])[0] < 1e-9
    return result


def check(kinds, starts, ends, told):
    """All that crosses is told, and else only what comes near."""
    passing = crosses(kinds, starts, ends)
    assert told[passing].all()
    near = told & ~passing
    if near.any():
        sizes = np.abs([starts[near], ends[near]]).max(axis=(0, 2, 3))
        assert (smallest_on_the_way(kinds[near], starts[near], ends[near]) < DOUBTFUL * sizes).all()


@given(st.integers(0, 10**6), st.floats(-2.0, 1.0))
def test_all_that_passes_is_told_and_hardly_anything_else(seed, exponent):
    rng = np.random.default_rng(seed)
    kinds = rng.integers(0, 2, COUNT)
    starts = single(rng.normal(size=(COUNT, 4, 3)))
    ends = single(starts + 10.0**exponent * rng.normal(size=starts.shape))
    told = told_of(kinds, starts.reshape(-1, 3), ends.reshape(-1, 3))
    check(kinds, starts, ends, told)


@given(st.integers(0, 10**6), st.floats(0.0, 1.0), st.floats(-6.0, 0.0))
def test_what_aims_at_a_triangle_is_told_in_and_beside_it(seed, part, exponent):
    """A vertex and a moving triangle whose ways meet at a point of it, or a little beyond its rim."""
    rng = np.random.default_rng(seed)
    starts = rng.normal(size=(COUNT, 4, 3))
    ends = starts + 2.0 * rng.normal(size=starts.shape)
    weights = rng.dirichlet(np.ones(3), COUNT)
    is_beside = rng.random(COUNT) < 0.5
    # beyond the middle of the edge that faces the second corner
    beside = np.array([-(10.0**exponent), 0.5, 0.5 + 10.0**exponent])
    weights[is_beside] = beside
    then = (1.0 - part) * starts[:, 1:] + part * ends[:, 1:]
    meeting = np.einsum("kc,kcx->kx", weights, then)
    shift = meeting - ((1.0 - part) * starts[:, 0] + part * ends[:, 0])
    starts[:, 0] += shift
    ends[:, 0] += shift
    starts, ends = single(starts), single(ends)
    kinds = np.full(COUNT, VERTEX_TRIANGLE)
    told = told_of(kinds, starts.reshape(-1, 3), ends.reshape(-1, 3))
    # what ends as it meets may miss by rounding
    if 1e-3 < part < 1.0 - 1e-3:
        assert told[~is_beside].all()
    check(kinds, starts, ends, told)


@given(st.integers(0, 10**6), st.floats(-3.0, -1.0))
def test_points_that_tetrahedra_carry(seed, exponent):
    rng = np.random.default_rng(seed)
    kinds = rng.integers(0, 2, COUNT)
    particles = single(rng.normal(size=(COUNT, 4, 4, 3)))
    weights = rng.dirichlet(np.ones(4), (COUNT, 4)).astype(np.float32)
    ends = single(particles + 10.0 ** (exponent + 2.0) * rng.normal(size=particles.shape))
    elements = np.zeros((COUNT, 4, 5), np.int32)
    elements[..., :4] = np.arange(16 * COUNT).reshape(COUNT, 4, 4)
    options = {"elements": elements.reshape(-1, 5), "weights": weights.reshape(-1, 4)}
    told = told_of(kinds, particles.reshape(-1, 3), ends.reshape(-1, 3), **options)
    first, last = (np.einsum("kij,kijc->kic", weights.astype(float), places) for places in (particles, ends))
    check(kinds, first, last, told)


def test_what_slides_out_of_its_plane_is_not_told():
    """A vertex goes around the ridge of a roof, below where it was; and one that goes through."""
    roof = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    around = np.array([[[0.3, 0.3, 0.01], *roof], [[2.0, 2.0, -0.5], *roof]])
    through = np.array([[[0.3, 0.3, 0.01], *roof], [[0.3, 0.3, -0.01], *roof]])
    starts, ends = np.stack([around[0], through[0]]), np.stack([around[1], through[1]])
    kinds = np.full(2, VERTEX_TRIANGLE)
    np.testing.assert_array_equal(told_of(kinds, starts.reshape(-1, 3), ends.reshape(-1, 3)), [True, True])
    ends[0, 0, 2] = -0.005
    np.testing.assert_array_equal(told_of(kinds, starts.reshape(-1, 3), ends.reshape(-1, 3)), [False, True])


def test_what_touches_when_it_begins_is_told():
    """Rounding may hide that it passes."""
    starts = np.array([[0.2, 0.2, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    assert told_of(np.array([VERTEX_TRIANGLE]), starts, starts + np.array([0.0, 0.0, 0.1])).all()
    crossed = np.array([[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 1.0, 0.0]])
    assert told_of(np.array([EDGE_EDGE]), crossed, crossed).all()


def test_what_jams_at_a_rim_is_not_told():
    places = jammed_edges(COUNT).reshape(-1, 3)
    assert not told_of(np.full(COUNT, EDGE_EDGE), places, places).any()
