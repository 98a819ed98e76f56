# SPDX-License-Identifier: GPL-3.0-or-later
"""Rays from a surface into what it encloses, which tell how thick that is. Arrays alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]

# discs that stand for the surface that rays hit
DISCS = 2000
# what a disc's radius is multiplied by, so that discs at random places leave hardly a gap: a point is then in four
# discs in the mean, and in none of them at one place in 50
COVER = 2.0
# cosine from which on a ray counts that leaves through a disc: sides that it runs along are no thickness
LEAVING = 0.5
# the golden ratio's first two relatives: points of a low-discrepancy sequence in the plane (Roberts 2018)
_PLASTIC = np.array([0.7548776662466927, 0.5698402909980532])


@dataclass(frozen=True)
class SurfaceSamples:
    """Samples evenly over a surface, from which rays begin, and which they hit.

    Attributes:
        length: of the surface along the longest axis of its coordinates.
        volume: that it encloses, by the divergence theorem.
        places, normals: of the samples, outwards, both of shape (DISCS, 3).
        area: that each sample stands for.
    """

    length: float
    volume: float
    places: Floats
    normals: Floats
    area: float

    def depths(self, chosen: Longs) -> Floats:
        """How far rays go inside that begin at samples, against their normals; infinite where they do not leave.

        A ray is long until it meets a disc about one of the samples of the surface, which it leaves by. So the cost is
        the same for every mesh.

        Args:
            chosen: numbers of samples, shape (rays,).

        Returns:
            Depths, shape (rays,).
        """
        begins, ways = self.places[chosen], -self.normals[chosen]
        # the cosine at which a ray leaves a disc; most discs it does not leave by
        leaving = ways @ self.normals.T
        ray, disc = np.nonzero(leaving > LEAVING)
        ahead = self.places[disc] - begins[ray]
        far = np.einsum("ij,ij->i", ahead, self.normals[disc]) / leaving[ray, disc]
        # squared distance from the disc's centre to where the ray meets its plane
        along = np.einsum("ij,ij->i", ahead, ways[ray])
        apart = np.einsum("ij,ij->i", ahead, ahead) + far * (far - 2.0 * along)
        is_hit = (far > 1e-4 * self.length) & (apart < COVER**2 * self.area / np.pi)
        found = np.full(len(chosen), np.inf)
        np.minimum.at(found, ray[is_hit], far[is_hit])
        return found


def sample_surface(points: Floats, triangles: Ints, volume: float, length: float) -> SurfaceSamples:
    """Samples of a surface that has an area.

    Args:
        points: vertices about the origin, shape (vertices, 3).
        triangles: shape (triangles, 3).
        volume: signed, below 0 where all normals point inwards.
        length: of the surface.
    """
    first, second, third = (points[triangles[:, corner]] for corner in range(3))
    across = np.cross(second - first, third - first)
    double = np.linalg.norm(across, axis=1)
    # those of a mesh that is inside out as a whole point inwards
    places, normals = _samples(points, triangles, double, -across if volume < 0.0 else across)
    return SurfaceSamples(length, abs(volume), places, normals, 0.5 * float(double.sum()) / DISCS)


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
