# SPDX-License-Identifier: GPL-3.0-or-later
"""Choose the resolution of cages from their meshes.

Two cells across what is thin, and across what bears the body, for thinner ones bend too stiffly (``W_THIN``). What is
thick has the default, but no cells that are finer than the mesh can show. And no more tetrahedra than bake in seconds.

The mesh is measured in the object's own frame, before it is turned: a rotation of the object changes nothing but what
it stands on.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import bpy
import numpy as np
import numpy.typing as npt

from ...scene.body import RESOLUTION_RANGE
from ...scene.body_kinds import body_kind, body_roles
from ...scene.errors import XpbdError
from ...scene.listing import listed
from ..baking.needs import cage_tetrahedra
from ..data.quality import quality_of
from ..data.resolutions import scaled, set_normal_resolution
from ..data.specs import OBJECT_SETTINGS
from ..measures.kept_measures import kept_measures
from ..measures.solid_measures import SolidMeasures
from ..measures.thinness import CELLS_ACROSS
from ..reading.mesh_reader import read_rest_shape
from ..reading.motion import rotation_of, world_matrix
from ..reading.parameter_tracks import gravity_of
from ..reading.points import read_polygons, shown_faces
from .held_objects import read_held

# cells along the longest side of what is thick, and the fewest: with 8 a cone of 10 m has 1.1 % of its tetrahedra
# inside out as it is pushed out of the floor, with 12 it has 0.2 %
THICK = int(next(one.parameter.default for one in OBJECT_SETTINGS if one.name == "cage_resolution"))
FEWEST = 12
# of a cage: 250 frames take some 6 s at 20 substeps and 40 ns for each in a substep (docs/performance.md, Jelly)
MOST_TETRAHEDRA = 30_000
# digits to which a scale is known, from a matrix in single precision
_DIGITS = 5


def follow_mesh(context: bpy.types.Context, objects: Iterable[bpy.types.Object]) -> str:
    """As ``suit_mesh``, for those whose resolution was never typed."""
    own = (obj for obj in objects if obj.xpbd.normal_resolution or not obj.xpbd.is_property_set("cage_resolution"))
    return suit_mesh(context, [obj for obj in own if obj.xpbd.tetrahedralizer == "CAGE"])


def suit_mesh(context: bpy.types.Context, objects: Iterable[bpy.types.Object]) -> str:
    """Choose the resolution of jellies from their meshes; they go with the scene's quality from now on.

    One that cannot be measured, which a bake would refuse, is left as it is.

    Args:
        context: of the scene.
        objects: to look at; what is no jelly is passed over.

    Returns:
        What was set, "" for nothing.
    """
    quality, told = quality_of(context.scene.xpbd), []
    for obj in objects:
        measures = _measures(context, obj) if _has_cage(obj) else None
        if measures is not None:
            set_normal_resolution(obj.xpbd, fitting_resolution(measures), quality)
            told.append(f'"{obj.name}" {obj.xpbd.cage_resolution}')
    return f"Resolution by the mesh: {listed(told)}" if told else ""


def is_coarser_than_automatic(context: bpy.types.Context, obj: bpy.types.Object) -> bool:
    """Whether a jelly has fewer cells than its mesh would get; not of what cannot be measured."""
    measures = _measures(context, obj) if _has_cage(obj) and obj.xpbd.tetrahedralizer == "CAGE" else None
    if measures is None:
        return False
    fitting = scaled(fitting_resolution(measures), quality_of(context.scene.xpbd))
    return bool(obj.xpbd.cage_resolution < fitting)


def fitting_resolution(measures: SolidMeasures) -> int:
    """Cells along the longest side of a cage that fits a mesh."""
    shown = min(float(THICK), measures.length / measures.spacing)
    wanted = max(math.ceil(CELLS_ACROSS * measures.length / measures.thinnest), round(shown), FEWEST)
    fewest, most = FEWEST, min(wanted, RESOLUTION_RANGE[1])
    # the most whose tetrahedra are few enough
    while fewest < most:
        middle = (fewest + most + 1) // 2
        if cage_tetrahedra(measures.volume, measures.area, measures.length / middle) > MOST_TETRAHEDRA:
            most = middle - 1
        else:
            fewest = middle
    return fewest


def _has_cage(obj: bpy.types.Object) -> bool:
    role = obj.xpbd.role
    return obj.type == "MESH" and role in body_roles() and body_kind(role).is_solid


def _measures(context: bpy.types.Context, obj: bpy.types.Object) -> SolidMeasures | None:
    """Of an object's rest shape, scaled as the object is but not turned; None of what a bake would refuse."""
    try:
        points = read_rest_shape(obj)
        matrix = world_matrix(obj, context.evaluated_depsgraph_get())[:3, :3]
    except XpbdError:
        return None
    faces = shown_faces(points, *read_polygons(obj.data))
    held = read_held(obj, context.view_layer)
    gravity = rotation_of(matrix).T @ np.array(gravity_of(context.scene), np.float64)
    return kept_measures(points @ _stretch(matrix).T, *faces, held, gravity * obj.xpbd.gravity_factor)


def _stretch(matrix: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """A matrix of shape (3, 3) without its rotation, per its greatest number, in few digits."""
    stretch = rotation_of(matrix).T @ matrix
    rounded: npt.NDArray[np.float64] = np.round(stretch / np.abs(stretch).max(), _DIGITS)
    return rounded
