# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact points that are known to be clear of all colliders: most are passed over, and no byte changes."""

import numpy as np
import pytest

from blender_xpbd.contacts import nearest_face
from blender_xpbd.device.arrays import edited_array, read_array
from blender_xpbd.scene.collider import Collider
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.step.plan import SERIAL, THREADS
from blender_xpbd.solver.step.standing import StandingColliders
from blender_xpbd.solver.system.system import build_system
from tests.geometry.triangle_shapes import icosphere
from tests.solver.scenes import cloth, plane, scene

pytestmark = pytest.mark.usefixtures("taichi_cpu")

FRAMES = 12


def ball(identifier, place, speed=0.0, radius=0.2):
    """A ball as a mesh that begins to move sideways after half of the frames [m/s]."""
    positions, triangles = icosphere(3)
    matrices = np.tile(np.eye(4), (FRAMES + 1, 1, 1))
    matrices[:, :3, 3] = place
    matrices[:, 0, 3] += speed * np.maximum(np.arange(FRAMES + 1) - FRAMES // 2, 0) / 24.0
    return Collider(
        identifier, identifier, "MESH", matrices, radius * positions[None], triangles.astype(np.int32), friction=0.3
    )


SCENES = {
    "one ball": [ball("c0", (0.0, 0.0, 0.0))],
    "two balls and a floor": [ball("c0", (0.1, 0.0, 0.0)), ball("c1", (-0.25, 0.1, 0.05), radius=0.15), plane(-0.3)],
    "one ball of two moves": [ball("c0", (0.0, 0.0, 0.0)), ball("c1", (-0.62, 0.0, 0.0), 6.0, radius=0.1)],
    "many balls": [ball(f"c{n}", (0.16 * n - 0.4, 0.05 * n, -0.02 * n), radius=0.1) for n in range(6)],
}


def started(colliders, path=SERIAL):
    body = cloth(21, height=0.21)
    return Solver(build_system(scene(body, colliders=colliders, substeps=20, frames=(1, FRAMES + 1))), (path,))


def asks_anew(monkeypatch):
    """Let nothing be known from one substep to the next."""
    monkeypatch.setattr(StandingColliders, "tell", lambda self, state, motion: None)


@pytest.mark.slow
@pytest.mark.parametrize("path", [SERIAL, THREADS])
@pytest.mark.parametrize("name", SCENES)
def test_what_is_known_changes_no_byte(name, path, monkeypatch):
    known = started(SCENES[name], path)
    ways = []
    for _ in range(FRAMES):
        known.advance()
        ways.append(known.positions())
    assert np.ptp(ways[-1][:, 2]) > 0.1, "it falls level where nothing holds it"
    with monkeypatch.context() as patch:
        asks_anew(patch)
        other = started(SCENES[name], path)
        for way in ways:
            other.advance()
            np.testing.assert_array_equal(other.positions(), way)
    assert not read_array(other._state.colliders.clear_told)[0]


def test_most_of_what_is_clear_is_known():
    """Where colliders stand, and only there; in one frame 97 of 100 looks are left out."""
    solver = started(SCENES["two balls and a floor"])
    for _ in range(FRAMES):
        solver.advance()
    world = solver._state.world
    clear = read_array(world.contacts.touches)[:-1] == 0
    assert clear.sum() > 200
    rows = read_array(world.colliders.clear_places)
    way = np.linalg.norm(read_array(world.particles.positions)[: len(rows), :3] - rows[:, :3], axis=1)
    assert (way[clear] < rows[clear, 3]).mean() > 0.97


def test_a_collider_that_moves_leaves_nothing_known():
    solver = started(SCENES["one ball of two moves"])
    told = []
    for _ in range(FRAMES):
        solver.advance()
        colliders = solver._state.colliders
        told.append((read_array(colliders.clear_told)[0], read_array(colliders.clear_places)[:, 3].max()))
    half = FRAMES // 2
    assert all(stands == 1 and far > 0.0 for stands, far in told[:half])
    assert all(stands == 0 and far == 0.0 for stands, far in told[half:])


def test_points_that_are_asked_of_several_meshes_keep_a_face_of_each():
    """With one row for all meshes, each one's look through its grid would drive out what the other one had found."""
    solver = started(SCENES["two balls and a floor"])
    for _ in range(4):
        solver.advance()
    points = len(solver.system.contacts)
    headers = read_array(solver._state.colliders.nearest_ints).reshape(-1, points, nearest_face.NEAREST_INTS)
    both = (headers[:2, :, nearest_face.HEADER] > 0).all(axis=0)
    assert both.any()


def test_wrong_notes_would_be_followed():
    """So what is told matters: the test above would see it."""
    solver = started(SCENES["one ball"])
    solver.advance()
    with edited_array(solver._state.colliders.clear_places) as rows:
        rows[:, 3] = 1e3
    for _ in range(FRAMES - 1):
        solver.advance()
    assert solver.positions()[:, 2].min() < solver.positions()[:, 2].max()
    assert not (read_array(solver._state.contacts.touches)[:-1] > 0).any()
