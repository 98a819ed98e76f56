# SPDX-License-Identifier: GPL-3.0-or-later
"""Columns of the tables that contact of grains reads and writes."""

# columns of a grain: its particle, its body and its point among those that meet colliders
GRAIN_PARTICLE, GRAIN_BODY, GRAIN_POINT = range(3)
GRAIN_INTS = 3
# columns of the cell of a grain: its three whole numbers, then the rows of its pairs in the two lists
CELL_ROW = 3
CELL_INTS = 5
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
# a neighbour is told by its place among sorted grains, with a bit more where the pair touched in the substep before.
# Such a pair has an anchor, what friction has not taken back of its slides [m]; of others nothing is kept
TOUCHED = 1 << 30
LARGEST_PLACE = TOUCHED - 1
# columns of a contact, which a near pair is for a substep: its two particles, the row in which it stands, and its place
# there
CONTACT_FIRST, CONTACT_SECOND, CONTACT_ROW, CONTACT_PLACE = range(4)
CONTACT_INTS = 4
# and its numbers: the normal; how far apart its grains touch [m]; μ; the greatest negative λₙ [m]; 1/(wᵢ + wⱼ) [kg];
# n·(vᵢ − vⱼ) before the substep's pushes [m/s]; and the anchor less where the second grain was from the first one [m]
CONTACT_NORMAL, CONTACT_REACH, CONTACT_FRICTION, CONTACT_HELD, CONTACT_MASS, CONTACT_APPROACH = 0, 3, 4, 5, 6, 7
CONTACT_BASE = 8
CONTACT_WIDTH = 12
# what a contact has given in the substep: λₜ, then λₙ [m]
GIVEN_NORMAL = 3
GIVEN_WIDTH = 4
# slabs of both colours, of which a stage has half as turns
SLABS = 64
# layers are counted in so many bins at most; of more, several share one
LAYER_BINS = 4096
# neighbours of a grain that there is room for at first
FIRST_NEIGHBOURS = 12
# what room for a neighbour takes: a place and an anchor in each of two lists, in double precision, and a contact
PAIR_BYTES = 2 * (4 + 4 * 8) + 4 * (CONTACT_INTS + CONTACT_WIDTH + GIVEN_WIDTH)
# sweeps over all pairs in a substep
GRAIN_SWEEPS = 4
