# SPDX-License-Identifier: GPL-3.0-or-later
"""Strands for tests of the solver."""

import numpy as np

from blender_xpbd.scene.body import Body
from blender_xpbd.scene.material import Material
from tests.solver.scenes import pins

STEEL = {"youngs_modulus": 2e11, "twist_stiffness": 8e10, "density": 7800.0}
LIMP = {"youngs_modulus": 1e9, "twist_stiffness": 0.0, "bending_share": 0.0, "density": 1000.0}


def strand(positions, pinned=(), edges=None, identifier="b0", weights=1.0, targets=None, **values):
    """A strand through points, or along edges."""
    none = np.zeros(0, np.int32)
    numbers = np.arange(len(positions), dtype=np.int32)
    chain = np.stack([numbers[:-1], numbers[1:]], axis=1) if edges is None else np.asarray(edges, np.int32)
    material = Material.from_values({"internal_damping": 0.0, **values})
    held = pins(positions, pinned, weights, targets)
    return Body(identifier, "Strand", "STRAND", positions, none, none, material, held, loose_edges=chain)


def line(count, length=1.0, direction=(1.0, 0.0, 0.0), start=(0.0, 0.0, 0.0)):
    """Points at equal distances, shape (count, 3)."""
    way = np.asarray(direction) / np.linalg.norm(direction)
    return np.asarray(start) + np.linspace(0.0, length, count)[:, None] * way


def helix(count=60, turns=6.0, radius=0.1, height=1.0):
    """Points on a helix that hangs down from the origin's height."""
    share = np.linspace(0.0, 1.0, count)
    angle = 2.0 * np.pi * turns * share
    return np.stack([radius * np.cos(angle), radius * np.sin(angle), -height * share], axis=1)
