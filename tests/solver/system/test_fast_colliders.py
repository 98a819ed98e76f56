# SPDX-License-Identifier: GPL-3.0-or-later
"""How far colliders go in a substep, and how finely a frame is divided for it."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.scene.collider import Collider
from blender_xpbd.solver.system.colliders import build_colliders
from blender_xpbd.solver.system.fast_colliders import FAST, MOST_SUBSTEPS, SLOW, FastColliders
from blender_xpbd.solver.system.system import build_system
from tests.solver.scenes import cloth, mesh_box, scene

SUBSTEPS = 5


def fast(*colliders, body=None):
    """How fast colliders are for a cloth of 11², 1 m wide, unless another is given."""
    world = scene(body or cloth(11), colliders=colliders, meet=True, substeps=SUBSTEPS, frames=(1, 3))
    built = build_colliders(world.colliders, np.zeros(3), 0.01, 1.0)
    return FastColliders(build_system(world).objects, built, SUBSTEPS)


def moved(way):
    transforms = np.tile(np.eye(4), (3, 1, 1))
    transforms[1:, 0, 3] = way
    return mesh_box(0.2, transforms=transforms)


def mean_edge(count):
    """Of a grid of quads as triangles of 1 m."""
    straight, slanted = 2 * count * (count - 1), (count - 1) ** 2
    return (straight + slanted * np.sqrt(2.0)) / (straight + slanted) / (count - 1)


def test_a_way_counts_in_edges_of_the_finest_body_that_sees_it():
    shares = fast(moved(1.0)).shares(0)
    np.testing.assert_allclose(shares, [1.0 / SUBSTEPS / mean_edge(11)], rtol=0.1)
    np.testing.assert_allclose(fast(moved(1.0)).shares(1), [0.0], atol=1e-12)


def test_turns_and_deformation_count():
    transforms = np.tile(np.eye(4), (3, 1, 1))
    transforms[1, :2, :2] = [[-1.0, -1e-3], [1e-3, -1.0]]
    turning = mesh_box(0.2, transforms=transforms)
    way = np.pi * 0.2 * np.sqrt(2.0)
    np.testing.assert_allclose(fast(turning).shares(0), [way / SUBSTEPS / mean_edge(11)], rtol=0.1)
    still = mesh_box(0.2)
    places = np.concatenate([still.positions, still.positions + np.array([0.0, 0.0, 1.0]), still.positions])
    bulging = Collider("c0", "Box", "MESH", np.eye(4)[None], places, still.triangles)
    assert fast(bulging).shares(0) >= 0.99 / SUBSTEPS / mean_edge(11)


def test_what_no_body_sees_is_never_fast():
    body = cloth(11)
    body = replace(body, contact=replace(body.contact, self_collision=True, sees=("c0",)))
    other = replace(moved(1e3), identifier="c1")
    shares = fast(mesh_box(0.2), other, body=body).shares(0)
    assert shares.max() == 0.0


@pytest.mark.parametrize(
    ("share", "count"),
    [(FAST, 1), (1.01 * FAST, np.ceil(1.01 * FAST / SLOW)), (1e6, MOST_SUBSTEPS // SUBSTEPS)],
    ids=["slow", "fast", "too fast"],
)
def test_slices_leave_a_small_share(share, count):
    assert fast(mesh_box(0.2)).slices(np.array([0.0, share])) == count
