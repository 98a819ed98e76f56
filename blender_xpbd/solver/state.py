# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that the kernels read and write, on the device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import taichi as ti

from ..constraints.constraint import ACCUMULATE, BDF2, WARM
from ..contacts.contact import MOTION_WIDTH
from .colliders import ColliderSet
from .device_arrays import make_array, make_vectors, make_zero_vectors, make_zeros, readable_array
from .hierarchy_tables import HierarchyTables, build_hierarchy_tables
from .level_operations import level_operations
from .mode import static_mode
from .runtime import real_type
from .stages import substep_stages
from .system import System
from .team_kernels import COUNTERS


@dataclass(frozen=True)
class HierarchyState:
    """The coarse levels of cloths on the device, names as in ``HierarchyTables``.

    ``moves`` are where vertices were restricted to, then how far they came from there; ``link_states`` the length that
    a link is pulled to and its multiplier. Nothing in here outlives a substep.
    """

    tables: HierarchyTables
    levels: Any
    stiffness: Any
    positions: Any
    moves: Any
    restriction_starts: Any
    restriction_vertices: Any
    restriction_weights: Any
    parents: Any
    weights: Any
    links: Any
    lengths: Any
    link_states: Any

    @property
    def is_empty(self) -> bool:
        """Whether no body has coarse levels."""
        return len(self.tables.levels) == 0

    @property
    def arrays(self) -> tuple[Any, ...]:
        """All arrays, in the order in which kernels take them."""
        return (
            self.levels,
            self.stiffness,
            self.positions,
            self.moves,
            self.restriction_starts,
            self.restriction_vertices,
            self.restriction_weights,
            self.parents,
            self.weights,
            self.links,
            self.lengths,
            self.link_states,
        )


@dataclass(frozen=True)
class State:
    """Device arrays; names, shapes and units as in ``System``, ``Schedule``, ``ContactPoints`` and ``ColliderSet``.

    ``stages`` and ``counters`` are for ``team_kernels``, ``operations`` and ``operation_starts`` are of
    ``LevelOperations``.

    Positions are 4-vectors (xyz [m], inverse mass [1/kg]), previous positions too (xyz [m], damping time [s]);
    velocities are [m/s] with a fourth component of 0, and so are corrections [m], which move the next
    prediction. Vectors and multipliers have the precision of ``runtime.start_taichi``; what does not change is single.
    What kernels only read is the system's own, on the processor.
    """

    positions: Any
    previous_positions: Any
    velocities: Any
    older_positions: Any
    older_velocities: Any
    corrections: Any
    indices: Any
    parameters: Any
    lagrange_multipliers: Any
    table: Any
    segments: Any
    segment_starts: Any
    targets: Any
    target_starts: Any
    target_ends: Any
    starts: Any
    particle_bodies: Any
    bodies: Any
    groups: Any
    elements: Any
    weights: Any
    frictions: Any
    contact_segments: Any
    contact_segment_starts: Any
    contact_states: Any
    contact_multipliers: Any
    motion: Any
    collider_ints: Any
    collider_floats: Any
    mesh_floats: Any
    mesh_ints: Any
    gravities: Any
    stages: Any
    operations: Any
    operation_starts: Any
    counters: Any
    hierarchy: HierarchyState


