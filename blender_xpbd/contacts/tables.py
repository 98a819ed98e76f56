# SPDX-License-Identifier: GPL-3.0-or-later
"""Columns of the tables that contacts read."""

# columns of the bodies' float table
BODY_INTERNAL_DAMPING, BODY_RESTITUTION, BODY_OFFSET = range(3)
# columns of the contact points' tables after the particles of each, and after their weights; pieces are there where
# some bounce
POINT_BODY, POINT_PIECE = 4, 5
POINT_FRICTION = 4
# columns of the colliders' tables
COLLIDER_SHAPE, COLLIDER_HEADER = range(2)
COLLIDER_FRICTION, COLLIDER_RESTITUTION = range(2)
# columns of the compact pieces: first member, first contact point, whether it is hard; a last row ends the lists
PIECE_MEMBERS, PIECE_POINTS, PIECE_IS_HARD = range(3)
# one row of the colliders' motion: rotation (row by row), translation, radius
MOTION_WIDTH = 13
