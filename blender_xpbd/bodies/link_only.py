# SPDX-License-Identifier: GPL-3.0-or-later
"""Vertices that links alone reach: no face and no edge gives them a mass, but what hangs on a link is to fall."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ..scene.body import Body
from ..scene.errors import Notice
from .body_model import BodyModel
from .tetrahedralization import EmbeddedMesh
from .vertex_factors import vertex_factors

Ints = npt.NDArray[np.int32]


def with_own_particles(mesh: EmbeddedMesh, body: Body) -> EmbeddedMesh:
    """The tetrahedra of a body with a further particle in the place of each vertex that only links reach.

    Held through the nearest tetrahedron, such a vertex would turn it as a lever does.
    """
    lone = np.setdiff1d(body.links.pairs, body.corners).astype(np.int32)
    if not len(lone):
        return mesh
    count = len(mesh.vertices)
    own = np.arange(count, count + len(lone), dtype=np.int32)
    elements, weights = mesh.elements.copy(), mesh.weights.copy()
    elements[lone], weights[lone] = own[:, None], (1.0, 0.0, 0.0, 0.0)
    return replace(
        mesh,
        vertices=np.concatenate([mesh.vertices, body.positions[lone]]),
        mass_factors=np.concatenate([mesh.mass_factors, np.ones(len(lone))]),
        elements=elements,
        weights=weights,
        joined=np.concatenate([mesh.joined, own]) if len(mesh.joined) else mesh.joined,
    )


def with_masses(model: BodyModel) -> BodyModel:
    """The body with a mass for vertices that only links reach: what its other vertices weigh on average, a guess.

    A vertex group for the weight scales it.
    """
    body = model.body
    has_mass = (model.masses[model.elements] > 0.0).any(axis=1)
    linked = np.unique(body.links.pairs)
    lone = linked[~has_mass[linked]]
    if not len(lone):
        return model
    # copies in one place count once, so that nothing grows lighter while the body tears
    mean = float(model.masses.sum()) / len(np.unique(body.positions[has_mass], axis=0))
    density = vertex_factors(body, "density")
    masses = model.masses.copy()
    masses[model.elements[lone, 0]] = mean if density is None else mean * np.maximum(density[lone], 1e-3)
    notices = model.notices
    if len(lone) == int((~has_mass).sum()):
        notices = tuple(notice for notice in notices if notice.code != "W_GEOM_LOOSE")
    if density is None:
        text = (
            f"{len(lone)} vertices that only links reach weigh {mean:.2g} kg each, as others do on average: a guess. A "
            "Weight Group says how much less they weigh."
        )
        notices = (*notices, Notice("W_LINK", text, body.name))
    return replace(model, masses=masses, notices=notices)
