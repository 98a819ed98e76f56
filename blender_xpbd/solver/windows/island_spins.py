# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps the angular momentum of islands that nothing holds.

Friction pushes the two sides of a pair along each other, a gap apart, which is a torque; and truncation takes from the
moves of what spins, for frames of islands do not turn. Nothing of this is a force from outside. So what an island has
lost since its velocities were predicted it gets back as a rotation, after all pushes. Pieces that touched nothing have
got theirs from ``spin`` then. BDF2 looks back to the substep before, and is left alone.
"""

import taichi as ti

from ...contacts.rigid_motion import solve_inertia
from ...device.apart import apart
from .island_functions import has_frame
from .pair_tables import FIRST, IS_CUT, ISLAND, LAST, PUSHING


@ti.func
def island_centre(particles: ti.template(), places: ti.template(), rows: ti.template(), island):
    """Centre of mass [m] and its velocity [m/s] of an island that is free."""
    centre, velocity, mass = ti.Vector([0.0] * 3), ti.Vector([0.0] * 3), ti.cast(0.0, float)
    # relative to one of its places, so that the size of the coordinates is not rounded
    origin = places[rows[island, FIRST]].xyz
    for o in range(rows.shape[0]):
        if rows[o, ISLAND] == island:
            for i in range(rows[o, FIRST], rows[o, LAST]):
                m = 1.0 / particles.positions[i][3]
                centre += m * (places[i].xyz - origin)
                velocity += m * particles.velocities[i].xyz
                mass += m
    return origin + centre / mass, velocity / mass


@ti.func
def island_spin(particles: ti.template(), places: ti.template(), rows: ti.template(), island, centre, velocity):
    """Angular momentum of an island about its centre of mass [kg m²/s]."""
    spin = ti.Vector([0.0] * 3)
    for o in range(rows.shape[0]):
        if rows[o, ISLAND] == island:
            for i in range(rows[o, FIRST], rows[o, LAST]):
                m = 1.0 / particles.positions[i][3]
                spin += m * (places[i].xyz - centre).cross(particles.velocities[i].xyz - velocity)
    return spin


@apart
def note_spins(particles: ti.template(), starts: ti.template(), pairs: ti.template()):
    """Note how islands spin by the velocities that were predicted, before these are measured anew."""
    rows = ti.static(pairs.object_rows)
    for o in range(rows.shape[0]):
        if rows[o, ISLAND] == o and has_frame(rows, o):
            centre, velocity = island_centre(particles, starts, rows, o)
            spin = island_spin(particles, starts, rows, o, centre, velocity)
            pairs.spins[o] = ti.Vector([spin[0], spin[1], spin[2], 0.0])


@apart
def keep_spins(particles: ti.template(), pairs: ti.template()):
    """Turn islands in which anything was pushed or cut, so that they spin as it was noted."""
    rows = ti.static(pairs.object_rows)
    for island in range(rows.shape[0]):
        if rows[island, ISLAND] == island and has_frame(rows, island):
            is_changed = 0
            for o in range(rows.shape[0]):
                if rows[o, ISLAND] == island:
                    is_changed |= rows[o, IS_CUT] | ti.cast(pairs.object_counts[o, PUSHING] > 0, ti.i32)
            if is_changed == 1:
                give_spin_back(particles, pairs, island)


@ti.func
def give_spin_back(particles: ti.template(), pairs: ti.template(), island):
    """Turn an island about its centre of mass, by velocities alone."""
    rows, places = ti.static(pairs.object_rows, particles.positions)
    centre, velocity = island_centre(particles, places, rows, island)
    lost = pairs.spins[island].xyz - island_spin(particles, places, rows, island, centre, velocity)
    row0, row1, row2 = ti.Vector([0.0] * 3), ti.Vector([0.0] * 3), ti.Vector([0.0] * 3)
    for o in range(rows.shape[0]):
        if rows[o, ISLAND] == island:
            for i in range(rows[o, FIRST], rows[o, LAST]):
                m, r = 1.0 / places[i][3], places[i].xyz - centre
                size = m * r.dot(r)
                row0 += ti.Vector([size, 0.0, 0.0]) - (m * r[0]) * r
                row1 += ti.Vector([0.0, size, 0.0]) - (m * r[1]) * r
                row2 += ti.Vector([0.0, 0.0, size]) - (m * r[2]) * r
    omega = solve_inertia(row0, row1, row2, lost)
    for o in range(rows.shape[0]):
        if rows[o, ISLAND] == island:
            for i in range(rows[o, FIRST], rows[o, LAST]):
                added = omega.cross(places[i].xyz - centre)
                particles.velocities[i] = particles.velocities[i] + ti.Vector([added[0], added[1], added[2], 0.0])
