# SPDX-License-Identifier: GPL-3.0-or-later
"""What kernels take: a pack of arrays per subject. ``state`` fills them.

Arrays without a type of number come in the precision of ``runtime.start_taichi`` where they hold what moves, and in
single precision where they hold what stays. No two packs have an array of the same name, see ``device.packs``.
"""

from typing import Any, NamedTuple

import taichi as ti

from ...device.packs import pack_type

VECTORS = ti.types.ndarray(ndim=1)
FLOATS = ti.types.ndarray(ndim=1)
INTS = ti.types.ndarray(dtype=ti.i32, ndim=1)
FLOAT_TABLE = ti.types.ndarray(dtype=ti.f32, ndim=2)
INT_TABLE = ti.types.ndarray(dtype=ti.i32, ndim=2)
FLOATS_3D = ti.types.ndarray(ndim=3)
MOTION = ti.types.ndarray(dtype=ti.f32, ndim=3)

# positions are 4-vectors (xyz [m], inverse mass [1/kg]), previous positions too (xyz [m], damping time [s]); velocities
# are [m/s] with a fourth component of 0, and so are corrections [m], which move the next prediction. Gravity [m/s²] is
# one vector for all. Bodies have a row each, columns as in ``contacts.tables``, and the first of their particles
Particles = pack_type(
    positions=VECTORS,
    previous_positions=VECTORS,
    velocities=VECTORS,
    older_positions=VECTORS,
    older_velocities=VECTORS,
    corrections=VECTORS,
    gravity=VECTORS,
    bodies=FLOAT_TABLE,
    body_starts=INTS,
)
# as in ``Schedule``
Constraints = pack_type(indices=INTS, parameters=FLOATS, lagrange_multipliers=FLOATS, table=INT_TABLE)
# particles that follow a given motion, and where they are at the two ends of the frame [m]
Targets = pack_type(particles=INTS, starts=VECTORS, ends=VECTORS)
# as in ``ContactPoints``, with the piece of each point as a further column where pieces bounce. What a substep finds
# is in slots (points, slots, columns as in ``contacts.slots``); how many of them each point has taken, and at the end
# whether some point needed more than there are
Contacts = pack_type(elements=INT_TABLE, weights=FLOAT_TABLE, element_starts=INTS, touches=INTS, slots=FLOATS_3D)
# as in ``CompactPieces``, columns of the rows as in ``contacts.tables``; hits by piece and collider, columns as in
# ``contacts.restitution``
Pieces = pack_type(piece_rows=INT_TABLE, members=INTS, points=INTS, hits=FLOATS_3D)
# as in ``ColliderSet``; the motion of a frame at the boundaries of its substeps
Colliders = pack_type(motion=MOTION, ints=INT_TABLE, floats=FLOAT_TABLE, mesh_floats=FLOATS, mesh_ints=INTS)
# as in ``HierarchyTables``, whose levels are the rows. Moves are where vertices were restricted to, then how far they
# came from there; link states are the length that a link is pulled to and its multiplier. Nothing outlives a substep
Levels = pack_type(
    rows=INT_TABLE,
    stiffness=FLOAT_TABLE,
    coarse_positions=VECTORS,
    moves=VECTORS,
    restriction_starts=INTS,
    restriction_vertices=INTS,
    restriction_weights=FLOATS,
    parents=INT_TABLE,
    parent_weights=FLOAT_TABLE,
    links=INT_TABLE,
    lengths=FLOATS,
    link_states=FLOATS,
)
# who does what when: ``stages``, segments of ``Schedule`` and of ``ContactPoints``, ``LevelOperations``; what turns a
# team has claimed and done; and how long a substep lasts [s]
Order = pack_type(
    stages=INT_TABLE,
    segments=INT_TABLE,
    segment_starts=INT_TABLE,
    contact_segments=INT_TABLE,
    contact_segment_starts=INTS,
    operations=INT_TABLE,
    operation_starts=INTS,
    counters=INTS,
    duration=FLOATS,
)
# which substeps of how many a launch does, by a team of how many threads
Span = ti.types.struct(first=ti.i32, count=ti.i32, of=ti.i32, team_size=ti.i32)


class World(NamedTuple):
    """All that a substep reads and writes, pack by pack; in kernels too, where functions take it as a template."""

    particles: Any
    constraints: Any
    targets: Any
    contacts: Any
    pieces: Any
    colliders: Any
    levels: Any
