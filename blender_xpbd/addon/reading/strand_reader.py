# SPDX-License-Identifier: GPL-3.0-or-later
"""Strands: meshes of edges, curves and hair.

- Of a mesh all edges that are no links are segments. It has no faces; pins are a vertex group.
- Of a curve the control points are simulated, each joined to the next. Its ends are held, as *Ends* says.
- Of hair the points are simulated. Groups are float attributes of its points. Its roots are attached to the surface
  that it hangs on, be it a body or not. A root and the next point go with the same triangle, so that the hair keeps
  its direction to the surface.
- Point radii of curves and hair tell how a strand tapers: the thickest point has ``Object.xpbd.radius``.
"""

from __future__ import annotations

from dataclasses import replace

import bpy
import numpy as np
import numpy.typing as npt

from ...scene.errors import Notice, XpbdError
from .attachment_reader import LocalAttachment
from .body_reader import LocalBody, read_common
from .points import read_loose_edges, read_radii, read_runs, read_segments

Ints = npt.NDArray[np.int32]

# what is thinner than this share of the thickest point would weigh next to nothing
_THINNEST = 0.1


def read_strand(obj: bpy.types.Object, unit_scale: float) -> LocalBody:
    """Read a strand object, as ``BlenderKind.read``.

    Raises:
        XpbdError: E_GEOM_EMPTY, E_GEOM_NONFINITE, E_PARAM or E_CURVE.
    """
    _check_kind(obj)
    segments = read_loose_edges(obj.data) if obj.type == "MESH" else read_segments(obj.data)
    if len(segments) == 0:
        advice = (
            "The object has no edges but links: a strand is made of edges, as lines of vertices or curves have them."
        )
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
    others = ~np.isin(body.pin_vertices, ends)
    vertices, own_weights = body.pin_vertices[others], body.pin_weights[others]
    if holder is not None and body.attachment is None:
        bone = obj.xpbd.attach_bone if holder == obj.xpbd.attach_object and holder.type == "ARMATURE" else ""
        held = LocalAttachment(holder.session_uid, holder.name, ends, weights, bone, anchors)
        return replace(body, attachment=held, pin_vertices=vertices, pin_weights=own_weights)
    return replace(
        body,
        pin_vertices=np.concatenate((vertices, ends)),
        pin_weights=np.concatenate((own_weights, weights)),
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
    """What the ends are attached to, if anything; a warning where hair hangs on nothing."""
    if obj.xpbd.attach_object is not None:
        return obj.xpbd.attach_object, ()
    if obj.type != "CURVES":
        return None, ()
    surface = obj.data.surface
    if surface is not None and surface.type == "MESH" and len(surface.data.polygons):
        return surface, ()
    words = "The hair hangs on no surface that has faces, so its roots follow the object: choose one in Data > Surface."
    return None, (Notice("W_SURFACE", words, obj.name),)
