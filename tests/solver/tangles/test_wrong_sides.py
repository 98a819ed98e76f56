# SPDX-License-Identifier: GPL-3.0-or-later
"""Cloth that begins in the plane of a closed collider's face, or through that face, comes out and stays out."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.contacts.search.crossings import crossings as find_crossings
from blender_xpbd.device.arrays import read_array
from blender_xpbd.solver.tangles.wrong_sides import WrongSides
from tests.solver.scenes import cloth, mesh_box, pins, touching

pytestmark = pytest.mark.usefixtures("taichi_cpu")

# half the edge of the box [m]
HALF = 0.5
# bodies go over the edge of the top with half of their width
SIZES = {"small": 0.6, "large": 1.6}


def sheet(size, plane, offset):
    """A cloth in the plane of the top or of a side of the box, or so much above it, half of it beyond an edge [m]."""
    body = cloth(9, size=SIZES[size])
    x, y, _ = (body.positions - body.positions.mean(axis=0)).T
    height = np.full(len(x), HALF + offset)
    places = [x + HALF, y, height] if plane == "top" else [height, y, x + HALF]
    return replace(body, positions=np.stack(places, axis=1))


def crossing_count(simulation):
    """Edges that go through triangles, faces of the collider included."""
    objects = simulation.system.objects
    return len(find_crossings(objects.whole_surfaces, objects.points(simulation.positions())))


@pytest.mark.parametrize(
    ("size", "plane", "offset"),
    [("small", "top", 0.0), ("small", "top", -1e-6), ("small", "top", -1e-3), ("large", "side", -1e-6)],
)
def test_what_lies_in_the_plane_of_a_face_comes_out(size, plane, offset):
    simulation = touching(sheet(size, plane, offset), colliders=[mesh_box(HALF)])
    for _ in range(4):
        simulation.advance()
        assert crossing_count(simulation) == 0


def test_what_begins_through_a_side_comes_out():
    body = sheet("small", "top", -0.2)
    # no row of vertices in the plane of the side
    body = replace(body, positions=body.positions + np.array([0.02, 0.0, 0.0]))
    simulation = touching(body, colliders=[mesh_box(HALF)])
    assert crossing_count(simulation) > 0
    for _ in range(6):
        simulation.advance()
    assert crossing_count(simulation) == 0


def test_what_is_pinned_inside_is_left_there():
    body = sheet("small", "top", -0.2)
    inside = np.flatnonzero(body.positions[:, 0] < HALF + 0.01)
    found = []
    for held in ([], inside):
        simulation = touching(replace(body, pins=pins(body.positions, held)), colliders=[mesh_box(HALF)])
        points = simulation.system.objects.points(simulation.positions())
        particles = read_array(simulation._state.particles.positions)
        found.append(len(WrongSides(simulation.system.objects).find(points, particles)))
    assert found[0] > 0
    assert found[1] == 0


def test_what_is_drawn_in_later_is_not_looked_at_for_ever():
    """As by a goal: it would be taken apart in each substep."""
    simulation = touching(sheet("small", "top", -0.2), colliders=[mesh_box(HALF)])
    objects = simulation.system.objects
    points = objects.points(simulation.positions())
    particles = read_array(simulation._state.particles.positions)
    assert len(WrongSides(objects).find(points, particles)) > 0
    assert len(WrongSides(objects, is_start=False).find(points, particles)) == 0
