# SPDX-License-Identifier: GPL-3.0-or-later
"""What starts tangled comes apart within ten frames, and nothing is thrown."""

from collections import defaultdict

import numpy as np
import pytest

from blender_xpbd.contacts.pairs import untangle
from blender_xpbd.device.arrays import read_array
from tests.contacts.pairs.tangles import GAP, Tangle, crossing_sheets

pytestmark = pytest.mark.usefixtures("taichi_cpu")


def contour_length(tangle, found, positions):
    """Of the crossings ``found``, by the segments in which two triangles meet [m]."""
    surfaces = tangle.surfaces
    ends, corners = positions[surfaces.edges[found[:, 0]]], positions[surfaces.triangles[found[:, 1]]]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    ways = ends[:, 1] - ends[:, 0]
    shares = ((corners[:, 0] - ends[:, 0]) * normals).sum(axis=1) / (ways * normals).sum(axis=1)
    points = ends[:, 0] + shares[:, None] * ways
    meeting = defaultdict(list)
    for point, (edge, triangle) in zip(points, found, strict=True):
        has_edge = np.isin(surfaces.triangles, surfaces.edges[edge]).sum(axis=1) == 2
        for face in np.flatnonzero(has_edge):
            meeting[frozenset((int(face), int(triangle)))].append(point)
    return sum(np.linalg.norm(both[0] - both[1]) for both in meeting.values() if len(both) == 2)


def test_pushes_lead_along_the_gradient_of_the_contour():
    """A bump: the contour as a whole says where, and how its length falls there is measured by differences."""
    tangle = Tangle(crossing_sheets("bump"))
    found, positions = tangle.crossings, tangle.sheets.positions
    is_second = tangle.sheets.objects[:, None] == 1
    lengths = [contour_length(tangle, found, positions + 1e-6 * axis * is_second) for axis in (*np.eye(3), np.zeros(3))]
    gradient = (np.array(lengths[:3]) - lengths[3]) / 1e-6
    assert gradient[2] < -1.0
    added = tangle.added()
    moves = np.linalg.norm(added, axis=1) > 0.0
    directions = added[moves] * np.where(is_second[moves], -1.0, 1.0)
    assert (directions @ gradient > 0.9 * np.linalg.norm(gradient) * np.linalg.norm(directions, axis=1)).all()


@pytest.mark.parametrize("holds_first", [False, True])
@pytest.mark.parametrize("kind", ["corner", "edge", "bump", "waves"])
def test_sheets_come_apart_and_stay_apart(kind, holds_first):
    tangle = Tangle(crossing_sheets(kind), holds_first=holds_first)
    assert len(tangle.crossings)
    apart_at = None
    for substep in range(100):
        tangle.substep()
        if apart_at is None and len(tangle.crossings) == 0:
            apart_at = substep
        # a fall of the whole time, and a push
        assert np.linalg.norm(tangle.sheets.velocities, axis=1).max() < 9.81 * 100 * tangle.sheets.h + 1.0
        if apart_at is not None and substep > apart_at + 10:
            break
    assert apart_at is not None
    assert len(tangle.crossings) == 0


def test_pushes_keep_momentum_and_their_speed():
    tangle = Tangle(crossing_sheets("corner"))
    added = tangle.added()
    momentum = (tangle.sheets.masses[:, None] * added).sum(axis=0)
    np.testing.assert_allclose(momentum, 0.0, atol=1e-12)
    assert 0.0 < np.linalg.norm(added, axis=1).max() <= untangle.UNTANGLING_SPEED * (1.0 + 1e-12)


def test_points_that_several_particles_carry_are_pushed_by_them():
    tangle = Tangle(crossing_sheets("corner"))
    points = len(tangle.sheets.positions)
    rng = np.random.default_rng(0)
    elements = rng.permuted(np.arange(points // 4 * 4)).reshape(-1, 4)[np.arange(points) // 8]
    weights = rng.dirichlet(np.ones(4), len(elements)).astype(np.float32)
    inverse_masses = rng.uniform(0.5, 2.0, points)
    inverse_masses[::5] = 0.0
    carriers = untangle.Carriers(elements, weights, inverse_masses)
    added = untangle.untangling_velocities(
        tangle.surfaces, tangle.crossings, tangle.sheets.positions, carriers, tangle.outside, tangle.sheets.h
    )
    assert added.any()
    assert not added[::5].any()


@pytest.mark.parametrize(("layers", "sign"), [((0, 1), 1.0), ((1, 0), -1.0)])
def test_the_higher_layer_goes_to_the_outside(layers, sign):
    """The first sheet's normal points up; a bump of the second goes down through it."""
    tangle = Tangle(crossing_sheets("bump"), layers=layers)
    normals = np.cross(*(np.diff(tangle.sheets.positions[tangle.surfaces.triangles[0]], axis=0)))
    added = tangle.added()
    second = (tangle.sheets.objects == 1) & added.any(axis=1)
    assert (sign * np.sign(normals[2]) * added[second, 2] > 0.0).all()


def test_only_pairs_near_crossings_are_tangled():
    tangle = Tangle(crossing_sheets("corner"))
    found, sheets = tangle.crossings, tangle.sheets
    sheets.search(GAP)
    ints = read_array(sheets.pairs.pair_ints)
    is_tangled = untangle.tangled_pairs(tangle.surfaces, found, ints)
    assert 0 < is_tangled.sum() < len(is_tangled)
    surfaces = tangle.surfaces
    crossed = np.concatenate([surfaces.edges[found[:, 0]].ravel(), surfaces.triangles[found[:, 1]].ravel()])
    places = sheets.positions
    centres = places[ints[:, 1:]].mean(axis=1)
    far = np.linalg.norm(centres[:, None] - places[np.unique(crossed)], axis=2).min(axis=1) > 0.3
    assert far.any()
    assert not is_tangled[far].any()
    # an edge that crosses, and a side of the triangle that it goes through
    ends, corners = tangle.surfaces.edges[found[0, 0]], tangle.surfaces.triangles[found[0, 1]]
    assert untangle.tangled_pairs(tangle.surfaces, found, np.array([[1, *ends, *corners[:2]]])).all()


def test_speed_of_pushes_is_taken_back_as_far_as_it_is_there():
    added = np.array([[1.0, 0.0, 0.0]] * 4)
    velocities = np.array([[1.5, 2.0, 0.0], [0.4, 2.0, 0.0], [-0.3, 2.0, 0.0], [0.0, 0.0, 0.0]])
    expected = np.array([[0.5, 2.0, 0.0], [0.0, 2.0, 0.0], [-0.3, 2.0, 0.0], [0.0, 0.0, 0.0]])
    np.testing.assert_allclose(untangle.taken_back(velocities, added), expected)
