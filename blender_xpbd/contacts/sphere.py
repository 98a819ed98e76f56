# SPDX-License-Identifier: GPL-3.0-or-later
"""A solid sphere about the local origin."""

import taichi as ti

from .contact_type import ContactType


@ti.func
def query_sphere(colliders: ti.template(), header, radius, point, previous_point, offset):
    """As ``ContactType.query``."""
    length = point.norm()
    normal = ti.Vector([0.0, 0.0, 1.0])
    if length > 0.0:
        normal = point / length
    hit = ti.Vector([normal[0], normal[1], normal[2], length - radius - offset])
    return hit, ti.Vector([0.0, 0.0, 0.0]), False


SPHERE = ContactType("SPHERE", query_sphere)
