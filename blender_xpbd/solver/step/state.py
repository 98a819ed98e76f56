# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that the kernels read and write, on the device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import taichi as ti

from ...constraints import CONSTRAINTS
from ...constraints.constraint import BDF2, DAMPED, REPEATED, UNKNOWN, WARM
from ...contacts import CONTACTS
from ...contacts.clearance import clear_places
from ...contacts.nearest_face import nearest_faces
from ...contacts.pairs.struck_motion import STRUCK_WIDTH
from ...contacts.restitution import HIT_WIDTH
from ...contacts.slots import FIRST_SLOTS, slot_width
from ...contacts.tables import COLLIDER_SHAPE, MOTION_WIDTH
from ...device.arrays import make_array, make_vectors, make_zero_vectors, make_zeros, read_array, readable_array
from ...device.packs import arrays_by_name
from ...device.runtime import real_type
from ...scene.body_kinds import sewn_edges
from ..acts.spin import SUM_WIDTH
from ..order.level_operations import LevelOperations, level_operations
from ..order.level_tables import HierarchyTables, build_hierarchy_tables
from ..order.schedule import Schedule
from ..order.stages import Contents, Stage, substep_stages
from ..system.body_gravity import particle_gravities
from ..system.colliders import ColliderSet
from ..system.contact_objects import unseen_colliders
from ..system.external_arrays import external_arrays
from ..system.grabbed import grab_arrays
from ..system.mode import has_anchors, keeps_friction, rate_damped_types, static_mode, used_types
from ..system.plasticity import yield_table
from ..system.speed_changes import bdf2_history
from ..system.system import System
from .grain_state import attraction_arrays, grain_arrays, lacks_neighbours, more_neighbours
from .packs import Colliders, Constraints, Contacts, Levels, Order, Pairs, Particles, Pieces, Targets, World
from .pair_state import no_pairs
from .team_kernels import COUNTERS

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class State:
    """Packs of arrays on the device, see ``packs``, and what the order in which they are used is made from.

    What kernels only read is the system's own, on the processor.

    Attributes:
        world: all that a substep reads and writes.
        order: who does what when.
        body_of: body of each particle, for graphics cards.
        most_slots: of a contact point, that the colliders can fill.
        stages: of a substep.
        tables: the coarse levels of cloths.
        operations: on these.
        has_grains: whether there are grains.
    """

    world: World
    order: Any
    body_of: Any
    most_slots: int
    stages: tuple[Stage, ...]
    tables: HierarchyTables
    operations: LevelOperations
    has_grains: bool

    @property
    def may_lack_slots(self) -> bool:
        """Whether a contact point may touch more than it has slots for, or a grain more than there is room for."""
        return bool(self.contacts.slots.shape[1] < self.most_slots) or self.has_grains

    @property
    def lacks_slots(self) -> bool:
        """Whether one has, since the arrays were made: then contacts are missing."""
        lacks = bool(self.contacts.slots.shape[1] < self.most_slots) and bool(read_array(self.contacts.touches)[-1])
        return lacks or (self.has_grains and lacks_neighbours(self.world.pairs))

    @property
    def particles(self) -> Any:
        """Pack of the particles."""
        return self.world.particles

    @property
    def constraints(self) -> Any:
        """Pack of the constraints."""
        return self.world.constraints

    @property
    def targets(self) -> Any:
        """Pack of the pinned particles."""
        return self.world.targets

    @property
    def contacts(self) -> Any:
        """Pack of the contact points."""
        return self.world.contacts

    @property
    def pieces(self) -> Any:
        """Pack of the compact pieces."""
        return self.world.pieces

    @property
    def colliders(self) -> Any:
        """Pack of the colliders."""
        return self.world.colliders

    @property
    def levels(self) -> Any:
        """Pack of the coarse levels."""
        return self.world.levels


