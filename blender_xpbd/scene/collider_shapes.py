# SPDX-License-Identifier: GPL-3.0-or-later
"""The shapes of colliders: what each is called, what it needs, and what of an object's mesh it takes.

Each shape has an entry of the same name in ``contacts.CONTACTS``, which tells the solver where its surface is. A test
holds that none is missing, and that nothing else asks which shape a collider has.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .collider import Collider, no_triangles, no_vertices, validate_radius, validate_triangles
from .errors import XpbdError

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

# the height of a plane's unit normal from which on the plane is left upwards
LEAST_SLOPE = 0.2


class LocalShape(NamedTuple):
    """A collider in its object's own space.

    Attributes:
        positions: vertices [m], shape (1, vertices, 3).
        triangles: shape (triangles, 3).
        radius: [m].
    """

    positions: Floats
    triangles: Ints
    radius: float


def as_nothing(_vertices: Floats, _triangles: Ints) -> LocalShape:
    """What only has a place."""
    return LocalShape(no_vertices(), no_triangles(), 0.0)


def as_triangles(vertices: Floats, triangles: Ints) -> LocalShape:
    """The mesh itself."""
    return LocalShape(vertices[None], triangles, 0.0)


def as_ball(vertices: Floats, _triangles: Ints) -> LocalShape:
    """A ball about the object's origin that holds the mesh."""
    return LocalShape(no_vertices(), no_triangles(), float(np.linalg.norm(vertices, axis=1).max()))


class Depth(NamedTuple):
    """How points are inside a collider.

    Attributes:
        depth: of the deepest one [m]; below 0 where all are outside.
        lift: how far up all are out of it [m]; NaN where up leads nowhere.
    """

    depth: float
    lift: float


def plane_heights(points: Floats, plane: Collider) -> tuple[Floats, Floats]:
    """How far points are along a plane's normal at its first frame [m], and this normal, of length 1."""
    normal = plane_normal(plane)
    return (points - plane.transforms[0, :3, 3]) @ normal, normal


def plane_normal(plane: Collider) -> Floats:
    """The normal of a plane at its first frame, of length 1, shape (3,)."""
    matrix = plane.transforms[0]
    normal = np.cross(matrix[:3, 0], matrix[:3, 1])
    return np.asarray(normal / np.linalg.norm(normal))


def plane_depth(points: Floats, collider: Collider) -> Depth:
    """In a plane at its first frame; shape (points, 3), in the world [m]."""
    heights, normal = plane_heights(points, collider)
    depth = -float(heights.min())
    return Depth(depth, depth / normal[2] if normal[2] > LEAST_SLOPE else np.nan)


def ball_depth(points: Floats, collider: Collider) -> Depth:
    """In a sphere; as ``plane_depth``."""
    matrix = collider.transforms[0]
    radius = collider.radius * float(np.cbrt(abs(np.linalg.det(matrix[:3, :3]))))
    depth = radius - float(np.linalg.norm(points - matrix[:3, 3], axis=1).min())
    return Depth(depth, float(matrix[2, 3]) + radius - float(points[:, 2].min()))


@dataclass(frozen=True)
class ColliderShape:
    """A shape of colliders.

    Attributes:
        name: the value of ``Collider.shape`` and of the property, and the key in a job.
        label: what panels show.
        description: the tooltip, for an artist.
        checks: refuse a collider (E_PARAM, E_GEOM_EMPTY) whose fields are not what this shape needs.
        needs_mesh: the object's mesh decides it: one without faces is refused.
        has_triangles: bodies meet the triangles of its mesh, which are followed through the frames.
        local: from the vertices of the object [m], shape (vertices, 3), and its triangles, shape (triangles, 3), both
            without rows where no mesh is needed.
        depth: how points in the world [m], shape (points, 3), are inside a collider at its first frame; None where
            triangles tell.
    """

    name: str
    label: str
    description: str
    checks: tuple[Callable[[Collider], None], ...] = ()
    needs_mesh: bool = False
    has_triangles: bool = False
    local: Callable[[Floats, Ints], LocalShape] = as_nothing
    depth: Callable[[Floats, Collider], Depth] | None = None


COLLIDER_SHAPES: tuple[ColliderShape, ...] = (
    ColliderShape(
        "MESH",
        "Mesh",
        "The surface of the mesh, with its modifiers",
        (validate_triangles,),
        needs_mesh=True,
        has_triangles=True,
        local=as_triangles,
    ),
    ColliderShape(
        "PLANE",
        "Plane",
        "Endless plane through the origin of the object, facing along its own Z axis",
        depth=plane_depth,
    ),
    ColliderShape(
        "SPHERE",
        "Sphere",
        "Sphere around the origin of the object, as large as its mesh",
        (validate_radius,),
        needs_mesh=True,
        local=as_ball,
        depth=ball_depth,
    ),
)


def shape_names() -> tuple[str, ...]:
    """The values of ``Collider.shape``."""
    return tuple(shape.name for shape in COLLIDER_SHAPES)


def collider_shape(name: str, object_name: str = "") -> ColliderShape:
    """The shape of a name.

    Raises:
        XpbdError: E_PARAM, for a name that no shape has.
    """
    for shape in COLLIDER_SHAPES:
        if shape.name == name:
            return shape
    raise XpbdError("E_PARAM", f"Unknown collider shape {name!r}.", object_name)


def has_triangles(collider: Collider) -> bool:
    """Whether bodies meet the triangles of a collider."""
    return collider_shape(collider.shape).has_triangles


def validate_shape(collider: Collider) -> None:
    """Check what the shape of a collider needs.

    Raises:
        XpbdError: E_PARAM or E_GEOM_EMPTY.
    """
    for check in collider_shape(collider.shape, collider.name).checks:
        check(collider)
