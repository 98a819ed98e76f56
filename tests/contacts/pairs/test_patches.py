# SPDX-License-Identifier: GPL-3.0-or-later
"""What is moved apart is what the crossings tie together, and no more."""

import numpy as np
import pytest
from contact_cases.shapes import rotation
from contact_cases.tangles import SELVES, WAYS, pokes, sheet

from blender_xpbd.contacts.pairs.patches import tangles
from blender_xpbd.contacts.search.crossings import crossings
from tests.contacts.pairs.tangled_sheets import surfaces_of, tangled_surfaces
from tests.geometry.triangle_shapes import icosphere

pytestmark = pytest.mark.usefixtures("taichi_cpu")


def tied(way, kind="grid", is_solid=False):
    surfaces, positions, found = tangled_surfaces(way, kind)
    solids = np.full(surfaces.object_count, is_solid)
    return surfaces, positions, found, tangles(surfaces, found, positions, solids)


@pytest.mark.parametrize("way", WAYS)
def test_two_patches_hold_all_that_crosses(way):
    surfaces, _, found, made = tied(way)
    assert len(made) == 1
    tangle = made[0]
    assert tangle.may_part
    assert tangle.objects == ((0, 0) if way in SELVES else (0, 1))
    ends, corners = surfaces.edges[found[:, 0]], surfaces.triangles[found[:, 1]]
    first, second = tangle.shares > 0.0
    for some, others in ((first, second), (second, first)):
        is_mine = some[ends].all(axis=1)
        assert is_mine.any()
        assert others[corners[is_mine]].any(axis=1).all()
    assert not (first & second).any()


def test_a_patch_fades_out_with_the_distance_from_the_contour():
    surfaces, positions = surfaces_of(pokes([0.0, 0.0, 0.01]))
    found = crossings(surfaces, positions)
    (made,) = tangles_of(surfaces, positions)
    crossed = positions[surfaces.edges[found[:, 0]]].reshape(-1, 3)
    extent = np.linalg.norm(np.ptp(crossed, axis=0))
    tied_up = np.concatenate([crossed, positions[surfaces.triangles[found[:, 1]]].reshape(-1, 3)])
    away = np.linalg.norm(positions[:, None] - tied_up, axis=2).min(axis=1)
    shares = made.shares.max(axis=0)
    assert (away > 2.0 * extent).any()
    assert not shares[away > 2.0 * extent].any()
    assert shares.max() == 1.0
    assert ((shares > 0.0) & (shares < 1.0)).any()


def tangles_of(surfaces, positions, is_solid=False):
    solids = np.full(surfaces.object_count, is_solid)
    return tangles(surfaces, crossings(surfaces, positions), positions, solids)


def test_patches_do_not_jump_to_what_is_near_and_not_linked():
    surfaces, positions = surfaces_of(pokes([0.0, 0.0, 0.01], [0.03, 0.0, 0.06]))
    (made,) = tangles_of(surfaces, positions)
    linked = made.shares[1, -50:].reshape(2, -1) > 0.0
    assert linked[0].all()
    assert not linked[1].any()


def test_long_edges_of_one_side_do_not_make_the_patch_of_the_other_larger():
    """A corner of a sheet goes through two triangles of 20 m."""
    floor = 20.0 * sheet("coarse")[0][[0, 4, 20, 24]], np.array([[0, 2, 3], [0, 3, 1]], np.int32)
    vertices, triangles = sheet()
    poking = vertices @ (rotation(1, 0.5) @ rotation(2, 0.7)).T
    poking[:, 2] -= poking[:, 2].min() + 0.03
    (made,) = tangles_of(*surfaces_of([floor, (poking, triangles)]))
    mine = made.shares[1, 4:]
    assert 3 <= (mine > 0.0).sum() <= len(mine) / 2
    assert made.edge < 0.2


def test_distant_contours_are_tangles_of_their_own():
    made = tangles_of(*surfaces_of(pokes([-0.4, 0.0, 0.01], [0.4, 0.0, 0.01])))
    assert len(made) == 2
    assert not np.minimum(*(tangle.shares for tangle in made)).any()


def test_solids_are_tangled_as_a_whole():
    positions, triangles = icosphere(2)
    triangles = triangles.astype(np.int32)
    for shift in (0.95, 0.3):
        meshes = [(positions, triangles), (0.3 * positions + [shift, 0.1, 0.05], triangles)]
        surfaces, places = surfaces_of(meshes)
        (made,) = tangles_of(surfaces, places, is_solid=True)
        assert made.may_part
        np.testing.assert_array_equal(made.shares.sum(axis=1), [len(positions)] * 2)


def test_a_solid_that_goes_through_itself_was_modelled_so():
    surfaces, _, found, (made,) = tied("loop", is_solid=True)
    assert not made.may_part
    crossed = np.union1d(surfaces.edges[found[:, 0]], surfaces.triangles[found[:, 1]])
    assert (made.shares.max(axis=0)[crossed] == 1.0).all()
    assert (made.shares.max(axis=0) > 0.0).mean() < 0.7


def test_nothing_is_tangled_where_nothing_crosses():
    assert tangles_of(*surfaces_of(pokes([0.0, 0.0, 0.2]))) == []
