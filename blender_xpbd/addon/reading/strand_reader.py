# SPDX-License-Identifier: GPL-3.0-or-later
"""Strands: meshes of edges, curves and hair.

- Of a mesh all edges are segments. It has no faces; pins are a vertex group.
- Of a curve the control points are simulated, each joined to the next. Its ends are held, as *Ends* says.
- Of hair the points are simulated. Groups are float attributes of its points. Its roots are held by the surface that
  it hangs on: by the evaluated one, however that moves and deforms, or by the body where the surface is one.
- Point radii of curves and hair tell how a strand tapers: the thickest point has ``Object.xpbd.radius``.
"""

from __future__ import annotations

from dataclasses import replace

import bpy
import numpy as np
import numpy.typing as npt

from ...scene.errors import Notice, XpbdError
from ..data.object_types import is_body
from .attachment_reader import LocalAttachment
from .body_reader import LocalBody, read_common
from .points import read_radii, read_runs, read_segments

Ints = npt.NDArray[np.int32]

# what is thinner than this share of the thickest point would weigh next to nothing
_THINNEST = 0.1


def read_strand(obj: bpy.types.Object, unit_scale: float) -> LocalBody:
    """Read a strand object, as ``BlenderKind.read``.

    Raises:
        XpbdError: E_GEOM_EMPTY, E_GEOM_NONFINITE, E_PARAM or E_CURVE.
    """
    _check_kind(obj)
    segments = read_segments(obj.data)
    if len(segments) == 0:
        advice = "The object has no edges: a strand is made of edges, as a line of vertices or a curve has them."
        raise XpbdError("E_GEOM_EMPTY", advice, obj.name)
    body = replace(read_common(obj, unit_scale), loose_edges=segments)
    return body if obj.type == "MESH" else _with_ends(_tapered(body, obj), obj)


def _check_kind(obj: bpy.types.Object) -> None:
    if obj.type == "MESH" and len(obj.data.polygons):
        advice = "The mesh has faces, and a strand is made of edges alone: delete the faces only, or choose Cloth."
        raise XpbdError("E_PARAM", advice, obj.name)
    if obj.type == "CURVE" and obj.data.dimensions != "3D":
        advice = "The curve is 2D, so that Blender keeps its points in one plane: set its Shape to 3D."
        raise XpbdError("E_CURVE", advice, obj.name)
    if obj.type == "CURVE" and any(spline.point_count_v > 1 for spline in obj.data.splines):
        raise XpbdError("E_CURVE", "The object is a surface of splines: convert it to a mesh first.", obj.name)


def _tapered(body: LocalBody, obj: bpy.types.Object) -> LocalBody:
    shares = np.maximum(read_radii(obj.data), _THINNEST)
    if (shares == 1.0).all():
        return body
    factors = dict(body.vertex_factors)
    factors["radius"] = (shares * factors.get("radius", 1.0)).astype(np.float32)
    return replace(body, vertex_factors=factors)


def _with_ends(body: LocalBody, obj: bpy.types.Object) -> LocalBody:
    """The body with its ends held: by another one, by a surface, or by the object itself."""
    ends, anchors = held_ends(obj)
    holder, notices = _holder(obj)
    if len(ends) == 0:
        if obj.xpbd.attach_object is None or body.attachment is not None:
            return body
        words = f'None of its ends is held: nothing is attached to "{obj.xpbd.attach_object.name}". Choose Ends.'
        return replace(body, notices=(*body.notices, Notice("W_GROUP", words, obj.name)))
    weights = np.ones(len(ends), np.float32)
    if holder is not None and body.attachment is None:
        held = LocalAttachment(holder.session_uid, holder.name, ends, weights)
        return _without_pins(replace(body, attachment=held), ends)
    others = ~np.isin(body.pin_vertices, ends)
    vertices = np.concatenate((body.pin_vertices[others], ends))
    surface = _surface(obj)
    return replace(
        body,
        pin_vertices=vertices,
        pin_weights=np.concatenate((body.pin_weights[others], weights)),
        surface_uid=surface.session_uid if surface is not None else 0,
        pin_anchors=np.concatenate((body.pin_vertices[others], anchors)),
        notices=(*body.notices, *notices),
    )


def held_ends(obj: bpy.types.Object) -> tuple[Ints, Ints]:
    """Points of a curve or of hair that its *Ends* hold, and the end itself that each of them belongs to.

    Returns:
        Both of shape (held,).
    """
    settings = obj.xpbd
    wish = settings.pinned_ends
    if wish == "AUTO":
        wish = "START" if obj.type == "CURVES" or settings.attach_object is not None else "NONE"
    reach = 2 if settings.hold_direction else 1
    ends: dict[int, int] = {}
    for first, count, is_closed in read_runs(obj.data):
        if is_closed or count == 0:
            continue
        last = first + count - 1
        if wish in {"START", "BOTH"}:
            ends.update((point, first) for point in range(first, min(first + reach, last + 1)))
        if wish in {"END", "BOTH"}:
            ends.update((point, last) for point in range(max(last - reach + 1, first), last + 1) if point not in ends)
    return np.array(list(ends), np.int32), np.array(list(ends.values()), np.int32)


def _holder(obj: bpy.types.Object) -> tuple[bpy.types.Object | None, tuple[Notice, ...]]:
    """The body that holds the ends, if one does; a warning where hair hangs on nothing."""
    if obj.xpbd.attach_object is not None:
        return obj.xpbd.attach_object, ()
    if obj.type != "CURVES":
        return None, ()
    surface = obj.data.surface
    if surface is None:
        words = "The hair has no surface to hang on, so its roots follow the object: choose one in Data > Surface."
        return None, (Notice("W_SURFACE", words, obj.name),)
    return (surface if is_body(surface) and surface != obj else None), ()


def _surface(obj: bpy.types.Object) -> bpy.types.Object | None:
    """The mesh, that is simulated by nobody, on which hair hangs."""
    surface = obj.data.surface if obj.type == "CURVES" else None
    return surface if surface is not None and surface.type == "MESH" else None


def _without_pins(body: LocalBody, held: Ints) -> LocalBody:
    others = ~np.isin(body.pin_vertices, held)
    return replace(body, pin_vertices=body.pin_vertices[others], pin_weights=body.pin_weights[others])
