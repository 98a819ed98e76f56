# SPDX-License-Identifier: GPL-3.0-or-later
"""Columns of the tables that contacts read."""

# columns of the bodies' float table
BODY_DAMPING, BODY_INTERNAL_DAMPING, BODY_RESTITUTION, BODY_OFFSET = range(4)
# columns of the colliders' tables
COLLIDER_SHAPE, COLLIDER_HEADER = range(2)
COLLIDER_FRICTION, COLLIDER_RESTITUTION = range(2)
# one row of the colliders' motion: rotation (row by row), translation, radius
MOTION_WIDTH = 13
