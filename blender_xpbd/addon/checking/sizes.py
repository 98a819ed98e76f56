# SPDX-License-Identifier: GPL-3.0-or-later
"""Let jellies feel like others of a size at which their material looks like jelly.

What the button has chosen goes with the material and the size; what an artist has typed stays.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace

import bpy
import numpy as np

from ...scene.body import Body
from ...scene.body_kinds import body_kind, body_roles
from ...scene.errors import XpbdError
from ...scene.listing import listed
from ...scene.material import Material
from ...scene.transforms import transformed
from ..data.properties import material_values, unit_scale_of
from ..reading.feel import (
    FLAT,
    MODULUS,
    feels_stiffer,
    felt,
    felt_length,
    is_felt,
    length_of,
    looks_hard,
    squashed_share,
    wobbly_length,
)
from ..reading.mesh_reader import read_rest_shape
from ..reading.motion import animated_paths, rotation_of, world_matrix
from ..reading.parameter_tracks import gravity_of
from ..reading.points import NO_FACES


def suit_size(context: bpy.types.Context, objects: Iterable[bpy.types.Object]) -> str:
    """Set *Feels Like* of those that are squashed flat by their weight, or look hard.

    Each is measured by itself: nothing else in the scene matters. One that a bake would refuse is left as it is, and
    the findings say why.

    Args:
        context: of the scene.
        objects: to look at.

    Returns:
        What was set, "" for nothing.
    """
    told = []
    for obj in objects:
        with suppress(XpbdError):
            told += _suited(context, obj)
    return f"Feels Like was set: {listed(told)}; 0 is true to life" if told else ""


def follow_size(context: bpy.types.Context, objects: Iterable[bpy.types.Object]) -> str:
    """As ``suit_size``, for a new role or material: what was never typed goes with it from now on."""
    following = [obj for obj in objects if obj.xpbd.fits_size or not obj.xpbd.is_property_set("feels_like")]
    for obj in following:
        obj.xpbd.property_unset("feels_like")
        obj.xpbd.fits_size = True
    return suit_size(context, following)


def _suited(context: bpy.types.Context, obj: bpy.types.Object) -> list[str]:
    """Set it of one object; what was set."""
    scene, settings = context.scene, obj.xpbd
    # a modulus that is keyed, so that something melts, is meant to look otherwise
    if settings.role not in body_roles() or not body_kind(settings.role).is_solid or _has_keyed_modulus(obj):
        return []
    unit_scale = unit_scale_of(scene)
    own = _own_body(context, obj, unit_scale)
    length, feels_like = length_of(own.positions, own.axes), felt_length(settings, unit_scale)
    if length == 0.0 or not is_felt(own, scene.xpbd.solver_mode):
        return []
    body = replace(own, material=felt(own.material, length, feels_like))
    share = squashed_share(body, unit_scale * np.array(gravity_of(scene), np.float64))
    if share <= FLAT and not looks_hard(body, share):
        return []
    wobbly = wobbly_length(feels_like or length, share)
    settings.feels_like = wobbly / unit_scale
    settings.fits_size = True
    return [f'"{obj.name}" {wobbly:.2g} m, {feels_stiffer(length, wobbly)}']


def _has_keyed_modulus(obj: bpy.types.Object) -> bool:
    return f"xpbd.{MODULUS}" in animated_paths(obj)


def _own_body(context: bpy.types.Context, obj: bpy.types.Object, unit_scale: float) -> Body:
    """Shape, place and material of an object, without what the scene does to it.

    Raises:
        XpbdError: E_GEOM_NONFINITE, E_TRANSFORM_SINGULAR or E_PARAM.
    """
    matrix = world_matrix(obj, context.evaluated_depsgraph_get())
    return Body(
        identifier="b0",
        name=obj.name,
        role=obj.xpbd.role,
        positions=transformed(matrix, read_rest_shape(obj)) * unit_scale,
        face_sizes=NO_FACES,
        corners=NO_FACES,
        material=Material.from_values(material_values(obj.xpbd, unit_scale), obj.name),
        axes=rotation_of(matrix[:3, :3]),
    )
