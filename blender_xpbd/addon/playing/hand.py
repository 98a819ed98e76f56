# SPDX-License-Identifier: GPL-3.0-or-later
"""Which point of a surface a ray hits, and where a hand that holds it goes. Arrays alone, nothing of Blender."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

# of the length of a ray's way, so that a triangle seen from its edge is none
_SMALL = 1e-12
# a ray that comes no nearer to a plane than this angle does not tell where on it one points
_GRAZING = 0.05
# how far from a ray a vertex may be seen that it takes hold of [rad]
_NEAR = 0.03
# shares of a body's greatest extent: the radius of the patch that is held, and how far the weight of the body pulls it
# off the hand. So a large body is lifted as softly as a small one, and no hand tears a spike out of it
GRAB_SHARE, GRAB_SAG = 0.3, 0.03
_GRAVITY = 9.81


@dataclass(frozen=True)
class Hit:
    """Where a ray meets a surface.

    Attributes:
        distance: along the ray, in lengths of its direction.
        corners: vertices of the triangle.
        weights: where in it, barycentric.
    """

    distance: float
    corners: tuple[int, int, int]
    weights: tuple[float, float, float]


def nearest_hit(origin: Floats, direction: Floats, positions: Floats, triangles: Ints) -> Hit | None:
    """The first triangle that a ray hits, from either side (Möller & Trumbore 1997).

    Args:
        origin: of the ray, shape (3,).
        direction: of the ray, shape (3,).
        positions: of the vertices, shape (vertices, 3).
        triangles: shape (triangles, 3).
    """
    a = positions[triangles[:, 0]]
    first, second = positions[triangles[:, 1]] - a, positions[triangles[:, 2]] - a
    across = np.cross(direction, second)
    determinant = np.einsum("ij,ij->i", first, across)
    usable = np.abs(determinant) > _SMALL
    inverse = np.where(usable, 1.0 / np.where(usable, determinant, 1.0), 0.0)
    away = origin - a
    u = inverse * np.einsum("ij,ij->i", away, across)
    turned = np.cross(away, first)
    v = inverse * (turned @ direction)
    distance = inverse * np.einsum("ij,ij->i", second, turned)
    found = np.flatnonzero(usable & (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0) & (distance > 0.0))
    if len(found) == 0:
        return None
    nearest = int(found[np.argmin(distance[found])])
    corners = triangles[nearest].tolist()
    weights = (float(1.0 - u[nearest] - v[nearest]), float(u[nearest]), float(v[nearest]))
    return Hit(float(distance[nearest]), (corners[0], corners[1], corners[2]), weights)


def nearest_point(origin: Floats, direction: Floats, positions: Floats) -> Hit | None:
    """The vertex that is seen nearest to a ray, of what has no faces; None where none is near.

    Args:
        origin: of the ray, shape (3,).
        direction: of the ray, shape (3,).
        positions: of the vertices, shape (vertices, 3).
    """
    ahead = (positions - origin) @ direction / (direction @ direction)
    apart = np.linalg.norm(positions - origin - ahead[:, None] * direction, axis=1)
    seen = apart / np.maximum(ahead * np.linalg.norm(direction), _SMALL)
    near = np.flatnonzero((ahead > 0.0) & (seen < _NEAR))
    if len(near) == 0:
        return None
    vertex = int(near[np.argmin(seen[near])])
    return Hit(float(ahead[vertex]), (vertex, vertex, vertex), (1.0, 0.0, 0.0))


def drag_normal(plane: str, view_direction: Floats) -> Floats:
    """The normal of the plane in which a hand moves.

    Args:
        plane: "SCREEN" for that of the screen, "WORLD" for the plane of two world axes that is seen most from above.
        view_direction: from the eye, shape (3,).
    """
    if plane == "SCREEN":
        return view_direction
    normal = np.zeros(3)
    normal[int(np.argmax(np.abs(view_direction)))] = 1.0
    return normal


def on_plane(origin: Floats, direction: Floats, point: Floats, normal: Floats) -> Floats | None:
    """Where a ray meets the plane through a point; None where it runs along it, or away from it."""
    slope = float(direction @ normal)
    if abs(slope) < _GRAZING * float(np.linalg.norm(direction) * np.linalg.norm(normal)):
        return None
    distance = float((point - origin) @ normal) / slope
    return origin + distance * direction if distance > 0.0 else None


def grab_frequency(extent: float) -> float:
    """The rate at which a whole body would swing on the hand [Hz].

    Args:
        extent: its greatest [m].
    """
    return float(np.sqrt(_GRAVITY / (GRAB_SAG * extent))) / (2.0 * np.pi)
