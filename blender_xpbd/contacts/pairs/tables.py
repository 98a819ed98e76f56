# SPDX-License-Identifier: GPL-3.0-or-later
"""Columns of the tables that pairs of surface elements read and write.

Three packs hold them. Whoever fills them keeps these names of arrays; functions take any pack or tuple that has them.

``Surfaces``: what surfaces are made of.

- ``surface_elements`` (points, 5) int32: four particles of each surface point, then its object.
- ``surface_weights`` (points, 4) float32: x = Σ uⱼ xⱼ; a vertex of cloth or of a collider has 1, 0, 0, 0.
- ``travels`` (objects,) in the solver's precision: the way that points of the object have come since the last search
  at most [m]: Σ over substeps of OBJECT_SPREAD · max |move|, moves as in ``Limits``.
- ``gradients`` (particles,) in the solver's precision: working space, 0 between calls.

``Pairs``: pairs that may touch, sorted by (task, points).

- ``pair_ints`` (capacity, 5) int32 and ``pair_floats`` (capacity, PAIR_WIDTH) in the solver's precision: columns below.
- ``pair_bounds`` (capacity,) in the solver's precision: the distance less GAP when it was last measured, plus
  ``travels`` of the two objects then [m]; 0 when a pair is listed, which has it measured.

``Limits``: how far particles may go in a substep.

- ``moves`` (particles,) 4-vectors: displacement over the substep in the frame of the particle's island [m], and 0.
- ``cuts`` (particles,) 4-vectors: what to take from the move where it slides [m], and the fraction of it that is left.
"""

# columns of pair_ints: kind, then four surface points: vertex and triangle, or the ends of edge a and of edge b
KIND, POINTS = 0, 1
VERTEX_TRIANGLE, EDGE_EDGE = range(2)
PAIR_INTS = 5
# columns of pair_floats. Whoever lists a pair fills: the gap wanted [m], Coulomb's μ, e; and 0 for all others
GAP, FRICTION, RESTITUTION = range(3)
# as ``find_near`` finds them when the substep begins: distance [m], speed of approach [m/s], normal from side b to side
# a (3), signed weights of the points (4; side a sums to 1, side b to −1)
DISTANCE, APPROACH, NORMAL, WEIGHTS = 3, 4, 5, 8
# multipliers of the substep: λₙ [m], and λₜ [m] (3)
MULTIPLIER, GIVEN = 12, 13
PAIR_WIDTH = 16
# columns of the table of objects (objects, 4) float32, from which whoever lists pairs takes what a pair needs:
# Coulomb's μ, e, half the thickness [m], and the greatest Σ |uⱼ| of the object's points (1 where weights are convex)
OBJECT_FRICTION, OBJECT_RESTITUTION, OBJECT_HALF_THICKNESS, OBJECT_SPREAD = range(4)
OBJECT_WIDTH = 4
