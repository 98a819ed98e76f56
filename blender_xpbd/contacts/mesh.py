# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact of a point with a rigid triangle mesh: the narrow part, in the mesh's own frame.

Two tests, of which the first counts more and the second comes first, because it is cheap and often rules the other out:

1. Continuous: does the way of the point relative to the mesh, from the start to the end of the substep, cross a
   triangle (of a closed mesh from its front, of an open one from either side)? Then the point is brought back
   before that triangle's plane, however far it went. In a groove this repeats for the next triangle it would cross.
2. Discrete: the closest point on the mesh. Of a closed mesh the inside is told by pseudonormals (Bærentzen & Aanæs
   2005) and left by the nearest way; an open one keeps the point at its distance on the side where it is.

Triangles come from the grid of ``geometry/collider/triangle_grid.py``, whose ``pack`` describes the two arrays. All the
arithmetic is float32, nothing is written, no memory is allocated: it runs in serial CPU kernels and on GPUs.

Meshes that deform are in ``deforming_mesh``.
"""

import taichi as ti

from ..geometry.collider.triangle_grid import DEEP, LIST_HEADER_INTS
from .contact_type import ContactType
from .nearest_face import (
    CELL_FLAGS,
    CERTAIN,
    LOOK_BEYOND,
    NEAREST_INTS,
    TRIANGLE,
    clear_around,
    is_clear,
    is_kept,
    keep,
)
from .triangle import NO_CONTACT, barycentric, closest_on_triangle, is_finite, triple

# crossings followed in one groove before the point goes back to where it first met the mesh; chosen by hand, each costs
# a walk through the grid
MAX_CROSSINGS = 4
# what of a cell counts for the nearest triangle: its side, and that it lists anything, that a point in it may touch
# several faces, and that it lies outside or has no side
CELL_SIDE, HAS_LIST, IS_BENT, IS_OUTSIDE = 3, 4, 8, 16


@ti.func
def _cell_of(ints: ti.template(), header, relative):
    """Cell of a point given in cells from the low corner, clamped into the grid."""
    nx, ny, nz = ints[header + 1], ints[header + 2], ints[header + 3]
    x = ti.math.clamp(ti.cast(relative.x, ti.i32), 0, nx - 1)
    y = ti.math.clamp(ti.cast(relative.y, ti.i32), 0, ny - 1)
    z = ti.math.clamp(ti.cast(relative.z, ti.i32), 0, nz - 1)
    return ti.math.ivec3(x, y, z)


@ti.func
def _list_of(ints: ti.template(), header, cell):
    """Index of a cell's list in ``ints``, 0 where it has none."""
    return ints[ints[header + 5] + (cell.x * ints[header + 2] + cell.y) * ints[header + 3] + cell.z]


@ti.func
def _crossing_of_triangle(floats: ti.template(), at, closed, tolerance, start, end):
    """Where a segment crosses one triangle.

    Returns:
        (normal towards the start, part of the way up to the crossing; 2 where there is none).
    """
    normal = triple(floats, at + 9)
    before = normal.dot(start - triple(floats, at))
    after = normal.dot(end - triple(floats, at))
    if closed == 0 and before < 0.0:
        normal, before, after = -normal, -before, -after
    part = 2.0
    # a point that rests on a closed surface may start below it by a rounding error
    if after < 0.0 and before >= -tolerance and before > after:
        candidate = before / (before - after)
        if candidate >= -1.0:
            offset = start + ti.max(candidate, 0.0) * (end - start) - triple(floats, at)
            v, w = barycentric(
                triple(floats, at + 9), floats[at + 12], triple(floats, at + 3), triple(floats, at + 6), offset
            )
            # the slack closes the seams between triangles that rounding opens
            if v >= -1e-4 and w >= -1e-4 and v + w <= 1.0001:
                part = candidate
    return ti.math.vec4(normal.x, normal.y, normal.z, part)


