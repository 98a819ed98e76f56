# SPDX-License-Identifier: GPL-3.0-or-later
"""What a kind of collider is to the solver: a query for its surface."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..geometry.rotations import rotation_and_stretch

Floats = npt.NDArray[np.float64]


def turned_frames(matrices: Floats) -> Floats:
    """The rotations in the matrices of an object, shape (frames, 3, 3)."""
    return rotation_and_stretch(matrices)[0]


@dataclass(frozen=True)
class ContactType:
    """A shape that particles meet.

    Attributes:
        shape: name of one of ``scene.collider_shapes.COLLIDER_SHAPES``, or what the solver makes of one.
        query: Taichi function ``query(colliders, header, radius, point, previous_point, offset, k)`` in the
            collider's local frame [m]; the pack ``colliders`` has the meshes, ``previous_point`` is the point at the
            start of the substep in the frame of that moment, and ``k`` the row of ``nearest_face``. Returns two
            vectors: (nx, ny, nz, distance), the unit normal to push along and the signed distance less ``offset``,
            where nothing happens unless it is negative; and the displacement of the surface's point over the substep
            within the frame, 0 for shapes that do not deform.
        clearance: Taichi function ``clearance(colliders, header, sizes, point, k)`` with the arguments of ``query``, of
            which ``sizes`` are radius and offset, asked after it: how far the point may go at least, while the collider
            stands, before ``query`` may tell of a contact [m]; 0 or less where nothing is known. None where it deforms.
        looks_back: whether ``query`` reads ``previous_point``.
        most_faces: surfaces of it that a point may touch at once, as the walls of a corner.
        is_branched: ``query`` has many branches.
        is_endless: the local origin may slide along local X and Y: the surface is the same everywhere.
        is_round: it has a radius, so a scale that differs along the axes is not followed.
        frames: the axes of the local frame in their columns, from the matrices of the object without their
            translations, both of shape (frames, 3, 3).
        distances: in NumPy, how far points in the local frame [m], shape (points, 3), are from the surface of a radius
            [m], shape (points,); None for meshes, whose triangles are searched.
    """

    shape: str
    query: Callable[..., Any]
    clearance: Callable[..., Any] | None = None
    looks_back: bool = False
    most_faces: int = 1
    is_branched: bool = False
    is_endless: bool = False
    is_round: bool = False
    frames: Callable[[Floats], Floats] = turned_frames
    distances: Callable[[Floats, Floats], Floats] | None = None
