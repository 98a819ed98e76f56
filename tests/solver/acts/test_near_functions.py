# SPDX-License-Identifier: GPL-3.0-or-later
"""Which of the listed pairs a substep looks at, and that none is missed."""

import numpy as np
import pytest

from blender_xpbd.contacts.pairs.tables import NEAR_INTS, POINTS, ROW, VERTEX_TRIANGLE
from blender_xpbd.solver.windows.pair_tables import GREATEST_REACH, GREATEST_STRAY, WATCH_LIMITS
from tests.solver.scenes import cloth, plane, touching
from tests.solver.step.test_pair_substeps import array
from tests.solver.test_rest import layers

pytestmark = pytest.mark.usefixtures("taichi_cpu")
GAP = 0.005


def nearer(simulation, ways):
    """How much nearer the sides of each listed pair come, by how far particles go at most."""
    count = array(simulation, "pair_starts")[-1]
    ints = array(simulation, "pair_ints")[:count]
    particles = array(simulation, "surface_elements")[ints[:, POINTS : POINTS + 4], 0]
    of = array(simulation, ways)[particles]
    faces = of[:, 0] + of[:, 1:].max(axis=1)
    edges = of[:, :2].max(axis=1) + of[:, 2:].max(axis=1)
    return np.where(ints[:, 0] == VERTEX_TRIANGLE, faces, edges)


@pytest.mark.parametrize("frames", [3, 12])
@pytest.mark.parametrize("falls", [True, False])
def test_what_may_be_near_is_watched_and_most_is_not(frames, falls):
    """Sheets that lie, and a sheet that another one comes down on."""
    sheets = layers(3)
    if falls:
        sheets = [
            cloth(12, size=0.3, height=1.2 * GAP, contact_offset=GAP),
            cloth(11, size=0.3, height=12.0 * GAP, identifier="b1", contact_offset=GAP),
        ]
    simulation = touching(*sheets, colliders=[plane()], substeps=40)
    for _ in range(frames):
        simulation.advance()
    first, last = array(simulation, "pair_starts")[[0, -1]]
    counts = array(simulation, "watched_counts")
    watched = array(simulation, "watched")[first : first + counts[0]]
    assert (np.diff(watched) > 0).all()
    limits, clearances = array(simulation, "watch_limits"), array(simulation, "pair_clearances")[:last]
    reaches, strays = nearer(simulation, "reaches"), nearer(simulation, "strays")
    most = 2.0 * (limits[GREATEST_REACH] + limits[GREATEST_STRAY])
    assert (reaches + strays <= most).all()
    assert limits[WATCH_LIMITS] >= most
    assert set(np.flatnonzero(clearances <= reaches + strays)) <= set(watched.tolist())
    near = array(simulation, "near_ints").reshape(-1, NEAR_INTS)[: array(simulation, "near_counts")[0], ROW]
    assert set(near.tolist()) <= set(watched.tolist())
    assert len(watched) < 0.8 * last
