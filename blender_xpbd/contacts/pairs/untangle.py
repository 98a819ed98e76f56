# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes apart what is tangled at the start: edges that go through triangles.

Where two surfaces go through each other they meet in a contour. It becomes shorter, and at last vanishes, where each
edge moves against the triangle that it crosses along the gradient of the contour's length (Volino & Magnenat-Thalmann
2006, "Resolving surface collisions through intersection contour minimization"). No side counts as the right one, but
where two cloths have different layers: there the outer one belongs on the side of the inner one's normals.

All is done in NumPy before a substep that begins tangled, and only in the first frames: pairs that are apart are never
tangled again. Pushes are speeds that the substep has and that are taken back after it, so that nothing is thrown, and
so that pairs that are apart limit them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...geometry.components import connected_components
from ...geometry.search.surfaces import Surfaces
from .tables import KIND, POINTS, VERTEX_TRIANGLE

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]

# bound of a pair that is tangled: never near
TANGLED_BOUND = 1e30
# speed at which sides part [m/s], and the share of the mean crossing edge by which they part in a substep at most: both
# chosen by hand
UNTANGLING_SPEED = 1.0
EDGE_SHARE = 0.25
# gradients below this one lead to smaller pushes (Volino & Magnenat-Thalmann 2006, eq. 5)
GENTLE_GRADIENT = 0.3
# how much the direction of the whole contour counts beside that of the crossing; chosen by hand
WHOLE_SHARE = 1.0


class Carriers(NamedTuple):
    """What moves the surface points.

    Attributes:
        elements: four particles of each point, shape (points, 4) or more.
        weights: of these, shape (points, 4).
        inverse_masses: of the particles [1/kg], shape (particles,).
    """

    elements: Ints
    weights: npt.NDArray[np.float32]
    inverse_masses: Floats


def tangled_pairs(surfaces: Surfaces, found: Ints, pair_ints: Ints) -> Bools:
    """Which pairs stand in the way of untangling.

    Of two objects these are the pairs of which both sides have a point that is near crossings of these two: of an edge
    that crosses, of a triangle that is crossed, or of a neighbour of one.

    Args:
        surfaces: of all objects.
        found: edge and triangle of each crossing, shape (crossings, 2).
        pair_ints: rows of pairs as in ``tables``, shape (pairs, 5).
    """
    count, owners = surfaces.object_count, surfaces.point_objects
    ends, corners = surfaces.edges[found[:, 0]], surfaces.triangles[found[:, 1]]
    edge_owners, triangle_owners = owners[ends[:, :1]], owners[corners[:, :1]]
    keys = np.concatenate([(ends * count + triangle_owners).ravel(), (corners * count + edge_owners).ravel()])
    marked = np.unique(_with_neighbours(surfaces, keys))
    points, kinds = pair_ints[:, POINTS:], pair_ints[:, KIND]
    one, other = owners[points[:, :1]], owners[points[:, 3:]]
    of_a = np.arange(4) < np.where(kinds == VERTEX_TRIANGLE, 1, 2)[:, None]
    is_marked = np.isin(points * count + np.where(of_a, other, one), marked)
    result: Bools = (is_marked & of_a).any(axis=1) & (is_marked & ~of_a).any(axis=1)
    return result


