# SPDX-License-Identifier: GPL-3.0-or-later
"""Which cloths get coarse levels, and from what."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..constraints.constraint import ConstraintBlock
from ..constraints.scaling import Scaling
from ..geometry.levels.hierarchy import build_hierarchy
from ..geometry.levels.tethers import nearest_sources
from ..geometry.surface.topology import face_diagonals, unique_edges, unique_pairs
from ..scene.body import Body
from ..scene.settings import SolverSettings
from .body_model import is_direct
from .hierarchy import Hierarchy
from .vertex_factors import vertex_factors

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

# smaller meshes converge without. Chosen by hand: the smallest measured, of 40², gains (docs/experiments.md, Coarse
# levels of cloth)
FEWEST_PARTICLES = 400
# a network of springs or a membrane of stiffness E stores this times ½ E ε² per area, averaged over directions
PLANE_GAMMA = 3.0
# springs of one given compliance are not isotropic: along the edges of quads they are softer than on the average.
# Exact for squares with both diagonals, all of stiffness k: 3/2 k along edges, Σ L² k / (3 A) = 2 k on the average
GIVEN_SHARE = 0.75
# where the stiffness of a cloth differs by more from place to place, no single one is right for a level.
# Chosen by hand: such a level would hold the softest parts more stiffly than their material
GREATEST_RATIO = 2.0


def cloth_hierarchy(
    body: Body,
    triangles: Ints,
    masses: Floats,
    pin_weights: Floats,
    blocks: Sequence[ConstraintBlock],
    settings: SolverSettings,
) -> Hierarchy | None:
    """The coarse levels of a cloth, None where it has no use for them.

    Args:
        body: the cloth.
        triangles: shape (triangles, 3).
        masses: of the vertices [kg], shape (vertices,).
        pin_weights: 1 where a vertex is fixed, shape (vertices,).
        blocks: the constraints that hold its membrane.
        settings: of the solver.
    """
    fixed = pin_weights >= 1.0
    is_wanted = settings.acceleration == "HIERARCHY" and settings.solver_mode == "XPBD"
    moving = ~fixed & (masses > 0.0)
    # coarse levels keep the rest lengths that it is modelled with
    is_wanted = is_wanted and body.material.yield_strain == 0.0
    if not is_wanted or body.vertex_count < FEWEST_PARTICLES or not moving.any():
        return None
    if not _is_even(body):
        return None
    rigidity = _rigidity(body, triangles, blocks, settings)
    edges = unique_edges(body.face_sizes, body.corners)
    corners = np.asarray(triangles)
    sides = np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]])
    pairs = unique_pairs(np.concatenate([edges, face_diagonals(body.face_sizes, body.corners), sides]))
    levels = build_hierarchy(body.positions, triangles, pairs, masses, fixed)
    if rigidity <= 0.0 or not levels:
        return None
    lengths = np.linalg.norm(body.positions[pairs[:, 0]] - body.positions[pairs[:, 1]], axis=1)
    hops, depth = _reach(body.positions, corners, pairs, fixed)
    if depth <= 0.0:
        return None
    return Hierarchy(
        levels=levels,
        rigidity=rigidity,
        compliance=float((lengths**2).sum()) / rigidity,
        weight=2.0 / float(np.median(masses[moving])),
        hops=hops,
        depth=depth,
        is_pinned=bool(fixed.any()),
        law=Scaling("stretch_compliance", -1, 1.0)
        if is_direct(body, settings)
        else Scaling("stretch_stiffness", -1, -1.0),
    )


def _reach(positions: Floats, triangles: Ints, pairs: Ints, fixed: npt.NDArray[np.bool_]) -> tuple[int, float]:
    """``hops`` and ``depth`` of a hierarchy; 0 where all that pins reach is pinned itself.

    Where the vertex in the middle has no edges, they are counted from the middle of the faces.

    Args:
        positions: of the vertices [m], shape (vertices, 3).
        triangles: shape (triangles, 3).
        pairs: what a pull goes along, shape (pairs, 2).
        fixed: of each vertex.
    """
    lengths = np.linalg.norm(positions[pairs[:, 0]] - positions[pairs[:, 1]], axis=1)
    sources = np.flatnonzero(fixed) if fixed.any() else _middle(positions)
    distances = _ways(len(positions), pairs, lengths, sources)
    if not fixed.any() and distances[np.isfinite(distances)].max() <= 0.0:
        corners = np.unique(triangles)
        sources = corners[_middle(positions[corners])]
        distances = _ways(len(positions), pairs, lengths, sources)
    hops = _ways(len(positions), pairs, np.ones(len(pairs)), sources)
    return int(hops[np.isfinite(hops)].max()), float(distances[np.isfinite(distances)].max())


def _ways(count: int, pairs: Ints, lengths: Floats, sources: npt.NDArray[np.intp]) -> Floats:
    """The shortest way from any of some vertices to each, infinite where there is none, shape (vertices,)."""
    ways: Floats = nearest_sources(count, pairs, lengths, [sources])[0][0]
    return ways


def _middle(positions: Floats) -> npt.NDArray[np.intp]:
    """The vertex nearest to the mean of all, shape (1,)."""
    return np.argmin(((positions - positions.mean(axis=0)) ** 2).sum(axis=1), keepdims=True)


def _is_even(body: Body) -> bool:
    factors = vertex_factors(body, "stiffness")
    return factors is None or float(factors.max()) <= GREATEST_RATIO * float(factors.min())


def _rigidity(body: Body, triangles: Ints, blocks: Sequence[ConstraintBlock], settings: SolverSettings) -> float:
    """As in ``Hierarchy``; 0 for woven membranes, which give way along the bias."""
    if body.material.membrane_model == "SPRINGS" or is_direct(body, settings):
        with np.errstate(divide="ignore"):
            # rest length and compliance under tension, of both types of springs
            total = sum(float((block.parameters[:, 0] ** 2 / block.parameters[:, 1]).sum()) for block in blocks)
        return GIVEN_SHARE * total if is_direct(body, settings) else total
    if body.material.membrane_model != "ISOTROPIC":
        return 0.0
    a, b, c = (body.positions[triangles[:, corner]] for corner in range(3))
    area = 0.5 * float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum())
    return PLANE_GAMMA * body.material.stretch_stiffness * area
