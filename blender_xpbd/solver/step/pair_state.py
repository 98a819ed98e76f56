# SPDX-License-Identifier: GPL-3.0-or-later
"""The pack of contact between bodies: what stays, and what a search lays out anew."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import taichi as ti

from ...contacts.pairs.tables import (
    ANCHOR_FLOATS,
    ANCHOR_INTS,
    NEAR_INTS,
    NEAR_WIDTH,
    OBJECT_WIDTH,
    PAIR_INTS,
    PAIR_WIDTH,
)
from ...device.arrays import make_array, make_zero_vectors, make_zeros
from ...device.runtime import real_type
from ..system.contact_objects import ContactObjects
from ..windows.pair_tables import (
    FIRST,
    IS_FREE,
    IS_SOLID,
    LAST,
    OBJECT_COUNT_WIDTH,
    OBJECT_ROW_WIDTH,
    TOLD_WIDTH,
    WATCH_LIMITS,
    WATCH_SPREAD,
)
from .packs import Pairs

Arrays = dict[str, Any]


def no_pairs(others: Arrays) -> Any:
    """The pack of a scene in which no surfaces can touch; Taichi has no empty arrays.

    Args:
        others: what of the pack is of other things than surfaces.
    """
    return Pairs(
        surface_elements=make_zeros((0, 5), ti.i32),
        surface_weights=make_zeros((0, 4), ti.f32),
        start_lacks=make_zeros((0,), ti.f32),
        lack_shares=make_zeros((0,), ti.f32),
        objects=make_zeros((0, OBJECT_WIDTH), ti.f32),
        object_rows=make_zeros((0, OBJECT_ROW_WIDTH), ti.i32),
        object_counts=make_zeros((0, OBJECT_COUNT_WIDTH), ti.i32),
        told=make_zeros((0,), ti.i32),
        vertices=make_zeros((0, 2), ti.i32),
        vertex_places=make_zero_vectors(0, 2),
        list_starts=make_zero_vectors(0),
        list_ends=make_zero_vectors(0),
        list_stays=make_zero_vectors(0),
        pair_starts=make_zeros((0,), ti.i32),
        anchor_heads=make_zeros((0,), ti.i32),
        anchor_count=make_zeros((0,), ti.i32),
        watch_limits=make_zeros((0,), real_type()),
        **working_arrays(0, 0, 0, 0),
        **held_arrays(0, 0),
        **pair_arrays(0),
        **others,
    )


def staying_arrays(
    objects: ContactObjects, inverse_masses: npt.NDArray[np.floating[Any]], tasks: int, noted: int, substeps: int
) -> Arrays:
    """What no search changes.

    Args:
        objects: that may touch.
        inverse_masses: of all particles, shape (particles,).
        tasks: of pairs.
        noted: rows of ``noted_places``.
        substeps: of a frame.
    """
    count = len(objects.rows)
    rows = np.zeros((count, OBJECT_ROW_WIDTH), np.int32)
    rows[:, [FIRST, LAST]] = objects.asked_ranges
    rows[:, IS_FREE] = [bool((inverse_masses[a:b] > 0.0).all()) for a, b in objects.particle_ranges]
    rows[objects.body_count :, IS_FREE] = 0
    rows[:, IS_SOLID] = objects.solids
    vertices = objects.vertices
    return {
        "surface_elements": make_array(objects.elements, ti.i32),
        "surface_weights": make_array(objects.weights, ti.f32),
        "start_lacks": make_zeros((len(objects.elements),), ti.f32),
        "lack_shares": make_zeros((substeps + 1,), ti.f32),
        "objects": make_array(objects.rows, ti.f32),
        "object_rows": make_array(rows, ti.i32),
        "object_counts": make_zeros((count, OBJECT_COUNT_WIDTH), ti.i32),
        "told": make_zeros((TOLD_WIDTH,), ti.i32),
        "vertices": make_array(vertices, ti.i32),
        "vertex_places": make_zero_vectors(len(vertices), 2),
        "anchor_heads": make_zeros((len(objects.elements),), ti.i32),
        "anchor_count": make_zeros((1,), ti.i32),
        "watch_limits": make_array(watch_limits(objects, tasks), real_type()),
        **working_arrays(count, int(rows[:, LAST].max()), tasks, noted),
    }


def watch_limits(objects: ContactObjects, tasks: int) -> npt.NDArray[np.float64]:
    """What is watched of a list of pairs that is new: nothing yet, see ``near_functions``."""
    limits = np.full(WATCH_LIMITS + tasks, -1.0)
    limits[:WATCH_LIMITS] = 0.0
    # weights of a point outside of its tetrahedron have sizes that sum to more than 1
    limits[WATCH_SPREAD] = np.abs(objects.weights[:, :4]).sum(axis=1).max(initial=1.0)
    return limits


def working_arrays(objects: int, particles: int, tasks: int, noted: int) -> Arrays:
    """What a substep writes before it reads it."""
    return {
        "frames": make_zero_vectors(objects),
        "means": make_zero_vectors(objects),
        "drifts": make_zero_vectors(objects),
        "window_starts": make_zero_vectors(particles),
        "window_ends": make_zero_vectors(particles),
        "window_stays": make_zero_vectors(particles),
        "spins": make_zero_vectors(objects),
        "start_velocities": make_zero_vectors(particles),
        "candidates": make_zero_vectors(particles),
        "reaches": make_zeros((particles,), real_type()),
        "strays": make_zeros((particles,), real_type()),
        "list_places": make_zero_vectors(particles),
        "gradients": make_zeros((particles,), real_type()),
        "moves": make_zero_vectors(particles),
        "cuts": make_zero_vectors(particles),
        "near_counts": make_zeros((tasks,), ti.i32),
        "limited_counts": make_zeros((tasks,), ti.i32),
        "listed_counts": make_zeros((tasks,), ti.i32),
        "watched_counts": make_zeros((tasks,), ti.i32),
        "pushed": make_zeros((particles,), ti.i32),
        "backed": make_zeros((particles,), ti.i32),
        "noted_places": make_zero_vectors(noted, particles),
    }


def held_arrays(points: int, segments: int) -> Arrays:
    """Room for the contact points of so many segments that touch something."""
    return {"held_points": make_zeros((points,), ti.i32), "held_counts": make_zeros((segments,), ti.i32)}


def pair_arrays(capacity: int) -> Arrays:
    """Room for so many pairs."""
    return {
        "pair_ints": make_zeros((capacity, PAIR_INTS), ti.i32),
        "pair_floats": make_zeros((capacity, PAIR_WIDTH), real_type()),
        "pair_clearances": make_zeros((capacity,), real_type()),
        **near_arrays(capacity),
        **anchor_arrays(capacity),
    }


def near_arrays(capacity: int) -> Arrays:
    """Room for so many pairs that are near."""
    return {
        "near_ints": make_zeros((capacity * NEAR_INTS,), ti.i32),
        "near_floats": make_zeros((capacity * NEAR_WIDTH,), real_type()),
        "near_listed": make_zeros((capacity,), ti.i32),
        "watched": make_zeros((capacity,), ti.i32),
    }


def anchor_arrays(capacity: int) -> Arrays:
    """Room for the anchors of so many pairs."""
    return {
        "anchor_ints": make_zeros((capacity, ANCHOR_INTS), ti.i32),
        "anchor_floats": make_zeros((capacity, ANCHOR_FLOATS), real_type()),
    }