def build_state(system: System, colliders: ColliderSet) -> State:
    """Copy a system to the device."""
    mode, settings, parts = static_mode(system), system.scene.settings, system.schedule.parts
    moved = system.moved_particles
    tables = build_hierarchy_tables(system.models, system.starts, system.scene)
    operations = level_operations(tables, parts.count)
    contents = Contents(
        has_targets=len(moved) > 0,
        has_contacts=len(colliders.ints) > 0,
        level_stages=operations.stages,
        piece_count=len(system.pieces),
        damped_count=len(system.damped),
        has_pairs=system.objects is not None,
        spin_chunks=len(system.spinning.chunks),
        touches_first=bool(mode & WARM),
        strikes=system.strikes,
        is_forced=bool(system.external),
        flows=len(system.plastic) > 0,
        has_air=system.external.has_air,
        takes_grabs=system.takes_grabs,
        damps_rates=bool(rate_damped_types(mode) & used_types(system)),
        rebounds=system.objects is not None and system.objects.rebounds,
        has_grains=len(system.grains) > 0,
        attracts=bool(system.attraction),
        spring_sweeps=system.spring_sweeps,
    )
    stages = substep_stages(parts.count, settings.iterations, contents)
    most_slots = sum(CONTACTS[shape].most_faces for shape in colliders.ints[:, COLLIDER_SHAPE])
    world = World(
        particles=_particles(system, mode),
        constraints=_constraints(system, mode),
        targets=Targets(
            particles=make_array(moved, ti.i32),
            starts=make_zero_vectors(len(moved)),
            ends=make_zero_vectors(len(moved)),
            **grab_arrays(takes_grabs=system.takes_grabs),
        ),
        contacts=_contacts(system, min(FIRST_SLOTS, most_slots), mode),
        pieces=_pieces(system, len(colliders.ints)),
        colliders=_colliders(colliders, settings.substeps, unseen_colliders(system.scene), len(system.contacts)),
        levels=_levels(tables),
        pairs=no_pairs(grain_arrays(system) | attraction_arrays(system)),
    )
    return State(
        world=world,
        order=_order(system, stages, operations),
        body_of=make_array(_particle_bodies(system), ti.i32),
        most_slots=most_slots,
        stages=stages,
        tables=tables,
        operations=operations,
        has_grains=len(system.grains) > 0,
    )


def _particles(system: System, mode: int) -> Any:
    turning = system.orientations
    velocities, older_positions, older_velocities = _history(system, mode)
    return Particles(
        positions=make_vectors(system.positions, system.inverse_masses),
        previous_positions=make_vectors(system.positions, system.damping_times),
        velocities=make_vectors(velocities),
        older_positions=make_vectors(older_positions),
        older_velocities=make_vectors(older_velocities),
        corrections=make_zero_vectors(len(system.positions) if mode & WARM else 0),
        gravity=make_vectors(particle_gravities(system, 0)),
        speed_changes=make_zero_vectors(2 * len(system.models)),
        bodies=make_array(body_table(system), ti.f32),
        orientations=make_vectors(turning.rotations),
        previous_orientations=make_zero_vectors(len(turning)),
        angular_velocities=make_vectors(turning.angular_velocities, turning.inverse_inertias),
        body_starts=make_array(np.concatenate([system.starts, system.orientation_starts]), ti.i32),
        **external_arrays(system),
    )


def _history(system: System, mode: int) -> tuple[Floats, Floats, Floats]:
    """Velocities at the start, and positions and velocities a substep before: only BDF2 looks back."""
    velocities = system.velocities
    if not mode & BDF2:
        return velocities, np.zeros((0, 3)), np.zeros((0, 3))
    velocities, older_positions, older_velocities = velocities.copy(), system.positions.copy(), velocities.copy()
    for number, model in enumerate(system.models):
        mine = slice(*system.starts[number : number + 2])
        now, before, way = bdf2_history(system, model.body)
        moves = (system.inverse_masses[mine] > 0.0)[:, None]
        velocities[mine] = moves * now
        older_velocities[mine] = moves * before
        older_positions[mine] -= moves * way
    return velocities, older_positions, older_velocities


def _constraints(system: System, mode: int) -> Any:
    schedule = system.schedule
    firsts, multipliers = _multipliers(schedule, mode)
    rows = np.cumsum(schedule.table[:, 0]) - schedule.table[:, 0]
    # pools hold working space, and what follows a track, or draws to a pose, changes while the system stays
    is_written = (
        len(system.columns) > 0
        or len(system.plastic) > 0
        or len(system.posed) > 0
        or any(block and block.pools for block in schedule.blocks)
    )
    parameters = make_array if is_written else readable_array
    is_real = any(block is not None and block.type.is_real for block in schedule.blocks)
    return Constraints(
        indices=readable_array(schedule.indices, ti.i32),
        parameters=parameters(schedule.parameters, real_type() if is_real else ti.f32),
        lagrange_multipliers=make_array(multipliers, real_type()),
        table=make_array(np.column_stack([schedule.table, firsts, rows]), ti.i32),
        by_share=readable_array(system.by_share, ti.i32),
        flow_rows=readable_array(system.plastic.rows, ti.i32),
        flow_scales=readable_array(system.plastic.scales, ti.f32),
        flow_starts=readable_array(system.plastic.starts, ti.i32),
        flow_limits=make_array(yield_table([model.body for model in system.models], system.tracks), ti.f32),
    )


