# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact of a point with a triangle mesh whose vertices move within its frame, straight and evenly between frames.

As ``mesh`` has it, two tests: does the way of the point over the substep pass through a triangle that moves, and how
far is the closest point at the end. Triangles come from the tree of ``geometry/collider/packed_trees.py``, which
describes the numbers. Nothing of it changes within a frame: vertices and boxes are mixed from those at its two ends.

- A point that passed a triangle is brought before the triangle's plane as it is at the end; it may slide along.
- In every substep a closed mesh pushes points out that are as deep as ``reach``, and once in a frame all. The normals
  that tell the inside are those of the moment (Bærentzen & Aanæs 2005).
- The surface carries along by what the place that is touched moved within the frame.
- A point that is clear of all triangles asks none until it may have come near one: by its own way and that of the mesh,
  which no vertex exceeds. Meanwhile nothing passes it, so one that was outside stays so. Contacts are the same to the
  last bit, but in folds where faces lie inside out: there the nearest one might have told otherwise. What is known is
  forgotten when a frame, or a slice of it, begins.
"""

import taichi as ti

from .contact_type import ContactType
from .moving_triangle import NO_PASSAGE, passage
from .nearest_face import (
    CERTAIN,
    NEAREST_INTS,
    TRIANGLE,
    clear_at,
    forget_clear,
    is_known_outside,
    is_place_kept,
    keep_clear,
    keep_place,
    kept_weights,
)
from .triangle import NO_CONTACT, barycentric, closest_on_triangle, is_finite, triple

# passages followed in one groove before the point goes where the place that it met first is at the end
MAX_PASSAGES = 4
# a triangle lower than this part of the tolerance, which is 1e-7 of the mesh's size, has no normal worth the name
LEAST_HEIGHT = 0.03
# distances are compared with a distance to a vertex, which must not lose to its own rounding
ABOVE_ROUNDING = 1.0001
# in tolerances: of lower triangles rounding may miss the closest place, so when it is asked what is clear, the box of
# their leaf stands for them; and what rounding, and seams of passages, take of that at most
LEAST_SURE_HEIGHT, CLEAR_MARGIN = 100.0, 200.0
# points beyond the limit look for triangles so far up to the place that was nearest last: to know that there are none
# takes much less than to find the nearest one. Chosen by hand
LOOK_BEFORE = 0.8
# points may become so much faster within a frame and are still looked for but once. Chosen by hand
FASTER = 1.25


@ti.func
def _vertex(floats: ti.template(), ints: ti.template(), header, vertex, share):
    """A vertex at a share of the frame."""
    at = ints[header + 7] + 6 * vertex
    start = triple(floats, at)
    return start + share * (triple(floats, at + 3) - start)


@ti.func
def _corner(floats: ti.template(), ints: ti.template(), header, triangle, corner, share):
    return _vertex(floats, ints, header, ints[ints[header + 4] + 3 * triangle + corner], share)


@ti.func
def _box(floats: ti.template(), ints: ti.template(), header, node, share):
    """Low and high corner of what is below a node at a share of the frame."""
    at = ints[header + 8] + 12 * node
    low, high = triple(floats, at), triple(floats, at + 3)
    return low + share * (triple(floats, at + 6) - low), high + share * (triple(floats, at + 9) - high)


@ti.func
def _swept_box(floats: ti.template(), ints: ti.template(), header, node, start_share, end_share):
    """Low and high corner of where what is below a node is in a substep."""
    low, high = _box(floats, ints, header, node, start_share)
    end_low, end_high = _box(floats, ints, header, node, end_share)
    return ti.min(low, end_low), ti.max(high, end_high)


@ti.func
def _square_to_box(floats: ti.template(), ints: ti.template(), header, node, share, point):
    low, high = _box(floats, ints, header, node, share)
    return ti.max(low - point, point - high, 0.0).norm_sqr()


@ti.func
def _face_normal(floats: ti.template(), ints: ti.template(), header, triangle, share):
    """Unit normal, 0 where the triangle has no area."""
    a = _corner(floats, ints, header, triangle, 0, share)
    ab = _corner(floats, ints, header, triangle, 1, share) - a
    normal = ab.cross(_corner(floats, ints, header, triangle, 2, share) - a)
    return normal / ti.max(normal.norm(), 1e-30)


@ti.func
def _angle_at(floats: ti.template(), ints: ti.template(), header, triangle, vertex, share):
    """The angle of a triangle at one of its vertices."""
    corner = 0
    for k in ti.static(range(1, 3)):
        if ints[ints[header + 4] + 3 * triangle + k] == vertex:
            corner = k
    here = _corner(floats, ints, header, triangle, corner, share)
    one = _corner(floats, ints, header, triangle, (corner + 1) % 3, share) - here
    other = _corner(floats, ints, header, triangle, (corner + 2) % 3, share) - here
    return ti.atan2(one.cross(other).norm(), one.dot(other))


@ti.func
def _outward(floats: ti.template(), ints: ti.template(), header, triangle, feature, share):
    """Unit pseudonormal of a feature of a triangle, numbered as by ``closest_on_triangle``."""
    own = _face_normal(floats, ints, header, triangle, share)
    result = own
    if feature > 0:
        corners = ints[header + 4] + 3 * triangle
        is_edge = feature < 4
        vertex = ints[corners + (feature - 1 if is_edge else feature - 4)]
        other = ints[corners + feature % 3]
        total = ti.math.vec3(0.0)
        for entry in range(ints[ints[header + 5] + vertex], ints[ints[header + 5] + vertex + 1]):
            face = ints[ints[header + 6] + entry]
            weight = 0.0
            if is_edge:
                at = ints[header + 4] + 3 * face
                if ints[at] == other or ints[at + 1] == other or ints[at + 2] == other:
                    weight = 1.0
            else:
                weight = _angle_at(floats, ints, header, face, vertex, share)
            if weight > 0.0:
                total += weight * _face_normal(floats, ints, header, face, share)
        # faces folded onto each other cancel out; the face's own normal is the best that is left
        if total.norm() > 1e-6:
            result = total / total.norm()
    return result


@ti.func
def _first_passage(floats: ti.template(), ints: ti.template(), header, start, end, start_share, end_share):
    """The first triangle that a point passes in a substep.

    Returns:
        (part of the way, or ``NO_PASSAGE``; weights of b and c there; the side it came from), and the triangle.
    """
    closed, tolerance = ints[header + 2], floats[ints[header] + 1]
    low, high = ti.min(start, end) - tolerance, ti.max(start, end) + tolerance
    best, best_triangle = ti.math.vec4(NO_PASSAGE, 0.0, 0.0, 1.0), -1
    node = 0
    while node < ints[header + 1]:
        node_low, node_high = _swept_box(floats, ints, header, node, start_share, end_share)
        at = ints[header + 3] + 3 * node
        if (low <= node_high).all() and (node_low <= high).all():
            for triangle in range(ints[at + 1], ints[at + 2]):
                a0 = _corner(floats, ints, header, triangle, 0, start_share)
                b0 = _corner(floats, ints, header, triangle, 1, start_share)
                c0 = _corner(floats, ints, header, triangle, 2, start_share)
                a1 = _corner(floats, ints, header, triangle, 0, end_share)
                b1 = _corner(floats, ints, header, triangle, 1, end_share)
                c1 = _corner(floats, ints, header, triangle, 2, end_share)
                found = passage(a0, b0 - a0, c0 - a0, a1, b1 - a1, c1 - a1, start, end, closed, tolerance)
                if found[0] < best[0]:
                    best, best_triangle = found, triangle
            node += 1
        else:
            node = ints[at]
    return best, best_triangle


@ti.func
def _passing_contact(floats: ti.template(), ints: ti.template(), header, start, end, start_share, end_share, gap):
    """Contact by passing.

    Returns:
        what ``query_deforming_mesh`` returns, at ``NO_CONTACT`` where nothing is passed; where that pushes the point;
        where the place that it met first is at the end; whether it ends before the triangle, but perhaps beside it.
    """
    result, displacement = ti.math.vec4(0.0, 0.0, 1.0, NO_CONTACT), ti.math.vec3(0.0)
    pushed, met, is_doubtful = end, end, False
    tolerance = floats[ints[header] + 1]
    passages = 0
    while passages < MAX_PASSAGES:
        found, triangle = _first_passage(floats, ints, header, start, pushed, start_share, end_share)
        if triangle < 0:
            passages = MAX_PASSAGES
        else:
            normal = found[3] * _face_normal(floats, ints, header, triangle, end_share)
            height = normal.dot(pushed - _corner(floats, ints, header, triangle, 0, end_share))
            if passages == 0:
                place = _place(floats, ints, header, triangle, found[1], found[2], end_share)
                displacement = place - _place(floats, ints, header, triangle, found[1], found[2], start_share)
                met = place + gap * normal
            passages += 1
            if height > gap + tolerance or passages == MAX_PASSAGES:
                # through the triangle and back beside it, or about in a groove
                pushed, passages = met, MAX_PASSAGES
            elif passages > 1 and height >= gap - tolerance:
                # rounding brings a point back to a triangle that it was pushed to, unless it ends beside it
                passages, is_doubtful = MAX_PASSAGES, True
            else:
                pushed += (gap - height) * normal
            result = _push(pushed - end)
            if passages == 1:
                # the same without rounding
                result = ti.math.vec4(normal.x, normal.y, normal.z, height - gap)
    return ti.Struct(result=result, displacement=displacement, pushed=pushed, met=met, is_doubtful=is_doubtful)


@ti.func
def _push(way):
    """A contact that moves a point by ``way``."""
    length = way.norm()
    result = ti.math.vec4(0.0, 0.0, 1.0, 0.0)
    if length > 0.0:
        result = ti.math.vec4(way.x / length, way.y / length, way.z / length, -length)
    return result


@ti.func
def _place(floats: ti.template(), ints: ti.template(), header, triangle, v, w, share):
    """The place of a triangle with given weights of b and c."""
    a = _corner(floats, ints, header, triangle, 0, share)
    b = _corner(floats, ints, header, triangle, 1, share)
    c = _corner(floats, ints, header, triangle, 2, share)
    return a + v * (b - a) + w * (c - a)


@ti.func
def _distance_to_a_vertex(floats: ti.template(), ints: ti.template(), header, point, share):
    """The distance to a vertex that is likely to be near, by going down the tree [m]."""
    node = 0
    at = ints[header + 3]
    while ints[at + 2] == 0:
        left = node + 1
        right = ints[ints[header + 3] + 3 * left]
        node = left
        if _square_to_box(floats, ints, header, right, share, point) < _square_to_box(
            floats, ints, header, left, share, point
        ):
            node = right
        at = ints[header + 3] + 3 * node
    return (point - _corner(floats, ints, header, ints[at + 1], 0, share)).norm()


@ti.func
def _closest(floats: ti.template(), ints: ti.template(), header, point, share, limit):
    """The closest place of the mesh that is nearer than ``limit``.

    Returns:
        vector from it to the point [m], its triangle or −1, feature, weights of b and c, and distance or ``limit`` [m];
        and within what distance there is certainly no triangle [m].
    """
    best, best_triangle, nearest = ti.math.vec4(0.0), -1, limit
    best_v, best_w = 0.0, 0.0
    least_height = LEAST_HEIGHT * floats[ints[header] + 1]
    sure_height, square_to_thin = LEAST_SURE_HEIGHT * floats[ints[header] + 1], limit * limit
    node = 0
    while node < ints[header + 1]:
        at = ints[header + 3] + 3 * node
        square = _square_to_box(floats, ints, header, node, share, point)
        if square < nearest * nearest:
            for triangle in range(ints[at + 1], ints[at + 2]):
                a = _corner(floats, ints, header, triangle, 0, share)
                ab = _corner(floats, ints, header, triangle, 1, share) - a
                ac = _corner(floats, ints, header, triangle, 2, share) - a
                normal = ab.cross(ac)
                norm = normal.norm()
                if norm * norm <= sure_height * sure_height * ti.max(ab.norm_sqr(), ac.norm_sqr()):
                    square_to_thin = ti.min(square_to_thin, square)
                # whoever is farther from the plane is farther from the triangle
                near = ti.abs(normal.dot(point - a)) < norm * nearest
                if near and norm * norm > least_height * least_height * ti.max(ab.norm_sqr(), ac.norm_sqr()):
                    found = closest_on_triangle(normal / norm, 1.0 / norm, ab, ac, point - a)
                    distance = found.xyz.norm()
                    if distance < nearest:
                        best, best_triangle, nearest = found, triangle, distance
                        best_v, best_w = barycentric(normal / norm, 1.0 / norm, ab, ac, point - found.xyz - a)
            node += 1
        else:
            node = ints[at]
    clear = ti.min(nearest, ti.sqrt(square_to_thin))
    return ti.Struct(
        away=best.xyz, feature=best.w, triangle=best_triangle, v=best_v, w=best_w, distance=nearest, clear=clear
    )


@ti.func
def _search_limit(floats: ti.template(), ints: ti.template(), header, end, start_share, end_share, least):
    """How far to look for the mesh: ``least``, and farther where a point may be inside."""
    base = ints[header]
    limit = least
    if ints[header + 2] == 1:
        limit = ti.max(limit, floats[base + 2])
        low, high = _box(floats, ints, header, 0, end_share)
        # in the first substep of a frame
        if start_share <= 0.5 * floats[base] and (end >= low).all() and (end <= high).all():
            limit = ti.max(limit, ABOVE_ROUNDING * _distance_to_a_vertex(floats, ints, header, end, end_share))
    return limit


@ti.func
def _near_contact(
    floats: ti.template(), ints: ti.template(), header, found: ti.template(), start, end, start_share, end_share, gap
):
    """Contact with the closest place, which ``_closest`` has found; what ``query_deforming_mesh`` returns."""
    closed, away = ints[header + 2], found.away
    feature = ti.cast(found.feature, ti.i32)
    place = end - away
    displacement = place - _place(floats, ints, header, found.triangle, found.v, found.w, start_share)
    normal = _outward(floats, ints, header, found.triangle, feature, end_share)
    side = 1.0
    if closed == 1:
        side = -1.0 if normal.dot(away) < 0.0 else 1.0
    else:
        before = _outward(floats, ints, header, found.triangle, feature, start_share)
        if before.dot(start - (place - displacement)) < 0.0:
            normal = -normal
    if found.distance > floats[ints[header] + 1]:
        normal = side * away / found.distance
    return ti.math.vec4(normal.x, normal.y, normal.z, side * found.distance - gap), displacement


@ti.func
def _bound(colliders: ti.template(), header, k, point, share, limit, wide):
    """How far to look for what is nearest to a contact point: no farther than the place that was nearest last is now.

    More than rounding, so that the same is found as within ``limit``. Where that place is beyond it, so far that most
    boxes of the tree need not be opened, and no farther than ``wide``.
    """
    floats, ints = ti.static(colliders.mesh_floats, colliders.mesh_ints)
    bound = wide
    if is_place_kept(colliders, k, header):
        v, w = kept_weights(colliders, k)
        place = _place(floats, ints, header, colliders.nearest_ints[k * NEAREST_INTS + TRIANGLE], v, w, share)
        distance = (point - place).norm()
        bound = ABOVE_ROUNDING * distance + floats[ints[header] + 1]
        if bound >= limit:
            bound = ti.max(limit, ti.min(wide, LOOK_BEFORE * distance))
    return bound


@ti.func
def _least_clearance(floats: ti.template(), ints: ti.template(), header, least, is_outside):
    """How far from all triangles a point is at least that surely touches none [m].

    Args:
        floats: of the mesh.
        ints: of the mesh.
        header: of the mesh.
        least: as in ``_search_limit``.
        is_outside: whether it is known to be outside; else it may be in the mesh.
    """
    base = ints[header]
    if ints[header + 2] == 1 and not is_outside:
        least = ti.max(least, floats[base + 2])
    return least + CLEAR_MARGIN * floats[base + 1]


@ti.func
def _is_clear(colliders: ti.template(), header, k, end, end_share, least):
    """Whether it is known that a point touches nothing; ``least`` as in ``_search_limit``."""
    floats, ints = ti.static(colliders.mesh_floats, colliders.mesh_ints)
    base = ints[header]
    clear = clear_at(colliders, k, header, end, end_share, triple(floats, base + 4), floats[base + 7])
    return clear > _least_clearance(floats, ints, header, least, is_known_outside(colliders, k))


@ti.func
def _useful_clearance(floats: ti.template(), ints: ti.template(), header, start, end, end_share, least):
    """How far to look so that a point that goes on as it does need not be asked again in this frame [m]."""
    base = ints[header]
    way = (end - start - floats[base] * triple(floats, base + 4)).norm() + floats[base] * floats[base + 7]
    left = ti.max(1.0 - end_share, 0.0) / floats[base]
    return (_least_clearance(floats, ints, header, least, False) + FASTER * left * way) / CERTAIN


@ti.func
def query_deforming_mesh(colliders: ti.template(), header, radius, point, previous_point, offset, k):
    """Normal, distance and displacement; arguments as in ``ContactType.query``.

    ``radius`` is the share of the frame at the end of the substep. Open meshes hold a point on the side where
    ``previous_point`` was, and at twice the tolerance at least, as rigid ones do.
    """
    floats, ints = ti.static(colliders.mesh_floats, colliders.mesh_ints)
    end, start = ti.cast(point, ti.f32), ti.cast(previous_point, ti.f32)
    base = ints[header]
    tolerance = floats[base + 1]
    end_share = ti.cast(radius, ti.f32)
    start_share = ti.max(end_share - floats[base], 0.0)
    gap = ti.cast(offset, ti.f32)
    if ints[header + 2] == 0:
        gap = ti.max(gap, 2.0 * tolerance)
    result, displacement = ti.math.vec4(0.0, 0.0, 1.0, NO_CONTACT), ti.math.vec3(0.0)
    # whoever came less far, relative to a surface that moves, than it is away has not come through it
    travel = (end - start).norm() + floats[base + 3] + tolerance
    least = ti.max(gap, travel)
    if start_share <= floats[base + 8] + 0.5 * floats[base]:
        # what is known in the first substep is of another frame, or of a try that was taken back
        forget_clear(colliders, k)
    if not _is_clear(colliders, header, k, end, end_share, least):
        low, high = _swept_box(floats, ints, header, 0, start_share, end_share)
        around = ti.max(gap, tolerance)
        is_near = (ti.max(start, end) >= low - around).all() and (ti.min(start, end) <= high + around).all()
        if is_near and is_finite((ti.abs(end) + ti.abs(start)).sum()):
            limit = _search_limit(floats, ints, header, end, start_share, end_share, least)
            useful = _useful_clearance(floats, ints, header, start, end, end_share, least)
            wide = ti.max(limit, ti.cast(useful, ti.f32))
            # a second look tells whether a doubtful push left the point inside
            target, met, looks = end, end, 0
            bound = _bound(colliders, header, k, end, end_share, limit, wide)
            while looks < 2:
                found = _closest(floats, ints, header, target, end_share, bound)
                again = bound
                if found.triangle < 0 and bound < limit:
                    # a place that has become a sliver bounds nothing
                    again = limit
                elif bound > limit and ti.abs(found.distance - limit) <= (ABOVE_ROUNDING - 1.0) * limit:
                    # rounding must not tell what is within the limit
                    again = limit
                if again != bound:
                    bound = again
                else:
                    bound = limit
                    is_doubtful, is_outside = False, False
                    is_within = found.triangle >= 0 and found.distance < limit
                    if looks == 0:
                        if found.triangle >= 0:
                            keep_place(colliders, k, header, found.triangle, found.v, found.w)
                        if (found.distance if is_within else limit) <= travel:
                            passing = _passing_contact(floats, ints, header, start, end, start_share, end_share, gap)
                            result, displacement = passing.result, passing.displacement
                            target, met, is_doubtful = passing.pushed, passing.met, passing.is_doubtful
                    if is_within and (looks == 1 or result.w >= NO_CONTACT):
                        near, moved = _near_contact(
                            floats, ints, header, found, start, target, start_share, end_share, gap
                        )
                        if looks == 0:
                            # the gap is below 0 where a point may still be inside
                            result, displacement, is_outside = near, moved, ti.min(near.w, near.w + gap) > 0.0
                        elif near.w < -gap - tolerance:
                            result = _push(met - end)
                    if looks == 0:
                        keep_clear(colliders, k, header, end, end_share, found.clear, is_outside)
                    looks += 1 if is_doubtful and ints[header + 2] == 1 else 2
    return result, displacement, False


DEFORMING_MESH = ContactType("DEFORMING_MESH", query_deforming_mesh, looks_back=True, is_branched=True)
