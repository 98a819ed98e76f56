# SPDX-License-Identifier: GPL-3.0-or-later
"""The curvature of a sheet of triangles, averaged around each vertex, and the energy of a plate that follows from it.

The second derivatives of a height that is linear on each triangle are Σ l θ n⊗n on the edges: l its length, θ the fold,
n across the edge. Weighted with the linear shape function of a vertex, an edge gives half of that to either end. So a
vertex of the area A has the curvature S = Σ ½ l θ n⊗n / A, and a plate without lateral contraction stores ½ k A |S|².
That is the mixed method of Miyoshi 1973 ("A finite element method for the solutions of fourth order partial
differential equations"), with a mass lumped at the vertices. It converges on any mesh; on a grid of squares, however
they are cut, S is the curvature itself.

While triangles keep their shapes, l θ is the length of K x, of the cotangents of isometric bending (Bergou et al. 2006,
§2). So the energy is quadratic in the positions, the same along each axis.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..cholesky import SparseRows
from ..ragged import ramp
from .rest_curvature import RestCurvature, frame_stencils, vertex_frames

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

# components of n⊗n, those off the diagonal twice
FIRST, SECOND = np.array([0, 1, 2, 0, 0, 1]), np.array([0, 1, 2, 1, 2, 2])
COUNTS = np.array([1.0, 1.0, 1.0, 2.0, 2.0, 2.0])


@dataclass(frozen=True)
class Bending:
    """How a sheet bends.

    Attributes:
        matrix: B of the energy ½ Σ xᵀ B x along the three axes [N/m].
        rest: what its rest shape adds; all 0 where that is flat.
    """

    matrix: SparseRows
    rest: RestCurvature


def sheet_bending(
    positions: Floats, hinges: Ints, coefficients: Floats, areas: Floats, bending_stiffness: Floats
) -> Bending:
    """How a sheet bends about its shape at rest.

    Args:
        positions: at rest [m], shape (vertices, 3).
        hinges: edge and the two opposite vertices, shape (hinges, 4).
        coefficients: K of each hinge, shape (hinges, 4).
        areas: of the vertices [m²], see ``plate_areas``, shape (vertices,).
        bending_stiffness: k at each vertex [N·m], shape (vertices,).
    """
    count = len(positions)
    edges = positions[hinges[:, 1]] - positions[hinges[:, 0]]
    edges /= np.linalg.norm(edges, axis=1)[:, None]
    # (n·m)² of two edges is (e·f)² in the plane, so that the directions of the edges serve as well
    tensors = edges[:, FIRST] * edges[:, SECOND] * np.sqrt(COUNTS)
    keys = (hinges[:, :2, None].astype(np.int64) * count + hinges[:, None, :]).reshape(-1)
    halves = np.repeat(0.5 * coefficients, 2, axis=0).reshape(-1)
    owners = np.repeat(np.arange(len(hinges)), 8)
    places, which = np.unique(keys, return_inverse=True)
    rows = np.stack(
        [np.bincount(which.reshape(-1), halves * tensors[owners, axis], minlength=len(places)) for axis in range(6)],
        axis=1,
    ).astype(np.float64)
    vertices, others = places // count, places % count
    per_area = np.divide(bending_stiffness, areas, out=np.zeros(count), where=areas > 0.0)
    # each member of a vertex with each
    members = np.bincount(vertices, minlength=count)
    degrees = members[vertices]
    left = np.repeat(np.arange(len(places)), degrees)
    right = np.repeat((np.cumsum(members) - members)[vertices], degrees) + ramp(degrees)
    values = (rows[left] * rows[right]).sum(axis=1) * per_area[vertices[left]]
    matrix = SparseRows.summed(others[left], others[right], values, count)
    return Bending(matrix, _rest_curvature(positions, vertices, others, rows, per_area))


def _rest_curvature(
    positions: Floats, vertices: npt.NDArray[np.int64], others: npt.NDArray[np.int64], rows: Floats, per_area: Floats
) -> RestCurvature:
    """From the entries of S, shape (entries, 6), at a vertex and another one."""
    count = len(positions)
    curvatures = np.zeros((count, 6, 3))
    np.add.at(curvatures, vertices, rows[:, :, None] * (positions[others] - positions[vertices])[:, None, :])
    forces = per_area[vertices, None] * np.einsum("na,nai->ni", rows, curvatures[vertices])
    stencils = frame_stencils(positions, vertices, others)
    frames = vertex_frames(positions, stencils)[vertices]
    return RestCurvature(others, vertices, np.einsum("nij,ni->nj", frames, forces), stencils)


def plate_areas(
    positions: Floats, triangles: npt.NDArray[np.integer], fixed: npt.NDArray[np.bool_] | None = None
) -> Floats:
    """The area that each vertex stands for in a plate [m²], shape (vertices,).

    That is the part of the surface that is nearest to it, which makes grids of squares exact, but of an obtuse triangle
    half for the obtuse corner and a quarter for the others (Meyer et al. 2003, "Discrete differential-geometry
    operators for triangulated 2-manifolds", §3.3).

    What is fixed does not bend. So a vertex at the edge of a clamp stands for what is free beside it alone, and has
    twice the curvature of the same fold elsewhere: as where the plate goes on as its mirror image, with no slope.

    Args:
        positions: at rest [m], shape (vertices, 3).
        triangles: shape (triangles, 3), of some area.
        fixed: which vertices are fixed, shape (vertices,); None for none.
    """
    bending = triangles if fixed is None else triangles[~fixed[triangles].all(axis=1)]
    corners = positions[bending]
    doubled = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    # the edge opposite each corner, and the cotangent there
    opposite = np.roll(corners, -2, axis=1) - np.roll(corners, -1, axis=1)
    squares = (opposite**2).sum(axis=2)
    cotangents = -(np.roll(opposite, -2, axis=1) * np.roll(opposite, -1, axis=1)).sum(axis=2) / doubled[:, None]
    parts = squares * cotangents / 8.0
    nearest = np.roll(parts, -1, axis=1) + np.roll(parts, -2, axis=1)
    is_obtuse = cotangents < 0.0
    halves = np.where(is_obtuse, 0.25, 0.125) * doubled[:, None]
    shares = np.where(is_obtuse.any(axis=1)[:, None], halves, nearest)
    return np.bincount(bending.ravel(), shares.ravel(), minlength=len(positions)).astype(np.float64)
