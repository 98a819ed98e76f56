# SPDX-License-Identifier: GPL-3.0-or-later
"""The tetrahedra of a jelly body, from the way that the artist chose."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ..geometry.cage.cage import build_cage
from ..geometry.cage.fragments import Fragments, build_fragments, join_fragments, thinness_of_whole
from ..geometry.solid.embedding import barycentric_weights, bind
from ..geometry.solid.tetrahedra import orient_positive, surface_triangles
from ..scene.body import Body
from ..scene.errors import Notice, XpbdError
from .own_frame import OwnFrame, own_frame

# chosen by hand, against a library that never ends on a bad mesh [s]
TETRAHEDRALIZER_TIMEOUT = 600.0


@dataclass(frozen=True)
class EmbeddedMesh:
    """Tetrahedra with the body's mesh embedded.

    Attributes:
        vertices: [m], shape (n, 3).
        tetrahedra: shape (m, 4), all of positive volume.
        fill: share of each tetrahedron that lies inside the body, shape (m,).
        stiffness: share of the material's stiffness of each tetrahedron, shape (m,).
        mass_factors: what to multiply the masses of the vertices by after they are lumped, shape (n,).
        elements, weights: of each vertex of the body's mesh, shape (vertices, 4).
        surface_elements, surface_weights: of points between the vertices, so that contact meets all of a surface
            whose faces are larger than the tetrahedra, shape (points, 4).
        notices: warnings.
        joined: of each of the vertices, the one that it is; empty where it is its own.
        fragments: the pieces that the body may tear into; None where it cannot.
    """

    vertices: npt.NDArray[np.float64]
    tetrahedra: npt.NDArray[np.int32]
    fill: npt.NDArray[np.float64]
    stiffness: npt.NDArray[np.floating[Any]]
    mass_factors: npt.NDArray[np.float64]
    elements: npt.NDArray[np.int32]
    weights: npt.NDArray[np.float64]
    surface_elements: npt.NDArray[np.int32]
    surface_weights: npt.NDArray[np.float64]
    notices: tuple[Notice, ...] = ()
    joined: npt.NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    fragments: Fragments | None = None


def tetrahedralized(body: Body, triangles: npt.NDArray[np.int32]) -> EmbeddedMesh:
    """Make, or take, the tetrahedra of a body.

    Raises:
        XpbdError: E_GEOM_* or E_TET_*.
    """
    wanted = body.tetrahedralization
    frame = own_frame(body.positions, body.axes)
    if wanted.method == "CAGE":
        return (_in_fragments if len(body.seams) else _in_a_cage)(body, triangles, frame)
    if len(body.seams):
        raise XpbdError("E_PARAM", "Only a cage tears: choose Cage as what the body is filled with.", body.name)
    if wanted.method == "FILE":
        if len(wanted.tetrahedra) == 0:
            raise XpbdError("E_TET_FILE", "The job holds no tetrahedra of the file.", body.name)
        vertices, tetrahedra = wanted.vertices, orient_positive(wanted.vertices, wanted.tetrahedra)
    else:
        # only here: nobody else pays for looking after child processes
        from ..geometry.solid.tetrahedralizers import tetrahedralize

        own = frame.of(body.positions)
        size = float(np.ptp(own, axis=0).max())
        vertices, tetrahedra = tetrahedralize(
            wanted.method, own, triangles, size / wanted.resolution, TETRAHEDRALIZER_TIMEOUT, body.name
        )
        vertices = frame.to_world(vertices)
    indices, weights = bind(body.positions, vertices, tetrahedra)
    # a conforming mesh has its surface in vertices of its own
    own = np.unique(surface_triangles(tetrahedra))
    held = tetrahedra[indices][weights > 0.999]
    rest = np.setdiff1d(own, held).astype(np.int32)
    single = np.tile([1.0, 0.0, 0.0, 0.0], (len(rest), 1))
    elements = np.repeat(rest[:, None], 4, axis=1)
    return EmbeddedMesh(
        vertices,
        tetrahedra,
        np.broadcast_to(1.0, len(tetrahedra)),
        np.broadcast_to(1.0, len(tetrahedra)),
        np.broadcast_to(1.0, len(vertices)),
        tetrahedra[indices],
        weights,
        elements,
        single,
    )


def _in_a_cage(body: Body, triangles: npt.NDArray[np.int32], frame: OwnFrame) -> EmbeddedMesh:
    """A cage that is laid along the body's own axes."""
    cage = build_cage(frame.rounded(body.positions), triangles, body.tetrahedralization.resolution, body.name)
    elements = cage.tetrahedra[cage.embedding_tetrahedra]
    weights = cage.embedding_weights
    if not frame.is_world:
        # of the vertices as they are
        weights = barycentric_weights(frame.of(body.positions), cage.vertices[elements])
    return EmbeddedMesh(
        frame.to_world(cage.vertices),
        cage.tetrahedra,
        cage.fill,
        cage.stiffness,
        cage.mass_factors,
        elements,
        weights,
        cage.tetrahedra[cage.surface_tetrahedra],
        cage.surface_weights,
        tuple(cage.notices),
    )


def _in_fragments(body: Body, triangles: npt.NDArray[np.int32], frame: OwnFrame) -> EmbeddedMesh:
    """Cages of the pieces that a body was cut into, as one where they hold together."""
    if (body.seams[triangles] != body.seams[triangles[:, :1]]).any():
        raise XpbdError("E_PARAM", "A face joins two of the pieces that the solid was cut into.", body.name)
    own = frame.rounded(body.positions)
    pieces = build_fragments(own, triangles, body.seams, body.tetrahedralization.resolution, body.name)
    notices = tuple(notice for notice in pieces.notices if notice.code != "W_THIN")
    if len(notices) < len(pieces.notices) and not body.torn.any():
        resolution = body.tetrahedralization.resolution
        notices = (*notices, *thinness_of_whole(own, triangles, body.seams, resolution, body.name))
    whole = join_fragments(pieces, body.torn if len(body.torn) else np.zeros(len(pieces), np.bool_))
    held = pieces.tetrahedra[pieces.elements]
    weights = pieces.weights
    if not frame.is_world:
        weights = barycentric_weights(frame.of(body.positions), pieces.vertices[held])
    return EmbeddedMesh(
        vertices=frame.to_world(pieces.vertices),
        tetrahedra=whole.tetrahedra,
        fill=whole.fill,
        stiffness=whole.stiffness,
        mass_factors=whole.mass_factors,
        elements=whole.joined[held],
        weights=weights,
        surface_elements=whole.joined[pieces.tetrahedra[pieces.surface_elements]],
        surface_weights=pieces.surface_weights,
        notices=notices,
        joined=whole.joined,
        fragments=pieces,
    )
