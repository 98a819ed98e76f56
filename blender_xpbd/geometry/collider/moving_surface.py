# SPDX-License-Identifier: GPL-3.0-or-later
"""The triangles of a mesh whose vertices move: welded where vertices stay together, wound outward where they enclose.

What holds over all frames is settled once. Normals and all else that depends on the frame are left to others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...scene.errors import XpbdError
from ..surface.triangle_surface import (
    WELD_TOLERANCE,
    Floats,
    Ints,
    distinct_triangles,
    extent,
    oriented,
    same_places,
)

# vertices that are one in a frame may be so far apart in another, in steps of the weld: rounding, not motion
_WELD_STEPS = 2.0


@dataclass(frozen=True)
class MovingSurface:
    """What of a mesh stays as it is while its vertices move.

    Attributes:
        sources: the mesh's vertices that count, shape (vertices,).
        triangles: of these, shape (triangles, 3); outward if closed, in the first frame.
        closed: whether they bound a solid, see ``triangle_surface``.
    """

    sources: Ints
    triangles: Ints
    closed: bool


def build_moving_surface(
    at_frame: Callable[[int], Floats], frame_count: int, triangles: npt.NDArray[np.integer], name: str = ""
) -> MovingSurface:
    """Settle which vertices and triangles of a mesh count.

    Vertices are one if they are so in every frame. A triangle may lose its area for a while, so all with three corners
    count.

    Args:
        at_frame: vertices at a frame [m], shape (vertices, 3); all finite.
        frame_count: how many frames there are.
        triangles: vertex indices, shape (triangles, 3).
        name: the object's, for errors.

    Raises:
        XpbdError: E_GEOM_EMPTY if no triangle is left.
    """
    used, inverse = np.unique(np.asarray(triangles, np.int64), return_inverse=True)
    kept, places = _weld(lambda frame: at_frame(frame)[used], frame_count, len(used))
    welded = distinct_triangles(places[inverse.reshape(-1, 3)])
    if len(welded) == 0:
        message = "the collider has no face with an area; give it faces or take its role away"
        raise XpbdError("E_GEOM_EMPTY", message, name)
    sources = used[kept]
    closed, welded = oriented(at_frame(0)[sources], welded)
    return MovingSurface(sources, welded, closed)


def _weld(at_frame: Callable[[int], Floats], frame_count: int, count: int) -> tuple[Ints, Ints]:
    """Vertices that represent a place each, shape (places,), and the place of each vertex, shape (count,)."""
    leaders, left = np.arange(count), np.arange(count)
    while len(left):
        # of those that parted from their leader, the ones that stay together have another leader
        left = _follow_leaders(at_frame, frame_count, left, leaders)
    return np.unique(leaders, return_inverse=True)


def _follow_leaders(at_frame: Callable[[int], Floats], frame_count: int, members: Ints, leaders: Ints) -> Ints:
    """Give vertices the first one at their place in the first frame as leader; return those that it leaves once."""
    points = at_frame(0)[members]
    leaders[members] = members[0]
    if extent(points) > 0.0:
        first, places = same_places(points)
        leaders[members] = members[first[places]]
    followers = members[leaders[members] != members]
    parted = np.zeros(len(followers), np.bool_)
    for frame in range(1, frame_count if len(followers) else 0):
        points = at_frame(frame)
        apart = np.abs(points[followers] - points[leaders[followers]]).max(axis=1)
        parted |= apart > _WELD_STEPS * WELD_TOLERANCE * extent(points)
    return followers[parted]
