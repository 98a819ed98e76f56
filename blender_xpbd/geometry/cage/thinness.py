# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a mesh is thin for the cells of its cage.

A cell that is filled in part is as deep as a full one, only softer, and stiffness can be moved inwards only as far as
there are cells inside (``stiffness``). So what is thinner than its cells bends too stiffly: strips of 0.8 and 0.4 cells
1.6 and 5 times.
"""

from __future__ import annotations

import math

import numpy as np

from ...scene.body import RESOLUTION_RANGE
from ...scene.errors import Notice

# thickness that bends about as its material does [cells]
ENOUGH_CELLS = 2.0
# share of the volume that may be thin without a word: tips and edges are. Chosen by hand, above a box of three cells
LEAST_THIN = 0.25


def thin_tetrahedra(tetrahedra: np.ndarray, is_whole: np.ndarray) -> np.ndarray:
    """Which tetrahedra lie where the mesh is thinner than about two cells, shape (tetrahedra,), bool.

    A vertex is *deep* where all tetrahedra around it lie in the mesh, which takes about two cells. What is thick has a
    deep vertex no farther than the next tetrahedron.

    Args:
        tetrahedra: of a cage, shape (tetrahedra, 4).
        is_whole: which lie wholly in the mesh, shape (tetrahedra,).
    """
    near = np.ones(tetrahedra.max() + 1, dtype=bool)
    near[tetrahedra[~is_whole]] = False
    for _ in range(2):
        has_near = near[tetrahedra].any(axis=1)
        near[tetrahedra[has_near]] = True
    return ~has_near


def thinness_notices(
    is_thin: np.ndarray,
    volumes: np.ndarray,
    points: np.ndarray,
    triangles: np.ndarray,
    elements: np.ndarray,
    resolution: int,
    object_name: str,
) -> tuple[Notice, ...]:
    """``W_THIN`` where much of a mesh is thinner than two cells, with the resolution that it takes.

    Args:
        is_thin: of ``thin_tetrahedra``.
        volumes: of the mesh in each tetrahedron, in cells, shape (tetrahedra,).
        points: vertices of the mesh in lattice units, shape (vertices, 3).
        triangles: of the mesh, shape (triangles, 3).
        elements: the tetrahedron of each vertex, shape (vertices,).
        resolution: of the cage.
        object_name: named in the notice.
    """
    thin = float(volumes[is_thin].sum())
    share = thin / float(volumes.sum())
    if share < LEAST_THIN:
        return ()
    first, second, third = points[triangles[:, 0]], points[triangles[:, 1]], points[triangles[:, 2]]
    areas = 0.5 * np.linalg.norm(np.cross(second - first, third - first), axis=1)
    area = float(areas @ is_thin[elements[triangles]].mean(axis=1))
    text = f"{share:.0%} of the mesh is thinner than two cells of its cage and bends too stiffly; "
    # a plate has two sides
    needed = math.inf if area == 0.0 else resolution * ENOUGH_CELLS * area / (2.0 * thin)
    if needed <= RESOLUTION_RANGE[1]:
        text += f"take a Resolution of about {max(math.ceil(needed), resolution + 1)}"
    else:
        text += "thicken it, or make it cloth: no Resolution is fine enough"
    return (Notice("W_THIN", text, object_name),)
