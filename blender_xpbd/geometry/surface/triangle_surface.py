# SPDX-License-Identifier: GPL-3.0-or-later
"""Triangles made fit for distance queries: welded, deduplicated, oriented outward, with pseudonormals.

Artists' meshes have doubled vertices, doubled faces, faces of no area and flipped parts. What comes out
here knows whether it bounds a solid, and if so its triangles wind so that normals point out of it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...scene.errors import XpbdError

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

# vertices nearer than this part of the mesh's size are one; three such coordinates fit into 63 bits
WELD_TOLERANCE = 1e-6
# triangles lower than this part of the mesh's size have no normal worth the name in float32
LEAST_HEIGHT = 1e-7


@dataclass(frozen=True)
class TriangleSurface:
    """A cleaned triangle mesh.

    Attributes:
        corners: [m], shape (triangles, 3, 3): triangle, corner, coordinate.
        normals: unit face normals, shape (triangles, 3); outward if closed.
        pseudonormals: unit normals of the features face, edges ab, bc, ca, vertices a, b, c;
            shape (triangles, 7, 3). Edges sum the faces that meet there, vertices weigh them by angle.
        closed: whether the mesh bounds a solid.
    """

    corners: Floats
    normals: Floats
    pseudonormals: Floats
    closed: bool


def build_triangle_surface(positions: Floats, triangles: npt.NDArray[np.integer], name: str = "") -> TriangleSurface:
    """Clean a triangle mesh for distance queries.

    A mesh is closed if every edge, after welding, is passed equally often in both directions; where only
    the directions disagree they are made to agree. Anything else is open and has two equal sides.
    The sign of a distance to a closed mesh follows from the pseudonormals (Bærentzen & Aanæs 2005,
    "Signed distance computation using the angle weighted pseudonormal").

    Args:
        positions: [m], shape (vertices, 3).
        triangles: vertex indices, shape (triangles, 3).
        name: the object's, for errors.

    Raises:
        XpbdError: E_GEOM_EMPTY if no triangle has an area, E_GEOM_NONFINITE for NaN or infinite positions.
    """
    positions = np.asarray(positions, np.float64).reshape(-1, 3)
    triangles = np.asarray(triangles, np.int64).reshape(-1, 3)
    finite = np.isfinite(positions).all(axis=1)
    if not finite.all():
        vertex = int(np.argmin(finite))
        raise XpbdError("E_GEOM_NONFINITE", f"vertex {vertex} is not a finite point; delete or move it", name)
    positions, triangles = _weld(positions, triangles)
    closed, triangles = oriented(positions, triangles)
    triangles = triangles[_heights(positions[triangles]) > LEAST_HEIGHT * extent(positions[triangles])]
    if len(triangles) == 0:
        message = "the collider has no face with an area; give it faces or take its role away"
        raise XpbdError("E_GEOM_EMPTY", message, name)
    corners = positions[triangles]
    normals = _unit(_crosses(corners))
    return TriangleSurface(corners, normals, _pseudonormals(triangles, corners, normals), closed)


def edge_keys(triangles: Ints) -> tuple[Ints, Ints]:
    """Name the edges ab, bc, ca of each triangle by one number each, and tell their direction.

    Returns:
        keys, shape (triangles × 3,), equal for both directions; directions +1 or -1, same shape.
    """
    starts, ends = triangles, triangles[:, [1, 2, 0]]
    keys = np.minimum(starts, ends) * (int(triangles.max(initial=0)) + 1) + np.maximum(starts, ends)
    return keys.ravel(), np.where(starts < ends, 1, -1).ravel()


def extent(points: Floats) -> float:
    """The longest side of the box around points, shape (…, 3) [m]."""
    flat = points.reshape(-1, 3)
    return float(np.ptp(flat, axis=0).max()) if len(flat) else 0.0


def _unit(vectors: Floats) -> Floats:
    lengths = np.sqrt(np.einsum("...i,...i->...", vectors, vectors))
    return np.asarray(vectors / np.where(lengths > 0.0, lengths, 1.0)[..., None])


def _crosses(corners: Floats) -> Floats:
    """Normals with a length of twice the area [m²], shape (triangles, 3)."""
    return np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])


def _heights(corners: Floats) -> Floats:
    """Least height of each triangle [m]."""
    edges = corners[:, [1, 2, 0]] - corners
    longest = np.sqrt(np.einsum("tki,tki->tk", edges, edges)).max(axis=1)
    doubled_areas = np.sqrt(np.einsum("ti,ti->t", _crosses(corners), _crosses(corners)))
    return np.asarray(doubled_areas / np.where(longest > 0.0, longest, 1.0))


def _weld(positions: Floats, triangles: Ints) -> tuple[Floats, Ints]:
    """Merge doubled vertices; drop unused ones, doubled triangles and those that lost a corner."""
    used, triangles = np.unique(triangles, return_inverse=True)
    positions, triangles = positions[used], triangles.reshape(-1, 3)
    if extent(positions) == 0.0:
        return positions, triangles[:0]
    first, places = same_places(positions)
    return positions[first], distinct_triangles(places[triangles])


def same_places(positions: Floats) -> tuple[Ints, Ints]:
    """Tell which vertices are one.

    Args:
        positions: not all in one place, shape (vertices, 3).

    Returns:
        The first vertex of each place, shape (places,); the place of each vertex, shape (vertices,).
    """
    steps = np.rint((positions - positions.min(axis=0)) / (extent(positions) * WELD_TOLERANCE)).astype(np.int64)
    base = 1 << 20
    _, first, inverse = np.unique(
        (steps[:, 0] * base + steps[:, 1]) * base + steps[:, 2], return_index=True, return_inverse=True
    )
    return first, inverse.reshape(-1)


def distinct_triangles(triangles: Ints) -> Ints:
    """Those with three corners, each once, in their order; shape (n, 3)."""
    ordered = np.sort(triangles, axis=1)
    whole = (ordered[:, 0] != ordered[:, 1]) & (ordered[:, 1] != ordered[:, 2])
    triangles, ordered = triangles[whole], ordered[whole]
    count = int(triangles.max(initial=0)) + 1
    # two keys in turn: a single one of three indices would not fit into 64 bits for large meshes
    _, pairs = np.unique(ordered[:, 0] * count + ordered[:, 1], return_inverse=True)
    _, kept = np.unique(pairs.reshape(-1) * count + ordered[:, 2], return_index=True)
    return triangles[np.sort(kept)]


def oriented(positions: Floats, triangles: Ints) -> tuple[bool, Ints]:
    """Wind the triangles outward if they bound a solid.

    Returns:
        whether they do, and the triangles.
    """
    counts, balances, edges = _edge_use(triangles)
    if len(triangles) == 0 or (counts % 2).any():
        return False, triangles
    pieces = _pieces(len(positions), triangles)
    if balances.any() and (counts == 2).all():
        triangles = _wind_alike(triangles, edges, pieces)
        balances = _edge_use(triangles)[1]
    if balances.any():
        return False, triangles
    return True, _wind_outward(positions, triangles, pieces)


def _edge_use(triangles: Ints) -> tuple[Ints, Ints, Ints]:
    """Count how often each edge is passed, sum the directions, and number the edges ab, bc, ca of each triangle."""
    keys, directions = edge_keys(triangles)
    _, edges, counts = np.unique(keys, return_inverse=True, return_counts=True)
    edges = edges.reshape(-1)
    return counts, np.bincount(edges, directions, len(counts)).astype(np.int64), edges


def _pieces(vertex_count: int, triangles: Ints) -> Ints:
    """Number the connected piece of each triangle."""
    labels = np.arange(vertex_count)
    while True:
        least = labels[triangles].min(axis=1)
        merged = labels.copy()
        np.minimum.at(merged, triangles.ravel(), np.repeat(least, 3))
        merged = merged[merged]
        if (merged == labels).all():
            return np.unique(labels[triangles[:, 0]], return_inverse=True)[1].reshape(-1)
        labels = merged


def _wind_alike(triangles: Ints, edges: Ints, pieces: Ints) -> Ints:
    """Wind neighbours alike, spreading from one triangle of each piece; every edge joins two triangles."""
    directions = edge_keys(triangles)[1]
    pairs = np.argsort(edges, kind="stable").reshape(-1, 2)
    partner = np.empty(len(edges), np.int64)
    partner[pairs[:, 0]], partner[pairs[:, 1]] = pairs[:, 1], pairs[:, 0]
    partner, agree = partner.reshape(-1, 3), (directions != directions[partner]).reshape(-1, 3)
    flips = np.full(len(triangles), -1)
    while (flips < 0).any():
        unknown = np.flatnonzero(flips < 0)
        front = unknown[np.unique(pieces[unknown], return_index=True)[1]]
        flips[front] = 0
        while len(front):
            neighbours = partner[front] // 3
            wanted = np.where(agree[front], flips[front, None], 1 - flips[front, None])
            new = flips[neighbours] < 0
            flips[neighbours[new]] = wanted[new]
            front = np.unique(neighbours[new])
    return np.where(flips[:, None] == 1, triangles[:, ::-1], triangles)


def _wind_outward(positions: Floats, triangles: Ints, pieces: Ints) -> Ints:
    """Turn a mesh inside out where it encloses a negative volume, whole first (a mirrored object), then by piece.

    A negative piece within the bounds of another is a hollow and stays.
    """
    corners = positions[triangles] - positions.mean(axis=0)
    volumes = np.bincount(pieces, np.einsum("ti,ti->t", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])))
    if volumes.sum() < 0.0:
        triangles, volumes = triangles[:, ::-1], -volumes
    lows, highs = np.full((len(volumes), 3), np.inf), np.full((len(volumes), 3), -np.inf)
    np.minimum.at(lows, pieces, corners.min(axis=1))
    np.maximum.at(highs, pieces, corners.max(axis=1))
    inside_out = np.zeros(len(volumes), bool)
    for piece in np.flatnonzero(volumes < 0.0):
        around = ((lows < lows[piece]) & (highs > highs[piece])).all(axis=1)
        inside_out[piece] = not around.any()
    return np.where(inside_out[pieces][:, None], triangles[:, ::-1], triangles)


def _pseudonormals(triangles: Ints, corners: Floats, normals: Floats) -> Floats:
    forward = _unit(corners[:, [1, 2, 0]] - corners)
    backward = -forward[:, [2, 0, 1]]
    angles = np.arccos(np.clip(np.einsum("tki,tki->tk", forward, backward), -1.0, 1.0))
    edges = np.unique(edge_keys(triangles)[0], return_inverse=True)[1].reshape(-1)
    result = np.repeat(normals[:, None, :], 7, axis=1)
    for axis in range(3):
        per_edge = np.bincount(edges, np.repeat(normals[:, axis], 3))
        per_vertex = np.bincount(triangles.ravel(), (angles * normals[:, axis, None]).ravel())
        result[:, 1:4, axis] = per_edge[edges].reshape(-1, 3)
        result[:, 4:7, axis] = per_vertex[triangles]
    lengths = np.sqrt(np.einsum("tki,tki->tk", result, result))
    # faces folded onto each other cancel out; the face's own normal is the best that is left
    result = np.where((lengths > 1e-6)[:, :, None], result, normals[:, None, :])
    return _unit(result)
