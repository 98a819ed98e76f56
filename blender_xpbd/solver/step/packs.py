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
SINGLES = ti.types.ndarray(dtype=ti.f32, ndim=1)
FLOAT_TABLE = ti.types.ndarray(dtype=ti.f32, ndim=2)
INT_TABLE = ti.types.ndarray(dtype=ti.i32, ndim=2)
REAL_TABLE = ti.types.ndarray(ndim=2)
VECTOR_TABLE = ti.types.ndarray(ndim=2)
FLOATS_3D = ti.types.ndarray(ndim=3)
MOTION = ti.types.ndarray(dtype=ti.f32, ndim=3)

# positions are 4-vectors (xyz [m], inverse mass [1/kg]), previous positions too (xyz [m], damping time [s]); velocities
# are [m/s] with a fourth component of 0, and so are corrections [m], which move the next prediction. Orientations are
# unit quaternions (w, x, y, z); angular velocities [rad/s] have the inverse inertia [1/(kg m²)] as their fourth
# component. Gravity [m/s²] is that of each particle; what it and drag do in a substep: ``speed_changes``. Bodies have
# a row each, columns as in ``contacts.tables``; their starts are the first particle of each and the end of the last
# one's, then the same of the orientations. What acts besides gravity is as in ``ExternalForces`` and ``AirSurfaces``,
# with the force on each triangle [N]; pushes are what all of it does to a particle, see ``external_functions``.
Particles = pack_type(
    positions=VECTORS,
    previous_positions=VECTORS,
    velocities=VECTORS,
    older_positions=VECTORS,
    older_velocities=VECTORS,
    corrections=VECTORS,
    orientations=VECTORS,
    previous_orientations=VECTORS,
    angular_velocities=VECTORS,
    gravity=VECTORS,
    speed_changes=VECTORS,
    bodies=FLOAT_TABLE,
    body_starts=INTS,
    pushes=VECTORS,
    push_factors=SINGLES,
    acts=MOTION,
    field_ints=INT_TABLE,
    field_floats=MOTION,
    field_weights=FLOAT_TABLE,
    air_points=INT_TABLE,
    air_weights=FLOAT_TABLE,
    air_triangles=INT_TABLE,
    air_forces=VECTORS,
    air_starts=INTS,
    air_triangles_of=INTS,
    air_shares=SINGLES,
)
# as in ``Schedule``, ``System.by_share`` and ``PlasticRows``, with ``yield_table``
Constraints = pack_type(
    indices=INTS,
    parameters=FLOATS,
    lagrange_multipliers=FLOATS,
    table=INT_TABLE,
    by_share=INTS,
    flow_rows=INT_TABLE,
    flow_scales=SINGLES,
    flow_starts=INTS,
    flow_limits=FLOAT_TABLE,
)
# particles that follow a given motion, and where they are at the two ends of the frame [m]; then what a hand holds, as
# in ``constraints.attachments.grab``
Targets = pack_type(
    particles=INTS,
    starts=VECTORS,
    ends=VECTORS,
    grab_particles=INTS,
    grab_weights=REAL_TABLE,
    grab_places=REAL_TABLE,
)
# as in ``ContactPoints``, with the piece of each point as a further column where pieces bounce. What a substep finds
# is in slots (points, slots, columns as in ``contacts.slots``); how many of them each point has taken, and at the end
# whether some point needed more than there are. Anchors of friction as in ``contacts.collider_anchors``, where points
# share particles. Where points start inside colliders: how deep [m], a
# column for each collider that has one, and what share of that is allowed at the boundaries of the frame's substeps.
# Where surfaces may touch, the collider through which each point comes apart, its number counted from 1, or 0.
Contacts = pack_type(
    elements=INT_TABLE,
    weights=FLOAT_TABLE,
    element_starts=INTS,
    touches=INTS,
    slots=FLOATS_3D,
    anchors=VECTORS,
    start_columns=INTS,
    start_depths=FLOAT_TABLE,
    depth_shares=SINGLES,
    passes=INTS,
)
# as in ``CompactPieces``, columns of the rows as in ``contacts.tables``; hits by piece and collider, columns as in
# ``contacts.restitution``. Then as in ``DampedPieces`` and ``SpinningPieces``; which of these have touched in the
# substep, and sums over their chunks, columns as in ``spin``. Then as in ``StruckPieces``, with motions, columns as in
# ``contacts.pairs.struck_motion``
Pieces = pack_type(
    piece_rows=INT_TABLE,
    members=INTS,
    points=INTS,
    hits=FLOATS_3D,
    damped_rows=INT_TABLE,
    damped_members=INTS,
    spin_chunks=INT_TABLE,
    spin_members=INTS,
    spin_of=INTS,
    spin_touched=INTS,
    spin_sums=REAL_TABLE,
    struck_rows=INT_TABLE,
    struck_members=INTS,
    struck_of=INTS,
    struck_motions=REAL_TABLE,
)
# as in ``ColliderSet``; the motion of a frame at the boundaries of its substeps. Of each body, 1 for colliders that it
# passes through. Of each contact point the face of a mesh that is nearest to it, as in ``contacts.nearest_face``, and
# where it touches nothing, as in ``contacts.clearance``
Colliders = pack_type(
    motion=MOTION,
    ints=INT_TABLE,
    floats=FLOAT_TABLE,
    mesh_floats=FLOATS,
    mesh_ints=INTS,
    unseen=INT_TABLE,
    nearest_ints=INTS,
    nearest_floats=FLOATS,
    clear_places=VECTORS,
    clear_told=INTS,
)
# as in ``HierarchyTables``, whose levels are the rows. Moves are where vertices were restricted to, then how far they
# came from there; link states are the length that a link is pulled to and its multiplier. Nothing outlives a substep
Levels = pack_type(
    rows=INT_TABLE,
    stiffness=FLOAT_TABLE,
    coarse_positions=VECTORS,
    coarse_moves=VECTORS,
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
# team has claimed and done; how long a substep lasts [s]; and what a launch does: from which stage to which, counted
# from the frame's first substep, of how many substeps of the frame, by a team of how many threads
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
    span=INTS,
)
# contact between bodies: surfaces, pairs and limits as in ``contacts.pairs.tables``; what is allowed of what gaps
# lacked at the start, at the boundaries of the frame's substeps; the rows of ``pair_starts`` and the windows of
# particles for a substep, and those for which pairs are listed, as in ``contacts.search``; the near pairs of a task
# stand from its first pair on. Whether a collider touches a particle of cloth in this substep, where there is jelly.
# Rows and counts of objects, what substeps tell and vertices as in ``pair_tables``. Of each particle, its velocity when
# the substep began, where it came before pairs pushed it, and how far it may go [m] in the frame of its island. Of each
# island, which has the number of its first object, the displacement that it is looked at from, its mean one [m], and
# the angular momentum [kg m²/s] by predicted velocities. Of each particle, where it was when the list was made, and how
# far it has strayed since [m], in the frame of its island; of each island how far that has come [m]. Places of vertices
# in their collider's frame at both ends of the frame [m]. Places of particles at the ends of the substeps of a launch
# that may stay clear, a row each [m]. Then grains as in ``Grains``; where they were when pairs were listed [m], and
# where they are, with their radii; their cells, the keys of rows of these; grains sorted by layers, with the first of
# each layer and slab, and by buckets of cells, with these keys and those places; the neighbours of each grain, with
# anchors, and contacts of a substep, columns as in ``contacts.grains.tables``. What attracts is as in ``Attraction``,
# with centre, mass and size of each node
Pairs = pack_type(
    surface_elements=INT_TABLE,
    surface_weights=FLOAT_TABLE,
    start_lacks=SINGLES,
    lack_shares=SINGLES,
    objects=FLOAT_TABLE,
    object_rows=INT_TABLE,
    object_counts=INT_TABLE,
    gradients=FLOATS,
    pair_ints=INT_TABLE,
    pair_floats=REAL_TABLE,
    pair_clearances=FLOATS,
    pair_starts=INTS,
    near_ints=INTS,
    near_floats=FLOATS,
    near_counts=INTS,
    limited_counts=INTS,
    near_listed=INTS,
    watched=INTS,
    watched_counts=INTS,
    watch_limits=FLOATS,
    listed_counts=INTS,
    held_points=INTS,
    held_counts=INTS,
    pushed=INTS,
    backed=INTS,
    anchor_ints=INT_TABLE,
    anchor_floats=REAL_TABLE,
    anchor_heads=INTS,
    anchor_count=INTS,
    moves=VECTORS,
    cuts=VECTORS,
    list_starts=VECTORS,
    list_ends=VECTORS,
    list_stays=VECTORS,
    window_starts=VECTORS,
    window_ends=VECTORS,
    window_stays=VECTORS,
    start_velocities=VECTORS,
    candidates=VECTORS,
    frames=VECTORS,
    means=VECTORS,
    spins=VECTORS,
    reaches=FLOATS,
    strays=FLOATS,
    list_places=VECTORS,
    drifts=VECTORS,
    told=INTS,
    vertices=INT_TABLE,
    vertex_places=VECTOR_TABLE,
    noted_places=VECTOR_TABLE,
    grain_ints=INT_TABLE,
    grain_radii=SINGLES,
    grain_grips=SINGLES,
    grain_rules=MOTION,
    grid_sizes=SINGLES,
    grain_touched=INTS,
    grain_places=VECTORS,
    grain_balls=VECTORS,
    grain_cells=INT_TABLE,
    grain_keys=INTS,
    grain_order=INTS,
    layer_starts=INTS,
    slab_starts=INTS,
    bucket_grains=INTS,
    bucket_keys=INTS,
    bucket_balls=VECTORS,
    bucket_starts=INTS,
    grain_counts=INTS,
    grain_pairs=INT_TABLE,
    grain_anchors=VECTOR_TABLE,
    grain_contact_counts=INTS,
    grain_contact_ints=VECTORS,
    grain_contacts=VECTORS,
    grain_given=VECTORS,
    grains_told=INTS,
    attracting=INTS,
    attracting_weights=SINGLES,
    attracting_masses=FLOATS,
    node_ints=INT_TABLE,
    node_centres=VECTORS,
    node_sizes=FLOATS,
    attraction_numbers=FLOATS,
)


class World(NamedTuple):
    """All that a substep reads and writes, pack by pack; in kernels too, where functions take it as a template."""

    particles: Any
    constraints: Any
    targets: Any
    contacts: Any
    pieces: Any
    colliders: Any
    levels: Any
    pairs: Any
