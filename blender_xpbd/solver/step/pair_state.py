# SPDX-License-Identifier: GPL-3.0-or-later
"""The pack of contact between bodies: what stays, and what a search lays out anew."""

from __future__ import annotations

from typing import Any

import numpy as np
import taichi as ti

from ...contacts.pairs.tables import ANCHOR_INTS, NEAR_INTS, NEAR_WIDTH, PAIR_INTS, PAIR_WIDTH
from ...device.arrays import make_array, make_zero_vectors, make_zeros
from ...device.runtime import real_type
from ..system.contact_objects import ContactObjects
from .packs import Pairs
from .pair_tables import FIRST, LAST, OBJECT_COUNT_WIDTH, OBJECT_ROW_WIDTH, TOLD_WIDTH

# least share of the widest gap that a particle may go in a substep, however slow it is; chosen by hand
LEAST_REACH = 0.05

Arrays = dict[str, Any]


def no_pairs() -> Any:
    """The pack of a scene in which nothing can touch; Taichi has no empty arrays."""
    return Pairs(
        surface_elements=make_zeros((0, 5), ti.i32),
        surface_weights=make_zeros((0, 4), ti.f32),
        objects=make_zeros((0, 4), ti.f32),
        object_rows=make_zeros((0, OBJECT_ROW_WIDTH), ti.i32),
        reach_range=make_zeros((0,), real_type()),
        object_counts=make_zeros((0, OBJECT_COUNT_WIDTH), ti.i32),
        told=make_zeros((0,), ti.i32),
        vertices=make_zeros((0, 2), ti.i32),
        vertex_places=make_zero_vectors(0, 2),
        window_starts=make_zero_vectors(0),
        window_ends=make_zero_vectors(0),
        window_stays=make_zero_vectors(0),
        pair_starts=make_zeros((0,), ti.i32),
        anchor_heads=make_zeros((0,), ti.i32),
        anchor_count=make_zeros((0,), ti.i32),
        **working_arrays(0, 0, 0),
        **pair_arrays(0),
    )


def staying_arrays(objects: ContactObjects, particles: int, tasks: int) -> Arrays:
    """What no search changes, but for its windows.

    Args:
        objects: that may touch.
        particles: of the system.
        tasks: of pairs.
    """
    count = len(objects.rows)
    rows = np.zeros((count, OBJECT_ROW_WIDTH), np.int32)
    rows[:, [FIRST, LAST]] = objects.particle_ranges
    vertices = objects.vertices
    return {
        "surface_elements": make_array(objects.elements, ti.i32),
        "surface_weights": make_array(objects.weights, ti.f32),
        "objects": make_array(objects.rows, ti.f32),
        "object_rows": make_array(rows, ti.i32),
        "reach_range": make_array(np.array([LEAST_REACH * objects.gaps.max(), 0.0]), real_type()),
        "object_counts": make_zeros((count, OBJECT_COUNT_WIDTH), ti.i32),
        "told": make_zeros((TOLD_WIDTH,), ti.i32),
        "vertices": make_array(vertices, ti.i32),
        "vertex_places": make_zero_vectors(len(vertices), 2),
        "anchor_heads": make_zeros((len(objects.elements),), ti.i32),
        "anchor_count": make_zeros((1,), ti.i32),
        **working_arrays(count, particles, tasks),
    }


def working_arrays(objects: int, particles: int, tasks: int) -> Arrays:
    """What a substep writes before it reads it."""
    return {
        "travels": make_zeros((objects,), real_type()),
        "frames": make_zero_vectors(objects),
        "reaches": make_zeros((particles,), real_type()),
        "gradients": make_zeros((particles,), real_type()),
        "moves": make_zero_vectors(particles),
        "cuts": make_zero_vectors(particles),
        "near_counts": make_zeros((tasks,), ti.i32),
    }


def pair_arrays(capacity: int) -> Arrays:
    """Room for so many pairs."""
    return {
        "pair_ints": make_zeros((capacity, PAIR_INTS), ti.i32),
        "pair_floats": make_zeros((capacity, PAIR_WIDTH), real_type()),
        "pair_bounds": make_zeros((capacity,), real_type()),
        **near_arrays(capacity),
        **anchor_arrays(capacity),
    }


def near_arrays(capacity: int) -> Arrays:
    """Room for so many pairs that are near."""
    return {
        "near_ints": make_zeros((capacity * NEAR_INTS,), ti.i32),
        "near_floats": make_zeros((capacity * NEAR_WIDTH,), real_type()),
    }


def anchor_arrays(capacity: int) -> Arrays:
    """Room for the anchors of so many pairs."""
    return {
        "anchor_ints": make_zeros((capacity, ANCHOR_INTS), ti.i32),
        "anchor_floats": make_zeros((capacity, 3), real_type()),
    }
