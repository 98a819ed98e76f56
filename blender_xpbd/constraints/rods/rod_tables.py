# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a rod keeps what: places in the extras and in the values of its constraint, see ``rod``."""

# the first extras: counts of members that are nodes, of edges, joints and pairs of edges that share a node; unknowns of
# nodes, of twist and of tension; then where what follows begins, from the first extra on
NODES, EDGES, JOINTS, PAIRS, NODE_ROWS, TWIST_ROWS, TENSION_ROWS = range(7)
AT_NODES, AT_EDGES, AT_JOINTS, AT_PAIRS, AT_NODE_PATTERN, AT_TWIST_PATTERN, AT_TENSION_PATTERN = range(7, 14)
# and where values begin, from the first value on
AT_EDGE_VALUES, AT_JOINT_VALUES, AT_NODE_MATRIX, AT_TWIST_MATRIX, AT_TENSION_MATRIX = range(14, 19)
AT_FORCES, AT_TWISTS, AT_TENSIONS, AT_MOVES, AT_EDGE_STATES, AT_JOINT_STATES = range(19, 25)
HEADER = 25

# of an edge: member numbers of tail and head, its orientation, its rows of twist and of tension, the member that tells
# how a held edge is turned, −1 for none, and the number of tail with head in the matrix of nodes
EDGE_TAIL, EDGE_HEAD, EDGE_TURN, EDGE_TWIST, EDGE_TENSION, EDGE_DIRECTOR, EDGE_PLACE = range(7)
EDGE_INTS = 7
# of a joint: its edges, its node and theirs, whether they run through it (1) or against it (−1), and numbers of the
# two matrices: of nodes end with end, node with node, other with other, end with node, node with other, end with
# other; of twist the first with itself, the second with itself, and both
JOINT_FIRST, JOINT_SECOND, JOINT_NODE, JOINT_END, JOINT_OTHER, JOINT_FORWARD, JOINT_ONWARD = range(7)
JOINT_NODE_PLACES, JOINT_TWIST_PLACES = 7, 13
JOINT_INTS = 16
# of a pair of edges: node, edges, 1 where both end or both begin there and −1 otherwise, number of the tension's matrix
PAIR_NODE, PAIR_FIRST, PAIR_SECOND, PAIR_SIGN, PAIR_PLACE = range(5)
PAIR_INTS = 5

# constants of an edge: length [m], compliance [m/N], tangent at rest, direction of its director at rest
EDGE_LENGTH, EDGE_COMPLIANCE, EDGE_TANGENT, EDGE_DIRECTION = 0, 1, 2, 5
EDGE_VALUES = 8
# constants of a joint: stiffness against bending and twist [N·m], axis of twist at rest
JOINT_BEND, JOINT_TWIST, JOINT_AXIS = 0, 1, 2
JOINT_VALUES = 5
# what a projection keeps of an edge: tangent, length [m], torque [N·m], tension's multiplier, turn of its ends
STATE_TANGENT, STATE_LENGTH, STATE_TORQUE, STATE_MULTIPLIER, STATE_TURN = 0, 3, 4, 7, 8
EDGE_STATES = 11
# what it keeps of a joint: axis of twist in the world, stiffness against bending and twist, damping included [N·m]
JOINT_STATE_BEND, JOINT_STATE_TWIST = 3, 4
JOINT_STATES = 5
