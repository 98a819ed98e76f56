# SPDX-License-Identifier: GPL-3.0-or-later
"""The surface of a body as points that meet other surfaces: its vertices, then the points between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ...bodies.body_model import BodyModel
from ...bodies.joined import unused_vertices, vertex_origins
from ...geometry.search.surfaces import SurfaceMesh, build_surface_mesh
from ...geometry.surface.topology import boundary_edges
from ...geometry.surface.triangle_surface import same_places

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]


def body_mesh(model: BodyModel) -> SurfaceMesh:
    """The surface of a body; the points between vertices are in no triangle and no edge."""
    body = model.body
    left_out = body.contact.left_out
    if body.attachment is not None:
        # what is held to a surface lies on it
        left_out = np.union1d(left_out, body.attachment.vertices)
    if len(body.seams):
        # copies that are joined to others stay where they are, and what is between pieces that hold is no surface
        left_out = np.union1d(left_out, unused_vertices(body))
    mesh = build_surface_mesh(body.positions, body.face_sizes, body.corners, body.loose_edges, left_out)
    origins = mesh.origins
    if len(body.seams):
        origins = vertex_origins(model)
    elif body.contact.self_collision:
        origins = _doubled_places(mesh)
    if len(model.between) == 0:
        return replace(mesh, origins=origins)
    corners = model.between.corners
    if len(origins) == 0 and body.contact.self_collision:
        origins = np.arange(body.vertex_count, dtype=np.int32)
    if len(origins):
        # one lies in a triangle, at a distance of 0: with the origin of a corner it is no pair with it
        origins = np.concatenate([origins, origins[corners[:, 0]]])
    return replace(
        mesh,
        rest=np.concatenate([mesh.rest, _between(model)]),
        takes_part=np.concatenate([mesh.takes_part, mesh.takes_part[corners].all(axis=1)]),
        origins=origins,
    )


def body_elements(model: BodyModel) -> Ints:
    """Four particles of each point, counted from the body's first, shape (points, 4)."""
    return np.concatenate([model.elements, model.surface_elements[model.between.numbers]])


def body_weights(model: BodyModel) -> Floats:
    """Weights of these particles, shape (points, 4)."""
    return np.concatenate([model.weights, model.surface_weights[model.between.numbers]])


def body_frictions(model: BodyModel) -> Floats:
    """Coulomb coefficient of each point, shape (points,)."""
    vertices = len(model.elements)
    if len(model.frictions) == 0:
        return np.full(vertices + len(model.between), model.body.material.friction)
    return np.concatenate([model.frictions[:vertices], model.frictions[vertices + model.between.numbers]])


def vertex_numbers(models: Sequence[BodyModel]) -> Ints:
    """Of each point of all bodies the number of its vertex among all their vertices; −1 for points between.

    Shape (points,).
    """
    numbers, first = [np.zeros(0, np.int32)], 0
    for model in models:
        count = model.body.vertex_count
        numbers += [np.arange(first, first + count, dtype=np.int32), np.full(len(model.between), -1, np.int32)]
        first += count
    return np.concatenate(numbers)


def _between(model: BodyModel) -> Floats:
    """The points between vertices at rest [m], shape (points, 3)."""
    numbers = model.between.numbers
    places: Floats = np.einsum(
        "pj,pjk->pk", model.surface_weights[numbers], model.positions[model.surface_elements[numbers]]
    )
    return places


def _doubled_places(mesh: SurfaceMesh) -> Ints:
    """A number of each point, equal where faces end in one place, shape (points,); (0,) where none do.

    Layers and closed pieces that touch there meet each other: theirs are no copies of one point.
    """
    ends = np.unique(boundary_edges(mesh.triangles))
    if len(ends) == 0 or not np.ptp(mesh.rest[ends], axis=0).any():
        return np.zeros(0, np.int32)
    firsts, places = same_places(mesh.rest[ends])
    if len(firsts) == len(ends):
        return np.zeros(0, np.int32)
    origins = np.arange(len(mesh.rest), dtype=np.int32)
    origins[ends] = ends[firsts[places]]
    return origins
