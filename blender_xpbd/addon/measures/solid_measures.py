# SPDX-License-Identifier: GPL-3.0-or-later
"""What a closed surface measures: length, area, volume, and how thick what it encloses is. Arrays alone."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .bearing import bearing_thickness
from .surface_rays import DISCS, SurfaceSamples, sample_surface

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

# rays that ask for the thickness
RAYS = 250
# share of the rays, which begin evenly over the surface, that are shorter than the thickness that is told
THIN_SHARE = 0.2


@dataclass(frozen=True)
class SolidMeasures:
    """Of a surface.

    Attributes:
        length: along the longest axis of its coordinates.
        area: of the surface.
        volume: that it encloses, by the divergence theorem.
        spacing: about how far apart its vertices are, √(area / vertices).
        thickness: of its thinnest part: ``THIN_SHARE`` of the surface is thinner. ``length`` where nothing was hit.
        bearing: thickness of what bears it, infinite where that is not known.
    """

    length: float
    area: float
    volume: float
    spacing: float
    thickness: float
    bearing: float

    @property
    def thinnest(self) -> float:
        """Thickness that a cage should have cells for."""
        return min(self.thickness, self.bearing)


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


def component_labels(count: int, groups: Ints) -> Ints:
    """The least node of what hangs together, of each of so many nodes, shape (count,).

    Args:
        count: of the nodes.
        groups: nodes that hang together, shape (groups, n).
    """
    labels = np.arange(count, dtype=np.int32)
    while True:
        least = labels[groups].min(axis=1)
        found = labels.copy()
        np.minimum.at(found, groups, least[:, None])
        # the label of the label: chains are halved
        found = found[found]
        if (found == labels).all():
            return labels
        labels = found


def pieces(count: int, triangles: Ints) -> list[Ints]:
    """Triangles by what hangs together through their vertices, of which there are so many."""
    owners = component_labels(count, triangles)[triangles[:, 0]]
    return [triangles[owners == owner] for owner in np.unique(owners)]


def fullness(points: Floats, triangles: Ints) -> float:
    """How far what a surface encloses fills the ball of its area, 0 to 1; arguments as of ``area_and_volume``."""
    area, volume = area_and_volume(points, triangles)
    return volume / math.sqrt(area**3 / (36.0 * math.pi)) if area > 0.0 else 0.0


def measure_solid(points: Floats, face_sizes: Ints, corners: Ints, held: Ints, gravity: Floats) -> SolidMeasures | None:
    """All measures of a surface, None of one without area; in the unit of its coordinates.

    Args:
        points: vertices, shape (vertices, 3), finite.
        face_sizes: corners per polygon, shape (polygons,).
        corners: vertex of each corner, shape (sum of face_sizes,).
        held: vertices that are held, as of ``bearing_thickness``.
        gravity: likewise.
    """
    triangles = fans(face_sizes, corners)
    if not len(triangles):
        return None
    points = points - points.mean(axis=0)
    first, across = _spans(points, triangles)
    area, volume = 0.5 * float(np.linalg.norm(across, axis=1).sum()), float(np.einsum("ij,ij->", first, across)) / 6.0
    if not area > 0.0:
        return None
    is_used = np.zeros(len(points), bool)
    is_used[corners] = True
    used = points[is_used]
    length = float(np.ptp(used, axis=0).max())
    samples = sample_surface(points, triangles, volume, length)
    bearing = bearing_thickness(samples, points, held, gravity)
    return SolidMeasures(length, area, abs(volume), float(np.sqrt(area / len(used))), _thickness(samples), bearing)


def _spans(points: Floats, triangles: Ints) -> tuple[Floats, Floats]:
    """First corners, and (second − first) × (third − first), each of shape (triangles, 3)."""
    first, second, third = (points[triangles[:, corner]] for corner in range(3))
    return first, np.cross(second - first, third - first)


def _thickness(samples: SurfaceSamples) -> float:
    """How thick the thin parts are, ``length`` where rays tell nothing."""
    depth = samples.depths(np.arange(0, DISCS, DISCS // RAYS))
    depth = depth[np.isfinite(depth)]
    # a surface that is open, or inside out as a whole, encloses nothing that rays can tell
    return float(np.quantile(depth, THIN_SHARE)) if 2 * len(depth) > RAYS else samples.length
