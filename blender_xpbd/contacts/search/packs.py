# SPDX-License-Identifier: GPL-3.0-or-later
"""What the kernels of the search take: a pack of arrays per subject. No two packs have an array of the same name."""

from typing import Any, NamedTuple

import taichi as ti

from ...device.packs import pack_type

VECTORS = ti.types.ndarray(ndim=1)
FLOATS = ti.types.ndarray(ndim=1)
REALS = ti.types.ndarray(ndim=2)
INTS = ti.types.ndarray(dtype=ti.i32, ndim=1)
INT_TABLE = ti.types.ndarray(dtype=ti.i32, ndim=2)
SINGLES = ti.types.ndarray(dtype=ti.f32, ndim=2)
DOUBLES = ti.types.ndarray(dtype=ti.f64, ndim=2)

# where particles are when a substep begins and their margin; where they would be at its end if nothing held them; and
# where they would be if they stayed in the frame of their island [m]
Window = pack_type(window_starts=VECTORS, window_ends=VECTORS, window_stays=VECTORS)
# as in ``Trees`` and ``Surfaces``; places of the points: at rest, or where crossings are looked for [m]
Forest = pack_type(
    tree_headers=INT_TABLE,
    primitives=INT_TABLE,
    is_flat=INTS,
    surface_triangles=INT_TABLE,
    surface_edges=INT_TABLE,
    places=DOUBLES,
)
# as in ``Contents``; the part of a point is −1 where nothing moves it, −2 where its particles belong to several
Points = pack_type(
    point_elements=INT_TABLE,
    point_weights=SINGLES,
    point_parts=INTS,
    point_frictions=FLOATS,
    object_gaps=SINGLES,
    object_restitutions=FLOATS,
)
# low and high corner at the window's start, low and high corner at its end [m]; low and high corner of a box that holds
# the unit normals of a node's triangles at both
Boxes = pack_type(point_boxes=SINGLES, primitive_boxes=SINGLES, node_boxes=SINGLES, node_normals=SINGLES)
# pairs of nodes to walk, columns as in ``walk``, and as many again to write the next ones to; how many; how much each
# holds; a stack for each member of the team
Work = pack_type(node_pairs=INT_TABLE, next_node_pairs=INT_TABLE, item_counts=INTS, found_counts=INTS, stacks=INT_TABLE)
# what the walk finds: bucket (point, or points + edge), and triangle or edge; as many rows for each member of the team,
# and how many it found, which may be more
Found = pack_type(found=INT_TABLE, member_counts=INTS)
# the same by bucket: first of each bucket, then task and place of each
Sorted = pack_type(bucket_starts=INTS, sorted_pairs=INT_TABLE, pair_places=INTS, task_starts=INTS)
# as ``contacts.pairs.tables`` says
Pairs = pack_type(pair_ints=INT_TABLE, pair_floats=REALS, pair_bounds=FLOATS)


class Ground(NamedTuple):
    """What a walk reads and writes; in kernels, where functions take it as a template."""

    forest: Any
    boxes: Any
    found: Any
