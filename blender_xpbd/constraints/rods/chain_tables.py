# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a bundle of chains keeps what: places in the extras and in the values of its constraint, see ``chain``.

Every number is there once per lane, lanes lie side by side. Edges and nodes count from the tips on: edge e goes from
node e + 1, on the side of the root, to node e.
"""

# the first extras: strands in the bundle, edges of each, then where edges and directors begin, from the first extra on
COUNT, EDGES = range(2)
AT_ROWS, AT_TURNS, AT_DIRECTORS = range(2, 5)
# and where values begin, from the first value on
AT_EDGES, AT_NODES, AT_ROOT = range(5, 8)
# whether the root is held
ROOT_HELD = 8
HEADER = 9

# of an edge: whether its node on the side of the tip is held, and both are; whether directors tell how it is turned
IS_TIP_HELD, IS_HELD, IS_DIRECTED = range(3)
ROW_INTS = 3

# constants of an edge: length [m], compliance [m/N], tangent at rest from its tail to its head, and of its direction
# whether that is from the root to the tip (1) or not (−1); direction of its director at rest; of its joint with the
# next edge towards the root stiffness against bending and twist [N·m], axis of twist at rest
LENGTH, COMPLIANCE, TANGENT, SIGN, DIRECTION, BEND, TWIST, AXIS = 0, 1, 2, 5, 6, 9, 10, 11
CONSTANTS = 14
# what a projection keeps of it: orientation, its length when the substep began [m] and its γ; the way from the root to
# the tip, length [m] that couples push with, along what it pulls, α̃ [1/kg] and what is missing of its length [m]; of
# its joint the axis of twist in the world, stiffness against bending times h², and what that against twist has more
TURN, BEFORE, SHARE = 14, 18, 19
WAY, SPAN, PULL, GIVE, MISSING, AXIS_NOW, STIFF, MORE = 20, 23, 24, 27, 28, 29, 32, 33
# the moment of its joint times h², and what resists turns where it is taut [kg]
MOMENT, RESIST = 34, 37
# of the elimination: what tension does; turn by move of the root's side and by moment, a symmetric matrix. Turn by turn
# of the edge before is the latter times the stiffness of the joint: that takes less time than to keep and read it
REACH, BY_MOVE, BY_MOMENT, ALONG, ABOUT, LEAN, YIELD = 38, 39, 48, 54, 57, 60, 61
# of the substitution: turn and tension when neither the root's side moves nor the edge before turns
OWN_TURN, OWN_PULL = 62, 65
# what came out: turn about itself [rad], pull (h² N), the pull of all passes
SPUN, PULLED, MULTIPLIER = 66, 67, 68
EDGE_VALUES = 69
# of a node: mass [kg], where it is [m] and its inverse mass [1/kg]; force times h², its move [m], moves of a substep so
# far but for those by tension [m]; constant, the least inverse mass that the elimination takes for it [1/kg]
MASS, PLACE, WEIGHT, FORCE, MOVE, MOVED, LEAST_WEIGHT = 0, 1, 4, 5, 8, 11, 14
NODE_VALUES = 15
# of the root: what it moves by forces where it is free, a symmetric matrix; how taut its strand was at last
TAUT = 6
ROOT_VALUES = 7
