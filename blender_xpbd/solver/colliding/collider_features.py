# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a mesh collider is searched for pairs, so that it holds faces and edges of bodies, not only their points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...bodies.body_model import BodyModel
from ...contacts.pairs.near import LEAST_GAP
from ...geometry.edges import edge_lengths
from ...geometry.search.features import sharp_edges
from ...geometry.search.rounded import holding_vertices
from ...geometry.search.surfaces import SurfaceMesh
from ...geometry.surface.topology import unique_edges
from ...scene.body import Body
from ...scene.body_kinds import sewn_edges
from .collider_mesh import ColliderMesh

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

# the share of the gap by which edges of bodies may dip over an edge of a closed collider that is not searched. Chosen
# by hand: half of the gap is left then. Of an open one it is LEAST_GAP, see ``_features``
DIP = 0.5
# where the gap is below the first share of an edge, the second one of it, or of what is round where that is smaller, is
# what an edge may dip. Chosen by hand: the check tells of such gaps (W_GAP)
_NO_GAP, _LEAST_DIP = 1e-3, 0.02
# of a collider that deforms, at about how many frames its shape is looked at
_SHAPES_LOOKED_AT = 12


class HeldEdge(NamedTuple):
    """The longest edge of a body that what is round is to hold.

    Attributes:
        length: [m].
        gap: to be kept from the collider [m].
    """

    length: float
    gap: float

    def dip(self, size: float) -> float:
        """How far the edge may dip below what is round and has a radius, or half of its extent, of ``size`` [m]."""
        if self.gap < _NO_GAP * self.length:
            return _LEAST_DIP * min(self.length, size)
        return DIP * self.gap


def held_edges(models: Sequence[BodyModel], identifier: str) -> tuple[HeldEdge, ...]:
    """Of the bodies that meet a collider; what a longer edge with a smaller gap asks for as well is left out.

    Bodies that may tear do not count. Where they tear, faces appear around vertices of a collider, which then push from
    the wrong side: a slab of jelly that a ball tears flew apart.

    Args:
        models: of all bodies.
        identifier: of the collider.
    """
    seeing = [model for model in models if meets(model.body, identifier) and not model.body.can_tear]
    edges = {_longest_edge(model) for model in seeing}
    return tuple(
        sorted(
            edge
            for edge in edges
            if not any(other != edge and other.length >= edge.length and other.gap <= edge.gap for other in edges)
        )
    )


def meets(body: Body, identifier: str) -> bool:
    """Whether a body has anything to touch with, and sees an object."""
    return has_surface(body) and sees_it(body, identifier)


def sees_it(body: Body, identifier: str) -> bool:
    """Whether an object is among those that a body meets."""
    return body.contact.sees is None or identifier in body.contact.sees


def has_surface(body: Body) -> bool:
    """Whether a body has faces or edges."""
    return len(body.face_sizes) > 0 or len(body.loose_edges) > 0


def surface_lengths(body: Body, *, with_sewn: bool = False) -> Floats:
    """Of the edges of a body [m], without or with those that are sewn; 0 where it has none."""
    sewn = 0 if with_sewn else len(sewn_edges(body))
    # a sheet sews all of them or none
    loose = body.loose_edges[sewn:].astype(np.int32)
    lengths = edge_lengths(body.positions, np.concatenate([unique_edges(body.face_sizes, body.corners), loose]))
    return lengths if len(lengths) else np.zeros(1)


