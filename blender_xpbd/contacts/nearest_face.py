# SPDX-License-Identifier: GPL-3.0-or-later
"""The face of a rigid mesh that is nearest to a contact point, and how far around that is certain.

Whoever finds the nearest triangle of a point, and how much farther all others are, knows that it is the nearest one
within half that difference. There only that triangle is asked. Whoever is outside, and farther from all triangles than
the gap, touches nothing until it has gone the rest of that way: there no triangle is asked. Contacts are the same to
the last bit, whatever was kept: a frame may begin with anything.

A row of each contact point and collider, of the mesh that was asked last; of many colliders the last ones share one:

- ``nearest_ints`` (points · NEAREST_INTS,) int32: columns below; a header is counted from 1, for 0 is none.
- ``nearest_floats`` (points · NEAREST_FLOATS,) float32: where the point was in the mesh's frame [m], how far it may go
  from there until another triangle may be the nearest one [m], and within what distance of it there is no triangle [m],
  0 for a point inside.

Of a mesh that deforms the place that was nearest last bounds the search for the one that is nearest now. A row then has
the weights of b and c of that place, as bits, instead of cell and flags, and the share of the frame at which the point
was asked instead of the leeway. What is clear around it is that of the moment, for the mesh may come nearer by itself,
no faster than its vertices move; it is below 0 where the point may be inside.
"""

from typing import Any

import taichi as ti

from ..device.arrays import make_zeros
from .triangle import triple

NEAREST_INTS, NEAREST_FLOATS = 4, 5
# colliders that have rows of their own, of 36 bytes for each contact point. Chosen by hand
MOST_WAYS = 4
# of nearest_ints: of the mesh, the cell of its grid, the triangle, and what of the cell counts, see ``mesh``
HEADER, CELL, TRIANGLE, CELL_FLAGS = range(4)
# of nearest_floats
LEEWAY, CLEAR = 3, 4
# of meshes that deform
WEIGHT_B, WEIGHT_C, SHARE = CELL, CELL_FLAGS, LEEWAY
# triangles are asked that are farther than the nearest one by less than this share of the gap, so that points that go
# no farther than half of it do not ask the grid again. Chosen by trying on a sheet that is draped over a ball
LOOK_BEYOND = 0.5
# of half the difference, what rounding leaves
CERTAIN = 0.98


def nearest_faces(points: int, colliders: int = 1) -> dict[str, Any]:
    """Arrays for so many contact points and colliders, of which nothing is known yet."""
    rows = points * min(colliders, MOST_WAYS)
    return {
        "nearest_ints": make_zeros((rows * NEAREST_INTS,), ti.i32),
        "nearest_floats": make_zeros((rows * NEAREST_FLOATS,), ti.f32),
    }


@ti.func
def row_of(points, k, c):
    """The row of contact point ``k`` of so many ``points`` for collider ``c``."""
    return ti.min(c, MOST_WAYS - 1) * points + k


@ti.func
def clear_around(colliders: ti.template(), k, header, point):
    """Within what distance of a point there is no triangle of the mesh of this header, as far as row ``k`` tells."""
    floats = ti.static(colliders.nearest_floats)
    row, result = k * NEAREST_FLOATS, ti.cast(0.0, ti.f32)
    if colliders.nearest_ints[k * NEAREST_INTS + HEADER] == header + 1:
        result = CERTAIN * floats[row + CLEAR] - (point - triple(floats, row)).norm()
    return result


@ti.func
def is_clear(colliders: ti.template(), k, header, point, previous_point, gap, tolerance):
    """Whether it is known that no triangle of the mesh of this header is nearer to the point of row ``k`` than the gap.

    Then the point has not come through one either, on its way from ``previous_point``.
    """
    floats = ti.static(colliders.nearest_floats)
    row, result = k * NEAREST_FLOATS, False
    if colliders.nearest_ints[k * NEAREST_INTS + HEADER] == header + 1:
        way = (point - triple(floats, row)).norm() + ti.max(gap, (point - previous_point).norm())
        result = way + tolerance < CERTAIN * floats[row + CLEAR]
    return result


@ti.func
def is_kept(colliders: ti.template(), k, header, cell, point):
    """Whether it is known which triangle is nearest to the point of row ``k``, in a cell of the mesh of this header."""
    ints, floats = ti.static(colliders.nearest_ints, colliders.nearest_floats)
    row = k * NEAREST_FLOATS
    result = False
    if ints[k * NEAREST_INTS + HEADER] == header + 1 and ints[k * NEAREST_INTS + CELL] == cell:
        leeway = floats[row + LEEWAY]
        result = (point - triple(floats, row)).norm_sqr() < leeway * leeway
    return result


