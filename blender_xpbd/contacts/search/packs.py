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
SINGLES = ti.types.ndarray(dtype=ti.f32, ndim=1)
SINGLE_TABLE = ti.types.ndarray(dtype=ti.f32, ndim=2)
DOUBLES = ti.types.ndarray(dtype=ti.f64, ndim=2)
# rows that are read and written as a whole
BOXES = ti.types.ndarray(dtype=ti.types.vector(12, ti.f32), ndim=1)
SIXES = ti.types.ndarray(dtype=ti.types.vector(6, ti.f32), ndim=1)
NINES = ti.types.ndarray(dtype=ti.types.vector(9, ti.f32), ndim=1)
ROWS = ti.types.ndarray(dtype=ti.types.vector(4, ti.i32), ndim=1)
INT_SIXES = ti.types.ndarray(dtype=ti.types.vector(6, ti.i32), ndim=1)

# where particles are when a substep begins and their margin; where they would be at its end if nothing held them; and
# where they would be if they stayed in the frame of their island [m]
Window = pack_type(window_starts=VECTORS, window_ends=VECTORS, window_stays=VECTORS)
# as in ``Trees`` and ``Surfaces``; the points of all leaves, each once; places of the points at rest [m]
Forest = pack_type(
    tree_headers=INT_TABLE,
    leaf_rows=INT_SIXES,
    features=ROWS,
    leaf_points=INTS,
    searched_points=INTS,
    is_flat=INTS,
    flat_starts=INTS,
    flat_pairs=ROWS,
    places=DOUBLES,
)
# as in ``Contents``; the part of a point is −1 where nothing moves it, −2 where its particles belong to several
Points = pack_type(
    point_elements=INT_TABLE,
    point_weights=SINGLE_TABLE,
    point_parts=INTS,
    point_frictions=FLOATS,
    object_gaps=SINGLE_TABLE,
    object_restitutions=FLOATS,
)
# rows as in ``boxes``; where points are at the start and would be at the end [m]; low corner, and high corner times −1,
# of a box that holds the unit normals of a node's triangles then; boxes of features, columns as in ``leaves``, and in
# which search those of a leaf were filled last
Boxes = pack_type(
    point_boxes=BOXES,
    point_places=NINES,
    node_boxes=BOXES,
    node_normals=SIXES,
    feature_boxes=SIXES,
    filled=INTS,
)
# trees to walk against each other; pairs of nodes to share out and as many again, columns as in ``walk``; first row and
# number of what each of them holds; for each member of the team a stack of nodes, and primitives of two leaves with
# their boxes; what a search tells, columns as in ``walk``
Work = pack_type(
    roots=INT_TABLE,
    node_pairs=ROWS,
    next_node_pairs=ROWS,
    item_rows=ROWS,
    stacks=INTS,
    near=INTS,
    told=INTS,
    root_counts=INTS,
)
# what the walk finds, columns as in ``walk``, and the gap wanted [m]; as many rows for each member of the team
Found = pack_type(found=INT_SIXES, found_gaps=SINGLES)
# as ``contacts.pairs.tables`` says, and the first pair of each task
Listed = pack_type(task_starts=INTS, pair_ints=INT_TABLE, pair_floats=REALS, pair_clearances=FLOATS)
Pairs = pack_type(pair_ints=INT_TABLE, pair_floats=REALS, pair_clearances=FLOATS)


class Ground(NamedTuple):
    """What a walk reads and writes; in kernels, where functions take it as a template."""

    forest: Any
    points: Any
    boxes: Any
    work: Any
    found: Any
