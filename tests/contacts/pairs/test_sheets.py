# SPDX-License-Identifier: GPL-3.0-or-later
"""Ten layers by pairs alone: an independent judge finds no crossing after any substep, and they come to rest."""

import numpy as np
import pytest

from blender_xpbd.device.arrays import read_array, write_array
from tests.contacts.pairs.sheets import Sheets, sheet

pytestmark = pytest.mark.usefixtures("taichi_cpu")

GAP = 0.04


def stack(substeps):
    """Ten uneven layers, 2 cm over a held one."""
    rng = np.random.default_rng(0)
    shifts = 0.06 * rng.uniform(-1.0, 1.0, (10, 2))
    layers = [sheet(6, 1.0, 0.02 + 1.05 * (k + 1) * GAP, shift) for k, shift in enumerate(shifts)]
    sheets = Sheets([sheet(8, 1.4), *layers], GAP, substeps, friction=0.3, holds_first=True)
    places = read_array(sheets.particles.positions)
    free = places[:, 3] > 0.0
    places[free, :3] += 0.05 * GAP * rng.uniform(-1.0, 1.0, (free.sum(), 3))
    write_array(sheets.particles.positions, places)
    return sheets, free


@pytest.mark.parametrize(("substeps", "speed"), [(3, 0.05), (10, 0.01), (20, 0.005)])
def test_layers_fall_and_rest_without_a_crossing(substeps, speed):
    ipctk = pytest.importorskip("ipctk")
    sheets, free = stack(substeps)
    judge = ipctk.CollisionMesh(sheets.positions, sheets.edges.astype(np.int32), sheets.triangles.astype(np.int32))
    for _ in range(12 * substeps):
        sheets.substep()
        assert not ipctk.has_intersections(judge, sheets.positions)
    assert np.sqrt((sheets.velocities[free] ** 2).sum(axis=1).mean()) < speed
    heights = sheets.positions[free, 2].reshape(10, -1).mean(axis=1)
    assert (np.diff(heights) > 0.9 * GAP).all()
