# SPDX-License-Identifier: GPL-3.0-or-later
"""What a closed surface measures: length, area, volume, and how thick what it encloses is. Arrays alone."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

# rays that ask for the thickness, and discs that stand for the surface that they hit
RAYS, DISCS = 250, 2000
# what a disc's radius is multiplied by, so that discs at random places leave hardly a gap: a point is then in four
# discs in the mean, and in none of them at one place in 50
COVER = 2.0
# cosine from which on a ray counts that leaves through a disc: sides that it runs along are no thickness
LEAVING = 0.5
# share of the rays, which begin evenly over the surface, that are shorter than the thickness that is told
THIN_SHARE = 0.2
# the golden ratio's first two relatives: points of a low-discrepancy sequence in the plane (Roberts 2018)
_PLASTIC = np.array([0.7548776662466927, 0.5698402909980532])


@dataclass(frozen=True)
class SolidMeasures:
    """Of a surface.

    Attributes:
        length: along the longest axis of its coordinates.
        area: of the surface.
        volume: that it encloses, by the divergence theorem.
        spacing: about how far apart its vertices are, √(area / vertices).
        thickness: of its thinnest part: ``THIN_SHARE`` of the surface is thinner. ``length`` where nothing was hit.
    """

    length: float
    area: float
    volume: float
    spacing: float
    thickness: float


def edge_numbers(ends: Ints) -> npt.NDArray[np.int64]:
    """A number for each edge, the same in both directions.

    Args:
        ends: vertices of each edge, shape (edges, 2).
    """
    return (ends.min(axis=1).astype(np.int64) << 32) | ends.max(axis=1)


def triangle_edges(triangles: Ints) -> Ints:
    """The edges of triangles, those of several once for each, shape (3 triangles, 2)."""
    return np.stack([triangles.ravel(), np.roll(triangles, -1, axis=1).ravel()], axis=1)


def fans(face_sizes: Ints, corners: Ints) -> npt.NDArray[np.int32]:
    """Polygons as triangles about their first corners, shape (triangles, 3).

    Args:
        face_sizes: corners per polygon, shape (polygons,).
        corners: vertex of each corner, shape (sum of face_sizes,).
    """
    starts = np.cumsum(face_sizes) - face_sizes
    counts = np.maximum(face_sizes - 2, 0)
    first = np.repeat(starts, counts)
    middle = first + 1 + np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.stack([corners[first], corners[middle], corners[middle + 1]], axis=1)


def mean_edge(points: Floats, face_sizes: Ints, corners: Ints) -> float:
    """Mean length of the edges of polygons, each counted once; 0 where there are none.

    Args:
        points: shape (vertices, 3).
        face_sizes: corners per polygon, shape (polygons,).
        corners: vertex of each corner, shape (sum of face_sizes,).
    """
    if len(corners) == 0:
        return 0.0
    ends = np.cumsum(face_sizes)
    following = np.arange(1, len(corners) + 1)
    following[ends - 1] = ends - face_sizes
    edges = np.unique(np.sort(np.stack([corners, corners[following]], axis=1), axis=1), axis=0)
    return float(np.linalg.norm(points[edges[:, 1]] - points[edges[:, 0]], axis=1).mean())


def area_and_volume(points: Floats, triangles: Ints) -> tuple[float, float]:
    """Area of a surface and volume inside of it; ``points`` of shape (vertices, 3), triangles of (triangles, 3)."""
    _, across = _spans(points - points.mean(axis=0), triangles)
    return 0.5 * float(np.linalg.norm(across, axis=1).sum()), abs(signed_volume(points, triangles))


def signed_volume(points: Floats, triangles: Ints) -> float:
    """As ``area_and_volume``, the volume; below 0 where the normals point inwards."""
    first, across = _spans(points - points.mean(axis=0), triangles)
    return float(np.einsum("ij,ij->", first, across)) / 6.0


def pieces(count: int, triangles: Ints) -> list[Ints]:
    """Triangles by what hangs together through their vertices, of which there are so many."""
    labels = np.arange(count)
    while True:
        least = labels[triangles].min(axis=1)
        found = labels.copy()
        np.minimum.at(found, triangles, least[:, None])
        # the label of the label: chains are halved
        found = found[found]
        if (found == labels).all():
            break
        labels = found
    owners = labels[triangles[:, 0]]
    return [triangles[owners == owner] for owner in np.unique(owners)]


def fullness(points: Floats, triangles: Ints) -> float:
    """How far what a surface encloses fills the ball of its area, 0 to 1; arguments as of ``area_and_volume``."""
    area, volume = area_and_volume(points, triangles)
    return volume / math.sqrt(area**3 / (36.0 * math.pi)) if area > 0.0 else 0.0


def measure_solid(points: Floats, face_sizes: Ints, corners: Ints) -> SolidMeasures | None:
    """All measures of a surface, None of one without area; in the unit of its coordinates.

    Args:
        points: vertices, shape (vertices, 3), finite.
        face_sizes: corners per polygon, shape (polygons,).
        corners: vertex of each corner, shape (sum of face_sizes,).
    """
    triangles = fans(face_sizes, corners)
    if not len(triangles):
        return None
    points = points - points.mean(axis=0)
    first, across = _spans(points, triangles)
    double = np.linalg.norm(across, axis=1)
    area, volume = 0.5 * float(double.sum()), float(np.einsum("ij,ij->", first, across)) / 6.0
    if not area > 0.0:
        return None
    is_used = np.zeros(len(points), bool)
    is_used[corners] = True
    used = points[is_used]
    length = float(np.ptp(used, axis=0).max())
    # those of a mesh that is inside out as a whole point inwards
    outwards = -across if volume < 0.0 else across
    places, normals = _samples(points, triangles, double, outwards)
    thickness = _thickness(places, normals, area, length)
    return SolidMeasures(length, area, abs(volume), float(np.sqrt(area / len(used))), thickness)


def _spans(points: Floats, triangles: Ints) -> tuple[Floats, Floats]:
    """First corners, and (second − first) × (third − first), each of shape (triangles, 3)."""
    first, second, third = (points[triangles[:, corner]] for corner in range(3))
    return first, np.cross(second - first, third - first)


def _thickness(places: Floats, normals: Floats, area: float, length: float) -> float:
    """How thick the thin parts are: how far rays go inside, against the normals of the surface.

    A ray is long until it meets a disc about one of the samples of the surface, which it leaves by. So the cost is the
    same for every mesh.
    """
    radius = COVER * np.sqrt(area / (np.pi * DISCS))
    chosen = np.arange(0, DISCS, DISCS // RAYS)
    origins, ways = places[chosen], -normals[chosen]
    # (rays, discs): the cosine at which a ray leaves, and where it meets the disc's plane
    leaving = ways @ normals.T
    with np.errstate(divide="ignore", invalid="ignore"):
        heights = (normals * places).sum(axis=1)[None, :] - origins @ normals.T
        far = heights / leaving
        # squared distance from the disc's centre, |o + t w − c|²
        offset = (origins**2).sum(axis=1)[:, None] - 2.0 * origins @ places.T + (places**2).sum(axis=1)[None, :]
        along = (ways * origins).sum(axis=1)[:, None] - ways @ places.T
        apart = offset + far * (2.0 * along + far)
        is_hit = (leaving > LEAVING) & (far > 1e-4 * length) & (apart < radius**2)
    depth = np.where(is_hit, far, np.inf).min(axis=1)
    depth = depth[np.isfinite(depth)]
    # a surface that is open, or inside out as a whole, encloses nothing that rays can tell
    return float(np.quantile(depth, THIN_SHARE)) if 2 * len(depth) > RAYS else length


def _samples(points: Floats, triangles: Ints, double: Floats, outwards: Floats) -> tuple[Floats, Floats]:
    """Points evenly over a surface, by area, and unit normals there, both of shape (DISCS, 3).

    Args:
        points: vertices, shape (vertices, 3).
        triangles: shape (triangles, 3).
        double: twice the area of each triangle, shape (triangles,).
        outwards: its normal of that length, shape (triangles, 3).
    """
    ends = np.cumsum(double)
    chosen = np.searchsorted(ends, (np.arange(DISCS) + 0.5) / DISCS * ends[-1], side="right")
    chosen = np.minimum(chosen, len(triangles) - 1)
    u, v = (np.outer(np.arange(1, DISCS + 1), _PLASTIC) % 1.0).T
    folded = u + v > 1.0
    u, v = np.where(folded, 1.0 - u, u), np.where(folded, 1.0 - v, v)
    a, b, c = (points[triangles[chosen, corner]] for corner in range(3))
    places = a + u[:, None] * (b - a) + v[:, None] * (c - a)
    return places, outwards[chosen] / np.maximum(double[chosen], 1e-300)[:, None]