def _with_neighbours(surfaces: Surfaces, keys: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Keys, point · objects + object, of points and of all that triangles have in common with them."""
    count = surfaces.object_count
    result = [keys]
    for other in range(count):
        of_other = np.zeros(len(surfaces.rest), np.bool_)
        of_other[keys[keys % count == other] // count] = True
        near = surfaces.triangles[of_other[surfaces.triangles].any(axis=1)]
        result.append(near.ravel().astype(np.int64) * count + other)
    return np.concatenate(result)


def untangling_velocities(
    surfaces: Surfaces, found: Ints, positions: Floats, carriers: Carriers, outside: Ints, duration: float
) -> Floats:
    """The velocities to add in a substep so that crossings come apart.

    Args:
        surfaces: of all objects.
        found: edge and triangle of each crossing, shape (crossings, 2).
        positions: of the surface points [m], shape (points, 3).
        carriers: what moves them.
        outside: 1 where the object of the row belongs on the outside of that of the column, −1 where it is the other
            way round, 0 where nothing says it, shape (objects, objects).
        duration: of the substep [s].

    Returns:
        Of the particles [m/s], shape (particles, 3); momentum is kept.
    """
    added = np.zeros((len(carriers.inverse_masses), 3))
    if len(found) == 0:
        return added
    directions, shares = _directions(surfaces, found, positions, outside)
    points = np.concatenate([surfaces.edges[found[:, 0]], surfaces.triangles[found[:, 1]]], axis=1)
    # each end and each corner counts alike, so that what is pushed stays in shape
    signed = np.array([0.5, 0.5, -1.0 / 3.0, -1.0 / 3.0, -1.0 / 3.0])
    masses = carriers.inverse_masses[carriers.elements[:, :4]]
    inverse_masses = (carriers.weights.astype(np.float64) ** 2 * masses).sum(axis=1)
    totals = (signed**2 * inverse_masses[points]).sum(axis=1)
    # so many pushes go to a point; none of them may count more than its part, on either side alike
    crowds = np.bincount(points.ravel(), minlength=len(surfaces.rest))[points].max(axis=1)
    ends = positions[surfaces.edges[found[:, 0]]]
    edge = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1).mean()
    step = min(UNTANGLING_SPEED * duration, EDGE_SHARE * edge) / duration
    sizes = np.where(totals > 0.0, step * shares / np.maximum(totals * crowds, 1e-300), 0.0)
    impulses = np.zeros_like(positions)
    np.add.at(impulses, points, signed[None, :, None] * (sizes[:, None] * directions)[:, None, :])
    moved = carriers.weights[:, :, None] * impulses[:, None, :] * masses[:, :, None]
    np.add.at(added, carriers.elements[:, :4], moved)
    speeds = np.linalg.norm(added, axis=1, keepdims=True)
    return added * (step / max(float(speeds.max()), step))


def _directions(surfaces: Surfaces, found: Ints, positions: Floats, outside: Ints) -> tuple[Floats, Floats]:
    """Unit vectors in which edges are to move against triangles (crossings, 3), and how much (crossings,), up to 1."""
    ends, corners = positions[surfaces.edges[found[:, 0]]], positions[surfaces.triangles[found[:, 1]]]
    normals = _unit(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]))
    ways = _unit(ends[:, 1] - ends[:, 0])
    faces, rows = _faces_of(surfaces, found[:, 0])
    gradients = np.zeros_like(ways)
    np.add.at(gradients, rows, _into_faces(surfaces, positions, faces, ends[rows], ways[rows], normals[rows]))
    contours, signs = _contours(found, faces, rows)
    whole = np.zeros((2 * len(found), 3))
    np.add.at(whole, contours, signs[:, None] * gradients)
    gradients += WHOLE_SHARE * signs[:, None] * whole[contours]
    owners = surfaces.point_objects
    above = outside[owners[surfaces.edges[found[:, 0], 0]], owners[surfaces.triangles[found[:, 1], 0]]][:, None]
    gradients = np.where(above != 0, above * normals, gradients)
    sizes = np.linalg.norm(gradients, axis=1)
    return _unit(gradients), sizes / np.sqrt(sizes**2 + GENTLE_GRADIENT**2)


def _into_faces(
    surfaces: Surfaces, positions: Floats, faces: Ints, ends: Floats, ways: Floats, normals: Floats
) -> Floats:
    """The part of each face at a crossing edge in the gradient, shape (faces, 3)."""
    corners = positions[surfaces.triangles[faces]]
    face_normals = _unit(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]))
    along = _unit(np.cross(normals, face_normals))
    # into the face, away from the edge
    inward = corners.mean(axis=1) - ends[:, 0]
    inward -= _dot(inward, ways) * ways
    along *= np.where(_dot(along, inward) < 0.0, -1.0, 1.0)
    slope = _dot(ways, normals)
    slope = np.where(slope < 0.0, -1.0, 1.0) * np.maximum(np.abs(slope), 1e-3)
    return along - _dot(ways, along) / slope * normals


def _faces_of(surfaces: Surfaces, edges: Ints) -> tuple[Ints, Ints]:
    """The triangles at some edges, and to which of these each belongs."""
    count = len(surfaces.rest)
    sides = np.sort(np.stack([surfaces.triangles, np.roll(surfaces.triangles, -1, axis=1)], axis=2), axis=2)
    keys = (sides[:, :, 0].astype(np.int64) * count + sides[:, :, 1]).ravel()
    order = np.argsort(keys, kind="stable")
    ends = np.sort(surfaces.edges[edges], axis=1).astype(np.int64)
    wanted = ends[:, 0] * count + ends[:, 1]
    first = np.searchsorted(keys, wanted, "left", sorter=order)
    numbers = np.searchsorted(keys, wanted, "right", sorter=order) - first
    rows = np.repeat(np.arange(len(edges)), numbers)
    places = np.arange(len(rows)) - np.repeat(np.cumsum(numbers) - numbers, numbers) + first[rows]
    return (order[places] // 3).astype(np.int32), rows.astype(np.int32)


def _contours(found: Ints, faces: Ints, rows: Ints) -> tuple[Ints, Floats]:
    """Contours of crossings, which hang together by pairs of triangles that meet.

    Returns:
        A number that all crossings of a contour have, and 1 or −1: crossings of the same sign have their edges on the
        same of the two surfaces; shape (crossings,).
    """
    meeting = np.column_stack([faces, found[rows, 1]])
    segments = np.unique(np.sort(meeting, axis=1), axis=0, return_inverse=True)[1].ravel()
    # a crossing and a segment are two nodes each, one per sign
    is_turned = meeting[:, 0] > meeting[:, 1]
    one, other = 2 * rows, 2 * (len(found) + segments)
    links = np.concatenate([np.column_stack([one + k, other + (is_turned ^ (k == 1))]) for k in (0, 1)])
    count = 2 * (len(found) + int(segments.max(initial=-1)) + 1)
    labels = connected_components(count, links.astype(np.int32))[: 2 * len(found)].reshape(-1, 2)
    # nothing tells the sides of a surface that meets itself in a Möbius strip
    signs = np.sign(labels[:, 1] - labels[:, 0]).astype(np.float64)
    return labels.min(axis=1), signs


def taken_back(velocities: Floats, added: Floats) -> Floats:
    """Velocities (particles, 3) after the substep, without what is left in them of those that were added [m/s]."""
    squares = (added * added).sum(axis=1, keepdims=True)
    shares = np.clip(_dot(velocities, added) / np.maximum(squares, 1e-300), 0.0, 1.0)
    return velocities - shares * added


def _dot(one: Floats, other: Floats) -> Floats:
    result: Floats = (one * other).sum(axis=1, keepdims=True)
    return result


def _unit(vectors: Floats) -> Floats:
    result: Floats = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-300)
    return result
