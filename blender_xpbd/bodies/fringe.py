# SPDX-License-Identifier: GPL-3.0-or-later
"""Loose edges of a cloth: threads that hang on it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..geometry.surface.topology import unique_pairs
from ..scene.body import Body
from ..scene.errors import Notice
from ..scene.material import Material
from ..scene.parameters.material_parameters import STRAND
from ..scene.presets import preset_values
from ..scene.settings import SolverSettings
from .orientations import Orientations
from .rods import Rods, Section, build_rods
from .strand import rod_masses, rod_orientations

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

# what they are made of, as thick as the cloth's radius says
THREAD = "THREAD"


@dataclass(frozen=True)
class Fringe:
    """The threads of a cloth.

    Attributes:
        masses: that they add to its vertices [kg], shape (vertices,).
        edges: their own, shape (edges, 2).
        rods: None without threads.
        orientations: of the edges.
    """

    masses: Floats
    edges: Ints
    rods: Rods | None
    orientations: Orientations

    def notices(self, body: Body, notices: tuple[Notice, ...]) -> tuple[Notice, ...]:
        """Those of the mesh, but for loose vertices, where all of them are on a thread."""
        is_used = np.zeros(body.vertex_count, np.bool_)
        is_used[body.corners], is_used[self.edges] = True, True
        return tuple(notice for notice in notices if notice.code != "W_GEOM_LOOSE" or not is_used.all())


def build_fringe(body: Body, pin_weights: Floats, settings: SolverSettings) -> Fringe:
    """Make the threads; none where loose edges are seams, and none with BDF2, which keeps no orientations.

    Args:
        body: the cloth.
        pin_weights: of its vertices, shape (vertices,).
        settings: of the solver.
    """
    edges = unique_pairs(body.loose_edges)
    lengths = np.linalg.norm(body.positions[edges[:, 0]] - body.positions[edges[:, 1]], axis=1)
    edges = edges[lengths > 0.0]
    if body.material.use_stitches or settings.time_integration == "BDF2" or len(edges) == 0:
        return Fringe(np.zeros(body.vertex_count), np.zeros((0, 2), np.int32), None, Orientations())
    thread = Material.from_values(dict(preset_values(THREAD, STRAND)))
    section = Section(thread.youngs_modulus, thread.twist_stiffness, thread.bending_share, thread.density)
    radii = np.full(body.vertex_count, body.material.radius)
    rods = build_rods(body.positions, edges, radii, section, pin_weights >= 1.0, straight=False)
    return Fringe(rod_masses(body.positions, edges, radii, section.density), edges, rods, rod_orientations(rods))
