# SPDX-License-Identifier: GPL-3.0-or-later
"""The surfaces of all bodies as the wind meets them: triangles, and which particles bear the force on each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...bodies.body_model import BodyModel
from ...geometry.surface.mesh_checks import check_mesh
from ...geometry.surface.triangle_surface import oriented

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]


@dataclass(frozen=True)
class AirSurfaces:
    """Triangles in the wind.

    Attributes:
        elements: particles that carry each vertex of all meshes, shape (vertices, 4).
        weights: of these, shape (vertices, 4).
        triangles: vertices at the corners, body, and whether it has an inside, shape (triangles, 5).
        starts: of each particle, where its triangles begin in the two lists that follow, shape (particles + 1,).
        of_particles: triangles, in ascending order for each particle.
        shares: what of the force on the triangle the particle bears.
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
    """The surfaces of bodies that have faces.

    Args:
        models: the bodies.
        starts: first particle of each body.
        particle_count: of the whole system.
    """
    elements, weights, triangles = [], [], []
    first = 0
    for number, (model, start) in enumerate(zip(models, starts, strict=False)):
        elements.append(model.elements + start)
        weights.append(model.weights)
        body = model.body
        if len(body.face_sizes):
            faces, _ = check_mesh(body.positions, body.face_sizes, body.corners, body.name)
            is_closed, faces = oriented(body.positions, faces.astype(np.int64))
            rest = np.broadcast_to((number, int(is_closed)), (len(faces), 2))
            triangles.append(np.column_stack([faces + first, rest]))
        first += len(model.elements)
    rows = np.concatenate(triangles).astype(np.int32) if triangles else np.zeros((0, 5), np.int32)
    carriers, shares = np.concatenate(elements).astype(np.int32), np.concatenate(weights)
    # a triangle gives a third of its force to each of its corners, and these to what carries them
    borne = np.stack(
        [carriers[rows[:, :3]].reshape(len(rows), 12), np.repeat(np.arange(len(rows)), 12).reshape(-1, 12)]
    )
    weight = shares[rows[:, :3]].reshape(-1) / 3.0
    used = weight != 0.0
    keys = (borne[0].reshape(-1).astype(np.int64) * max(len(rows), 1) + borne[1].reshape(-1))[used]
    pairs, of = np.unique(keys, return_inverse=True)
    total = np.bincount(of.ravel(), weight[used], len(pairs))
    particles, faces_of = np.divmod(pairs, max(len(rows), 1))
    ends = np.searchsorted(particles, np.arange(particle_count + 1))
    return AirSurfaces(carriers, shares, rows, ends.astype(np.int32), faces_of.astype(np.int32), total)