@ti.func
def _first_crossing(floats: ti.template(), ints: ti.template(), header, start, end):
    """The first triangle that a segment crosses, cell by cell (Amanatides & Woo 1987).

    Returns:
        (normal towards the start, signed height of the end over the triangle's plane [m]); the height is
        ``NO_CONTACT`` where nothing is crossed.
    """
    base = ints[header]
    low, high = triple(floats, base), triple(floats, base + 3)
    inverse_size = floats[base + 7]
    cell = _cell_of(ints, header, (start - low) * inverse_size)
    last_cell = _cell_of(ints, header, (end - low) * inverse_size)
    way = end - start
    first, last = 0.0, 1.0
    exits, strides = ti.math.vec3(2.0), ti.math.vec3(0.0)
    cells_left = 1
    if (cell != last_cell).any() or (start < low).any() or (start > high).any():
        cells_left = ints[header + 1] + ints[header + 2] + ints[header + 3]
        # the part of the segment that is in the grid
        for k in ti.static(range(3)):
            exits[k] = strides[k] = 1e20
            if ti.abs(way[k]) > 1e-20:
                strides[k] = 1.0 / way[k]
                to_low, to_high = (low[k] - start[k]) * strides[k], (high[k] - start[k]) * strides[k]
                first = ti.max(first, ti.min(to_low, to_high))
                last = ti.min(last, ti.max(to_low, to_high))
        cell = _cell_of(ints, header, (start + first * way - low) * inverse_size)
        for k in ti.static(range(3)):
            if ti.abs(way[k]) > 1e-20:
                ahead = 1.0 if way[k] > 0.0 else 0.0
                exits[k] = (low[k] + (ti.cast(cell[k], ti.f32) + ahead) * floats[base + 6] - start[k]) * strides[k]
    best = ti.math.vec4(0.0, 0.0, 0.0, 2.0)
    best_triangle = -1
    if first <= last:
        closed, tolerance, triangles = ints[header + 4], floats[base + 9], ints[header + 6]
        while cells_left > 0:
            cells_left -= 1
            at = _list_of(ints, header, cell)
            if at > 0:
                for entry in range(ints[at + 1]):
                    triangle = ints[at + LIST_HEADER_INTS + entry]
                    found = _crossing_of_triangle(floats, triangles + 16 * triangle, closed, tolerance, start, end)
                    if ti.abs(found.w) < ti.abs(best.w):
                        best, best_triangle = found, triangle
            exit_time = exits.min()
            if exit_time > last or ti.abs(best.w) <= exit_time:
                cells_left = 0
            else:
                for k in ti.static(range(3)):
                    if exits[k] == exit_time:
                        cell[k] += 1 if way[k] > 0.0 else -1
                        exits[k] += ti.abs(strides[k]) * floats[base + 6]
                        if cell[k] < 0 or cell[k] >= ints[header + 1 + k]:
                            cells_left = 0
                            cell[k] = 0
    height = NO_CONTACT
    if best_triangle >= 0:
        height = best.xyz.dot(end - triple(floats, ints[header + 6] + 16 * best_triangle))
    return ti.math.vec4(best.x, best.y, best.z, height)


@ti.func
def _may_be_nearer(floats: ti.template(), at, point, nearest):
    """Whether a triangle's plane and bounding sphere leave hope for a distance below ``nearest``."""
    offset = point - triple(floats, at)
    height = triple(floats, at + 9).dot(offset)
    # within the plane, what is left of the distance must reach the circle around the triangle
    left = nearest * nearest - height * height
    result = False
    if left > 0.0:
        from_middle = offset - (triple(floats, at + 3) + triple(floats, at + 6)) / 3.0
        reach = ti.sqrt(left) + floats[at + 13]
        result = from_middle.norm_sqr() - height * height < reach * reach
    return result


