# SPDX-License-Identifier: GPL-3.0-or-later
"""Modifiers that move the finished result far, and are neither rigs nor what makes a surface fair.

*Displace* is none of them where it adds detail, as wrinkles or pores: after *Subdivision*, where it cannot be applied
to what is simulated, or by less than the gap to colliders or a small share of an edge.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import bpy
import numpy as np
import numpy.typing as npt

from .modifier_stack import acts, deformers, follows_deformed, modifier_path, subdivision_levels
from .motion import animated_paths

# of a mean edge, by how much *Displace* may move vertices as a detail
_DETAIL = 0.1


def shapers(obj: bpy.types.Object) -> list[bpy.types.Modifier]:
    """Those of a body that the simulation does not see: all, but for deformers that its goal follows."""
    found = []
    paths = animated_paths(obj)
    followed = {one.name for one in deformers(obj)} if follows_deformed(obj) else set()
    is_finer = False
    for modifier in obj.modifiers:
        if not acts(modifier) or modifier.name in followed:
            continue
        is_finer = is_finer or (modifier.type == "SUBSURF" and subdivision_levels(modifier) > 0)
        moves = _MOVES.get(modifier.type)
        is_animated = _is_animated(modifier, paths)
        if moves is None or not (is_animated or moves(modifier)):
            continue
        is_detail = modifier.type == "DISPLACE" and (is_finer or not (is_animated or _is_far(modifier, obj)))
        if not is_detail:
            found.append(modifier)
    return found


def _is_animated(modifier: bpy.types.Modifier, paths: Collection[str]) -> bool:
    """Whether one of these paths of an object is of a modifier, which may then move more than it does now."""
    return any(path.startswith(f"{modifier_path(modifier)}.") for path in paths)


def _displacement(modifier: bpy.types.Modifier) -> float:
    """How far *Displace* moves a vertex at most, in units of the object: by its texture, from 0 to 1, or by 1."""
    middle = modifier.mid_level
    if modifier.texture is not None:
        return abs(modifier.strength) * max(abs(middle), abs(1.0 - middle))
    return 0.0 if modifier.direction == "RGB_TO_XYZ" else abs(modifier.strength * (1.0 - middle))


def _is_far(modifier: bpy.types.Modifier, obj: bpy.types.Object) -> bool:
    """Whether *Displace* moves vertices by more than the gap to colliders and a small share of an edge."""
    scale = np.linalg.norm(np.array(obj.matrix_world)[:3, :3], axis=0)
    edge = _mean_edge(obj.data) * float(scale.min()) if obj.type == "MESH" else 0.0
    return _displacement(modifier) * float(scale.max()) > max(obj.xpbd.contact_offset, _DETAIL * edge)


def _mean_edge(mesh: bpy.types.Mesh) -> float:
    """Mean length of its edges, 0 without any, in units of the object."""
    points = np.empty((len(mesh.vertices), 3), np.float32)
    mesh.vertices.foreach_get("co", points.ravel())
    ends: npt.NDArray[np.int32] = np.empty((len(mesh.edges), 2), np.int32)
    mesh.edges.foreach_get("vertices", ends.ravel())
    return float(np.linalg.norm(points[ends[:, 1]] - points[ends[:, 0]], axis=1).mean()) if len(ends) else 0.0


# whether one of them moves anything, as it is set
_MOVES: dict[str, Callable[[Any], bool]] = {
    "CAST": lambda one: one.factor != 0.0 and (one.use_x or one.use_y or one.use_z),
    "DISPLACE": lambda one: _displacement(one) > 0.0,
    "SHRINKWRAP": lambda one: one.target is not None,
    "SIMPLE_DEFORM": lambda one: (one.angle if one.deform_method in {"TWIST", "BEND"} else one.factor) != 0.0,
    "WARP": lambda one: one.strength != 0.0 and None not in (one.object_from, one.object_to),
    "WAVE": lambda one: one.height != 0.0 and (one.use_x or one.use_y),
}
