# SPDX-License-Identifier: GPL-3.0-or-later
"""Near pairs whose normal of the substep's start is not the one of its end.

Beside an edge of a flat surface a point is nearest to the rim of the next triangle, and that normal leans. What slides
over the edge seems to come nearer along it, and would be thrown up. So a pair that its normal tells to be too near, but
whose closest points have slid, is measured anew: its sides as they were when the substep began, moved by their slide.

As they are now they would not do. The elastic solve has dented what rests, for contact has not held it yet. Normals of
dents lean down a slope, so that a block slipped that should stick (docs/experiments.md, Landing, sliding and impacts).
"""

import taichi as ti

from .geometry import facing, pair_geometry, steady_weights
from .near import KEEP
from .push import carried, pair_mass, relative
from .tables import (
    APPROACH,
    CARRIERS,
    IS_EDGES,
    MASS,
    NEAR_INTS,
    NEAR_NORMAL,
    NEAR_RESTITUTION,
    NEAR_WEIGHTS,
    NEAR_WIDTH,
    ROOM,
    WANTED,
)

# the new normal counts where sides are apart along it when the substep begins by so much of the room that they had:
# the truncation measures along it too. Chosen by hand
LEAST_ROOM = 0.5
# slides of less than this share of the distance change it by half a per cent at most
SLID = 0.1


@ti.func
def is_leaning(pairs: ti.template(), n, height, way):
    """Whether near pair ``n`` may only seem too near.

    Args:
        pairs: the pack.
        n: row of the near pair.
        height: along its normal [m].
        way: between its closest points of the substep's start [m].
    """
    is_near = height > 0.0 and height < pairs.near_floats[n * NEAR_WIDTH + WANTED]
    return is_near and way.dot(way) > ti.static(1.0 + SLID * SLID) * height * height


@ti.func
def measure_again(
    particles: ti.template(),
    starts: ti.template(),
    surfaces: ti.template(),
    pairs: ti.template(),
    n,
    normal,
    way,
    embeds: ti.template(),
):
    """Give near pair ``n`` the closest points and the normal of where its sides have slid to, before its first push.

    Args:
        particles: the pack.
        starts: where particles were when the substep began [m].
        surfaces: the pack.
        pairs: the pack.
        n: row of the near pair.
        normal: of the pair so far.
        way: between its closest points of the substep's start, where they are now [m].
        embeds: static: whether any point has more than one particle.

    Returns:
        the normal, and the vector between the closest points [m].
    """
    ints, floats, positions = ti.static(pairs.near_ints, pairs.near_floats, particles.positions)
    first, row = n * NEAR_INTS + CARRIERS, n * NEAR_WIDTH
    is_edges = ints[n * NEAR_INTS + IS_EDGES]
    x0, x1 = carried(starts, surfaces, ints[first], embeds), carried(starts, surfaces, ints[first + 1], embeds)
    x2, x3 = carried(starts, surfaces, ints[first + 2], embeds), carried(starts, surfaces, ints[first + 3], embeds)
    slide = way - relative(starts, surfaces, pairs, n, embeds)
    found = pair_geometry(is_edges, x0 + slide, x1 + is_edges * slide, x2, x3, normal)
    lowest_a, highest_b = facing(found.normal, is_edges, x1 - x0, x2 - x0, x3 - x0)
    room = KEEP * (lowest_a - highest_b)
    result = normal
    if room >= LEAST_ROOM * floats[row + ROOM] and room > 0.0:
        result, weights = found.normal, found.weights
        if is_edges:
            weights = steady_weights(x0 + slide, x1 + slide, x2, x3, weights, found.normal, found.distance)
        floats[row + ROOM] = ti.min(floats[row + ROOM], room)
        for axis in ti.static(range(3)):
            floats[row + NEAR_NORMAL + axis] = found.normal[axis]
            floats[row + NEAR_WEIGHTS + axis] = weights[axis + 1]
        floats[row + MASS] = pair_mass(particles, pairs, n, embeds)
        if floats[row + NEAR_RESTITUTION] > 0.0:
            floats[row + APPROACH] = -result.dot(relative(particles.velocities, surfaces, pairs, n, embeds))
    return result, relative(positions, surfaces, pairs, n, embeds)