def _multipliers(schedule: Schedule, mode: int) -> tuple[npt.NDArray[np.int64], Floats]:
    """The first number of each type among the multipliers, and all of them at the start.

    A single sweep only reads and writes them where it starts warm or is damped.
    """
    slots = np.array([kind.slots(mode) for kind in CONSTRAINTS])
    ends = np.cumsum(schedule.table[:, 0] * slots)
    if not mode & (REPEATED | WARM | DAMPED):
        return np.zeros(len(slots), np.int64), np.zeros(0)
    multipliers = np.zeros(ends[-1])
    for kind, count, first in zip(CONSTRAINTS, schedule.table[:, 0], ends - schedule.table[:, 0] * slots, strict=True):
        rows = multipliers[first : first + count * kind.slots(mode)].reshape(count, kind.slots(mode))
        if mode & DAMPED:
            rows[:, kind.memory_slot : kind.memory_slot + (2 if mode & REPEATED else 1) * kind.memory] = UNKNOWN
    return ends - schedule.table[:, 0] * slots, multipliers


def with_more_slots(state: State, system: System) -> State:
    """The same arrays, but for twice as many slots for each contact point, or twice as many neighbours of grains."""
    if state.has_grains and lacks_neighbours(state.world.pairs):
        state = with_pairs(state, **more_neighbours(state.world.pairs))
    if state.contacts.slots.shape[1] >= state.most_slots or not read_array(state.contacts.touches)[-1]:
        return state
    slots = min(2 * state.contacts.slots.shape[1], state.most_slots)
    touches, table = _slots(system, slots, static_mode(system))
    return with_contacts(state, touches=touches, slots=table)


def with_pairs(state: State, **arrays: Any) -> State:
    """The same arrays, but for some of what bodies do to each other."""
    pairs = Pairs(**(arrays_by_name(state.world.pairs) | arrays))
    return replace(state, world=state.world._replace(pairs=pairs))


def with_contacts(state: State, **arrays: Any) -> State:
    """The same arrays, but for some of the contacts."""
    contacts = Contacts(**(arrays_by_name(state.contacts) | arrays))
    return replace(state, world=state.world._replace(contacts=contacts))


def _contacts(system: System, slots: int, mode: int) -> Any:
    points, pieces = system.contacts, system.pieces
    # tracks and seams change the column of friction
    is_sewn = any(len(sewn_edges(body)) for body in system.scene.bodies)
    weights = make_array if system.tracks or is_sewn else readable_array
    elements = np.column_stack([points.elements, pieces.of_points]) if len(pieces) else points.elements
    touches, table = _slots(system, slots, mode)
    return Contacts(
        elements=readable_array(elements, ti.i32),
        weights=weights(points.weights, ti.f32),
        element_starts=readable_array(points.element_starts, ti.i32),
        touches=touches,
        slots=table,
        anchors=make_zero_vectors(len(points) if slots and has_anchors(mode, points) else 0),
        start_columns=make_zeros((0,), ti.i32),
        start_depths=make_zeros((0, 1), ti.f32),
        depth_shares=make_zeros((0,), ti.f32),
        passes=make_zeros((len(points) if system.objects is not None else 0,), ti.i32),
    )


def _slots(system: System, slots: int, mode: int) -> tuple[Any, Any]:
    """``touches`` and ``slots`` of the contacts."""
    count, bounces = len(system.contacts) if slots else 0, len(system.pieces) > 0
    has_pairs = system.objects is not None
    keeps_surface = bounces or has_anchors(mode, system.contacts)
    is_kept = keeps_friction(mode, asks_later=keeps_surface, touches_often=has_pairs or len(system.grains) > 0)
    width = slot_width(keeps_friction=is_kept, keeps_surface=keeps_surface, has_pairs=has_pairs)
    return make_zeros((count + 1,), ti.i32), make_zeros((count, slots, width), real_type())


