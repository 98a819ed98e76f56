# SPDX-License-Identifier: GPL-3.0-or-later
"""Shape matching of a body, whole or in clusters."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..constraints.constraint import ConstraintBlock
from ..constraints.shape_matching import build_shape_matching, frequency_compliance
from ..geometry.solid.clusters import overlapping_clusters
from ..scene.body import Body
from ..scene.settings import SolverSettings
from .own_frame import own_frame

# of the balls that clusters fill, by the size of the body
CLUSTER_RADIUS = 0.2


def build_shape(
    body: Body,
    positions: npt.NDArray[np.float64],
    masses: npt.NDArray[np.float64],
    edges: npt.NDArray[np.int32],
    settings: SolverSettings,
) -> list[ConstraintBlock]:
    """The constraints that pull a body back to its shape; none where the material asks for none.

    Args:
        body: whose material tells.
        positions: of its particles [m], shape (particles, 3).
        masses: [kg], shape (particles,).
        edges: by which clusters grow, shape (edges, 2).
        settings: of the solver.
    """
    material = body.material
    if material.shape_matching == "NONE":
        return []
    whole = [np.arange(len(positions), dtype=np.int32)]
    own = own_frame(positions, body.axes).rounded(positions)
    radius = CLUSTER_RADIUS * float(np.ptp(own, axis=0).max())
    clusters = whole if material.shape_matching == "WHOLE" else overlapping_clusters(own, edges, radius)
    if settings.solver_mode == "PBD":
        return [build_shape_matching(positions, masses, clusters, 1.0)]
    compliance = float(frequency_compliance(material.shape_frequency))
    return [build_shape_matching(positions, masses, clusters, compliance).following("shape_frequency")]
