# SPDX-License-Identifier: GPL-3.0-or-later
"""The classic demo: a coarse bunny of tetrahedra falls on the floor and bounces."""

import numpy as np
import pytest

from blender_xpbd.geometry.solid.tetrahedra import surface_triangles
from blender_xpbd.scene.body import Body, Tetrahedralization
from blender_xpbd.scene.material import Material
from blender_xpbd.scene.tetgen_files import read_node_ele
from blender_xpbd.solver.system.statistics import Measure
from tests.solver.scenes import plane, solver

pytestmark = pytest.mark.usefixtures("taichi_cpu")


@pytest.mark.slow
def test_bunny_falls_bounces_and_keeps_its_volume(meshes_folder):
    vertices, tetrahedra = read_node_ele(meshes_folder / "bunny-coarse.node")
    vertices[:, 2] += 1.0 - vertices[:, 2].min()
    triangles = surface_triangles(tetrahedra)
    bunny = Body(
        "b0",
        "Bunny",
        "JELLY",
        vertices,
        np.full(len(triangles), 3, np.int32),
        triangles.ravel(),
        Material(
            density=1.0,
            stiffness_input="COMPLIANCE",
            stretch_compliance=0.4,
            volume_compliance=0.0,
            restitution=0.4,
            internal_damping=0.0,
            contact_offset=0.0,
        ),
        tetrahedralization=Tetrahedralization("FILE", vertices=vertices, tetrahedra=tetrahedra),
    )
    simulation = solver(bunny, colliders=[plane()], frames=(1, 1001), duration=1 / 60, gravity=(0, 0, -1), substeps=10)
    assert simulation.system.schedule.counts() == {"distance": 1907, "tetrahedron_volume": 1351}
    measure, lowest, volumes = Measure(simulation.system), [], []
    for _ in range(1000):
        simulation.advance()
        positions = simulation.positions()
        lowest.append(simulation.surface(positions)[:, 2].min() + simulation.system.origin[2])
        volumes.append(measure(positions)[0, 2])
    landed = int(np.argmax(np.array(lowest) < 1e-3))
    assert landed == pytest.approx(np.sqrt(2.0) * 60, abs=3)
    assert np.min(lowest) > -1e-4
    assert np.max(lowest[landed : landed + 200]) > 0.05, "it bounces"
    assert np.abs(volumes).max() < 0.02
