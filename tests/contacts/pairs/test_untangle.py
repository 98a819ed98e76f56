# SPDX-License-Identifier: GPL-3.0-or-later
"""Pushes that take tangles apart; ``tests/solver/test_untangling.py`` lets them."""

import numpy as np
import pytest
from contact_cases.tangles import pokes, tangled_sheets

from blender_xpbd.contacts.pairs import untangle
from blender_xpbd.contacts.pairs.patches import tangles
from blender_xpbd.contacts.pairs.separation import shortest_way
from blender_xpbd.contacts.pairs.tables import EDGE_EDGE, VERTEX_TRIANGLE
from blender_xpbd.contacts.search.crossings import crossings
from tests.contacts.pairs.tangled_sheets import surfaces_of

pytestmark = pytest.mark.usefixtures("taichi_cpu")

FRAME = 1.0 / 24.0
H = FRAME / 10.0


class Pushed:
    """The pushes of a tangle of sheets, whose points are particles unless told otherwise."""

    def __init__(self, way, layers=(0, 0), held=(), is_solid=False):
        meshes = pokes([0.0, 0.0, 0.01]) if way == "poke" else tangled_sheets(way)
        self.surfaces, self.positions = surfaces_of(meshes)
        self.found = crossings(self.surfaces, self.positions)
        count = len(self.positions)
        solids = np.full(self.surfaces.object_count, is_solid)
        self.tied = tangles(self.surfaces, self.found, self.positions, solids)
        self.inverse_masses = np.random.default_rng(0).uniform(0.5, 2.0, count)
        self.inverse_masses[np.isin(self.surfaces.point_objects, held)] = 0.0
        elements, weights = np.zeros((count, 4), np.int32), np.zeros((count, 4), np.float32)
        elements[:, 0], weights[:, 0] = np.arange(count), 1.0
        starts = self.surfaces.point_starts
        ranges = np.stack([starts[:-1], starts[1:]], axis=1)
        self.carriers = untangle.Carriers(elements, weights, self.inverse_masses, ranges)
        self.before = []
        self.outside = np.sign(np.subtract.outer(layers, layers)).astype(np.int32)

    @property
    def added(self):
        return untangle.untangling_velocities(
            self.surfaces, self.tied, self.positions, self.carriers, self.outside, H, FRAME, self.before
        )[0]


@pytest.mark.parametrize("way", ["poke", "bump", "cross", "loop"])
def test_pushes_keep_momentum_and_move_patches_as_a_whole(way):
    pushed = Pushed(way)
    added = pushed.added
    sizes = np.linalg.norm(added, axis=1)
    masses = 1.0 / pushed.inverse_masses
    np.testing.assert_allclose(masses @ added, 0.0, atol=1e-12 * (masses * sizes).sum())
    for mine in pushed.tied[0].shares:
        of_whole = added[mine == 1.0]
        assert sizes[mine == 1.0].min() > 0.0
        np.testing.assert_allclose(of_whole, np.broadcast_to(of_whole[0], of_whole.shape), atol=1e-12)
    assert not added[pushed.tied[0].shares.max(axis=0) == 0.0].any()


def test_what_is_held_is_not_pushed_and_the_other_goes_all_the_way():
    free, held = Pushed("cross").added, Pushed("cross", held=[0]).added
    assert not held[:144].any()
    way = free[-1] - free[0]
    np.testing.assert_allclose(held[-1], way, rtol=1e-9)
    assert not Pushed("cross", held=[0, 1]).added.any()


def test_a_patch_that_hangs_on_pins_leaves_the_way_to_the_other():
    """It would be stretched, and snap back; by as much as what is held would go with it."""
    pushed = Pushed("cross")
    free = pushed.added
    shares = pushed.tied[0].shares[0]
    pinned = int(shares.argmax())
    pushed.inverse_masses[pinned] = 0.0
    held = pushed.added
    assert np.abs(held[:144]).max() < 1e-9
    np.testing.assert_allclose(held[-1], free[-1] - free[0], rtol=1e-9)
    # where it fades out it is held less firmly
    shares[pinned] = 0.25
    pushed.tied = [pushed.tied[0]._replace(shares=np.stack([shares, pushed.tied[0].shares[1]]))]
    other = np.flatnonzero(shares == 1.0)[0]
    np.testing.assert_allclose(pushed.added[other], 0.75 * free[other], rtol=0.02)


@pytest.mark.parametrize("is_solid", [True, False])
def test_a_long_way_takes_its_time(is_solid):
    """A cloth of four metres through a jelly had 16 m/s, and through another one 13."""
    pushed = Pushed("cross")
    pushed.positions *= 4.0
    length = shortest_way(pushed.positions, pushed.surfaces.triangles, pushed.tied[0].shares)[1]
    pushed.tied = [pushed.tied[0]._replace(of_solid=is_solid)]
    speed = np.linalg.norm(pushed.added[-1] - pushed.added[0])
    assert speed == pytest.approx(np.sqrt((untangle.LEAVING if is_solid else untangle.PARTING) * length), rel=1e-6)
    assert speed < 0.6 * length / (untangle.UNTANGLING_FRAMES * FRAME)


def test_deep_tangles_part_faster_than_shallow_ones():
    speeds = [np.linalg.norm(pushed[-1] - pushed[0]) for pushed in (Pushed("bump").added, Pushed("cross").added)]
    assert speeds[1] > 2.0 * speeds[0] > 1.0