@ti.func
def _closest_contact(colliders: ti.template(), header, point, previous_point, gap, k):
    """Contact by the closest point, for a point within the grid.

    Returns:
        what ``mesh_contact`` returns first, a distance within which there is no triangle [m], and whether the cell is
        bent.
    """
    floats, ints = ti.static(colliders.mesh_floats, colliders.mesh_ints)
    base = ints[header]
    low = triple(floats, base)
    cell = _cell_of(ints, header, (point - low) * floats[base + 7])
    number = (cell.x * ints[header + 2] + cell.y) * ints[header + 3] + cell.z
    tolerance = floats[base + 9]
    # who came as far as the gap may have come through another triangle than the nearest one
    is_known = is_kept(colliders, k, header, number, point)
    is_known = is_known and (point - previous_point).norm() + tolerance < gap
    flags, count, touching, at = 0, 0, 0, 0
    if is_known:
        flags, count = colliders.nearest_ints[k * NEAREST_INTS + CELL_FLAGS], 1
    else:
        at = ints[ints[header + 5] + number]
        if at > 0:
            count, touching = ints[at], ints[at + 1]
            flags = HAS_LIST + ints[at + 2]
            if ints[at + 3] > 0:
                flags += IS_BENT
            # where the side is known to be outside, only what is nearer than the gap matters
            if ints[header + 4] == 0 or (ints[at + 2] == 0 and touching == 0):
                flags += IS_OUTSIDE
    result = ti.math.vec4(0.0, 0.0, 1.0, NO_CONTACT)
    clearance = floats[base + 8]
    if flags & HAS_LIST:
        closed, cell_side = ints[header + 4], flags & CELL_SIDE
        centre = low + (ti.cast(cell, ti.f32) + 0.5) * floats[base + 6]
        # the triangles that do not touch the cell are farther than its walls
        to_wall = 0.5 * floats[base + 6] - ti.abs(point - centre).max()
        # ... and those that the cell does not list by the margin more
        unlisted = ti.max(to_wall, 0.0) + clearance
        nearest = NO_CONTACT
        if flags & IS_OUTSIDE:
            nearest = gap
        best = ti.math.vec4(0.0)
        # how far away all triangles but the best one are
        others, beyond = NO_CONTACT, LOOK_BEYOND * ti.max(gap, 0.0)
        best_triangle = -1
        entry = 0
        while entry < count:
            triangle = colliders.nearest_ints[k * NEAREST_INTS + TRIANGLE]
            if not is_known:
                triangle = ints[at + LIST_HEADER_INTS + entry]
            start = ints[header + 6] + 16 * triangle
            limit = nearest + beyond
            # where nothing touches, how far away all triangles are is worth more
            if best_triangle < 0:
                limit = ti.max(limit, unlisted)
            if is_known or _may_be_nearer(floats, start, point, limit):
                found = closest_on_triangle(
                    triple(floats, start + 9),
                    floats[start + 12],
                    triple(floats, start + 3),
                    triple(floats, start + 6),
                    point - triple(floats, start),
                )
                distance = found.xyz.norm()
                if distance < nearest:
                    if best_triangle >= 0:
                        others = nearest
                    best, best_triangle, nearest = found, triangle, distance
                else:
                    others = ti.min(others, distance)
            entry += 1
            if entry == touching and nearest < to_wall:
                entry = count
                others = ti.min(others, to_wall)
        # within what distance of a point outside there is no triangle
        clear, leeway = ti.min(unlisted, others), 0.0
        clearance = ti.min(clearance, nearest)
        if best_triangle >= 0:
            if cell_side != DEEP:
                leeway = 0.5 * CERTAIN * (ti.min(others, nearest + beyond) - nearest) - tolerance
            away = best.xyz
            feature = ti.cast(best.w, ti.i32)
            outward = triple(floats, ints[header + 7] + 21 * best_triangle + 3 * feature)
            side = 1.0
            if closed == 1:
                side = -1.0 if outward.dot(away) < 0.0 else 1.0
                # that is right if the closest point lies where the list is complete; else the cell knows
                reach = 0.5 * floats[base + 6] + floats[base + 8]
                if cell_side == DEEP or ti.abs(point - away - centre).max() > reach:
                    side = -1.0 if cell_side > 0 else 1.0
            elif outward.dot(previous_point - (point - away)) < 0.0:
                outward = -outward
            clear = ti.min(unlisted, nearest) if side > 0.0 else 0.0
            normal = outward
            if nearest > tolerance:
                normal = side * away / nearest
            result = ti.math.vec4(normal.x, normal.y, normal.z, side * nearest - gap)
        if not is_known:
            keep(colliders, k, header, number, best_triangle, flags, point, leeway, clear)
    elif not is_known:
        # the cell lists no triangle: all are farther from it than the margin
        keep(colliders, k, header, number, -1, flags, point, 0.0, clearance)
    is_bent = (flags & HAS_LIST) == 0 or (flags & IS_BENT) > 0
    return result, clearance, is_bent


