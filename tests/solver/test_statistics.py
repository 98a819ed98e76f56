# SPDX-License-Identifier: GPL-3.0-or-later
"""What is told of a frame."""

import numpy as np
import pytest

from blender_xpbd.geometry.topology import unique_edges
from blender_xpbd.solver.statistics import Measure
from blender_xpbd.solver.system import build_system
from tests.solver.scenes import cloth, scene


def test_strain_is_that_of_the_edges_and_each_body_has_its_own():
    bodies = cloth(6), cloth(4, height=1.0, identifier="b1")
    system = build_system(scene(*bodies, frames=(1, 2)))
    positions = system.positions.copy()
    first, second = slice(system.starts[0], system.starts[1]), slice(system.starts[1], system.starts[2])
    positions[first, 0] *= 1.5
    positions[second] *= 0.5
    row, other = Measure(system)(positions)
    edges = unique_edges(bodies[0].face_sizes, bodies[0].corners)
    rest, now = (
        np.linalg.norm(places[edges[:, 0]] - places[edges[:, 1]], axis=1)
        for places in (system.positions[first], positions[first])
    )
    assert row[:2] == pytest.approx([0.5, np.abs(now / rest - 1.0).mean()])
    assert other[:2] == pytest.approx([0.5, 0.5])
    assert not row[2:].any()


def test_edges_without_a_length_at_rest_do_not_count():
    body = cloth(3)
    body.positions[1] = body.positions[0]
    system = build_system(scene(body, frames=(1, 2)))
    assert Measure(system)(system.positions.astype(np.float32))[0, 0] < 1e-5
    assert np.isfinite(Measure(system)(2.0 * system.positions)).all()
