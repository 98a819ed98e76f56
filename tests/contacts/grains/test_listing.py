# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of pairs of grains against all pairs that there are."""

import numpy as np
import pytest

from blender_xpbd.contacts.grains.tables import LARGEST_PLACE, SLABS, TOLD_AXIS, TOLD_LIST
from blender_xpbd.device.arrays import read_array
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.system.system import build_system
from tests.solver.grain_scenes import grain_scene, grains

pytestmark = pytest.mark.usefixtures("taichi_cpu")


def cloud(stretch, stray=False):
    points = np.random.default_rng(5).uniform(-0.5, 0.5, (600, 3)) * stretch
    if stray:
        points[7] = [3e4, -2e5, 1e6]
    return points


@pytest.fixture(params=[(1.0, 1.0, 1.0), (4.0, 0.2, 0.2), (0.2, 0.2, 9.0), (0.3, 5.0, 0.0)], ids=str)
def listed(request):
    """Places, and the list after a frame of one substep in which nothing moves."""
    body = grains(cloud(np.array(request.param), stray=request.param[0] == 1.0), radius=0.03)
    simulation = Solver(build_system(grain_scene(body, gravity=(0.0, 0.0, 0.0), substeps=1)), ("SERIAL",))
    simulation.advance()
    kept = simulation._state.world.pairs
    told = read_array(kept.grains_told)
    count = len(body.positions)
    rows = slice(told[TOLD_LIST] * count, (told[TOLD_LIST] + 1) * count)
    order = read_array(kept.grain_order)
    pairs = [
        (int(grain), int(order[other & LARGEST_PLACE]))
        for grain, row, found in zip(
            order, read_array(kept.grain_pairs)[rows], read_array(kept.grain_counts)[rows], strict=True
        )
        for other in row[:found]
    ]
    return simulation, kept, told, pairs


def test_every_pair_within_reach_is_listed_once(listed):
    simulation, kept, _, pairs = listed
    places = read_array(kept.grain_places)[:, :3].astype(np.float64)
    # some begin smaller, as they start inside each other
    radii = read_array(kept.grain_radii).astype(np.float64)
    reach = radii[:, None] + radii + simulation.system.grains.sizes[1]
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)
    near = {(i, j) for i, j in np.argwhere(apart < reach * (1.0 - 1e-5)).tolist() if i < j}
    found = [tuple(sorted(pair)) for pair in pairs]
    assert len(found) == len(set(found))
    assert near <= set(found)
    assert all(apart[pair] < reach[pair] * (1.0 + 1e-5) for pair in found)


def test_slabs_of_a_colour_share_no_grain(listed):
    _, kept, told, pairs = listed
    order, starts = read_array(kept.grain_order), read_array(kept.slab_starts)
    assert sorted(order.tolist()) == list(range(len(order)))
    slab_of = np.empty(len(order), np.int64)
    for slab in range(SLABS):
        slab_of[order[starts[slab] : starts[slab + 1]]] = slab
    assert told[TOLD_AXIS] in (0, 1, 2)
    for grain, other in pairs:
        assert 0 <= slab_of[other] - slab_of[grain] <= 1
