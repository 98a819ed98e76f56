# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a rod keeps what: places in the extras and in the values of its constraint, see ``rod``."""

# the first extras: counts of members that are nodes, of edges and joints, and of unknowns; then where what follows
# begins, from the first extra on
NODES, EDGES, JOINTS, ROWS = range(4)
AT_NODES, AT_EDGES, AT_JOINTS, AT_PATTERN = range(4, 8)
# and where values begin, from the first value on
AT_EDGE_VALUES, AT_JOINT_VALUES, AT_MATRIX = range(8, 11)
AT_FORCES, AT_SIDE, AT_MOVES, AT_EDGE_STATES, AT_JOINT_STATES = range(11, 16)
HEADER = 16

# of a node: the first of its three rows, −1 where it is held, and numbers of the matrix: y with x, z with x, z with y
NODE_ROW, NODE_PLACES = 0, 1
NODE_INTS = 4
# of an edge: member numbers of tail and head, its orientation, the row of its tension, after which comes that of its
# turn, the member that tells how a held edge is turned, −1 for none, and numbers of the matrix: tension with tail,
# tension with head, tail with head along the same axis
EDGE_TAIL, EDGE_HEAD, EDGE_TURN, EDGE_ROW, EDGE_DIRECTOR = range(5)
EDGE_TAIL_PLACES, EDGE_HEAD_PLACES, EDGE_END_PLACES = 5, 8, 11
EDGE_INTS = 14
# of a joint: its edges, its node and theirs, whether they run through it (1) or against it (−1), and numbers of the
# matrix: of nodes end with node, node with other, end with other, nine each; of the turns of the first edge and of the
# second with end, node and other, nine each; of the first turn with the second
JOINT_FIRST, JOINT_SECOND, JOINT_NODE, JOINT_END, JOINT_OTHER, JOINT_FORWARD, JOINT_ONWARD = range(7)
JOINT_NODE_PLACES, JOINT_TURN_PLACES, JOINT_BOTH_PLACE = 7, 34, 52
JOINT_INTS = 53

# constants of an edge: length [m], compliance [m/N], tangent at rest, direction of its director at rest
EDGE_LENGTH, EDGE_COMPLIANCE, EDGE_TANGENT, EDGE_DIRECTION = 0, 1, 2, 5
EDGE_VALUES = 8
# constants of a joint: stiffness against bending and twist [N·m], axis of twist at rest
JOINT_BEND, JOINT_TWIST, JOINT_AXIS = 0, 1, 2
JOINT_VALUES = 5
# what a projection keeps of an edge: tangent, length [m], torque [N·m], tension's multiplier, along what it pulls
STATE_TANGENT, STATE_LENGTH, STATE_TORQUE, STATE_MULTIPLIER, STATE_PULL = 0, 3, 4, 7, 8
EDGE_STATES = 11
# what it keeps of a joint: axis of twist in the world, and what the matrix takes for stiffness against bending and
# twist, times h² [N·m·s²]
JOINT_STATE_BEND, JOINT_STATE_TWIST = 3, 4
JOINT_STATES = 5
