# SPDX-License-Identifier: GPL-3.0-or-later
"""Jelly whose faces are larger than the cells of its cage bears others with all of its surface."""

from dataclasses import replace

import numpy as np
import pytest
from contact_cases import shapes
from contact_cases.objects import floor, jelly

from blender_xpbd.scene.body_contact import BodyContact
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.system.system import build_system
from tests.solver.scenes import scene

pytestmark = pytest.mark.usefixtures("taichi_cpu")

FRAMES = 24


def cylinder(sides):
    """Of radius 0.5 m and height 0.6 m, its ends fans of triangles from one corner, as Blender cuts a polygon."""
    angles = 2.0 * np.pi * np.arange(sides) / sides
    ring = 0.5 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    places = np.concatenate([np.column_stack([ring, np.full(sides, height)]) for height in (-0.3, 0.3)])
    corner, following = np.arange(sides), (np.arange(sides) + 1) % sides
    faces = [
        np.stack([corner, following, following + sides], 1),
        np.stack([corner, following + sides, corner + sides], 1),
    ]
    fan = np.stack([np.zeros(sides - 2, int), np.arange(2, sides), np.arange(1, sides - 1)], axis=1)
    return places, np.concatenate([*faces, fan, fan[:, ::-1] + sides]).astype(np.int32)


def block():
    return shapes.box((0.8, 0.8, 0.6))


@pytest.mark.parametrize("above", [cylinder(32), cylinder(6), block()], ids=["cylinder", "prism", "block"])
@pytest.mark.parametrize("cells", [4, 5])
def test_what_lies_on_a_coarse_cube_stays_on_it(above, cells):
    """Corners were pressed into it one by one: a cylinder sank halfway, and tore spikes out of both."""
    below = shapes.moved(shapes.box((1.0, 1.0, 1.0), (cells,) * 3), 0.0, 0.0, 0.51)
    bodies = (
        jelly("below", below, resolution=10),
        jelly("above", shapes.moved(above, 0.02, 0.01, 1.32), resolution=10),
    )
    bodies = (replace(bodies[0], contact=BodyContact()), replace(bodies[1], contact=BodyContact()))
    content = scene(*bodies, colliders=[floor()], meet=True, substeps=20, frames=(1, FRAMES + 1), device="CPU")
    simulation = Solver(build_system(content), ("SERIAL",))
    first = len(bodies[0].positions)
    heights, lengths = [], []
    edges = above[1][:, :2]
    at_rest = np.linalg.norm(np.diff(above[0][edges], axis=1)[:, 0], axis=1)
    for _ in range(FRAMES):
        simulation.advance()
        surface = simulation.surface(simulation.positions()).astype(np.float64) + simulation.system.origin
        heights.append(surface[first:, 2].min())
        lengths.append(np.linalg.norm(np.diff(surface[first:][edges], axis=1)[:, 0], axis=1) / at_rest)
    # it presses the jelly below by less than half of its height
    assert min(heights) > 0.5
    assert np.min(lengths) > 0.4
    assert np.max(lengths) < 1.8
