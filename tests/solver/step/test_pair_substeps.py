# SPDX-License-Identifier: GPL-3.0-or-later
"""Windows of a frame: what is known of objects before one begins."""

import numpy as np
import pytest

from blender_xpbd.scene.collider import Collider
from tests.solver.scenes import jelly_cube, mesh_box, plane, touching
from tests.solver.test_deforming_colliders import ball

pytestmark = pytest.mark.usefixtures("taichi_cpu")

AWAY = np.eye(4)[None]
AWAY[0, 2, 3] = -5.0
SPHERE = Collider("c0", "Ball", "SPHERE", np.eye(4)[None], radius=0.3)
FAR = Collider("c0", "Ball", "SPHERE", AWAY, radius=0.3)


@pytest.mark.parametrize(
    ("collider", "meets"),
    [
        (plane(), True),
        (plane(transforms=AWAY), False),
        (SPHERE, True),
        (FAR, False),
        (mesh_box(0.3), False),
        (ball(np.linspace(0.3, 0.35, 50)), False),
    ],
    ids=["plane", "plane away", "sphere", "sphere away", "mesh", "mesh that deforms"],
)
def test_meshes_are_no_planes_and_spheres(collider, meets):
    """A cube around the origin; the search has the triangles of meshes, so their islands keep a mean motion."""
    simulation = touching(jelly_cube(0.4, -0.5, 2), colliders=[collider], substeps=4)
    windows, system = simulation._windows, simulation.system
    starts = np.zeros((len(system.positions), 4))
    starts[:, :3] = system.positions
    motion = simulation._colliders.motion(0, 4)
    assert bool(windows._meets_shapes(starts, np.zeros_like(starts), motion)[0]) == meets
