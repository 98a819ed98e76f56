# SPDX-License-Identifier: GPL-3.0-or-later
"""Columns of the tables that pairs of surface elements read and write.

Three packs hold them. Whoever fills them keeps these names of arrays; functions take any pack or tuple that has them.

``Surfaces``: what surfaces are made of.

- ``surface_elements`` (points, 5) int32: four particles of each surface point, then its object.
- ``surface_weights`` (points, 4) float32: x = Σ uⱼ xⱼ; a vertex of cloth or of a collider has 1, 0, 0, 0.
- ``start_lacks`` (points,) float32: by how much a pair of the point was nearer than its gap at the start [m].
- ``gradients`` (particles,) in the solver's precision: working space, 0 between calls.

``Pairs``: pairs that may touch, sorted by (task, points), and those that are near in this substep.

- ``pair_ints`` (capacity, 5) int32 and ``pair_floats`` (capacity, PAIR_WIDTH) in the solver's precision: columns below.
- ``pair_clearances`` (capacity,) in the solver's precision: only pairs whose sides may have come so much nearer since
  they were listed, or may in this substep, are measured [m]; 0 when a pair is listed. What is measured tells the next
  one. What is tangled is left out by a greater one.
- ``anchor_ints`` (capacity, 6) int32, ``anchor_floats`` (capacity, 4) in the solver's precision, of which so many rows
  count as ``anchor_count`` (1,) int32 says, and ``anchor_heads`` (points,) int32: what ``anchors`` keeps from substep
  to substep; columns below.
- ``near_ints`` (capacity · NEAR_INTS,) int32 and ``near_floats`` (capacity · NEAR_WIDTH,) in the solver's precision: a
  row for each near pair, one behind the other, so that sweeps read memory in its order; columns below. They are
  one-dimensional: Taichi reads the width of a table from memory, again and again.

``Limits``: how far particles may go in a substep.

- ``moves`` (particles,) 4-vectors: displacement over the substep in the frame of the particle's island [m], and the
  inverse mass [1/kg].
- ``cuts`` (particles,) 4-vectors: what to take from the move where it slides [m], and the fraction of it that is left.
"""

# columns of pair_ints: kind, then four surface points: vertex and triangle, or the ends of edge a and of edge b
KIND, POINTS = 0, 1
VERTEX_TRIANGLE, EDGE_EDGE = range(2)
PAIR_INTS = 5
# columns of pair_floats: the gap wanted [m], Coulomb's μ, e
GAP, FRICTION, RESTITUTION = range(3)
PAIR_WIDTH = 3
# columns of near_ints: what carries the four points, which is particles where each point has only one, else surface
# points; whether the second one is of side a, which it is for edges; row of ``pair_ints``
CARRIERS, IS_EDGES, ROW = 0, 4, 5
NEAR_INTS = 6
# columns of near_floats: normal from side b to side a (3), signed weights of the last three points (side a sums to 1,
# side b to −1), the gap wanted in this substep [m], λₙ [m]
NEAR_NORMAL, NEAR_WEIGHTS, WANTED, MULTIPLIER = 0, 3, 6, 7
# ... the mass that takes pushes, 0 where nothing moves [kg], Coulomb's μ, λₜ [m] (3), speed of approach [m/s], e, and
# how much nearer the sides may come in this substep [m], or IN_DOUBT where that does not keep them from passing through
# each other
MASS, NEAR_FRICTION, GIVEN, APPROACH, NEAR_RESTITUTION, ROOM = 8, 9, 10, 13, 14, 15
IN_DOUBT = -1.0
# ... and the slide of earlier substeps in which the sides stuck [m] (3), see ``anchors``
OFFSET = 16
# ... and what settling has added to the normal speed so far [m/s], see ``settle``
SETTLED = 19
# ... and the force between its sides in the substep before, see ``press`` [N]
FORCE = 20
NEAR_WIDTH = 21
# columns of anchor_ints: those of pair_ints, then the next row with the same first point, counted from 1, or 0
ANCHOR_NEXT = 5
ANCHOR_INTS = 6
# columns of anchor_floats: the slide (3) [m], the force [N]
ANCHOR_SLIDE, ANCHOR_FORCE = 0, 3
ANCHOR_FLOATS = 4
# columns of the table of objects (objects, 4) float32, from which whoever lists pairs takes what a pair needs:
# Coulomb's μ, e, half the thickness [m], and how far its particles may leave the way for which pairs are listed [m]
OBJECT_FRICTION, OBJECT_RESTITUTION, OBJECT_HALF_THICKNESS, OBJECT_SLACK = range(4)
OBJECT_WIDTH = 4
# pieces of particles besides 0, 1, …: none, as of cloth and colliders; and one of a solid that is held
PIECE_NONE, PIECE_HELD = -1, -2
# columns of struck_rows: first of the members, the one after the last, whether the piece is hard
STRUCK_FIRST, STRUCK_LAST, STRUCK_IS_HARD = range(3)
