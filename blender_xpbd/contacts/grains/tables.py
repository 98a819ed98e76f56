# SPDX-License-Identifier: GPL-3.0-or-later
"""Columns of the tables that contact of grains reads and writes."""

# columns of a grain: its particle, its body and its point among those that meet colliders
GRAIN_PARTICLE, GRAIN_BODY, GRAIN_POINT = range(3)
GRAIN_INTS = 3
# columns of a rule of two bodies, for grains of the one that touch those of the other: whether they meet, Coulomb's μ,
# restitution, tensile strength of a contact [Pa]
RULE_MEETS, RULE_FRICTION, RULE_RESTITUTION, RULE_COHESION = range(4)
RULE_WIDTH = 4
# numbers of the grid [m]: how long a cell is, how much farther apart than touching pairs are listed, and how far a
# grain may stray before they are listed anew
GRID_CELL, GRID_SLACK, GRID_STRAY = range(3)
# what substeps tell: the substep for which a list is due, counted from 1; whether a grain has more neighbours than
# there is room for; the axis of the layers; which of the two lists counts, 0 or 1
TOLD_DUE, TOLD_LACKS_ROOM, TOLD_AXIS, TOLD_LIST = range(4)
GRAINS_TOLD_WIDTH = 4
# columns of a pair that touches: λₜ [m]; n·(vᵢ − vⱼ) before the substep's pushes [m/s]; the greatest λₜ [m]; and what
# friction has not taken back of slides before the substep [m], which counts where the multiplier is not 0
PAIR_GIVEN, PAIR_APPROACH, PAIR_LIMIT, PAIR_ANCHOR = 0, 3, 4, 5
GRAIN_PAIR_WIDTH = 8
# a multiplier of a pair that touched in the substep before
TOUCHED_BEFORE = 1e-30
# slabs of both colours, of which a stage has half as turns
SLABS = 64
# layers are counted in so many bins at most; of more, several share one
LAYER_BINS = 4096
# neighbours of a grain that there is room for at first
FIRST_NEIGHBOURS = 12
# sweeps over all pairs in a substep
GRAIN_SWEEPS = 4
