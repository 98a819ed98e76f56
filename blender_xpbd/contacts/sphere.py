# SPDX-License-Identifier: GPL-3.0-or-later
"""A solid sphere about the local origin."""

import numpy as np
import taichi as ti

from .contact_type import ContactType, Floats


@ti.func
def query_sphere(colliders: ti.template(), header, radius, point, previous_point, offset, k):
    """As ``ContactType.query``."""
    length = point.norm()
    normal = ti.Vector([0.0, 0.0, 1.0])
    if length > 0.0:
        normal = point / length
    hit = ti.Vector([normal[0], normal[1], normal[2], length - radius - offset])
    return hit, ti.Vector([0.0, 0.0, 0.0]), False


@ti.func
def sphere_clearance(colliders: ti.template(), header, sizes, point, k):
    """As ``ContactType.clearance``."""
    return point.norm() - sizes[0] - sizes[1]


def sphere_distances(points: Floats, radius: Floats) -> Floats:
    """As in ``ContactType.distances``."""
    distances: Floats = np.linalg.norm(points, axis=1) - radius
    return distances


SPHERE = ContactType("SPHERE", query_sphere, clearance=sphere_clearance, is_round=True, distances=sphere_distances)
