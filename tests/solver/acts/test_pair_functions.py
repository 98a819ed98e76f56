# SPDX-License-Identifier: GPL-3.0-or-later
"""Near pairs are found in each substep of a list, whatever of it is measured anew."""

import numpy as np
import pytest

from blender_xpbd.contacts.pairs.tables import EDGE_EDGE, GAP, KIND, NEAR_INTS, POINTS, ROW
from blender_xpbd.device.arrays import read_array
from blender_xpbd.solver.windows.pair_tables import LIST_FIRST
from tests.contacts.pairs.pair_kernels import measured
from tests.solver.scenes import touching
from tests.solver.step.test_pair_substeps import array, meeting
from tests.solver.test_pairs import folded

pytestmark = pytest.mark.usefixtures("taichi_cpu")

SUBSTEPS = 8


def falling():
    """Two sheets that fall together and come slowly nearer."""
    return meeting(speed=0.25, fall=3.0, substeps=SUBSTEPS)


def settling():
    """A sheet of three layers that falls onto a floor."""
    bodies, colliders = folded()
    return touching(*bodies, colliders=colliders, substeps=SUBSTEPS)


def margins(simulation):
    """By how much listed pairs of cloth are within reach as the last substep begins [m], and which have a row."""
    ints, starts = array(simulation, "pair_ints"), array(simulation, "pair_starts")
    ints, gaps = ints[: starts[-1]], array(simulation, "pair_floats")[: starts[-1], GAP]
    carriers = simulation.system.objects.elements[ints[:, POINTS:], 0]
    places = read_array(simulation._state.particles.previous_positions)[:, :3][carriers]
    reaches = array(simulation, "reaches")[carriers]
    of_edges = reaches[:, :2].max(axis=1) + reaches[:, 2:].max(axis=1)
    is_edges = ints[:, KIND] == EDGE_EDGE
    reach = np.where(is_edges, of_edges, reaches[:, 0] + reaches[:, 1:].max(axis=1))
    has_row = np.zeros(len(ints), bool)
    rows = array(simulation, "near_ints").reshape(-1, NEAR_INTS)[:, ROW]
    for first, count in zip(starts, array(simulation, "near_counts"), strict=False):
        has_row[rows[first : first + count]] = True
    return reach + gaps - measured(ints[:, KIND].copy(), places)[2], has_row


@pytest.mark.parametrize("make", [falling, settling], ids=lambda f: f.__name__)
def test_no_pair_that_comes_near_while_a_list_holds_is_missed(make):
    simulation = make()
    late = 0
    for _ in range(16):
        simulation.advance()
        within, has_row = margins(simulation)
        assert has_row[within > 1e-6].all()
        assert not has_row[within < -1e-6].any()
        if simulation._pairs._lists.told[LIST_FIRST] < SUBSTEPS - 1:
            late += np.count_nonzero(has_row)
    assert late > 0, "nothing was near in an old list"
