# SPDX-License-Identifier: GPL-3.0-or-later
"""What building a system takes at its peak, and what of it stays."""

import tracemalloc

import numpy as np
import pytest

from blender_xpbd.scene.body import Body, Tetrahedralization
from blender_xpbd.scene.material import Material
from blender_xpbd.scene.scene import Scene
from blender_xpbd.scene.settings import FrameRange, SolverSettings
from blender_xpbd.solver.system.system import build_system
from tests.geometry.solid.test_embedding import box


def scene_of(*bodies):
    return Scene(bodies, (), FrameRange(1, 10, 1, 1 / 24), SolverSettings(acceleration="NONE"))


def jelly(cells, model):
    """A cube of tetrahedra with a mesh of a single face: what a surface takes is not counted."""
    vertices, tetrahedra = box(cells)
    tetrahedralization = Tetrahedralization("FILE", vertices=vertices, tetrahedra=tetrahedra)
    material = Material(solid_model=model)
    triangle = vertices[[0, 1, cells + 2]]
    return Body(
        "b0",
        "Cube",
        "JELLY",
        triangle,
        np.array([3], np.int32),
        np.arange(3, dtype=np.int32),
        material,
        tetrahedralization=tetrahedralization,
    )


def cloth(side):
    index = np.arange(side**2, dtype=np.int32).reshape(side, side)
    quads = np.stack([index[:-1, :-1], index[:-1, 1:], index[1:, 1:], index[1:, :-1]], axis=-1).reshape(-1, 4)
    line = np.linspace(0.0, 1.0, side)
    positions = np.stack([np.tile(line, side), np.repeat(line, side), np.zeros(side**2)], axis=1)
    material = Material(stiffness_input="COMPLIANCE", bending_model="DISTANCE", internal_damping=0.0)
    return Body("b0", "Cloth", "CLOTH", positions, np.full(len(quads), 4, np.int32), quads.ravel(), material)


@pytest.mark.parametrize(
    ("body", "kind", "most", "most_held"),
    [
        (jelly(25, "NEO_HOOKEAN"), "neo_hookean", 230, 115),
        (jelly(25, "COROTATED"), "corotated", 215, 107),
        (cloth(200), "distance", 130, 60),
    ],
    ids=["neo-Hookean", "co-rotated", "cloth"],
)
def test_bytes_of_a_constraint(body, kind, most, most_held):
    scene = scene_of(body)
    tracemalloc.start()
    system = build_system(scene)
    held, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    count = system.schedule.counts()[kind]
    assert count > 90_000
    assert peak < most * count
    assert held < most_held * count
