# SPDX-License-Identifier: GPL-3.0-or-later
"""An infinite plane through the local origin; the solid side is local −Z."""

import taichi as ti

from .contact_type import ContactType


@ti.func
def query_plane(colliders: ti.template(), header, radius, point, previous_point, offset):
    """As ``ContactType.query``."""
    return ti.Vector([0.0, 0.0, 1.0, point[2] - offset]), ti.Vector([0.0, 0.0, 0.0]), False


PLANE = ContactType("PLANE", query_plane)
