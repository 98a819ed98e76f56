# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bodies may come to where others are, told from their places at the first frame alone."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np
import numpy.typing as npt

from ..reading.motion import may_move

Floats = npt.NDArray[np.float64]

# a body swings, rolls and spreads about as far as it is large
REACH = 2.0


def bodies_in_the_way(scene: bpy.types.Scene, bodies: Sequence[bpy.types.Object]) -> list[bpy.types.Object]:
    """Those that may meet another one: none does where all fall apart from each other.

    What falls stays above and below its place. What is animated or thrown may come anywhere.

    Args:
        scene: its gravity.
        bodies: with a role, as they are at the first frame.
    """
    if len(bodies) < 2:
        return []
    spheres = np.array([_bounding_sphere(obj) for obj in bodies])
    ways = spheres[:, None, :3] - spheres[None, :, :3]
    down = np.array(scene.gravity) if scene.use_gravity else np.zeros(3)
    if down.any():
        down /= np.linalg.norm(down)
        ways -= (ways @ down)[..., None] * down
    radii = spheres[:, 3]
    meets = np.linalg.norm(ways, axis=-1) < REACH * (radii[:, None] + radii[None, :])
    roams = np.array([may_move(obj) or any(obj.xpbd.initial_velocity) for obj in bodies])
    meets |= roams[:, None] | roams[None, :]
    np.fill_diagonal(meets, val=False)
    return [obj for obj, is_met in zip(bodies, meets.any(axis=1), strict=True) if is_met]


def _bounding_sphere(obj: bpy.types.Object) -> Floats:
    """Centre and radius of an object's box, in Blender units."""
    matrix = np.array(obj.matrix_world)
    corners = np.array([tuple(corner) for corner in obj.bound_box]) @ matrix[:3, :3].T + matrix[:3, 3]
    centre = corners.mean(axis=0)
    return np.append(centre, np.linalg.norm(corners - centre, axis=1).max())
