# SPDX-License-Identifier: GPL-3.0-or-later
"""What of all bodies the wind meets: triangles and segments of strands, and which particles bear the force on each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...bodies.body_model import BodyModel
from ...forces.tables import AIR_CLOSED, AIR_OPEN, AIR_SEGMENT
from ...geometry.surface.mesh_checks import check_mesh
from ...geometry.surface.triangle_surface import oriented

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]


@dataclass(frozen=True)
class AirSurfaces:
    """Triangles and segments in the wind; both are called triangles here.

    Attributes:
        elements: particles that carry each vertex of all meshes, shape (vertices, 4).
        weights: of these, shape (vertices, 4).
        triangles: vertices at the corners, body, and what it is, as ``forces.tables`` says, shape (triangles, 5).
        starts: of each particle, where its triangles begin in the two lists that follow, shape (particles + 1,).
        of_particles: triangles, in ascending order for each particle.
        shares: what of the force on the triangle the particle bears; of the force on a segment of 1 m thickness [1/m].
    """

    elements: Ints
    weights: Floats
    triangles: Ints
    starts: Ints
    of_particles: Ints
    shares: Floats


def no_surfaces() -> AirSurfaces:
    """Of a scene without air."""
    none = np.zeros(0, np.int32)
    return AirSurfaces(
        np.zeros((0, 4), np.int32), np.zeros((0, 4)), np.zeros((0, 5), np.int32), none, none, np.zeros(0)
    )


def build_air_surfaces(models: Sequence[BodyModel], starts: Ints, particle_count: int) -> AirSurfaces:
    """The faces of bodies, then the segments of strands and threads.

    Args:
        models: the bodies.
        starts: first particle of each body.
        particle_count: of the whole system.
    """
    elements, weights, triangles, segments, radii = [], [], [], [], []
    first = 0
    for number, (model, start) in enumerate(zip(models, starts, strict=False)):
        elements.append(model.elements + start)
        weights.append(model.weights)
        body = model.body
        if len(body.face_sizes):
            faces, _ = check_mesh(body.positions, body.face_sizes, body.corners, body.name)
            is_closed, faces = oriented(body.positions, faces.astype(np.int64))
            triangles.append(_rows(faces + first, number, AIR_CLOSED if is_closed else AIR_OPEN))
        if model.rods is not None:
            segments.append(_rows(model.rods.edges[:, [0, 1, 1]] + first, number, AIR_SEGMENT))
            radii.append(0.5 * model.rods.diameters)
        first += len(model.elements)
    rows = np.concatenate([*triangles, *segments, np.zeros((0, 5), np.int32)]).astype(np.int32)
    carriers, carried = np.concatenate(elements).astype(np.int32), np.concatenate(weights)
    # a triangle gives a third of its force to each of its corners, a segment half to each end, times its diameter
    weight, halves = carried[rows[:, :3]] / 3.0, np.concatenate([*radii, np.zeros(0)])
    first_segment = len(rows) - len(halves)
    weight[first_segment:] = halves[:, None, None] * carried[rows[first_segment:, :3]]
    weight[first_segment:, 2] = 0.0
    firsts, of_particles, shares = _borne(rows, carriers, weight.reshape(-1), particle_count)
    return AirSurfaces(carriers, carried, rows, firsts, of_particles, shares)


def _rows(corners: npt.NDArray[np.int64], body: int, shape: int) -> npt.NDArray[np.int64]:
    """Of elements of one body, shape (elements, 5)."""
    rest = np.broadcast_to((body, shape), (len(corners), 2))
    return np.column_stack([corners, rest])


def _borne(rows: Ints, carriers: Ints, weight: Floats, particle_count: int) -> tuple[Ints, Ints, Floats]:
    """What corners get goes to what carries them: ``starts``, ``of_particles`` and ``shares`` of ``AirSurfaces``."""
    borne = carriers[rows[:, :3]].reshape(-1).astype(np.int64)
    used, count = weight != 0.0, max(len(rows), 1)
    keys = (borne * count + np.repeat(np.arange(len(rows)), 12))[used]
    pairs, of = np.unique(keys, return_inverse=True)
    total = np.bincount(of.ravel(), weight[used], len(pairs)).astype(np.float64)
    particles, faces_of = np.divmod(pairs, count)
    ends = np.searchsorted(particles, np.arange(particle_count + 1))
    return ends.astype(np.int32), faces_of.astype(np.int32), total
