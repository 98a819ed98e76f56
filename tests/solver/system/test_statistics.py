# SPDX-License-Identifier: GPL-3.0-or-later
"""What is told of a frame."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.geometry.surface.topology import unique_edges
from blender_xpbd.solver.system.statistics import Measure
from blender_xpbd.solver.system.system import build_system
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


def test_a_tiny_face_does_not_count_for_all():
    """A triangle of 1e-7 m beside a sheet of 1 m, stretched to a thousand times its size."""
    body = cloth(6)
    tiny = np.array([[0.0, 0.0, 2.0], [1e-7, 0.0, 2.0], [0.0, 1e-7, 2.0]])
    positions = np.concatenate([body.positions, tiny])
    corners = np.concatenate([body.corners, np.arange(36, 39, dtype=np.int32)])
    body = replace(body, positions=positions, corners=corners, face_sizes=np.append(body.face_sizes, np.int32(3)))
    system = build_system(scene(body, frames=(1, 2)))
    moved = system.positions.copy()
    moved[36:] *= 1000.0
    moved[:36, 0] *= 1.01
    greatest, mean = Measure(system)(moved)[0, :2]
    assert greatest > 900.0
    assert mean == pytest.approx(0.005, rel=0.02)
