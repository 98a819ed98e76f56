# SPDX-License-Identifier: GPL-3.0-or-later
"""Which pairs are near when a substep begins, and what is measured of them."""

import numpy as np
import pytest

from blender_xpbd.contacts.pairs import tables
from blender_xpbd.contacts.pairs.near import KEEP, LARGEST_PUSH_SPEED, LEAST_GAP
from blender_xpbd.device.arrays import read_array, write_array
from tests.contacts.pairs import pair_kernels as kernels
from tests.contacts.pairs.reference import jammed_edges

pytestmark = pytest.mark.usefixtures("taichi_cpu")

GAP, H = 0.01, 0.01
TRIANGLE = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
EDGES = [[-1.0, 0.2], [2.0, 0.2], [0.4, -1.0], [0.4, 0.5]]


class Pairs:
    """Vertices at some heights over the same triangle, each a pair with it."""

    def __init__(self, heights, velocities=0.0, restitution=0.0, masses=1.0):
        heights = np.asarray(heights, float)
        self.count = len(heights)
        points = np.array([*TRIANGLE, *([0.3, 0.2, height] for height in heights)])
        inverse = np.concatenate([np.ones(3), np.full(self.count, 1.0 / masses)])
        speeds = np.zeros((len(points), 3))
        speeds[3:, 2] = velocities
        self.particles = kernels.moving(points, inverse, speeds)
        objects = np.array([0, 0, 0, *[1] * self.count])
        elements, weights = kernels.points_of_particles(objects)
        self.surfaces = kernels.surfaces_of(elements, weights, len(points))
        corners = [[3 + k, 0, 1, 2] for k in range(self.count)]
        self.pairs = kernels.pairs_of([0] * self.count, corners, GAP, 0.4, restitution)

    def find(self, reach):
        """Rows of ``pair_ints`` that are near."""
        kernels.find(self.particles, self.surfaces, self.pairs, self.count, H, reach, False)
        found = int(read_array(self.pairs.near_count)[0])
        ints = read_array(self.pairs.near_ints).reshape(-1, tables.NEAR_INTS)
        return ints[:found, tables.ROW].tolist()

    def row(self, n=0):
        return read_array(self.pairs.near_floats).reshape(-1, tables.NEAR_WIDTH)[n]


def test_pairs_within_the_gap_and_what_they_may_close_are_near():
    assert Pairs([0.005, 0.0119, 0.0121, 0.5]).find(0.002) == [0, 1]


def test_the_clearance_goes_without_what_sides_may_have_come_nearer_before():
    pairs = Pairs([0.005, 0.0119, 0.5])
    pairs.find(0.002)
    found = read_array(pairs.pairs.pair_clearances)
    np.testing.assert_allclose(found, np.array([0.005, 0.0119, 0.5]) - GAP - kernels.STRAY, atol=2e-6)
    # rounding leaves it a lower bound
    assert (found < np.array([0.005, 0.0119, 0.5]) - GAP - kernels.STRAY).all()


def test_what_a_row_tells():
    pairs = Pairs([0.005])
    pairs.find(0.002)
    row = pairs.row()
    np.testing.assert_allclose(row[tables.NEAR_NORMAL : tables.NEAR_NORMAL + 3], [0.0, 0.0, 1.0], atol=1e-7)
    np.testing.assert_allclose(row[tables.NEAR_WEIGHTS : tables.NEAR_WEIGHTS + 3], [-0.5, -0.3, -0.2], atol=1e-6)
    assert row[tables.WANTED] == pytest.approx(GAP)
    # a vertex of 1 kg against 0.25 + 0.09 + 0.04 of masses of 1 kg
    assert row[tables.MASS] == pytest.approx(1.0 / 1.38, rel=1e-5)
    assert row[tables.NEAR_FRICTION] == pytest.approx(0.4)
    assert row[tables.MULTIPLIER] == 0.0


def test_the_last_thousandth_of_the_gap_is_never_used_up():
    pairs = Pairs([0.005])
    pairs.find(0.002)
    assert pairs.row()[tables.ROOM] == pytest.approx(KEEP * (0.005 - LEAST_GAP * GAP), rel=1e-4)
    touching = Pairs([0.5 * LEAST_GAP * GAP])
    touching.find(0.002)
    assert touching.row()[tables.ROOM] == 0.0


def test_what_overlaps_wants_no_more_than_a_push_of_a_substep():
    pairs = Pairs([0.001])
    kernels.find(pairs.particles, pairs.surfaces, pairs.pairs, 1, 1e-3, 0.002, False)
    assert pairs.row()[tables.WANTED] == pytest.approx(0.001 + LARGEST_PUSH_SPEED * 1e-3, rel=1e-5)


def test_what_started_near_may_be_as_near_by_the_least_share_of_its_points():
    pairs = Pairs([0.009])
    write_array(pairs.surfaces.start_lacks, np.float32([0.002, 0.004, 0.003, 0.004]))
    pairs.find(0.002)
    assert pairs.row()[tables.WANTED] == pytest.approx(GAP - kernels.LACK_SHARE * 0.002, rel=1e-5)


@pytest.mark.parametrize(("restitution", "expected"), [(0.5, 2.0), (0.0, 0.0)])
def test_approach_is_read_where_something_bounces(restitution, expected):
    pairs = Pairs([0.005], velocities=-2.0, restitution=restitution)
    pairs.find(0.002)
    assert pairs.row()[tables.APPROACH] == pytest.approx(expected)


def test_edges_have_two_points_of_a_side():
    points = np.column_stack([EDGES, [0.005, 0.005, 0.0, 0.0]])
    particles = kernels.moving(points, np.ones(4), np.zeros((4, 3)))
    elements, weights = kernels.points_of_particles(np.array([0, 0, 1, 1]))
    surfaces = kernels.surfaces_of(elements, weights, 4)
    pairs = kernels.pairs_of([tables.EDGE_EDGE], [[0, 1, 2, 3]], GAP)
    kernels.find(particles, surfaces, pairs, 1, H, 0.002, False)
    assert read_array(pairs.near_count)[0] == 1
    assert read_array(pairs.near_ints)[tables.IS_EDGES] == tables.EDGE_EDGE
    row = read_array(pairs.near_floats)
    found = row[tables.NEAR_WEIGHTS : tables.NEAR_WEIGHTS + 3]
    np.testing.assert_allclose(found, [1.4 / 3.0, -0.3 / 1.5, -1.2 / 1.5], atol=1e-6)
    assert row[tables.ROOM] == pytest.approx(KEEP * (0.005 - LEAST_GAP * GAP), rel=1e-4)


def test_the_plane_of_what_jams_at_a_rim_is_between_its_sides():
    count = 40
    places = jammed_edges(count)
    particles = kernels.moving(places.reshape(-1, 3), np.ones(4 * count), np.zeros((4 * count, 3)))
    elements, weights = kernels.points_of_particles(np.zeros(4 * count, int))
    surfaces = kernels.surfaces_of(elements, weights, 4 * count)
    pairs = kernels.pairs_of([tables.EDGE_EDGE] * count, np.arange(4 * count).reshape(-1, 4), GAP)
    kernels.find(particles, surfaces, pairs, count, H, 0.002, False)
    rows = read_array(pairs.near_floats).reshape(-1, tables.NEAR_WIDTH)[:count]
    normals = rows[:, tables.NEAR_NORMAL : tables.NEAR_NORMAL + 3].astype(float)
    heights = np.einsum("kic,kc->ki", places, normals)
    assert (heights[:, :2].min(axis=1) > heights[:, 2:].max(axis=1)).all()
