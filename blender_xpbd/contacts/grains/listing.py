# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists pairs of grains that may touch, for as many substeps of a frame as no grain strays from where it was.

A list is made at the first substep of each frame, so that a bake goes on from any checkpoint with the same bytes.
Cells, layers and slabs follow from positions alone, and grains of a cell stand in their own order.

A list has a row for each grain, in the order of the layers (``grain_order``), and tells neighbours by their places in
that order. So what is done slab by slab reads what lies side by side.
"""

import taichi as ti

from ...device.apart import apart
from .tables import (
    CELL_ROW,
    GRAIN_BODY,
    GRAIN_PARTICLE,
    GRID_CELL,
    GRID_SLACK,
    GRID_STRAY,
    LARGEST_PLACE,
    LAYER_BINS,
    RULE_MEETS,
    SLABS,
    TOLD_AXIS,
    TOLD_DUE,
    TOLD_LACKS_ROOM,
    TOLD_LIST,
    TOUCHED,
)

# cells farther from the origin than this count as one, so that their numbers stay whole numbers
FARTHEST_CELL = 1.0e9
# bits of a cell's number along an axis in the key of its row
KEY_BITS = 15
KEY_MASK = (1 << KEY_BITS) - 1
# pairs farther apart than this share of touching have nothing to keep, see ``gather``
WIDEST = 1.2
# half of the 9 rows around a cell, its own among them
HALF_OF_ROWS = 5


@ti.func
def cell_of(pairs: ti.template(), point):
    """The cell of a point, three whole numbers."""
    inverse = 1.0 / pairs.grid_sizes[GRID_CELL]
    cell = ti.Vector([0, 0, 0])
    for axis in ti.static(range(3)):
        place = ti.math.clamp(ti.floor(point[axis] * inverse), -FARTHEST_CELL, FARTHEST_CELL)
        cell[axis] = ti.cast(place, ti.i32)
    return cell


@ti.func
def row_key(along, across):
    """A number of a row of cells: rows that are neighbours of one row have different ones."""
    return ((along & KEY_MASK) << KEY_BITS) | (across & KEY_MASK)


@ti.func
def bucket_of(pairs: ti.template(), key, third):
    """Where the grains of a cell stand: one of a power of 2 of buckets, which several cells may share.

    Those of cells that follow each other in a row follow each other, and the first one follows the last one.
    """
    mixed = key * 0x2C1B3C6D
    mixed = mixed ^ ((mixed >> 15) & 0x1FFFF)
    return (mixed + third) & (pairs.bucket_starts.shape[0] - 2)


@apart
def check_grains(particles: ti.template(), pairs: ti.template(), turn, turns, substep):
    """Of one of ``turns`` equal shares of the grains, note where they are; a list is due where one has strayed."""
    count, limit = pairs.grain_ints.shape[0], pairs.grid_sizes[GRID_STRAY]
    if substep == 0:
        pairs.grains_told[TOLD_DUE] = 1
    for g in range(count * turn // turns, count * (turn + 1) // turns):
        i = pairs.grain_ints[g, GRAIN_PARTICLE]
        point = particles.positions[i].xyz
        pairs.grain_touched[i] = 0
        pairs.grain_balls[row_of(pairs, g) - first_row(pairs)] = ball_of(particles, pairs, g)
        strayed = point - pairs.grain_places[g].xyz
        if not strayed.norm_sqr() <= limit * limit:
            pairs.grains_told[TOLD_DUE] = substep + 1


@ti.func
def ball_of(particles: ti.template(), pairs: ti.template(), g):
    """Where a grain is, and its radius."""
    point = particles.positions[pairs.grain_ints[g, GRAIN_PARTICLE]]
    return ti.Vector([point[0], point[1], point[2], pairs.grain_radii[g]])


@apart
def sort_grains(particles: ti.template(), pairs: ti.template(), substep):
    """Sort grains into cells, layers and slabs, where a list is due."""
    if pairs.grains_told[TOLD_DUE] == substep + 1:
        pairs.grains_told[TOLD_LIST] = 1 - pairs.grains_told[TOLD_LIST]
        note_places(particles, pairs)
        sort_layers(pairs)
        sort_cells(pairs)
        for m in range(pairs.grain_ints.shape[0]):
            g = pairs.grain_order[m]
            pairs.grain_cells[g, CELL_ROW + pairs.grains_told[TOLD_LIST]] = first_row(pairs) + m
            pairs.grain_balls[m] = pairs.grain_places[g]


@ti.func
def note_places(particles: ti.template(), pairs: ti.template()):
    """Note where grains are, their cells, and along which axis they are spread most."""
    count = pairs.grain_ints.shape[0]
    mean, spread = ti.Vector([0.0, 0.0, 0.0]), ti.Vector([0.0, 0.0, 0.0])
    for g in range(count):
        pairs.grain_places[g] = ball_of(particles, pairs, g)
        point = pairs.grain_places[g].xyz
        cell = cell_of(pairs, point)
        for axis in ti.static(range(3)):
            pairs.grain_cells[g, axis] = cell[axis]
        mean += point
    mean /= count
    # by the mean of the sizes, for a single grain that flies off would settle that of their squares
    for g in range(count):
        spread += ti.abs(pairs.grain_places[g].xyz - mean)
    axis = 0
    if spread[1] > spread[0]:
        axis = 1
    if spread[2] > spread[axis]:
        axis = 2
    pairs.grains_told[TOLD_AXIS] = axis


@ti.func
def sort_layers(pairs: ti.template()):
    """Sort grains by their layers, and divide these into slabs of about as many grains."""
    bins = ti.static(pairs.layer_starts)
    count, axis = pairs.grain_ints.shape[0], pairs.grains_told[TOLD_AXIS]
    first, last = pairs.grain_cells[0, axis], pairs.grain_cells[0, axis]
    for g in range(1, count):
        first = ti.min(first, pairs.grain_cells[g, axis])
        last = ti.max(last, pairs.grain_cells[g, axis])
    layers = (last - first) // LAYER_BINS + 1
    for n in range(LAYER_BINS + 1):
        bins[n] = 0
    for g in range(count):
        n = (pairs.grain_cells[g, axis] - first) // layers + 1
        bins[n] = bins[n] + 1
    slab, begin = 0, 0
    pairs.slab_starts[0] = 0
    for n in range(LAYER_BINS):
        bins[n + 1] = bins[n + 1] + bins[n]
        # no slab is left empty between others, or two of a colour would lie beside each other
        if (bins[n + 1] - begin) * SLABS >= count and slab < SLABS - 1:
            slab, begin = slab + 1, bins[n + 1]
            pairs.slab_starts[slab] = begin
    for n in range(slab + 1, SLABS + 1):
        pairs.slab_starts[n] = count
    # the starts are moved on, so that each becomes the end of its bin
    for g in range(count):
        n = (pairs.grain_cells[g, axis] - first) // layers
        pairs.grain_order[bins[n]] = g
        bins[n] = bins[n] + 1


@ti.func
def sort_cells(pairs: ti.template()):
    """Put grains into the buckets of their cells, each in the order of their numbers."""
    starts, cells = ti.static(pairs.bucket_starts, pairs.grain_cells)
    count, axis = pairs.grain_ints.shape[0], pairs.grains_told[TOLD_AXIS]
    for n in range(starts.shape[0]):
        starts[n] = 0
    for g in range(count):
        key = row_key(cells[g, axis], cells[g, (axis + 1) % 3])
        pairs.grain_keys[g] = key
        n = bucket_of(pairs, key, cells[g, (axis + 2) % 3]) + 1
        starts[n] = starts[n] + 1
    for n in range(starts.shape[0] - 1):
        starts[n + 1] = starts[n + 1] + starts[n]
    for m in range(count):
        # backwards, for ends become starts
        g = count - 1 - m
        bucket = bucket_of(pairs, pairs.grain_keys[g], cells[g, (axis + 2) % 3])
        place = starts[bucket + 1] - 1
        starts[bucket + 1] = place
        pairs.bucket_grains[place], pairs.bucket_keys[place] = g, pairs.grain_keys[g]
        pairs.bucket_balls[place] = pairs.grain_places[g]
    # each end has become the start of its own bucket
    for n in range(starts.shape[0] - 1):
        starts[n] = starts[n + 1]
    starts[starts.shape[0] - 1] = count


@apart
def list_grains(particles: ti.template(), pairs: ti.template(), turn, turns, substep):
    """List the pairs that belong to one of ``turns`` equal shares of the grains, where a list is due."""
    if pairs.grains_told[TOLD_DUE] == substep + 1:
        count = pairs.grain_ints.shape[0]
        for m in range(count * turn // turns, count * (turn + 1) // turns):
            list_neighbours(particles, pairs, pairs.grain_order[m])


@ti.func
def list_neighbours(particles: ti.template(), pairs: ti.template(), g):
    """List the grains near to grain ``g`` that stand in its own cell after it, or in a cell that comes later."""
    starts, cells = ti.static(pairs.bucket_starts, pairs.grain_cells)
    axis, room, found = pairs.grains_told[TOLD_AXIS], pairs.grain_pairs.shape[1], 0
    row, last = row_of(pairs, g), starts.shape[0] - 1
    slack = pairs.grid_sizes[GRID_SLACK]
    point, reach = pairs.grain_places[g].xyz, pairs.grain_radii[g] + slack
    for code in range(HALF_OF_ROWS):
        # a cell comes later by its layer first, then along the other axes; of the own row half of the cells do
        along = (code + 1) // 3
        key = row_key(cells[g, axis] + along, cells[g, (axis + 1) % 3] + code - 3 * along)
        first = bucket_of(pairs, key, cells[g, (axis + 2) % 3] - (1 if code > 0 else 0))
        end = first + (3 if code > 0 else 2)
        begin, own, count = starts[first], starts[first + 1], starts[ti.min(end, last)]
        for n in range(begin, count + starts[ti.max(end - last, 0)]):
            # the bucket after the last one is the first one
            place = n if n < count else n - count
            if pairs.bucket_keys[place] == key:
                ball, other = pairs.bucket_balls[place], pairs.bucket_grains[place]
                limit, apart = reach + ball[3], point - ball.xyz
                is_later = code > 0 or n >= own or other > g
                if apart.norm_sqr() < limit * limit and is_later and do_meet(particles, pairs, g, other):
                    if found < room:
                        pairs.grain_pairs[row, found] = row_of(pairs, other) - first_row(pairs)
                        if apart.norm_sqr() < WIDEST * WIDEST * (limit - slack) * (limit - slack):
                            take_over(pairs, g, other, row, found)
                        found += 1
                    else:
                        pairs.grains_told[TOLD_LACKS_ROOM] = 1
    pairs.grain_counts[row] = found


@ti.func
def row_of(pairs: ti.template(), g):
    """The row of grain ``g`` in the list that counts."""
    return pairs.grain_cells[g, CELL_ROW + pairs.grains_told[TOLD_LIST]]


@ti.func
def first_row(pairs: ti.template()):
    """The first row of the list that counts."""
    return pairs.grains_told[TOLD_LIST] * pairs.grain_ints.shape[0]


@ti.func
def take_over(pairs: ti.template(), g, other, row, n):
    """Let pair ``n`` of a row of the new list keep the anchor that it had in the old one."""
    before = 1 - pairs.grains_told[TOLD_LIST]
    old = before * pairs.grain_ints.shape[0]
    mine, others = pairs.grain_cells[g, CELL_ROW + before], pairs.grain_cells[other, CELL_ROW + before]
    is_found = 0
    for side in ti.static(range(2)):
        owner, partner = mine, others
        if ti.static(side == 1):
            owner, partner = others, mine
        # a pair stands in one row alone
        if is_found == 0:
            for m in range(pairs.grain_counts[owner]):
                if pairs.grain_pairs[owner, m] & LARGEST_PLACE == partner - old:
                    is_found = 1
                    if pairs.grain_pairs[owner, m] & TOUCHED != 0:
                        anchor = pairs.grain_anchors[owner, m]
                        # a slide is that of the owner relative to the other one
                        pairs.grain_anchors[row, n] = -anchor if ti.static(side == 1) else anchor
                        pairs.grain_pairs[row, n] = pairs.grain_pairs[row, n] | TOUCHED


@ti.func
def do_meet(particles: ti.template(), pairs: ti.template(), g, other):
    """Whether two grains meet: their bodies do, and one of them can be moved."""
    i, j = pairs.grain_ints[g, GRAIN_PARTICLE], pairs.grain_ints[other, GRAIN_PARTICLE]
    a, b = pairs.grain_ints[g, GRAIN_BODY], pairs.grain_ints[other, GRAIN_BODY]
    return pairs.grain_rules[a, b, RULE_MEETS] > 0.0 and particles.positions[i][3] + particles.positions[j][3] > 0.0
