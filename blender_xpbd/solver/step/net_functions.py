# SPDX-License-Identifier: GPL-3.0-or-later
"""The cycle over the coarse nets of cloths, once in a substep, between prediction and the first sweep.

Where the springs of a cloth are stretched, the implicit step asks for moves Δ with (M + h² K) Δ = h² f. A net solves
that for its vertices: f is what the springs do to the particles, restricted, and K that of its own springs, which have
the directions that they have at the moment. Sweeps of block Gauss–Seidel go from the coarsest net to the finest, whose
moves go on from those of the substep before: so turning cloth is not held back where a sweep leaves off.

A sweep over springs, which knows nothing of the force in them, takes the share α̃/(w + α̃) of what gravity does in a
substep. So nets are asked for the rest, or soft cloth would stretch less than its material.

A spring of stiffness k along n acts on a difference u of moves by k n (n·u). One that is shorter than at rest stands
for cloth that is folded, whose springs lie in other directions: a share of its stiffness acts in all directions.
"""

import taichi as ti

from ...constraints.constraint import SMALL
from ...constraints.lanes import edge, place
from ...geometry.levels.nets import MOST_SHARES
from ..order.level_operations import BEGIN, END, LEVEL, OPERATION, SWEEP
from ..order.net_operations import AIM, FORCE, GATHER, RELAX, RESIDUE, SPREAD
from ..order.net_tables import NET_AIMS, NET_BELOW, NET_IS_FINEST, NET_LEFT, NET_PARTICLES, NET_STIFFNESS, SPRING

# of the moves of the substep before, with which the next begins: 1 gains energy with few substeps, 0.5 loses more of a
# swing (docs/experiments.md, Coarse nets of springs)
KEPT = 0.9
# of a spring's stiffness, what acts in all directions at least: 0.02 holds a swing a little better, and less safely
LEAST_SPREAD = 0.05


@ti.func
def operate_net(levels: ti.template(), finest: ti.template(), order: ti.template(), number, share, shares):
    """Do one of ``shares`` equal shares of the operation of this number, see ``net_operations``.

    ``finest`` are the positions of particles.
    """
    operations = ti.static(order.operations)
    first, count = operations[number, BEGIN], operations[number, END] - operations[number, BEGIN]
    begin, end = first + count * share // shares, first + count * (share + 1) // shares
    what = ti.Vector([operations[number, OPERATION], operations[number, LEVEL], operations[number, SWEEP]])
    do_operation(levels, finest, what, begin, end)


@ti.func
def do_operation(levels: ti.template(), finest: ti.template(), what, begin, end):
    """An operation on vertices or particles from ``begin`` to before ``end``; ``what`` are its first three columns."""
    rows = ti.static(levels.net_rows)
    operation, net, sweep = what[0], what[1], what[2]
    if operation == FORCE:
        first, particles, stiffness = (
            rows[net, NET_BELOW],
            rows[net, NET_PARTICLES],
            levels.net_stiffness[net, NET_LEFT],
        )
        for n in range(begin, end):
            sum_forces(levels, finest, first + n, particles, stiffness)
    elif operation == GATHER:
        is_finest, particles = rows[net, NET_IS_FINEST], rows[net, NET_PARTICLES]
        for i in range(begin, end):
            if is_finest == 1:
                gather(levels, finest, levels.net_forces, i, particles)
                levels.net_moves[i] = KEPT * levels.net_moves[i]
            else:
                gather(levels, levels.net_places, levels.net_residues, i, 0)
                levels.net_residues[i] = levels.net_forces[i]
                levels.net_moves[i] = 0.0 * levels.net_forces[i]
    elif operation == AIM:
        aims, stiffness = rows[net, NET_AIMS], levels.net_stiffness[net, NET_STIFFNESS]
        for i in range(begin, end):
            aim_springs(levels, i, aims, stiffness)
    elif operation == RESIDUE:
        aims = rows[net, NET_AIMS]
        for i in range(begin, end):
            find_residue(levels, i, aims)
    elif operation == RELAX:
        last, aims = begin + end - 1, rows[net, NET_AIMS]
        for n in range(begin, end):
            i = n
            if sweep == 1:
                i = last - n
            relax(levels, i, aims)
    elif operation == SPREAD:
        first, particles = rows[net, NET_BELOW], rows[net, NET_PARTICLES]
        if rows[net, NET_IS_FINEST] == 1:
            for n in range(begin, end):
                finest[first + n - particles] += move_above(levels, first + n)
        else:
            for n in range(begin, end):
                levels.net_moves[first + n] += move_above(levels, first + n)


@ti.func
def sum_forces(levels: ti.template(), finest: ti.template(), site, particles, stiffness):
    """h² times the force of the springs of a particle [kg m]."""
    here = finest[site - particles]
    force = 0.0 * here
    starts, ends, springs = ti.static(levels.net_spring_starts, levels.net_spring_ends, levels.net_springs)
    for t in range(starts[site], starts[site + 1]):
        difference = edge(here, finest[ends[t] - particles])
        length = difference.norm()
        spring = place(SPRING * t)
        stretch = length - springs[spring]
        hardness = springs[spring + 1]
        if stretch < 0.0:
            hardness = springs[spring + 2]
        force -= (hardness * stretch / (length + SMALL)) * difference
    levels.net_forces[site] = stiffness * force


