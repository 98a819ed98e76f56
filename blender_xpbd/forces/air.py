# SPDX-License-Identifier: GPL-3.0-or-later
"""What moving air does to a triangle, and to a segment of a strand.

F = ½ ρ A c |u| (C_D u + C_L (|u| n − c u)), with the velocity u of the air relative to the triangle, its normal n on
the side that u leaves at, and c = n · u/|u|: drag along the wind by the area that stands across it, and lift across the
wind, as Wilson et al. use them (2014, "Simulating wind effects on cloth and hair in Disney's Frozen"). Both end where
the triangle lies along the wind, so that nothing jumps when its other side comes to face it.

A segment is a round cylinder of the diameter d and the length L: F = ½ ρ C_D d L |uₙ| uₙ by the part uₙ of u across it,
the independence principle of slender cylinders (Hoerner 1965, "Fluid-dynamic drag", ch. III). Along itself it has none.
"""

import taichi as ti


@ti.func
def air_force(doubled_area, velocity, drag, lift, is_closed):
    """The force on a triangle [N], and its rate by the velocity at most [N·s/m].

    Args:
        doubled_area: normal whose length is twice the area [m²]; outward where the surface has an inside.
        velocity: of the air relative to the triangle [m/s].
        drag: ½ ρ C_D [kg/m³].
        lift: ½ ρ C_L [kg/m³].
        is_closed: the triangle has an inside: wind reaches it from outside alone.
    """
    result = ti.Vector([0.0, 0.0, 0.0, 0.0])
    speed, length = velocity.norm(), doubled_area.norm()
    if speed > 1e-12 and length > 0.0:
        normal = doubled_area / length
        c = normal.dot(velocity) / speed
        if is_closed == 0 or c < 0.0:
            normal, c = ti.select(c < 0.0, -normal, normal), ti.abs(c)
            scale = 0.5 * length * c * speed
            force = scale * (drag * velocity + lift * (speed * normal - c * velocity))
            result = ti.Vector([force[0], force[1], force[2], length * speed * (drag + lift)])
    return result


@ti.func
def segment_force(way, velocity, drag):
    """As ``air_force``, of a segment that would be 1 m thick: the force goes with its diameter.

    Args:
        way: from end to end [m].
        velocity: of the air relative to the segment [m/s].
        drag: ½ ρ C_D [kg/m³].
    """
    result = ti.Vector([0.0, 0.0, 0.0, 0.0])
    length = way.norm()
    if length > 0.0:
        across = velocity - velocity.dot(way) / (length * length) * way
        rate = drag * length * across.norm()
        result = ti.Vector([rate * across[0], rate * across[1], rate * across[2], 2.0 * rate])
    return result
