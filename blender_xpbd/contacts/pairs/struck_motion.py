# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigid motions of the pieces that an impact of hard pieces takes part in; see ``strike``.

``pieces`` has ``struck_rows``, ``struck_members`` and ``struck_of`` as in ``StruckPieces``, and ``struck_motions``
(pieces, STRUCK_WIDTH), which one thread fills in one stage and reads in a later one. A piece below 0 is held.
"""

import taichi as ti

from ..rigid_motion import rigid_motion, solve_inertia, velocity_at
from .tables import STRUCK_FIRST, STRUCK_IS_HARD, STRUCK_LAST

# columns of a piece's motion: whether it is struck, when it first touches [s], its mass [kg]; then vectors: centre of
# mass [m], velocity [m/s] and angular velocity [1/s] as it parts, rows of the tensor of inertia [kg m²], and the two
# velocities as it came
IS_STRUCK, UNTIL, PIECE_MASS = range(3)
CENTRE, VELOCITY, OMEGA, ROWS, CAME, TURNED = 3, 6, 9, 12, 21, 24
STRUCK_WIDTH = 27


@ti.func
def _vector(table: ti.template(), row, column):
    return ti.Vector([table[row, column], table[row, column + 1], table[row, column + 2]])


@ti.func
def _set_vector(table: ti.template(), row, column, vector):
    for axis in ti.static(range(3)):
        table[row, column + axis] = vector[axis]


@ti.func
def is_hard(pieces: ti.template(), piece):
    """Whether a piece is hard."""
    return piece >= 0 and pieces.struck_rows[ti.max(piece, 0), STRUCK_IS_HARD] == 1


@ti.func
def is_struck(pieces: ti.template(), piece):
    """Whether a piece is struck in this substep."""
    return piece >= 0 and pieces.struck_motions[ti.max(piece, 0), IS_STRUCK] > 0.0


@ti.func
def begin_strike(
    particles: ti.template(), starts: ti.template(), moves: ti.template(), pieces: ti.template(), piece, h
):
    """Note the rigid motion with which a struck piece came; ``moves`` is working space."""
    rows, motions = ti.static(pieces.struck_rows, pieces.struck_motions)
    first, last = rows[piece, STRUCK_FIRST], rows[piece, STRUCK_LAST]
    for m in range(first, last):
        i = pieces.struck_members[m]
        moves[i] = (particles.positions[i] - starts[i]) / h
    motion = rigid_motion(particles.positions, moves, pieces.struck_members, first, last)
    motions[piece, UNTIL], motions[piece, PIECE_MASS] = h, motion.mass
    _set_vector(motions, piece, CENTRE, motion.centre)
    _set_vector(motions, piece, ROWS, motion.row0)
    _set_vector(motions, piece, ROWS + 3, motion.row1)
    _set_vector(motions, piece, ROWS + 6, motion.row2)
    for column in ti.static((VELOCITY, CAME)):
        _set_vector(motions, piece, column, motion.velocity)
    for column in ti.static((OMEGA, TURNED)):
        _set_vector(motions, piece, column, motion.omega)


@ti.func
def piece_motion(pieces: ti.template(), piece):
    """The rigid motion of a struck piece, as ``rigid_motion`` has it."""
    motions = ti.static(pieces.struck_motions)
    return ti.Struct(
        mass=motions[piece, PIECE_MASS],
        centre=_vector(motions, piece, CENTRE),
        velocity=_vector(motions, piece, VELOCITY),
        omega=_vector(motions, piece, OMEGA),
        row0=_vector(motions, piece, ROWS),
        row1=_vector(motions, piece, ROWS + 3),
        row2=_vector(motions, piece, ROWS + 6),
    )


@ti.func
def push_piece(pieces: ti.template(), piece, place, impulse):
    """Change the motion of a piece by an impulse at a place [N s, m]."""
    motion = piece_motion(pieces, piece)
    spin = (place - motion.centre).cross(impulse)
    turned = solve_inertia(motion.row0, motion.row1, motion.row2, spin)
    _set_vector(pieces.struck_motions, piece, VELOCITY, motion.velocity + impulse / motion.mass)
    _set_vector(pieces.struck_motions, piece, OMEGA, motion.omega + turned)


@ti.func
def end_strike(particles: ti.template(), starts: ti.template(), pieces: ti.template(), piece, h):
    """Move a struck piece by its two motions, before the touch and after it."""
    rows, motions = ti.static(pieces.struck_rows, pieces.struck_motions)
    until, motion = motions[piece, UNTIL], piece_motion(pieces, piece)
    came, turned = _vector(motions, piece, CAME), _vector(motions, piece, TURNED)
    bends = not is_hard(pieces, piece)
    way = (h - until) * (motion.velocity - came)
    turn = (h - until) * (motion.omega - turned)
    if not bends:
        way, turn = way + h * came, turn + h * turned
    for m in range(rows[piece, STRUCK_FIRST], rows[piece, STRUCK_LAST]):
        i = pieces.struck_members[m]
        p = particles.positions[i]
        place = p.xyz
        arm = place - motion.centre
        if not bends:
            place = starts[i].xyz
            arm = place - (motion.centre - h * came)
        place += way + turn.cross(arm)
        particles.positions[i] = ti.Vector([place[0], place[1], place[2], p[3]])


@ti.func
def part_piece(particles: ti.template(), pieces: ti.template(), piece, inverse_h):
    """Give the particles of a struck piece the velocities with which it parts, after those of their ways."""
    rows, motions = ti.static(pieces.struck_rows, pieces.struck_motions)
    motion, bends = piece_motion(pieces, piece), not is_hard(pieces, piece)
    # about where it is now, so that what is given has no momentum but its own
    centre = ti.Vector([0.0, 0.0, 0.0])
    for m in range(rows[piece, STRUCK_FIRST], rows[piece, STRUCK_LAST]):
        p = particles.positions[pieces.struck_members[m]]
        centre += p.xyz / (p[3] * motion.mass)
    share = ti.cast(1.0, float)
    if bends:
        share = motions[piece, UNTIL] * inverse_h
        motion.velocity -= _vector(motions, piece, CAME)
        motion.omega -= _vector(motions, piece, TURNED)
    for m in range(rows[piece, STRUCK_FIRST], rows[piece, STRUCK_LAST]):
        i = pieces.struck_members[m]
        velocity = share * velocity_at(motion, particles.positions[i].xyz - centre)
        if bends:
            velocity += particles.velocities[i].xyz
        particles.velocities[i] = ti.Vector([velocity[0], velocity[1], velocity[2], 0.0])
