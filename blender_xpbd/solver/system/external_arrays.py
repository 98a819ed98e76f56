# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays of what acts on bodies from outside besides gravity; single rows where nothing does."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import taichi as ti

from ...bodies.vertex_factors import embedded_factors, vertex_factors
from ...device.arrays import make_array, make_vectors, make_zero_vectors
from .system import System


def external_arrays(system: System) -> dict[str, Any]:
    """The arrays of ``packs.Particles`` for forces, by name; what changes with frames is written before each."""
    external, air = system.external, system.air
    has_fields, count = bool(system.scene.forces), len(system.positions) if external else 0
    return {
        "pushes": make_vectors(np.zeros((count, 3)), np.ones(count)),
        "push_factors": make_array(push_factors(system) if external else np.zeros(0), ti.f32),
        "acts": make_array(external.acts(0) if external else np.zeros((1, 1, 1)), ti.f32),
        "field_ints": make_array(external.field_ints(0) if has_fields else np.zeros((0, 1), np.int32), ti.i32),
        "field_floats": make_array(external.field_floats(0) if has_fields else np.zeros((1, 0, 1)), ti.f32),
        "field_weights": make_array(external.field_weights() if has_fields else np.zeros((1, 0)), ti.f32),
        "air_points": make_array(air.elements, ti.i32),
        "air_weights": make_array(air.weights, ti.f32),
        "air_triangles": make_array(air.triangles, ti.i32),
        "air_forces": make_zero_vectors(len(air.triangles)),
        "air_starts": make_array(air.starts, ti.i32),
        "air_triangles_of": make_array(air.of_particles, ti.i32),
        "air_shares": make_array(air.shares, ti.f32),
    }


def push_factors(system: System) -> npt.NDArray[np.float64]:
    """What of its body's push each particle takes, shape (particles,)."""
    factors = np.ones(len(system.positions))
    for model, start in zip(system.models, system.starts, strict=False):
        of_vertices = vertex_factors(model.body, "push")
        if of_vertices is not None:
            count = len(model.positions)
            mine = embedded_factors(of_vertices, model.elements, model.weights, model.edges, count)
            factors[start : start + count] = mine
    return factors
