# SPDX-License-Identifier: GPL-3.0-or-later
"""What bodies bump into: planes, spheres and meshes. World space, SI units, float64."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from .checks import require_finite, require_indices, require_transforms
from .errors import XpbdError

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]


def no_vertices() -> Floats:
    """Vertices of what is no mesh, shape (1, 0, 3)."""
    return np.zeros((1, 0, 3))


def no_triangles() -> Ints:
    """Triangles of what is no mesh, shape (0, 3)."""
    return np.zeros((0, 3), np.int32)


@dataclass(frozen=True)
class Collider:
    """A body that others bump into and that nothing moves.

    Attributes:
        identifier, name: as for a body.
        shape: name of one of ``collider_shapes.COLLIDER_SHAPES``: "PLANE" (infinite, through the local origin, normal
            local +Z), "SPHERE" (of ``radius`` about the local origin) or "MESH" (``positions`` and ``triangles``).
        transforms: local to world [m], shape (frames or 1, 4, 4); one where nothing moves.
        positions: local vertices, shape (frames or 1, vertices, 3), one row where the mesh does not deform; without
            vertices but for a mesh.
        triangles: shape (triangles, 3).
        radius: local radius.
        friction: Coulomb coefficient.
        restitution: 0 to 1.
    """

    identifier: str
    name: str
    shape: str
    transforms: Floats
    positions: Floats = field(default_factory=no_vertices)
    triangles: Ints = field(default_factory=no_triangles)
    radius: float = 0.0
    friction: float = 0.5
    restitution: float = 0.0


def validate_collider(collider: Collider, frame_count: int) -> None:
    """Check what a stranger's job, or a script, may have got wrong, whatever the shape.

    Args:
        collider: to be checked.
        frame_count: frames of the scene.

    Raises:
        XpbdError: E_PARAM, E_GEOM_NONFINITE or E_TRANSFORM_SINGULAR.
    """
    require_transforms(collider.transforms, frame_count, collider.name)
    positions = collider.positions
    if positions.ndim != 3 or positions.shape[2] != 3 or len(positions) not in (1, frame_count):
        raise XpbdError("E_PARAM", "Collider vertices must be given for one or all frames.", collider.name)
    require_finite(positions, collider.name)
    require_indices(collider.triangles.ravel(), positions.shape[1], collider.name)
    if not 0 <= collider.friction < np.inf or not 0 <= collider.restitution <= 1:
        raise XpbdError("E_PARAM", "Friction must be at least 0, restitution between 0 and 1.", collider.name)


def validate_triangles(collider: Collider) -> None:
    """Check that there is a surface.

    Raises:
        XpbdError: E_GEOM_EMPTY.
    """
    if len(collider.triangles) == 0:
        raise XpbdError("E_GEOM_EMPTY", "The collider's mesh has no faces.", collider.name)


def validate_radius(collider: Collider) -> None:
    """Check that there is a ball.

    Raises:
        XpbdError: E_PARAM.
    """
    if not 0 < collider.radius < np.inf:
        raise XpbdError("E_PARAM", "The collider's radius must be positive.", collider.name)
