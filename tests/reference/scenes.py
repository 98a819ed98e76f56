# SPDX-License-Identifier: GPL-3.0-or-later
"""Rest shapes of single constraints, and bodies that the reference and the solver both run."""

from __future__ import annotations

import numpy as np

from blender_xpbd.constraints.attachments.attachment import build_attachment
from blender_xpbd.constraints.attachments.element_attachment import build_element_attachment
from blender_xpbd.constraints.attachments.element_link import build_element_link
from blender_xpbd.constraints.bending.dihedral_bending import build_dihedral_bending
from blender_xpbd.constraints.bending.isometric_bending import build_isometric_bending
from blender_xpbd.constraints.diagonal import build_diagonals
from blender_xpbd.constraints.distance import build_distance
from blender_xpbd.constraints.enclosed_volume import build_enclosed_volume
from blender_xpbd.constraints.membrane import build_membrane
from blender_xpbd.constraints.shape_matching import build_shape_matching
from blender_xpbd.constraints.stitch import build_stitch
from blender_xpbd.constraints.tetrahedron_volume import build_tetrahedron_volume
from blender_xpbd.constraints.two_sided_distance import build_two_sided_distance
from blender_xpbd.scene.body import Body, Tetrahedralization
from blender_xpbd.scene.material import Material
from tests.solver.scenes import pins

TETRAHEDRON = np.array([[0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.1, 1.1, 0.0], [0.2, 0.1, 0.9]])
HINGE = np.array([[0.0, 0.0, 0.0], [0.0, 1.0, 0.1], [-0.9, 0.4, 0.3], [0.8, 0.6, 0.2]])
PAIR = np.array([[0.0, 0.0, 0.0], [1.0, 0.5, -0.2]])
OCTAHEDRON = np.array([[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]])
CORNERS = np.array([[1.0, 0, 0.1], [-1.0, 0, 0], [0, 1.1, 0], [0, -0.9, 0], [0.1, 0, 1.0], [0, 0.1, -1.0]])
SHAPES = {
    "diagonal": PAIR,
    "distance": PAIR,
    "attachment": np.array([[0.3, -0.2, 0.1], [0.4, -0.3, 0.2]]),
    "tetrahedron_volume": TETRAHEDRON,
    "dihedral_bending": HINGE,
    "isometric_bending": HINGE,
    "element_attachment": np.concatenate([TETRAHEDRON, TETRAHEDRON + np.array([0.3, -0.1, 0.2])]),
    "element_link": np.concatenate([TETRAHEDRON, TETRAHEDRON + np.array([0.3, -0.1, 0.2])]),
    "membrane": np.array([[0.0, 0.0, 0.0], [1.0, 0.1, 0.2], [0.2, 0.9, -0.1]]),
    "enclosed_volume": CORNERS,
    "shape_matching": CORNERS[:5],
    "two_sided_distance": PAIR,
    "stitch": PAIR,
}
PARAMETERS = {
    "diagonal": (1.1,),
    "distance": (1.1,),
    "attachment": (),
    "tetrahedron_volume": (0.15,),
    "dihedral_bending": (0.4,),
    "isometric_bending": (0.7, 0.4, -0.8, -0.3),
    "element_attachment": (0.1, 0.2, 0.3, 0.4, -0.5, -0.2, -0.2, -0.1),
    "membrane": (0.9, 0.2, -0.1, 1.2),
    "enclosed_volume": (OCTAHEDRON, 1.2),
    "shape_matching": (CORNERS[:5], np.array([1.0, 2.0, 0.5, 1.0, 3.0])),
}
INVERSE_MASSES = np.array([0.5, 2.0, 1.0, 0.7, 1.3, 0.9, 0.4, 1.1])


def block_of(name, compliance):
    """One constraint of the package on its rest shape."""
    rest = SHAPES[name]
    order = np.arange(len(rest), dtype=np.int32)[None]
    if name == "membrane":
        block = build_membrane(rest, order, 1.0, 1.5, 0.7, 0.2, np.array([[0.5, -0.3, 0.9]]))
        block.parameters[:, -1] = compliance
        return block
    quarters = np.full((1, 4), 0.25)
    builders = {
        "diagonal": lambda: build_diagonals(rest, order, compliance),
        "distance": lambda: build_distance(rest, order, compliance),
        "attachment": lambda: build_attachment(order, np.array([compliance])),
        "tetrahedron_volume": lambda: build_tetrahedron_volume(rest, order, compliance),
        "dihedral_bending": lambda: build_dihedral_bending(rest, order, compliance),
        "isometric_bending": lambda: build_isometric_bending(rest, order, compliance),
        "element_attachment": lambda: build_element_attachment(
            order[:, :4], quarters, order[:, 4:], quarters, compliance
        ),
        "element_link": lambda: build_element_link(
            rest,
            order[:, :4],
            np.array([[0.1, 0.2, 0.3, 0.4]]),
            order[:, 4:],
            np.array([[0.5, 0.2, 0.2, 0.1]]),
            None,
            compliance,
            2.0 * compliance,
        ),
        "enclosed_volume": lambda: build_enclosed_volume(rest, OCTAHEDRON.astype(np.int32), 1.0, compliance),
        "shape_matching": lambda: build_shape_matching(rest, 1 / INVERSE_MASSES[:5], [order[0]], compliance),
        "two_sided_distance": lambda: build_two_sided_distance(rest, order, compliance, 2.0 * compliance),
        "stitch": lambda: build_stitch(order, 0.4, 20.0, compliance),
    }
    return builders[name]()


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
