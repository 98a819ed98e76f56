# SPDX-License-Identifier: GPL-3.0-or-later
"""Slots: whatever touches at once is resolved, however few a point begins with."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.scene.collider import Collider
from blender_xpbd.solver.step import state
from tests.contacts.solids import RUBBER, cube, solid
from tests.solver.scenes import cloth, mesh_box, plane, solver

pytestmark = pytest.mark.usefixtures("taichi_cpu")


def many():
    """Surfaces half a millimetre above each other, the highest last: who falls crosses several in one substep."""
    planes = [replace(plane(5e-4 * n, friction=0.3), identifier=f"p{n}") for n in range(5)]
    # so large that no edge dips into it, and it stays a sphere
    ball, box = np.eye(4), np.eye(4)
    ball[2, 3], box[2, 3] = -49.9975, -0.147
    sphere = Collider("s0", "Ball", "SPHERE", ball[None], radius=50.0, friction=0.2)
    return [*planes, sphere, replace(mesh_box(0.15, box[None]), identifier="m0")]


def path(monkeypatch, slots, body, **keywords):
    """Positions over twelve frames with so many slots to begin with, and how many there were at the end."""
    monkeypatch.setattr(state, "FIRST_SLOTS", slots)
    simulation = solver(body, **keywords)
    frames = []
    for _ in range(12):
        simulation.advance()
        frames.append(simulation.positions())
    return np.array(frames), simulation._state.contacts.slots.shape[1]


BODIES = {
    "cloth": (lambda: cloth(8, size=1.0, height=0.25), {}),
    "cloth, 3 iterations": (lambda: cloth(8, size=1.0, height=0.25), {"iterations": 3}),
    "cloth, BDF2": (lambda: cloth(8, size=1.0, height=0.25), {"time_integration": "BDF2"}),
    "bouncing jelly": (lambda: solid(cube, height=0.3, restitution=0.5, **RUBBER), {}),
}


@pytest.mark.parametrize("name", BODIES)
def test_few_slots_to_begin_with_give_the_same_bytes(monkeypatch, name):
    make, settings = BODIES[name]
    few, grown = path(monkeypatch, 1, make(), colliders=many(), **settings)
    all_at_once, most = path(monkeypatch, 100, make(), colliders=many(), **settings)
    np.testing.assert_array_equal(few, all_at_once)
    assert most == 9
    assert 2 < grown <= most


def test_one_collider_has_one_slot(monkeypatch):
    assert path(monkeypatch, 2, cloth(4), colliders=[plane()])[1] == 1


@pytest.mark.parametrize("settings", [{}, {"iterations": 2}], ids=["one iteration", "two"])
def test_bytes_of_a_point_do_not_grow_with_the_colliders(settings):
    """100,000 points and 50 colliders took 520 MB in double precision; 200 bytes a point are 20 MB."""
    colliders = [replace(plane(-1.0), identifier=f"c{n}") for n in range(50)]
    contacts = solver(cloth(50, height=1.0), colliders=colliders, **settings)._state.contacts
    numbers = np.prod(contacts.slots.shape) + np.prod(contacts.touches.shape)
    assert 8 * numbers / 2500 < 200