def build_state(system: System, colliders: ColliderSet) -> State:
    """Copy a system to the device."""
    mode = static_mode(system)
    # a single iteration only reads and writes them where it starts warm
    keeps_multipliers = bool(mode & (ACCUMULATE | WARM))
    schedule, contacts, parts = system.schedule, system.contacts, system.schedule.parts
    moved = system.moved_particles
    substeps = system.scene.settings.substeps
    # only BDF2 looks back: to uniform motion at first
    looks_back = bool(mode & BDF2)
    h = system.scene.frames.frame_duration / substeps
    older_velocities = system.velocities[: None if looks_back else 0]
    older_positions = system.positions[: len(older_velocities)] - h * older_velocities
    hierarchy = _hierarchy_state(system)
    operations = level_operations(hierarchy.tables, parts.count)
    stages = substep_stages(
        parts.count, system.scene.settings.iterations, len(moved) > 0, len(colliders.ints) > 0, operations.stages
    )
    # groups have working space among their parameters
    parameters = make_array if any(block and block.groups for block in schedule.blocks) else readable_array
    return State(
        positions=make_vectors(system.positions, system.inverse_masses),
        previous_positions=make_vectors(system.positions, system.damping_times),
        velocities=make_vectors(system.velocities),
        older_positions=make_vectors(older_positions),
        older_velocities=make_vectors(older_velocities),
        corrections=make_zero_vectors(len(system.positions) if mode & WARM else 0),
        indices=readable_array(schedule.indices, ti.i32),
        parameters=parameters(schedule.parameters, ti.f32),
        lagrange_multipliers=make_zeros((schedule.multiplier_count * keeps_multipliers,), real_type()),
        table=make_array(schedule.table, ti.i32),
        segments=make_array(schedule.segments, ti.i32),
        segment_starts=make_array(schedule.segment_starts, ti.i32),
        targets=make_array(moved, ti.i32),
        target_starts=make_zero_vectors(len(moved)),
        target_ends=make_zero_vectors(len(moved)),
        starts=make_array(system.starts, ti.i32),
        particle_bodies=make_array(_particle_bodies(system), ti.i32),
        bodies=make_array(_body_table(system), ti.f32),
        groups=readable_array(contacts.groups, ti.i32),
        elements=readable_array(contacts.elements, ti.i32),
        weights=readable_array(contacts.weights, ti.f32),
        frictions=readable_array(contacts.frictions, ti.f32),
        contact_segments=make_array(contacts.segments, ti.i32),
        contact_segment_starts=make_array(contacts.segment_starts, ti.i32),
        contact_states=make_zero_vectors(len(contacts)),
        contact_multipliers=make_zeros((len(contacts),), real_type()),
        motion=make_zeros((substeps + 1, len(colliders.ints), MOTION_WIDTH), ti.f32),
        collider_ints=make_array(colliders.ints, ti.i32),
        collider_floats=make_array(colliders.floats, ti.f32),
        mesh_floats=make_array(colliders.mesh_floats, ti.f32),
        mesh_ints=make_array(colliders.mesh_ints, ti.i32),
        gravities=make_vectors(np.append(system.scene.gravity, 0.0)[None]),
        stages=make_array(stages, ti.i32),
        operations=make_array(operations.rows, ti.i32),
        operation_starts=make_array(operations.starts, ti.i32),
        counters=make_zeros((COUNTERS,), ti.i32),
        hierarchy=hierarchy,
    )


def _hierarchy_state(system: System) -> HierarchyState:
    scene = system.scene
    tables = build_hierarchy_tables(system.models, system.starts, scene)
    return HierarchyState(
        tables=tables,
        levels=make_array(tables.levels, ti.i32),
        stiffness=make_array(tables.stiffness, ti.f32),
        positions=make_vectors(tables.positions),
        moves=make_zero_vectors(len(tables.positions)),
        restriction_starts=make_array(tables.restriction_starts, ti.i32),
        restriction_vertices=make_array(tables.restriction_vertices, ti.i32),
        restriction_weights=make_array(tables.restriction_weights, ti.f32),
        parents=make_array(tables.parents, ti.i32),
        weights=make_array(tables.weights, ti.f32),
        links=make_array(tables.links, ti.i32),
        lengths=make_array(tables.lengths, ti.f32),
        link_states=make_zeros((2 * len(tables.lengths),), real_type()),
    )


def padded(vectors: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """3-vectors as 4-vectors that end in 0."""
    rows = np.zeros((len(vectors), 4))
    rows[:, :3] = vectors
    return rows


def _particle_bodies(system: System) -> npt.NDArray[np.int32]:
    # anchors belong to no body; they have no mass and are never predicted
    bodies = np.zeros(len(system.positions), np.int32)
    for number, (first, last) in enumerate(zip(system.starts[:-1], system.starts[1:], strict=True)):
        bodies[first:last] = number
    return bodies


def _body_table(system: System) -> npt.NDArray[np.float64]:
    """Columns as named in ``contacts.contact``."""
    rows = []
    for model in system.models:
        material = model.body.material
        rows.append((material.damping, material.internal_damping, material.restitution, model.contact_offset))
    return np.array(rows)