@ti.func
def keep(colliders: ti.template(), k, header, cell, triangle, flags, point, leeway, clear):
    """Note which triangle is nearest to the point of row ``k``, how far the point may go, and what is clear around it.

    Args:
        colliders: the pack.
        k: row.
        header: of the mesh.
        cell: of its grid.
        triangle: the nearest one, if any.
        flags: what of the cell counts.
        point: where it is in the mesh's frame [m].
        leeway: how far it may go so that the triangle stays the nearest one [m]; 0 or less: nowhere.
        clear: within what distance there is no triangle [m]; 0 for a point inside.
    """
    ints, floats = ti.static(colliders.nearest_ints, colliders.nearest_floats)
    first, row = k * NEAREST_INTS, k * NEAREST_FLOATS
    ints[first + HEADER] = 0
    if leeway > 0.0 or clear > 0.0:
        ints[first + HEADER], ints[first + CELL] = header + 1, cell
        ints[first + TRIANGLE], ints[first + CELL_FLAGS] = triangle, flags
        floats[row], floats[row + 1], floats[row + 2] = point.x, point.y, point.z
        floats[row + LEEWAY], floats[row + CLEAR] = ti.max(leeway, 0.0), clear


@ti.func
def is_place_kept(colliders: ti.template(), k, header):
    """Whether row ``k`` knows which place of the mesh of this header, which deforms, was nearest to its point."""
    return colliders.nearest_ints[k * NEAREST_INTS + HEADER] == header + 1


@ti.func
def kept_weights(colliders: ti.template(), k):
    """The weights of b and c of the place that row ``k`` knows."""
    first = k * NEAREST_INTS
    v = ti.bit_cast(colliders.nearest_ints[first + WEIGHT_B], ti.f32)
    return v, ti.bit_cast(colliders.nearest_ints[first + WEIGHT_C], ti.f32)


@ti.func
def keep_place(colliders: ti.template(), k, header, triangle, v, w):
    """Note which place of a mesh that deforms is nearest to the point of row ``k``, by its weights of b and c."""
    ints = ti.static(colliders.nearest_ints)
    first = k * NEAREST_INTS
    ints[first + HEADER], ints[first + TRIANGLE] = header + 1, triangle
    ints[first + WEIGHT_B] = ti.bit_cast(ti.cast(v, ti.f32), ti.i32)
    ints[first + WEIGHT_C] = ti.bit_cast(ti.cast(w, ti.f32), ti.i32)


@ti.func
def forget_clear(colliders: ti.template(), k):
    """Forget what is clear around the point of row ``k``."""
    colliders.nearest_floats[k * NEAREST_FLOATS + CLEAR] = 0.0


@ti.func
def keep_clear(colliders: ti.template(), k, header, point, share, clear, is_outside):
    """Note within what distance of the point of row ``k`` there is no triangle of a mesh that deforms, at a moment.

    And whether it ``is_outside``; if not, that is not known.
    """
    if not is_place_kept(colliders, k, header):
        # a row has a place, whichever it is
        keep_place(colliders, k, header, 0, 0.0, 0.0)
    floats = ti.static(colliders.nearest_floats)
    row = k * NEAREST_FLOATS
    floats[row], floats[row + 1], floats[row + 2] = point.x, point.y, point.z
    floats[row + SHARE], floats[row + CLEAR] = share, clear if is_outside else -clear


@ti.func
def clear_at(colliders: ti.template(), k, header, point, share, drift, travel):
    """Within what distance of a point there is no triangle of the mesh of this header, which deforms.

    As far as row ``k`` tells, which knows it of a point in the same frame.

    Args:
        colliders: the pack.
        k: row.
        header: of the mesh.
        point: in the mesh's frame [m].
        share: of the frame.
        drift: how far the mesh moves in the frame as a whole [m].
        travel: how far a vertex moves beside that at most [m].
    """
    floats = ti.static(colliders.nearest_floats)
    row, result = k * NEAREST_FLOATS, ti.cast(0.0, ti.f32)
    if colliders.nearest_ints[k * NEAREST_INTS + HEADER] == header + 1:
        since = share - floats[row + SHARE]
        way = (point - triple(floats, row) - since * drift).norm() + ti.abs(since) * travel
        result = CERTAIN * ti.abs(floats[row + CLEAR]) - way
    return result


@ti.func
def is_known_outside(colliders: ti.template(), k):
    """Whether the point of row ``k`` was outside a mesh that deforms when ``keep_clear`` noted what is clear."""
    return colliders.nearest_floats[k * NEAREST_FLOATS + CLEAR] > 0.0
