# SPDX-License-Identifier: GPL-3.0-or-later
"""Rest shapes of single constraints, and bodies that the reference and the solver both run."""

from __future__ import annotations

import numpy as np

from blender_xpbd.constraints.attachment import build_attachment
from blender_xpbd.constraints.dihedral_bending import build_dihedral_bending
from blender_xpbd.constraints.distance import build_distance
from blender_xpbd.constraints.tetrahedron_volume import build_tetrahedron_volume
from blender_xpbd.scene.material import Material
from blender_xpbd.scene.scene import Body, Tetrahedralization
from tests.solver.scenes import pins

SHAPES = {
    "distance": np.array([[0.0, 0.0, 0.0], [1.0, 0.5, -0.2]]),
    "attachment": np.array([[0.3, -0.2, 0.1], [0.4, -0.3, 0.2]]),
    "tetrahedron_volume": np.array([[0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.1, 1.1, 0.0], [0.2, 0.1, 0.9]]),
    "dihedral_bending": np.array([[0.0, 0.0, 0.0], [0.0, 1.0, 0.1], [-0.9, 0.4, 0.3], [0.8, 0.6, 0.2]]),
}
PARAMETERS = {"distance": (1.1,), "attachment": (), "tetrahedron_volume": (0.15,), "dihedral_bending": (0.4,)}


def block_of(name, compliance):
    """One constraint of the package on its rest shape."""
    rest = SHAPES[name]
    order = np.arange(len(rest), dtype=np.int32)[None]
    if name == "distance":
        return build_distance(rest, order, compliance)
    if name == "attachment":
        return build_attachment(order, np.array([compliance]))
    if name == "tetrahedron_volume":
        return build_tetrahedron_volume(rest, order, compliance)
    return build_dihedral_bending(rest, order, compliance)


def two_tetrahedra(**values):
    """Two tetrahedra that share a face, hanging from one vertex."""
    points = np.array([[0.0, 0, 0], [0.5, 0.1, -0.1], [0.1, 0.5, 0], [0.1, 0.1, -0.5], [0.5, 0.5, -0.4]])
    tetrahedra = np.array([[0, 1, 2, 3], [1, 2, 3, 4]], np.int32)
    faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 4], [2, 3, 4], [1, 4, 3]], np.int32)
    material = Material.from_values({"internal_damping": 0.0, **values})
    inside = Tetrahedralization("FILE", vertices=points, tetrahedra=tetrahedra)
    return Body(
        "b0", "Tetrahedra", "JELLY", points, np.full(6, 3, np.int32), faces.ravel(), material, pins(points, [0]), inside
    )
