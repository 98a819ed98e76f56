# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a mesh collider is searched for pairs, so that it holds faces and edges of bodies, not only their points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
from .collider_mesh import ColliderMesh

Floats = npt.NDArray[np.float64]

# the share of the gap by which edges of bodies may dip over an edge of a closed collider that is not searched. Chosen
# by hand: half of the gap is left then. Of an open one it is LEAST_GAP, see ``collider_features``
DIP = 0.5
# where the gap is next to nothing, the share of an edge by which it may dip into what is round. Chosen by hand: it does
# not show beside the edges' own corners
_LEAST_DIP = 0.02
# of a collider that deforms, at about how many frames its shape is looked at
_SHAPES_LOOKED_AT = 12


@dataclass(frozen=True)
class HeldEdges:
    """The edges of bodies that colliders are to hold.

    Attributes:
        longest: [m].
        gap: to be kept from colliders [m], the smallest of all bodies.
    """

    longest: float
    gap: float

    @property
    def tangent(self) -> float:
        """tan(θ/2) of the edges over which the longest edge of a body dips by the gap, see ``sharp_edges``."""
        return self.gap / max(self.longest / 2.0, 1e-30)

    @property
    def dip(self) -> float:
        """How far the longest edge may dip below what is round [m]."""
        return max(DIP * self.gap, _LEAST_DIP * self.longest)


def held_edges(models: Sequence[BodyModel]) -> HeldEdges:
    """Of all bodies of a scene."""
    longest = max(float(surface_lengths(model.body).max()) for model in models)
    return HeldEdges(longest, min(model.contact_offset for model in models))


def surface_lengths(body: Body) -> Floats:
    """Of the edges of a body [m]; 0 where it has none."""
    edges = [unique_edges(body.face_sizes, body.corners), body.loose_edges.astype(np.int32)]
    lengths = edge_lengths(body.positions, np.concatenate(edges))
    return lengths if len(lengths) else np.zeros(1)


def collider_features(shape: ColliderMesh, held: HeldEdges) -> SurfaceMesh:
    """What of a mesh collider is searched for pairs; all its vertices, so that points are numbered alike.

    Points are held by the collider's own query, which is asked again where other bodies have pushed them. So the faces
    of a closed mesh are not searched, only its sharp edges, and vertices where it is rounder than an edge is short.

    An open mesh has no inside from which a point or an edge that dipped through it would be brought back. So its faces
    are searched, and all edges over which edges may dip while their points keep what the truncation never uses up.
    """
    surface = shape.surface
    least_tangent = held.tangent * (DIP if surface.closed else LEAST_GAP)
    frames = range(0, len(shape.collider.positions), max(1, len(shape.collider.positions) // _SHAPES_LOOKED_AT))
    places = [shape.vertices(frame) for frame in frames]
    edges = sharp_edges(places, surface.triangles, is_closed=surface.closed, least_tangent=least_tangent)
    if not surface.closed:
        return SurfaceMesh(places[0], surface.triangles, edges, np.ones(len(places[0]), np.bool_))
    takes_part = np.zeros(len(places[0]), np.bool_)
    takes_part[edges] = True
    for place in places:
        takes_part |= holding_vertices(place, surface.triangles, length=held.longest, least_dip=held.dip)
    return SurfaceMesh(places[0], np.zeros((0, 3), np.int32), edges, takes_part)