def test_a_way_is_kept_while_it_is_not_much_longer():
    """Through the middle one way is as long as the other."""
    pushed = Pushed("cross")
    shortest = pushed.added[-1] - pushed.added[0]
    pushed.before = [untangle.Way(pushed.tied[0], shortest / np.linalg.norm(shortest), 0.0, 0.0, 1.0)]
    kept = pushed.added[-1] - pushed.added[0]
    assert kept @ shortest < 0.0
    pushed.before = [pushed.before[0]._replace(tangle=pushed.tied[0]._replace(objects=(0, 0)))]
    np.testing.assert_array_equal(pushed.added[-1] - pushed.added[0], shortest)


@pytest.mark.parametrize(("share", "grown"), [(0.0, 1.25), (0.4, 1.25), (1.0, 1.0)])
def test_what_does_not_come_along_is_pushed_more(share, grown):
    """Elasticity takes a push back, the more of it the more substeps there are."""
    pushed = Pushed("bump")

    def pushes():
        return untangle.untangling_velocities(
            pushed.surfaces, pushed.tied, pushed.positions, pushed.carriers, pushed.outside, H, FRAME, pushed.before
        )

    free, (way,) = pushes()
    assert way.speed == untangle.LAST_SPEED
    pushed.before = [way._replace(length=way.length + share * way.speed * H)]
    added, (again,) = pushes()
    assert again.grown == grown
    np.testing.assert_allclose(added, grown * free, rtol=1e-9)
    for _ in range(20):
        pushed.before = [again]
        added, (again,) = pushes()
    np.testing.assert_allclose(added, untangle.MOST_GROWN * free, rtol=1e-9)


def test_solids_are_not_pushed_more():
    pushed = Pushed("poke", is_solid=True)
    first = pushed.added
    for _ in range(5):
        _, pushed.before = untangle.untangling_velocities(
            pushed.surfaces, pushed.tied, pushed.positions, pushed.carriers, pushed.outside, H, FRAME, pushed.before
        )
    np.testing.assert_array_equal(pushed.added, first)


def test_the_last_speed_is_bounded_by_the_edges():
    pushed = Pushed("bump")
    pushed.tied = [pushed.tied[0]._replace(edge=1e-6)]
    pushed.positions[pushed.surfaces.point_objects == 1, 2] += 10.0
    added = pushed.added
    apart = np.linalg.norm(added[-1] - added[0])
    assert apart <= untangle.EDGE_SHARE * 1e-6 / H * (1.0 + 1e-9)


def test_a_solid_that_was_modelled_so_is_left():
    assert not Pushed("loop", is_solid=True).added.any()


def test_points_that_several_particles_carry_are_pushed_by_them():
    """Each four points have a fifth particle in common; what carries nothing goes with the mean."""
    pushed = Pushed("cross")
    count = len(pushed.positions)
    elements = np.zeros((count, 4), np.int32)
    elements[:, 0], elements[:, 1] = np.arange(count), count + np.arange(count) // 4
    weights = np.tile(np.float32([0.5, 0.5, 0.0, 0.0]), (count, 1))
    total = count + count // 4 + 1
    inverse_masses = np.ones(total)
    pushed.carriers = untangle.Carriers(elements, weights, inverse_masses, np.array([[0, total]]))
    added = pushed.added
    assert np.linalg.norm(added[count:-1], axis=1).min() > 0.0
    np.testing.assert_allclose(added[-1], 0.0, atol=0.02)


@pytest.mark.parametrize(("layers", "sign"), [((0, 1), 1.0), ((1, 0), -1.0)])
@pytest.mark.parametrize("way", ["bump", "cross"])
def test_the_higher_layer_goes_to_the_outside(way, layers, sign):
    """The outer one goes along the normal of the inner one, which both have up."""
    added = Pushed(way, layers=layers).added
    assert sign * (added[-1] - added[0])[2] > 0.5


def test_pairs_of_the_two_patches_are_tangled():
    pushed = Pushed("poke")
    surfaces, (tangle,) = pushed.surfaces, pushed.tied
    edge, triangle = pushed.found[0]
    ends, corners = surfaces.edges[edge], surfaces.triangles[triangle]
    is_free = (tangle.shares == 0.0).all(axis=0)
    far = np.flatnonzero(is_free)[:4]
    rows = [
        [EDGE_EDGE, *ends, *corners[:2]],
        [EDGE_EDGE, *corners[:2], *ends],
        [VERTEX_TRIANGLE, ends[0], *corners],
        [EDGE_EDGE, *far],
        [EDGE_EDGE, *ends, *far[:2]],
    ]
    found = untangle.tangled_pairs(pushed.tied, np.array(rows, np.int32))
    np.testing.assert_array_equal(found, [True, True, True, False, False])


def test_speed_of_pushes_is_taken_back_as_far_as_it_is_there():
    added = np.array([[1.0, 0.0, 0.0]] * 4)
    velocities = np.array([[1.5, 2.0, 0.0], [0.4, 2.0, 0.0], [-0.3, 2.0, 0.0], [0.0, 0.0, 0.0]])
    expected = np.array([[0.5, 2.0, 0.0], [0.0, 2.0, 0.0], [-0.3, 2.0, 0.0], [0.0, 0.0, 0.0]])
    np.testing.assert_allclose(untangle.taken_back(velocities, added), expected)
