# SPDX-License-Identifier: GPL-3.0-or-later
"""What a kind of collider is to the solver: a query for its surface."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ContactType:
    """A shape that particles meet.

    Attributes:
        shape: ``Collider.shape``.
        query: Taichi function ``query(colliders, header, radius, point, previous_point, offset)`` in the collider's
            local frame [m]; the pack ``colliders`` has the meshes, ``previous_point`` is the point at the start of the
            substep in the frame of that moment. Returns two vectors and a boolean: (nx, ny, nz, distance), the
            unit normal to push along and the signed distance less ``offset``, where nothing happens unless it is
            negative; the displacement of the surface's point over the substep within the frame, 0 for shapes that do
            not deform; and whether the point, pushed out, may touch another face. That may be said too often: it costs
            a query.
        looks_back: whether ``query`` reads ``previous_point``.
        most_faces: surfaces of it that a point may touch at once, as the walls of a corner.
    """

    shape: str
    query: Callable[..., Any]
    looks_back: bool = False
    most_faces: int = 1
