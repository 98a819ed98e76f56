# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that were cut so that they can tear: what is joined at present is one.

Each kind that tears has one of these ways to be put together, see ``kinds``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ..geometry.cage.fragments import Fragments, joined_places, places_of, touching
from ..geometry.cage.fragments import strains_across as strains_across_cuts
from ..geometry.surface.seams import Seams, copies, find_seams, joined_vertices, strains_across
from ..geometry.surface.topology import triangulate
from ..scene.body import Body
from ..scene.errors import Notice
from .body_model import BodyModel

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]


def body_seams(body: Body, model: BodyModel) -> Seams | Fragments:
    """The seams of a body as it is modelled, and as it is built."""
    return _sheet_seams(body) if model.fragments is None else model.fragments


def seam_strains(body: Body, seams: Seams | Fragments, places: Floats) -> Floats:
    """How far each seam of a body is drawn apart, shape (seams,).

    Args:
        body: as it is modelled.
        seams: of the body.
        places: of its particles, or of those that move in their place [m], shape (particles, 3).
    """
    if isinstance(seams, Fragments):
        return strains_across_cuts(seams, places)
    return strains_across(seams, places, body.face_sizes, body.corners)


def build_joined_sheet(body: Body, build: Callable[[Body], BodyModel]) -> BodyModel:
    """Build a sheet from what is joined; copies that are not used have no mass, and are shown where their vertex is.

    Args:
        body: with what of its seams has torn.
        build: makes a model of a body.
    """
    if not len(body.seams):
        return build(body)
    seams = _sheet_seams(body)
    shown = joined_vertices(seams, body.torn if len(body.torn) else np.zeros(len(seams), np.bool_))
    model = build(
        replace(
            body,
            corners=shown[body.corners],
            loose_edges=shown[body.loose_edges],
            links=replace(body.links, pairs=shown[body.links.pairs]),
        )
    )
    notices = tuple(notice for notice in model.notices if notice.code != "W_GEOM_LOOSE")
    if loose := body.vertex_count - len(np.union1d(body.corners, body.links.pairs)):
        notices = (*notices, Notice("W_GEOM_LOOSE", f"{loose} vertices belong to no face", body.name))
    return replace(model, shown=shown, joined=shown, notices=notices)


def build_joined_solid(body: Body, build: Callable[[Body], BodyModel]) -> BodyModel:
    """Build a solid of pieces that are joined: faces between them are no surface until they part.

    Arguments as of ``build_joined_sheet``.
    """
    model = build(body)
    if model.fragments is None:
        return model
    shown = joined_places(body.positions, model.elements)
    faces = np.repeat(np.arange(len(body.face_sizes)), np.maximum(body.face_sizes - 2, 0))
    triangles = triangulate(body.face_sizes, body.corners)
    inner, _ = touching(shown, body.seams, triangles)
    on_it = np.bincount(faces[np.unique(inner)], minlength=len(body.face_sizes))
    outside = on_it < np.maximum(body.face_sizes - 2, 1)
    corners = shown[body.corners[np.repeat(outside, body.face_sizes)]]
    return replace(model, body=replace(body, face_sizes=body.face_sizes[outside], corners=corners), shown=shown)


def unused_vertices(body: Body) -> Ints:
    """Vertices of no face and no edge of a body as it is modelled: copies that are joined to others; ascending."""
    used = np.zeros(body.vertex_count, np.bool_)
    used[body.corners] = True
    used[body.loose_edges] = True
    return np.flatnonzero(~used).astype(np.int32)


def vertex_origins(model: BodyModel) -> Ints:
    """Equal where vertices of a body that was cut were one, shape (vertices,)."""
    body = model.body
    return copies(body.seams, body.positions) if model.fragments is None else places_of(body.positions)


def _sheet_seams(body: Body) -> Seams:
    return find_seams(body.seams, body.positions, body.face_sizes, body.corners)
