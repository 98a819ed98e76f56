# SPDX-License-Identifier: GPL-3.0-or-later
"""How large grains are where the artist has not said it: as large as fits between their points."""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Vector
from mathutils.kdtree import KDTree

from .points import read_points

# of the distances from each point to its nearest one, the share that is shorter than two radii: points that lie on each
# other, or nearly so, do not make all grains tiny
_NEARER = 0.1
# what is nearer than two such radii by no more than this share makes all grains a little smaller: a ring without room
# would spring open, as the inner one of a torus
_LITTLE = 0.2


def fitting_radius(obj: bpy.types.Object) -> float | None:
    """Half the distance of neighbouring points of an object, in Blender units of the world; None without neighbours."""
    matrix = np.array(obj.matrix_world)
    places = read_points(obj.data) @ matrix[:3, :3].T + matrix[:3, 3]
    tree = KDTree(len(places))
    for number, place in enumerate(places.tolist()):
        tree.insert(Vector(place), number)
    tree.balance()
    nearest = np.array([tree.find_n(Vector(place), 2)[-1][2] for place in places.tolist()])
    apart = nearest[nearest > 0.0]
    if not len(apart):
        return None
    return 0.5 * float(apart[apart >= (1.0 - _LITTLE) * np.quantile(apart, _NEARER)].min())
