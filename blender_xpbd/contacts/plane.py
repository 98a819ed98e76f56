# SPDX-License-Identifier: GPL-3.0-or-later
"""An infinite plane through the local origin; the solid side is local −Z."""

import taichi as ti

from ..geometry.rotations import plane_frames
from .contact_type import ContactType, Floats


@ti.func
def query_plane(colliders: ti.template(), header, radius, point, previous_point, offset, k):
    """As ``ContactType.query``."""
    return ti.Vector([0.0, 0.0, 1.0, point[2] - offset]), ti.Vector([0.0, 0.0, 0.0]), False


@ti.func
def plane_clearance(colliders: ti.template(), header, sizes, point, k):
    """As ``ContactType.clearance``."""
    return point[2] - sizes[1]


def plane_distances(points: Floats, _radius: Floats) -> Floats:
    """As in ``ContactType.distances``."""
    return points[:, 2]


PLANE = ContactType(
    "PLANE",
    query_plane,
    clearance=plane_clearance,
    is_endless=True,
    frames=plane_frames,
    distances=plane_distances,
)
