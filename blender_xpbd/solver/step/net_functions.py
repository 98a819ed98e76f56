# SPDX-License-Identifier: GPL-3.0-or-later
"""The cycle over the coarse nets of cloths, once in a substep, between prediction and the first sweep.

Where the springs of a cloth are stretched, the implicit step asks for moves Δ with (M + h² K) Δ = h² f. A net solves
that for its vertices: f is what the springs do to the particles, restricted, and K that of its own springs, which have
the directions that they have at the moment. Sweeps of block Gauss–Seidel go from the coarsest net to the finest, whose
moves go on from those of the substep before: so turning cloth is not held back where a sweep leaves off.

A spring of stiffness k along n acts on a difference u of moves by k n (n·u). One that is shorter than at rest stands
for cloth that is folded, whose springs lie in other directions: a share of its stiffness acts in all directions.
"""

import taichi as ti

from ...constraints.constraint import SMALL
from ..order.level_operations import BEGIN, END, LEVEL, OPERATION, SWEEP
from ..order.net_operations import AIM, BALANCE, FORCE, GATHER, RELAX, RESIDUE, SPREAD
from ..order.net_tables import NET_AIMS, NET_BELOW, NET_IS_FINEST, NET_PARTICLES

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
    do_operation(
        levels, finest, operations[number, OPERATION], operations[number, LEVEL], operations[number, SWEEP], begin, end
    )


@ti.func
def do_operation(levels: ti.template(), finest: ti.template(), operation, net, sweep, begin, end):
    """An operation on the vertices, particles or pieces from ``begin`` to before ``end``."""
    rows = ti.static(levels.net_rows)
    if operation == FORCE:
        for n in range(begin, end):
            sum_forces(levels, finest, rows[net, NET_BELOW] + n, rows[net, NET_PARTICLES], levels.net_stiffness[net])
    elif operation == GATHER:
        for i in range(begin, end):
            gather(levels, finest, i, rows[net, NET_IS_FINEST], rows[net, NET_PARTICLES])
    elif operation == AIM:
        for i in range(begin, end):
            aim_springs(levels, i, rows[net, NET_AIMS], levels.net_stiffness[net])
    elif operation == RESIDUE:
        for i in range(begin, end):
            find_residue(levels, i, rows[net, NET_AIMS])
    elif operation == RELAX:
        last = begin + end - 1
        for n in range(begin, end):
            i = n
            if sweep == 1:
                i = last - n
            relax(levels, i, rows[net, NET_AIMS])
    elif operation == BALANCE:
        for piece in range(begin, end):
            balance(levels, piece)
    elif operation == SPREAD:
        for n in range(begin, end):
            spread(levels, finest, rows[net, NET_BELOW] + n, rows[net, NET_IS_FINEST], rows[net, NET_PARTICLES])


@ti.func
def sum_forces(levels: ti.template(), finest: ti.template(), site, particles, stiffness):
    """h² times the force of the springs of a particle [kg m]."""
    place = finest[site - particles]
    force = 0.0 * place
    for t in range(levels.net_spring_starts[site], levels.net_spring_starts[site + 1]):
        difference = place - finest[levels.net_spring_ends[t] - particles]
        difference[3] = 0.0
        length = difference.norm()
        stretch = length - levels.net_springs[t, 0]
        hardness = levels.net_springs[t, 1]
        if stretch < 0.0:
            hardness = levels.net_springs[t, 2]
        force -= (hardness * stretch / (length + SMALL)) * difference
    levels.net_forces[site] = stiffness * force


@ti.func
def gather(levels: ti.template(), finest: ti.template(), i, is_finest, particles):
    """Where a vertex is, the force on it, and the moves that it begins with."""
    place, force = 0.0 * levels.net_places[i], 0.0 * levels.net_places[i]
    for term in range(levels.net_gather_starts[i], levels.net_gather_starts[i + 1]):
        below = levels.net_gather_sites[term]
        if is_finest == 1:
            place += levels.net_gather_weights[term, 0] * finest[below - particles]
            force += levels.net_gather_weights[term, 1] * levels.net_forces[below]
        else:
            place += levels.net_gather_weights[term, 0] * levels.net_places[below]
            force += levels.net_gather_weights[term, 1] * levels.net_residues[below]
    place[3] = levels.net_places[i][3]
    levels.net_places[i] = place
    levels.net_forces[i] = force
    if is_finest == 1:
        levels.net_moves[i] = KEPT * levels.net_moves[i]
    else:
        levels.net_residues[i] = force
        levels.net_moves[i] = 0.0 * force


@ti.func
def aim_springs(levels: ti.template(), i, aims, stiffness):
    """Directions of the springs of a vertex, and the inverse of its block of M + h² K."""
    place = levels.net_places[i]
    mass = place[3]
    xx, yy, zz = mass, mass, mass
    xy, yz, zx = 0.0 * mass, 0.0 * mass, 0.0 * mass
    for t in range(levels.net_spring_starts[i], levels.net_spring_starts[i + 1]):
        d = place - levels.net_places[levels.net_spring_ends[t]]
        d[3] = 0.0
        length = d.norm() + SMALL
        share = ti.min(length / levels.net_springs[t, 0], 1.0)
        spread_share = ti.max(1.0 - share * share, LEAST_SPREAD)
        hardness = stiffness * levels.net_springs[t, 1]
        d *= ti.sqrt(hardness * (1.0 - spread_share)) / length
        rest = hardness * spread_share
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
def balance(levels: ti.template(), piece):
    """Take from the moves of a piece that nothing holds what its centre of mass moves: its forces add up to nothing."""
    momentum, mass = ti.Vector([0.0, 0.0, 0.0, 0.0]), 0.0
    for n in range(levels.net_piece_starts[piece], levels.net_piece_starts[piece + 1]):
        i = levels.net_pieces[n]
        momentum += levels.net_places[i][3] * levels.net_moves[i]
        mass += levels.net_places[i][3]
    for n in range(levels.net_piece_starts[piece], levels.net_piece_starts[piece + 1]):
        levels.net_moves[levels.net_pieces[n]] -= momentum / mass


@ti.func
def spread(levels: ti.template(), finest: ti.template(), site, is_finest, particles):
    """Move a vertex, or a particle, with those of the net above."""
    move = ti.Vector([0.0, 0.0, 0.0, 0.0])
    for term in range(levels.net_spread_starts[site], levels.net_spread_starts[site + 1]):
        move += levels.net_spread_weights[term] * levels.net_moves[levels.net_spread_sites[term]]
    if is_finest == 1:
        finest[site - particles] += move
    else:
        levels.net_moves[site] += move
