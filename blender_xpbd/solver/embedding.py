# SPDX-License-Identifier: GPL-3.0-or-later
"""The vertices of a mesh from the particles that carry it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..bodies.body_model import BodyModel


class Embedding:
    """The vertices of one mesh from the particles around each."""

    def __init__(self, model: BodyModel, start: int) -> None:
        """Of a body, and its first particle in the system."""
        elements, weights = model.elements + start, model.weights
        if len(model.shown):
            elements, weights = elements[model.shown], weights[model.shown]
        # vertices of cloth are particles
        self._are_particles = bool((weights == (1.0, 0.0, 0.0, 0.0)).all())
        # indices of the machine's own width are not converted in each frame
        self._elements = (elements[:, 0] if self._are_particles else elements).astype(np.intp)
        self._weights = weights.astype(np.float32)

    def __call__(self, positions: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Places of the vertices [m], shape (vertices, 3), from those of all particles."""
        if self._are_particles:
            return positions.take(self._elements, axis=0)
        vertices: npt.NDArray[np.float32] = np.einsum("vj,vjk->vk", self._weights, positions[self._elements])
        return vertices
