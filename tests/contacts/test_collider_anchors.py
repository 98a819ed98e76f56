# SPDX-License-Identifier: GPL-3.0-or-later
"""What sticks to a collider stays where it is: what friction leaves of a slide it takes back in the next substep."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.contacts.collider_anchors import ANCHOR_COLLIDER
from blender_xpbd.scene.errors import XpbdError
from blender_xpbd.solver.order import tasks
from blender_xpbd.solver.step.plan import PATHS
from tests.contacts.solids import FIRM, cube, solid
from tests.solver.scenes import GRAVITY, cloth, plane, solver

pytestmark = pytest.mark.usefixtures("taichi_cpu")

FRICTION = 0.5


def on_slope(ratio, path="SERIAL", transforms=None, **settings):
    """A firm cube of 0.2 m on a plane, under gravity that leans by tan θ = ratio · μ."""
    angle = np.arctan(ratio * FRICTION)
    gravity = GRAVITY * np.array([np.sin(angle), 0.0, -np.cos(angle)])
    body = solid(cube, **{**FIRM, "friction": FRICTION})
    floor = plane(friction=FRICTION, transforms=transforms)
    return solver(body, colliders=[floor], path=path, gravity=gravity, **{"substeps": 20, **settings})


def places(simulation, frames):
    """Mean of the particles at each frame [m], shape (frames + 1, 3)."""
    found = [simulation.positions().mean(axis=0)]
    for _ in range(frames):
        simulation.advance()
        found.append(simulation.positions().mean(axis=0))
    return np.array(found)


def anchored(simulation):
    """Which contact points have an anchor."""
    return simulation.checkpoint()["collider_anchors"][:, ANCHOR_COLLIDER] > 0.0


@pytest.mark.parametrize("settings", [{}, {"time_integration": "BDF2"}, {"iterations": 2}], ids=str)
def test_what_sticks_does_not_creep(settings):
    """Without anchors"""
    way = np.diff(places(on_slope(0.9, **settings), 48)[[24, 48], 0])[0]
    print("WAY", settings, way)
    assert abs(way) < 2e-5


def test_what_slides_has_no_anchors():
    """Coulomb's law holds for it, as without."""
    simulation = on_slope(1.1)
    way = np.diff(places(simulation, 36)[[12, 24, 36], 0], 2)[0]
    gravity = simulation.system.scene.gravity
    print("SLIDE", way, (gravity[0] + FRICTION * gravity[2]) * 0.25, anchored(simulation).sum())
    assert way == pytest.approx((gravity[0] + FRICTION * gravity[2]) * 0.25, rel=0.05)


def test_a_plane_that_moves_takes_along_what_sticks():
    seconds = np.arange(52) / 24
    transforms = np.tile(np.eye(4), (52, 1, 1))
    transforms[:, 1, 3] = 0.3 * seconds**2
    simulation = on_slope(0.6, transforms=transforms)
    way = places(simulation, 48)[[24, 48]] - transforms[[24, 48], :3, 3]
    print("BELT", np.diff(way, axis=0))
    assert np.linalg.norm(np.diff(way, axis=0)[0]) < 5e-5


def test_what_leaves_the_floor_has_none():
    simulation = on_slope(0.5)
    places(simulation, 6)
    assert anchored(simulation).any()
    state = simulation.checkpoint()
    state["velocities"][:, 2] += 1.0
    simulation.restore(6, state)
    simulation.advance()
    assert not anchored(simulation).any()


def test_they_are_part_of_the_checkpoint():
    simulation = on_slope(0.9)
    places(simulation, 6)
    state = simulation.checkpoint()
    expected = places(simulation, 4)
    other = on_slope(0.9)
    other.restore(6, state)
    np.testing.assert_array_equal(places(other, 4), expected)
    with pytest.raises(XpbdError, match="collider_anchors") as fault:
        other.restore(6, {**state, "collider_anchors": state["collider_anchors"][:-1]})
    assert fault.value.code == "E_CACHE"


def test_threads_give_the_same_bytes(monkeypatch):
    monkeypatch.setattr(tasks, "TASK_SECONDS", 1e-8)
    serial, threads, colours = (places(on_slope(0.9, path=path, substeps=5), 8) for path in PATHS)
    np.testing.assert_array_equal(threads, serial)
    np.testing.assert_allclose(colours, serial, rtol=0, atol=1e-9)


def test_cloth_needs_none():
    simulation = solver(replace(cloth(4), friction=0.5) if False else cloth(4), colliders=[plane()])
    assert "collider_anchors" not in simulation.checkpoint()
