# SPDX-License-Identifier: GPL-3.0-or-later
"""The arrays of grains and of attraction on the device; single rows where there are none."""

from __future__ import annotations

from typing import Any

import taichi as ti

from ...contacts.grains.tables import (
    CELL_INTS,
    CONTACT_INTS,
    CONTACT_WIDTH,
    FIRST_NEIGHBOURS,
    GIVEN_WIDTH,
    GRAINS_TOLD_WIDTH,
    LAYER_BINS,
    PAIR_BYTES,
    SLABS,
    TOLD_LACKS_ROOM,
)
from ...device.arrays import make_array, make_zero_rows, make_zero_vectors, make_zeros, read_array
from ...device.runtime import real_type
from ...scene.errors import XpbdError
from ..system.grains import Grains
from ..system.system import System

# what lists of pairs may take [bytes]
MOST_BYTES = 1 << 33


def grain_arrays(system: System) -> dict[str, Any]:
    """The arrays of ``packs.Pairs`` for grains, by name."""
    grains, count = system.grains, len(system.grains)
    buckets = 1 << max(2 * count - 1, 1).bit_length()
    return {
        "grain_ints": make_array(grains.ints, ti.i32),
        "grain_radii": make_array(grains.radii, ti.f32),
        "grain_grips": make_array(grains.grips, ti.f32),
        "grain_rules": make_array(grains.rules(system.tracks, 0), ti.f32),
        "grid_sizes": make_array(grains.sizes, ti.f32),
        "grain_touched": make_zeros((len(system.positions) if count else 0,), ti.i32),
        "grain_places": make_zero_vectors(count),
        "grain_balls": make_zero_vectors(count),
        "grain_cells": make_zeros((count, CELL_INTS), ti.i32),
        "grain_keys": make_zeros((count,), ti.i32),
        "grain_order": make_zeros((count,), ti.i32),
        "layer_starts": make_zeros((LAYER_BINS + 1 if count else 0,), ti.i32),
        "slab_starts": make_zeros((SLABS + 1,), ti.i32),
        "bucket_grains": make_zeros((count,), ti.i32),
        "bucket_keys": make_zeros((count,), ti.i32),
        "bucket_balls": make_zero_vectors(count),
        "bucket_starts": make_zeros((buckets + 1,), ti.i32),
        "grain_counts": make_zeros((2 * count,), ti.i32),
        "grain_contact_counts": make_zeros((SLABS,), ti.i32),
        "grains_told": make_zeros((GRAINS_TOLD_WIDTH,), ti.i32),
        **neighbour_arrays(count, _first_room(grains) if count else 0),
    }


def _first_room(grains: Grains) -> int:
    """Neighbours of a grain that there is room for at first: those into which it reaches at the start, and more.

    Lists that have to grow are all held at once by the memory of the device.
    """
    room = FIRST_NEIGHBOURS
    while room < grains.growth.most_overlaps:
        room *= 2
    return room


def neighbour_arrays(count: int, room: int) -> dict[str, Any]:
    """Those with room for so many neighbours of each grain, in two lists: the one before is still read."""
    return {
        "grain_pairs": make_zeros((2 * count, room), ti.i32),
        "grain_anchors": make_zero_vectors(2 * count, room),
        "grain_contact_ints": make_zero_rows(count * room, CONTACT_INTS, ti.i32),
        "grain_contacts": make_zero_rows(count * room, CONTACT_WIDTH, ti.f32),
        "grain_given": make_zero_rows(count * room, GIVEN_WIDTH, ti.f32),
    }


def lacks_neighbours(pairs: Any) -> bool:
    """Whether a grain had more neighbours than there was room for, since the arrays were made."""
    return bool(read_array(pairs.grains_told)[TOLD_LACKS_ROOM])


def more_neighbours(pairs: Any) -> dict[str, Any]:
    """The arrays with twice the room.

    Raises:
        XpbdError: E_MEMORY, where they would take more than ``MOST_BYTES``.
    """
    rows, room = pairs.grain_pairs.shape
    size = rows * room * PAIR_BYTES
    if size > MOST_BYTES:
        raise XpbdError(
            "E_MEMORY",
            f"A grain has more than {room} others around it, and lists with room for as many around each would take "
            f"{size / 1e9:.0f} GB: spread the grains, or take less unlike radii.",
        )
    told = {"grains_told": make_zeros((GRAINS_TOLD_WIDTH,), ti.i32)}
    return told | neighbour_arrays(rows // 2, 2 * room)


def attraction_arrays(system: System) -> dict[str, Any]:
    """The arrays of ``packs.Pairs`` for attraction, by name."""
    attraction = system.attraction
    count = len(system.positions) if attraction else 0
    return {
        "attracting": make_array(attraction.members, ti.i32),
        "attracting_weights": make_array(attraction.weights[:count], ti.f32),
        "attracting_masses": make_array(attraction.masses[:count], real_type()),
        "node_ints": make_array(attraction.nodes, ti.i32),
        "node_centres": make_zero_vectors(len(attraction.nodes)),
        "node_sizes": make_zeros((len(attraction.nodes),), real_type()),
        "attraction_numbers": make_array(attraction.numbers, real_type()),
    }
