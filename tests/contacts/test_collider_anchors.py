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
from tests.solver.scenes import GRAVITY, cloth, mesh_box, plane, solver

pytestmark = pytest.mark.usefixtures("taichi_cpu")

FRICTION = 0.5


def fine_cube():
    """A cube of 0.2 m whose faces have 16 cells, so that many points share the corners of tetrahedra."""
    positions, triangles = cube()
    for _ in range(2):
        sides = np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
        edges, middles = np.unique(sides, axis=0, return_inverse=True)
        a, b, c = triangles.T
        ab, bc, ca = len(positions) + middles.reshape(-1, 3).T
        positions = np.concatenate([positions, positions[edges].mean(axis=1)])
        triangles = np.concatenate(
            [np.stack(rows, axis=1) for rows in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))]
        )
    return positions, triangles.astype(np.int32)


def on_slope(ratio, path="SERIAL", shape=cube, resolution=4, transforms=None, floor=None, **settings):
    """A firm cube of 0.2 m on a plane or another floor, under gravity that leans by tan θ = ratio · μ."""
    angle = np.arctan(ratio * FRICTION)
    gravity = GRAVITY * np.array([np.sin(angle), 0.0, -np.cos(angle)])
    body = solid(shape, resolution=resolution, **{**FIRM, "friction": FRICTION})
    floor = floor or plane(friction=FRICTION, transforms=transforms)
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


def test_what_sticks_does_not_creep():
    """Without anchors it came by 0.22 mm in the second second."""
    simulation = on_slope(0.9, shape=fine_cube, resolution=8, substeps=28)
    way = places(simulation, 48)[[24, 48], 0]
    assert abs(way[1] - way[0]) < 2e-5


def test_what_slides_has_no_anchors():
    """Coulomb's law holds for it, as without."""
    simulation = on_slope(1.1)
    way = np.diff(places(simulation, 36)[[12, 24, 36], 0], 2)[0]
    gravity = simulation.system.scene.gravity
    assert way == pytest.approx((gravity[0] + FRICTION * gravity[2]) * 0.25, rel=0.05)
    assert not anchored(simulation).any()


def test_a_plane_that_moves_takes_along_what_sticks():
    seconds = np.arange(52) / 24
    transforms = np.tile(np.eye(4), (52, 1, 1))
    transforms[:, 1, 3] = 0.3 * seconds**2
    simulation = on_slope(0.6, transforms=transforms)
    way = places(simulation, 48)[[24, 48]] - transforms[[24, 48], :3, 3]
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


def block(frames, deforms):
    """A mesh collider whose top is the floor; one that turns about Z, or one that grows along X."""
    seconds, low = np.arange(frames) / 24, np.array([0.0, 0.0, 1.0])
    box = mesh_box(1.0, friction=FRICTION)
    if deforms:
        growth = 1.0 + 0.05 * seconds[:, None, None] * [1.0, 0.0, 0.0]
        return replace(box, positions=(box.positions - low) * growth)
    turns = np.tile(np.eye(4), (frames, 1, 1))
    turns[:, 0, 0], turns[:, 0, 1] = np.cos(seconds), -np.sin(seconds)
    turns[:, 1, 0], turns[:, 1, 1] = np.sin(seconds), np.cos(seconds)
    return replace(box, positions=box.positions - low, transforms=turns)


@pytest.mark.parametrize("deforms", [False, True], ids=["turning", "growing"])
def test_meshes_hold_with_threads_and_from_any_frame_on(monkeypatch, deforms):
    """A cube sticks to what turns, and to what grows by 0.05 of its place in a second; resumed at each frame."""
    monkeypatch.setattr(tasks, "TASK_SECONDS", 1e-8)
    frames = 4
    serial = on_slope(0.5, floor=block(frames + 1, deforms), substeps=5, frames=(1, frames + 1))
    states = [serial.checkpoint()]
    for _ in range(frames):
        serial.advance()
        states.append(serial.checkpoint())
    assert anchored(serial).any()
    threads = on_slope(0.5, path="THREADS", floor=block(frames + 1, deforms), substeps=5, frames=(1, frames + 1))
    # the last frame first, so that nothing that is left on the device is what it should be
    for frame in reversed(range(frames)):
        threads.restore(frame, states[frame])
        threads.advance()
        for name, array in threads.checkpoint().items():
            np.testing.assert_array_equal(array, states[frame + 1][name], err_msg=f"{name}, frame {frame + 1}")


def test_particles_of_their_own_and_bdf2_have_none():
    assert "collider_anchors" not in solver(cloth(4), colliders=[plane()]).checkpoint()
    assert "collider_anchors" not in on_slope(0.9, time_integration="BDF2").checkpoint()
