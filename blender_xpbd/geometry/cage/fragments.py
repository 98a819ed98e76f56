# SPDX-License-Identifier: GPL-3.0-or-later
"""Cages of the closed pieces that a mesh was cut into, on one lattice, so that what holds together is one cage.

Each piece has tetrahedra of its own wherever it is, as virtual nodes are made for a crack that runs through elements
(Molino, Bao & Fedkiw 2004, "A Virtual Node Algorithm for Changing Mesh Topology During Simulation"). A *seam* is a
place where two pieces that touch have a tetrahedron each. While it holds, their corners there are one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...scene.errors import Notice
from ..components import connected_components
from ..ragged import ramp
from ..solid.embedding import nearest_points
from ..solid.masses import tetrahedron_masses
from .cage import SURFACE_RATE, Cage, Frame, build_cage, make_frame
from .lattice import Lattice
from .sampling import sample_surface
from .stiffness import stiffness_shares

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Fragments:
    """Pieces, and where they hold together.

    Attributes:
        vertices: of all cages [m], shape (n, 3).
        tetrahedra: of all cages, shape (m, 4).
        fill: share of each tetrahedron inside its piece, shape (m,).
        masses: of the vertices, at a density of 1 [m³], shape (n,).
        elements, weights: of each of the mesh's vertices: a tetrahedron, shape (v,), and its coordinates there, (v, 4).
        surface_elements, surface_weights: likewise of points between them, as ``Cage`` has them.
        seams: two tetrahedra at one place of the lattice, of pieces that touch there, shape (seams, 2). Their corners
            are in the same order.
        normals: across the cut at each seam, of length 1, shape (seams, 3).
        notices: warnings of the cages.
    """

    vertices: Floats
    tetrahedra: Ints
    fill: Floats
    masses: Floats
    elements: Ints
    weights: Floats
    surface_elements: Ints
    surface_weights: Floats
    seams: Ints
    normals: Floats
    notices: tuple[Notice, ...]

    def __len__(self) -> int:
        """How many seams there are."""
        return len(self.seams)


@dataclass(frozen=True)
class WholeCage:
    """What pieces are while some of their seams hold.

    Attributes:
        joined: of each vertex of ``Fragments``, the one that it is, shape (n,).
        tetrahedra: those that are not at the place of another, shape (m', 4).
        fill, stiffness: of each, as of ``Cage``, shape (m',).
        mass_factors: as of ``Cage``, shape (n,); masses are those of the pieces.
    """

    joined: Ints
    tetrahedra: Ints
    fill: Floats
    stiffness: npt.NDArray[np.float32]
    mass_factors: Floats


def build_fragments(
    positions: Floats, triangles: Ints, pieces: Ints, resolution: int, object_name: str = ""
) -> Fragments:
    """Build a cage for each piece.

    Args:
        positions: vertices [m], shape (vertices, 3). Where two pieces touch, those of both are at the same places.
        triangles: of closed pieces, shape (triangles, 3).
        pieces: the number of the piece of each vertex, shape (vertices,).
        resolution: lattice cells along the longest side of the whole mesh's box.
        object_name: named in errors and notices.

    Raises:
        XpbdError: as of ``build_cage``.
    """
    frame = make_frame(positions, triangles, resolution)
    of_triangle = pieces[triangles[:, 0]]
    numbers = np.unique(of_triangle)
    cages: list[Cage] = []
    used: list[Longs] = []
    for number in numbers:
        mine = triangles[of_triangle == number]
        used.append(np.unique(mine))
        cages.append(
            build_cage(positions[used[-1]], np.searchsorted(used[-1], mine), resolution, object_name, frame=frame)
        )
    first_vertex = np.cumsum([0, *(len(cage.vertices) for cage in cages)])
    first_tetrahedron = np.cumsum([0, *(len(cage.tetrahedra) for cage in cages)])
    vertices = np.concatenate([cage.vertices for cage in cages])
    tetrahedra = np.concatenate([c.tetrahedra + n for c, n in zip(cages, first_vertex, strict=False)]).astype(np.int32)
    elements, weights = np.full(len(positions), -1, np.int64), np.zeros((len(positions), 4))
    for cage, mine, first in zip(cages, used, first_tetrahedron, strict=False):
        elements[mine], weights[mine] = cage.embedding_tetrahedra + first, cage.embedding_weights
    loose, bound = np.flatnonzero(elements < 0), np.flatnonzero(elements >= 0)
    if len(loose):
        nearest = bound[nearest_points(positions[loose], positions[bound])]
        elements[loose], weights[loose] = elements[nearest], weights[nearest]
    owner = np.repeat(numbers, np.diff(first_tetrahedron))
    seams, normals = _seams(frame, positions, triangles, pieces, (vertices[tetrahedra], owner))
    masses = [c.mass_factors * tetrahedron_masses(c.vertices, c.tetrahedra, 1.0, c.fill) for c in cages]
    notices = {notice.code: notice for cage in reversed(cages) for notice in cage.notices}
    surface = [cage.surface_tetrahedra + first for cage, first in zip(cages, first_tetrahedron, strict=False)]
    return Fragments(
        vertices=vertices,
        tetrahedra=tetrahedra,
        fill=np.concatenate([cage.fill for cage in cages]),
        masses=np.concatenate(masses),
        elements=elements.astype(np.int32),
        weights=weights,
        surface_elements=np.concatenate(surface).astype(np.int32),
        surface_weights=np.concatenate([cage.surface_weights for cage in cages]),
        seams=seams,
        normals=normals,
        notices=tuple(notices.values()),
    )


def thinness_of_whole(
    positions: Floats, triangles: Ints, pieces: Ints, resolution: int, object_name: str = ""
) -> tuple[Notice, ...]:
    """``W_THIN`` of what the pieces are while they hold together: a piece by itself may be thin where that is not.

    Arguments and errors as of ``build_fragments``.
    """
    inner, _ = touching(places_of(positions), pieces, triangles)
    outside = np.delete(triangles, np.unique(inner), axis=0)
    cage = build_cage(positions, outside, resolution, object_name, frame=make_frame(positions, triangles, resolution))
    return tuple(notice for notice in cage.notices if notice.code == "W_THIN")


def join_fragments(fragments: Fragments, torn: Mask) -> WholeCage:
    """Put the pieces together at the seams that hold.

    Args:
        fragments: the pieces.
        torn: which seams hold no more, shape (seams,).
    """
    corners = fragments.tetrahedra[fragments.seams[~torn]]
    pairs = np.stack([corners[:, 0].ravel(), corners[:, 1].ravel()], axis=1)
    joined = connected_components(len(fragments.vertices), pairs)
    mapped = joined[fragments.tetrahedra]
    _, first, inverse = np.unique(np.sort(mapped, axis=1), axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    tetrahedra = mapped[first[order]]
    fill = np.minimum(np.bincount(rank[inverse.reshape(-1)], fragments.fill), 1.0)
    lumped = tetrahedron_masses(fragments.vertices, tetrahedra, 1.0, fill)
    masses = np.bincount(joined, fragments.masses, len(joined))
    factors = np.where(lumped > 0.0, masses / np.where(lumped > 0.0, lumped, 1.0), 1.0)
    return WholeCage(joined, tetrahedra, fill, stiffness_shares(tetrahedra, fill), factors)


def strains_across(fragments: Fragments, places: Floats) -> Floats:
    """How far the material is drawn across each cut: |F n| − 1, the mean of both sides, shape (seams,).

    Args:
        fragments: the pieces.
        places: of all their vertices [m], shape (n, 3).
    """
    corners = fragments.tetrahedra[fragments.seams]
    rest, now = fragments.vertices[corners], places[corners]
    sides, moved = (x[:, :, 1:] - x[:, :, :1] for x in (rest, now))
    # of n = Σ cᵢ sideᵢ, F n = Σ cᵢ movedᵢ
    shares = np.linalg.solve(np.swapaxes(sides, 2, 3), np.repeat(fragments.normals[:, None, :, None], 2, axis=1))
    stretched = (shares * moved).sum(axis=2)
    strains: Floats = np.linalg.norm(stretched, axis=2).mean(axis=1) - 1.0
    return strains


def joined_places(positions: Floats, elements: Ints) -> Ints:
    """Of each vertex, the first at its place that moves as it does, shape (vertices,).

    Args:
        positions: at rest, shape (vertices, 3).
        elements: particles that carry each of them, shape (vertices, 4).
    """
    rows = np.column_stack([positions, elements.astype(np.float64)])
    _, first, inverse = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    shown: Ints = first[inverse.reshape(-1)].astype(np.int32)
    return shown


def touching(groups: Ints, pieces: Ints, faces: Ints) -> tuple[Longs, Longs]:
    """Which triangles lie on another piece: all their vertices are at the places of vertices of that one.

    Args:
        groups: equal for vertices at one place, shape (vertices,).
        pieces: of each vertex, shape (vertices,).
        faces: shape (triangles, 3).

    Returns:
        Triangles and the pieces that they lie on, each of shape (found,).
    """
    span = int(pieces.max(initial=0)) + 1
    known = np.unique(groups.astype(np.int64) * span + pieces)
    place = known // span
    begins = np.searchsorted(place, groups[faces[:, 0]], "left")
    counts = np.searchsorted(place, groups[faces[:, 0]], "right") - begins
    which = np.repeat(np.arange(len(faces)), counts)
    other = known[np.repeat(begins, counts) + ramp(counts)] % span
    on_it = other != pieces[faces[which, 0]]
    for corner in (1, 2):
        on_it &= np.isin(groups[faces[which, corner]].astype(np.int64) * span + other, known)
    return which[on_it], other[on_it]


def places_of(positions: Floats) -> Ints:
    """A number for each vertex, equal where vertices are at one place, shape (vertices,)."""
    found: Ints = np.unique(positions, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int32)
    return found


def _seams(
    frame: Frame, positions: Floats, triangles: Ints, pieces: Ints, cages: tuple[Floats, Longs]
) -> tuple[Ints, Floats]:
    """Seams and their normals; ``cages``: corners of all tetrahedra [m], shape (m, 4, 3), and the piece of each."""
    corners, owner = cages
    lattice = Lattice(frame.cells)
    middles = frame.to_lattice(corners.mean(axis=1))
    numbers = lattice.locate(middles)
    which, other = touching(places_of(positions), pieces, triangles)
    points = frame.to_lattice(positions)
    first = np.minimum(pieces[triangles[which, 0]], other)
    second = np.maximum(pieces[triangles[which, 0]], other)
    seams, normals = [np.zeros((0, 2), np.int64)], [np.zeros((0, 3))]
    for low, high in np.unique(np.stack([first, second], axis=1), axis=0).tolist():
        cut = triangles[which[(first == low) & (second == high)]]
        samples = sample_surface(points, cut, 1.0 / SURFACE_RATE)
        near = np.unique(lattice.corner_numbers(np.unique(lattice.locate(samples.points))))
        mine, theirs = (np.flatnonzero(owner == piece) for piece in (low, high))
        pairs = _at_one_place(numbers, mine, theirs)
        touched = np.isin(lattice.corner_numbers(numbers[pairs[:, 0]]), near).any(axis=1)
        pairs = pairs[touched]
        triangle = samples.triangle[nearest_points(middles[pairs[:, 0]], samples.points)]
        a, b, c = (points[cut[triangle, k]] for k in range(3))
        normal = np.cross(b - a, c - a)
        seams.append(pairs)
        normals.append(normal / np.linalg.norm(normal, axis=1, keepdims=True))
    return np.concatenate(seams).astype(np.int32), np.concatenate(normals)


def _at_one_place(numbers: Longs, mine: Longs, theirs: Longs) -> Longs:
    """All pairs of two lists of tetrahedra that have the same number in the lattice, shape (pairs, 2)."""
    theirs = theirs[np.argsort(numbers[theirs], kind="stable")]
    begins = np.searchsorted(numbers[theirs], numbers[mine], "left")
    counts = np.searchsorted(numbers[theirs], numbers[mine], "right") - begins
    return np.stack([np.repeat(mine, counts), theirs[np.repeat(begins, counts) + ramp(counts)]], axis=1)