@ti.func
def gather(levels: ti.template(), places: ti.template(), forces: ti.template(), i, first):
    """Where a vertex is, and the force on it, from the places and forces of what is below.

    ``first`` is the site of the first place.
    """
    here, force = 0.0 * levels.net_places[i], 0.0 * levels.net_places[i]
    for term in range(levels.net_gather_starts[i], levels.net_gather_starts[i + 1]):
        below, weight = levels.net_gather_sites[term], place(2 * term)
        here += levels.net_gather_weights[weight] * places[below - first]
        force += levels.net_gather_weights[weight + 1] * forces[below]
    here[3] = levels.net_places[i][3]
    levels.net_places[i] = here
    levels.net_forces[i] = force


@ti.func
def aim_springs(levels: ti.template(), i, aims, stiffness):
    """Directions of the springs of a vertex, and the inverse of its block of M + h² K."""
    here = levels.net_places[i]
    mass = here[3]
    xx, yy, zz = mass, mass, mass
    xy, yz, zx = 0.0 * mass, 0.0 * mass, 0.0 * mass
    for t in range(levels.net_spring_starts[i], levels.net_spring_starts[i + 1]):
        d = edge(here, levels.net_places[levels.net_spring_ends[t]])
        spring = place(SPRING * t)
        square, rest_length = d.dot(d) + SMALL, levels.net_springs[spring]
        hardness = stiffness * levels.net_springs[spring + 1]
        rest = hardness * ti.max(1.0 - square / (rest_length * rest_length), LEAST_SPREAD)
        d *= ti.sqrt((hardness - rest) / square)
        levels.net_aims[t - aims] = ti.Vector([d[0], d[1], d[2], rest])
        xx += d[0] * d[0] + rest
        yy += d[1] * d[1] + rest
        zz += d[2] * d[2] + rest
        xy += d[0] * d[1]
        yz += d[1] * d[2]
        zx += d[2] * d[0]
    if mass > 0.0:
        c0, c1, c2 = yy * zz - yz * yz, zx * yz - xy * zz, xy * yz - zx * yy
        inverse = 1.0 / (xx * c0 + xy * c1 + zx * c2)
        levels.net_blocks[2 * i] = inverse * ti.Vector([c0, xx * zz - zx * zx, xx * yy - xy * xy, 0.0])
        levels.net_blocks[2 * i + 1] = inverse * ti.Vector([c1, xy * zx - xx * yz, c2, 0.0])


@ti.func
def pulled(levels: ti.template(), t, aims, difference):
    """What the spring of an end does where moves differ."""
    aim = levels.net_aims[t - aims]
    rest = aim[3]
    aim[3] = 0.0
    return aim * aim.dot(difference) + rest * difference


@ti.func
def find_residue(levels: ti.template(), i, aims):
    """What the moves that a vertex begins with leave of the force."""
    mass = levels.net_places[i][3]
    if mass > 0.0:
        move = levels.net_moves[i]
        residue = levels.net_forces[i] - mass * move
        for t in range(levels.net_spring_starts[i], levels.net_spring_starts[i + 1]):
            residue += pulled(levels, t, aims, levels.net_moves[levels.net_spring_ends[t]] - move)
        levels.net_residues[i] = residue


@ti.func
def relax(levels: ti.template(), i, aims):
    """The move of a vertex that balances its forces while its neighbours stay (block Gauss–Seidel)."""
    if levels.net_places[i][3] > 0.0:
        f = levels.net_forces[i]
        for t in range(levels.net_spring_starts[i], levels.net_spring_starts[i + 1]):
            f += pulled(levels, t, aims, levels.net_moves[levels.net_spring_ends[t]])
        a, b = levels.net_blocks[2 * i], levels.net_blocks[2 * i + 1]
        levels.net_moves[i] = ti.Vector(
            [
                a[0] * f[0] + b[0] * f[1] + b[2] * f[2],
                b[0] * f[0] + a[1] * f[1] + b[1] * f[2],
                b[2] * f[0] + b[1] * f[1] + a[2] * f[2],
                0.0,
            ]
        )


@ti.func
def move_above(levels: ti.template(), site):
    """How far a vertex, or a particle, moves with those of the net above."""
    sites, weights, moves = ti.static(levels.net_spread_sites, levels.net_spread_weights, levels.net_moves)
    t = place(MOST_SHARES * site)
    return (
        weights[t] * moves[sites[t]]
        + weights[t + 1] * moves[sites[t + 1]]
        + weights[t + 2] * moves[sites[t + 2]]
        + weights[t + 3] * moves[sites[t + 3]]
    )
