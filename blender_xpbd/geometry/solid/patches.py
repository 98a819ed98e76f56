# SPDX-License-Identifier: GPL-3.0-or-later
"""Patches of a solid by which it is held at a point."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..components import connected_components
from ..edges import edge_lengths

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]


class Solid(NamedTuple):
    """What patches are taken of.

    Attributes:
        positions: of the particles at rest [m], shape (particles, 3).
        is_free: what may be in a patch, shape (particles,).
        edges: shape (edges, 2).
        tetrahedra: shape (tetrahedra, 4).
        volumes: of the tetrahedra [m³].
    """

    positions: Floats
    is_free: Bools
    edges: Ints
    tetrahedra: Ints
    volumes: Floats


def patch_around(solid: Solid, point: Floats, particles: Ints, radius: float) -> Ints:
    """Particles around a point that hang together.

    Args:
        solid: of which.
        point: that is held [m], shape (3,).
        particles: that carry it; those that are free are in the patch wherever they are.
        radius: of the patch [m].
    """
    is_near = (np.linalg.norm(solid.positions - point, axis=1) < radius) & solid.is_free
    is_near[particles] = solid.is_free[particles]
    labels = connected_components(len(is_near), solid.edges[is_near[solid.edges].all(axis=1)])
    return np.flatnonzero(is_near & np.isin(labels, labels[particles])).astype(np.int32)


def cut_area(solid: Solid, patch: Ints) -> float:
    """How large the surface is by which a patch hangs together with all else [m²]: a layer of tetrahedra by its height.

    Args:
        solid: of which.
        patch: of ``patch_around``.
    """
    is_in = np.zeros(len(solid.positions), np.bool_)
    is_in[patch] = True
    inside = is_in[solid.tetrahedra].sum(axis=1)
    is_cut = (inside > 0) & (inside < 4)
    height = float(edge_lengths(solid.positions, solid.edges).mean())
    return float(solid.volumes[is_cut].sum()) / height
