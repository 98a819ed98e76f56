# SPDX-License-Identifier: GPL-3.0-or-later
"""What a sheet that rests curved pushes its vertices with, so that it keeps its curvature.

Each vertex has the curvature S x, see ``curvature``, and had S x₀ at rest. Its energy is ½ k A |S x − R S x₀|² with the
rotation R of the surface at the vertex. So beside −B x of a flat sheet there are the forces Sᵀ k A R S x₀, which are
constant in frames that turn with the vertices. That R depends on x adds forces of second order, since S x and R S x₀
are both along the normal where edges keep their lengths; they are left out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class RestCurvature:
    """The forces of a curved rest shape.

    Attributes:
        particles: which each force acts on, shape (forces,).
        vertices: with whose frame it turns, shape (forces,).
        forces: in these frames [N], shape (forces, 3).
        stencils: four vertices around each vertex: the first axis of its frame runs from the second to the first, its
            last across that and the way from the fourth to the third; shape (vertices, 4).
    """

    particles: Ints
    vertices: Ints
    forces: Floats
    stencils: Ints

    def of(self, is_curved: npt.NDArray[np.bool_]) -> RestCurvature:
        """The forces of some vertices, shape (vertices,), and what they are in frames of; the others rest flat."""
        kept = is_curved[self.vertices]
        return replace(self, particles=self.particles[kept], vertices=self.vertices[kept], forces=self.forces[kept])


def vertex_frames(positions: Floats, stencils: Ints) -> Floats:
    """Frames as columns, shape (vertices, 3, 3); 0 where a stencil spans no area."""
    p, q, r, s = (positions[stencils[:, k]] for k in range(4))
    first, normal = _unit(p - q), _unit(np.cross(p - q, r - s))
    return np.stack([first, np.cross(normal, first), normal], axis=-1)


def frame_stencils(positions: Floats, vertices: Ints, others: Ints) -> Ints:
    """Stencils of frames, shape (len(positions), 4); zeros for vertices that come in no pair.

    Args:
        positions: at rest [m], shape (vertices, 3).
        vertices: of pairs, in ascending order, shape (pairs,).
        others: a neighbour of each, or the vertex itself, shape (pairs,).
    """
    kept = vertices != others
    vertices, others = vertices[kept], others[kept]
    ways = _unit(positions[others] - positions[vertices])
    stencils = np.zeros((len(positions), 4), np.int64)
    directions = np.zeros((4, len(positions), 3))

    def choose(column: int, keys: Floats) -> None:
        """Take the neighbour of each vertex with the least key."""
        order = np.lexsort((keys, vertices))
        firsts = order[np.unique(vertices[order], return_index=True)[1]]
        stencils[vertices[firsts], column] = others[firsts]
        directions[column, vertices[firsts]] = ways[firsts]

    choose(0, np.zeros(len(vertices)))
    first = directions[0, vertices]
    choose(1, (ways * first).sum(axis=1))
    choose(2, -np.linalg.norm(np.cross(ways, first), axis=1))
    choose(3, (ways * directions[2, vertices]).sum(axis=1))
    # a corner with two neighbours: its own place serves
    is_same = (np.sort(stencils[:, :2], axis=1) == np.sort(stencils[:, 2:], axis=1)).all(axis=1)
    stencils[is_same, 3] = np.flatnonzero(is_same)
    return stencils


def _unit(vectors: Floats) -> Floats:
    lengths = np.linalg.norm(vectors, axis=1)[:, None]
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0.0)