def searched_features(shape: ColliderMesh, models: Sequence[BodyModel]) -> tuple[SurfaceMesh, Mask]:
    """What of a mesh collider is searched for pairs, and for which bodies: those that it does not hold by points alone.

    What another body asks for is no reason: a fine cloth over a ball is as fast beside a coarse one as alone.

    Args:
        shape: of the collider.
        models: of all bodies, of which one at least meets the collider.

    Returns:
        all that a body asks for; and shape (bodies,), false for what does not meet the collider.
    """
    result = np.array([meets(model.body, shape.collider.identifier) for model in models], np.bool_)
    # what bodies ask for follows from these alone
    asked: dict[tuple[float, float, float, bool], SurfaceMesh] = {}
    for number in np.flatnonzero(result):
        model = models[number]
        longest, with_sewn = (float(surface_lengths(model.body, with_sewn=sewn).max()) for sewn in (False, True))
        key = longest, with_sewn, model.contact_offset, model.body.can_tear
        if key not in asked:
            asked[key] = _features(shape, model)
        result[number] = asked[key].takes_part.any()
    # edges that are sharp enough for one body are among those for a coarser one
    most = max(asked.values(), key=lambda mesh: len(mesh.edges))
    takes_part = np.logical_or.reduce([mesh.takes_part for mesh in asked.values()])
    return SurfaceMesh(most.rest, most.triangles, most.edges, takes_part), result


def _features(shape: ColliderMesh, model: BodyModel) -> SurfaceMesh:
    """What of a mesh collider a body asks for; all its vertices, so that points are numbered alike.

    Points are held by the collider's own query, which is asked again where other bodies have pushed them. So the faces
    of a closed mesh are not searched, only its sharp edges, and vertices where it is rounder than an edge is short.

    An open mesh has no inside from which a point or an edge that dipped through it would be brought back. So its faces
    are searched, and all edges over which edges may dip while their points keep what the truncation never uses up.
    """
    surface = shape.surface
    places = _looked_at(shape)
    least_tangent = _gap_tangent(model) * (DIP if surface.closed else LEAST_GAP)
    edges = sharp_edges(places, surface.triangles, is_closed=surface.closed, least_tangent=least_tangent)
    if not surface.closed:
        return SurfaceMesh(places[0], surface.triangles, edges, np.ones(len(places[0]), np.bool_))
    takes_part = np.zeros(len(places[0]), np.bool_)
    takes_part[edges] = True
    for edge in held_edges([model], shape.collider.identifier):
        takes_part |= _holding(shape, edge)
    return SurfaceMesh(places[0], np.zeros((0, 3), np.int32), edges, takes_part)


def shows_through(shape: ColliderMesh, model: BodyModel) -> bool:
    """Whether a mesh collider is round where a body that can tear, and meets it, has edges too long for that.

    It is then held off the body's points alone, except where its own edges are sharp enough to be held.
    """
    if not model.body.can_tear or not meets(model.body, shape.collider.identifier) or not shape.surface.closed:
        return False
    return bool((_holding(shape, _longest_edge(model)) & ~_features(shape, model).takes_part).any())


def _longest_edge(model: BodyModel) -> HeldEdge:
    return HeldEdge(float(surface_lengths(model.body).max()), model.contact_offset)


def _looked_at(shape: ColliderMesh) -> list[Floats]:
    """The vertices of a mesh collider at the frames at which its shape is looked at [m], shape (vertices, 3) each."""
    step = max(1, shape.shape_count // _SHAPES_LOOKED_AT)
    return [shape.vertices(frame) for frame in range(0, shape.shape_count, step)]


def _holding(shape: ColliderMesh, edge: HeldEdge) -> Mask:
    """Which vertices of a closed mesh collider hold it off such an edge where it is round, shape (vertices,)."""
    result = np.zeros(len(shape.surface.sources), np.bool_)
    for place in _looked_at(shape):
        half = float(np.ptp(place, axis=0).max()) / 2.0
        result |= holding_vertices(place, shape.surface.triangles, length=edge.length, least_dip=edge.dip(half))
    return result


def _gap_tangent(model: BodyModel) -> float:
    """tan(θ/2) of the edges over which the longest edge dips by the gap, see ``sharp_edges``.

    What is sewn counts: a seam that is drawn over a ridge is to slide on it, not to be held on both sides of it.
    """
    longest = float(surface_lengths(model.body, with_sewn=True).max())
    return model.contact_offset / max(longest / 2.0, 1e-30)