def _pieces(system: System, collider_count: int) -> Any:
    pieces, damped, spinning, struck = system.pieces, system.damped, system.spinning, system.struck
    rows = np.stack([pieces.starts, pieces.point_starts, np.append(pieces.are_hard, 0)], axis=1)
    return Pieces(
        piece_rows=make_array(rows, ti.i32),
        members=make_array(pieces.members, ti.i32),
        points=make_array(pieces.points, ti.i32),
        hits=make_zeros((len(pieces), collider_count, HIT_WIDTH), real_type()),
        damped_rows=make_array(damped.rows, ti.i32),
        damped_members=make_array(damped.members, ti.i32),
        spin_chunks=make_array(spinning.chunks, ti.i32),
        spin_members=make_array(spinning.members, ti.i32),
        spin_of=make_array(spinning.of_particles, ti.i32),
        spin_touched=make_zeros((len(spinning),), ti.i32),
        spin_sums=make_zeros((len(spinning.chunks), SUM_WIDTH), real_type()),
        struck_rows=make_array(struck.rows, ti.i32),
        struck_members=make_array(struck.members, ti.i32),
        struck_of=make_array(struck.of_particles, ti.i32),
        struck_motions=make_zeros((len(struck), STRUCK_WIDTH), real_type()),
    )


def _colliders(colliders: ColliderSet, substeps: int, unseen: npt.NDArray[np.bool_], points: int) -> Any:
    return Colliders(
        motion=make_zeros((substeps + 1, len(colliders.ints), MOTION_WIDTH), ti.f32),
        ints=make_array(colliders.ints, ti.i32),
        floats=make_array(colliders.floats, ti.f32),
        unseen=make_array(unseen.astype(np.int32), ti.i32),
        mesh_floats=make_array(colliders.mesh_floats, ti.f32),
        mesh_ints=make_array(colliders.mesh_ints, ti.i32),
        **nearest_faces(points, len(colliders.ints)),
        **clear_places(points),
    )


def _levels(tables: HierarchyTables) -> Any:
    return Levels(
        rows=make_array(tables.levels, ti.i32),
        stiffness=make_array(tables.stiffness, ti.f32),
        coarse_positions=make_vectors(tables.positions),
        coarse_moves=make_zero_vectors(len(tables.positions)),
        restriction_starts=make_array(tables.restriction_starts, ti.i32),
        restriction_vertices=make_array(tables.restriction_vertices, ti.i32),
        restriction_weights=make_array(tables.restriction_weights, ti.f32),
        parents=make_array(tables.parents, ti.i32),
        parent_weights=make_array(tables.weights, ti.f32),
        links=make_array(tables.links, ti.i32),
        lengths=make_array(tables.lengths, ti.f32),
        link_states=make_zeros((2 * len(tables.lengths),), real_type()),
    )


def _order(system: System, stages: Sequence[Stage], operations: LevelOperations) -> Any:
    schedule, contacts, settings = system.schedule, system.contacts, system.scene.settings
    return Order(
        stages=make_array(np.array(stages, np.int32), ti.i32),
        segments=make_array(schedule.segments, ti.i32),
        segment_starts=make_array(schedule.segment_starts, ti.i32),
        contact_segments=make_array(contacts.segments, ti.i32),
        contact_segment_starts=make_array(contacts.segment_starts, ti.i32),
        operations=make_array(operations.rows, ti.i32),
        operation_starts=make_array(operations.starts, ti.i32),
        counters=make_zeros((COUNTERS,), ti.i32),
        span=make_zeros((4,), ti.i32),
        duration=make_array(np.array([system.scene.frames.frame_duration / settings.substeps]), real_type()),
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


def body_table(system: System, frame_index: int = 0) -> npt.NDArray[np.float64]:
    """A row for each body as it is at a frame, columns as named in ``contacts.tables``."""
    rows = []
    for model in system.models:
        target, material = model.body.identifier, model.body.material
        internal_damping, restitution = (
            system.tracks.at(target, name, getattr(material, name), frame_index)
            for name in ("internal_damping", "restitution")
        )
        rows.append((internal_damping, restitution, model.contact_offset))
    return np.array(rows)