@ti.func
def _moving_contact(colliders: ti.template(), header, point, previous_point, offset):
    """Contact by crossing; see ``mesh_contact``."""
    floats, ints = ti.static(colliders.mesh_floats, colliders.mesh_ints)
    pushed = point
    result = ti.math.vec4(0.0, 0.0, 1.0, NO_CONTACT)
    crossings = 0
    while crossings < MAX_CROSSINGS:
        found = _first_crossing(floats, ints, header, previous_point, pushed)
        if found.w >= NO_CONTACT:
            crossings += MAX_CROSSINGS
        else:
            crossings += 1
            if crossings == MAX_CROSSINGS:
                pushed = previous_point
            else:
                pushed += (offset - found.w) * found.xyz
            way = pushed - point
            length = way.norm()
            if crossings == 1:
                result = ti.math.vec4(found.x, found.y, found.z, found.w - offset)
            elif length > 0.0:
                result = ti.math.vec4(way.x / length, way.y / length, way.z / length, -length)
    return result


@ti.func
def mesh_contact(colliders: ti.template(), header, point, previous_point, offset, k):
    """Find the contact of a point with a rigid triangle mesh.

    The mesh's frame moves with it, so its motion is part of the way from ``previous_point`` to ``point``.
    An open mesh (a sheet) holds the point on the side where ``previous_point`` was, and, so that this side
    stays known in float32, at least at twice the grid's tolerance (1e-5 of the mesh's size).

    Args:
        colliders: the pack, or what else has ``PackedGrids`` as ``mesh_floats`` and ``mesh_ints``, and the arrays of
            ``nearest_face``.
        header: the collider's entry of ``PackedGrids.headers``.
        point: where the point is at the end of the substep, in the collider's frame then [m].
        previous_point: where it was at the start of the substep, in the collider's frame then [m].
        offset: gap to keep [m], 0 or more; up to the grid's ``largest_offset``.
        k: row of ``nearest_face`` that is read and written.

    Returns:
        (unit normal in the collider's frame to push along, signed distance less the offset [m]). The distance is
        negative in contact; ``NO_CONTACT`` or another positive number, with some unit normal, elsewhere and where
        a point is not finite. And whether the point, pushed out, may touch another face.
    """
    floats, ints = ti.static(colliders.mesh_floats, colliders.mesh_ints)
    result, is_bent = ti.math.vec4(0.0, 0.0, 1.0, NO_CONTACT), True
    base = ints[header]
    low, high = triple(floats, base), triple(floats, base + 3)
    if (ti.max(point, previous_point) >= low).all() and (ti.min(point, previous_point) <= high).all():
        if is_finite((ti.abs(point) + ti.abs(previous_point)).sum()):
            tolerance = floats[base + 9]
            gap = offset
            if ints[header + 4] == 0:
                gap = ti.max(offset, 2.0 * tolerance)
            clearance = 0.0
            is_far = is_clear(colliders, k, header, point, previous_point, gap, tolerance)
            if not is_far and (point >= low).all() and (point <= high).all():
                result, clearance, is_bent = _closest_contact(colliders, header, point, previous_point, gap, k)
            # whoever came less far than the surface is away has not come through it
            if not is_far and (point - previous_point).norm() + tolerance >= clearance:
                crossed = _moving_contact(colliders, header, point, previous_point, gap)
                if crossed.w < NO_CONTACT:
                    result = crossed
    # cells tell of their neighbours too, but of no farther ones
    return result, is_bent or -result.w > floats[base + 6]


@ti.func
def query_mesh(colliders: ti.template(), header, radius, point, previous_point, offset, k):
    """As ``ContactType.query``."""
    # the grid is single precision, and its tolerances are chosen for it
    end, start = ti.cast(point, ti.f32), ti.cast(previous_point, ti.f32)
    hit, is_bent = mesh_contact(colliders, header, end, start, offset, k)
    return hit, ti.Vector([0.0, 0.0, 0.0]), is_bent


@ti.func
def mesh_clearance(colliders: ti.template(), header, sizes, point, k):
    """As ``ContactType.clearance``: up to the box of the grid, or by what is clear around the point."""
    floats, ints = ti.static(colliders.mesh_floats, colliders.mesh_ints)
    base, place = ints[header], ti.cast(point, ti.f32)
    tolerance = floats[base + 9]
    result = ti.max(triple(floats, base) - place, place - triple(floats, base + 3)).max() - tolerance
    if result <= 0.0:
        gap = ti.cast(sizes[1], ti.f32)
        if ints[header + 4] == 0:
            gap = ti.max(gap, 2.0 * tolerance)
        result = clear_around(colliders, k, header, place) - gap - tolerance
    return result


# a corner has three walls
MESH = ContactType("MESH", query_mesh, clearance=mesh_clearance, looks_back=True, most_faces=3, is_branched=True)
