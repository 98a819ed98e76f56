# SPDX-License-Identifier: GPL-3.0-or-later
"""What moving air does to a triangle.

F = ½ ρ A c |u| (C_D u + C_L (|u| n − c u)), with the velocity u of the air relative to the triangle, its normal n on
the side that u leaves at, and c = n · u/|u|: drag along the wind by the area that stands across it, and lift across the
wind, as Wilson et al. use them (2014, "Simulating wind effects on cloth and hair in Disney's Frozen"). Both end where
the triangle lies along the wind, so that nothing jumps when its other side comes to face it.
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
