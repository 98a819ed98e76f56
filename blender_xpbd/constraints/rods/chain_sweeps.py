# SPDX-License-Identifier: GPL-3.0-or-later
"""The system of a chain, solved from its tip to its root and back; see ``chain``."""

import taichi as ti

from ..constraint import SMALL
from ..pools import FIRST_EXTRA, FIRST_VALUE
from ..side_by_side import (
    LANES,
    applied,
    below_of,
    clear,
    fetch,
    fetch_after,
    inverse_of,
    keep,
    keep_after,
    matrix,
    number,
    put,
    put_matrix,
    put_symmetric,
    squared,
    symmetric_at,
    times,
    vector,
    with_diagonal,
)
from .chain_tables import (
    ABOUT,
    ALONG,
    AT_EDGES,
    AT_NODES,
    AT_ROOT,
    AT_ROWS,
    AXIS_NOW,
    BY_MOMENT,
    BY_MOVE,
    EDGE_VALUES,
    EDGES,
    FORCE,
    GIVE,
    IS_HELD,
    IS_TIP_HELD,
    LEAN,
    LENGTH,
    MASS,
    MISSING,
    MOMENT,
    MORE,
    MOVE,
    NODE_VALUES,
    OWN_PULL,
    OWN_TURN,
    PULL,
    REACH,
    RESIST,
    ROOT_HELD,
    ROW_INTS,
    SPAN,
    SPUN,
    STIFF,
    TAUT,
    WAY,
    WEIGHT,
    YIELD,
)
from .rod_system import LEAST_TWIST

# of the trace of what resists turns: what keeps an edge from turning about itself that nothing holds
LEAST_SHARE = 1e-12
# what answers beyond an edge: forces by moves, moments by turns, moments by moves
FORCES, MOMENTS, MIXED = 0, 6, 12
FRONT = 21
# force and moment that it asks for
ASKED = 6
# of an edge, what the elimination reads, that and what it writes, and what the substitution writes
READ = REACH - WAY
KNOWN = OWN_TURN - WAY
FOUND = SPUN - OWN_TURN


@ti.func
def crossing(v):
    """The matrix of v ×."""
    return ti.Matrix([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


@ti.func
def joint_matrix(known: ti.template(), lane):
    """K of the joint of an edge with the one before."""
    axis = vector(known, AXIS_NOW - WAY, lane)
    return with_diagonal(squared(axis, number(known, MORE - WAY, lane)), number(known, STIFF - WAY, lane))


@ti.func
def resisted(known: ti.template(), v, lane):
    """K v of the joint of an edge with the one before."""
    axis = vector(known, AXIS_NOW - WAY, lane)
    return number(known, STIFF - WAY, lane) * v + (number(known, MORE - WAY, lane) * axis.dot(v)) * axis


@ti.func
def slant_of(known: ti.template(), lane):
    """By what the tip of an edge moves along it where it turns: what it pulls along is not its direction."""
    way = number(known, SPAN - WAY, lane) * number(known, LEAN - WAY, lane)
    return vector(known, 0, lane).cross(vector(known, PULL - WAY, lane)) * way


@ti.func
def least_twist(known: ti.template(), lane):
    """What the joint of an edge with the one before keeps each of them from turning about itself with."""
    return LEAST_TWIST * (2.0 * number(known, STIFF - WAY, lane) + number(known, MORE - WAY, lane))


@ti.func
def eliminate(constraints: ti.template(), i):
    """What the part of a strand beyond each edge answers with and asks for, from the tip to the root, and its move."""
    indices, values = ti.static(constraints.indices, constraints.parameters)
    extras, first = indices[i + FIRST_EXTRA], indices[i + FIRST_VALUE]
    front, mass = ti.Vector.zero(float, FRONT * LANES), ti.Vector.zero(float, LANES)
    known, asked = ti.Vector.zero(float, KNOWN * LANES), ti.Vector.zero(float, ASKED * LANES)
    # what keeps an edge from turning about itself, of both its joints
    upright = ti.Vector.zero(float, LANES)
    for e in range(indices[extras + EDGES]):
        edge, row = edge_at(constraints, i, e), extras + indices[extras + AT_ROWS] + e * ROW_INTS
        fetch(values, edge + WAY * LANES, known, READ)
        for lane in range(LANES):
            upright[lane] += least_twist(known, lane)
        if indices[row + IS_HELD] == 1:
            pass_held(known, front)
        elif indices[row + IS_TIP_HELD] == 1:
            pass_held_tip(known, upright, front)
        else:
            fetch(values, first + indices[extras + AT_NODES] + (e * NODE_VALUES + MASS) * LANES, mass, 1)
            pass_free(known, mass, upright, front)
        for lane in range(LANES):
            upright[lane] = least_twist(known, lane)
        keep_after(values, edge + WAY * LANES, known, READ, KNOWN)
        ask(constraints, i, e, known, asked, 1.0)
    root = indices[extras + AT_NODES] + (indices[extras + EDGES] * NODE_VALUES + MASS) * LANES
    fetch(values, first + root, mass, 1)
    for lane in range(LANES):
        p = with_diagonal(symmetric_at(front, FORCES, lane), mass[lane])
        put_symmetric(known, 0, lane, inverse_of(p))
    keep(values, first + indices[extras + AT_ROOT], known, TAUT)
    move_root(constraints, i, known, asked, 1.0)


@ti.func
def pass_held(known: ti.template(), front: ti.template()):
    """An edge that neither moves nor turns."""
    for n in range(ti.static(READ * LANES), ti.static(KNOWN * LANES)):
        known[n] = 0.0
    clear(front, FRONT)
    for lane in range(LANES):
        put_symmetric(front, MOMENTS, lane, joint_matrix(known, lane))


@ti.func
def pass_held_tip(known: ti.template(), upright: ti.template(), front: ti.template()):
    """An edge whose tip is held: moves of its other end turn it, and it turns about itself."""
    for lane in range(LANES):
        t, pull, inverse = (
            vector(known, 0, lane),
            vector(known, PULL - WAY, lane),
            1.0 / number(known, SPAN - WAY, lane),
        )
        r, k = symmetric_at(front, MOMENTS, lane), joint_matrix(known, lane)
        own = upright[lane] + LEAST_SHARE * r.trace() + SMALL
        n = r + k + own * t.outer_product(t)
        across = n @ t
        share = 1.0 / t.dot(across)
        a = inverse * (crossing(t) - share * t.outer_product(across.cross(t)))
        b = share * t.outer_product(k @ t)
        put_matrix(known, BY_MOVE - WAY, lane, a)
        put_symmetric(known, BY_MOMENT - WAY, lane, share * t.outer_product(t))
        p = a.transpose() @ (n @ a) + pull.outer_product(pull / number(known, GIVE - WAY, lane))
        put_symmetric(front, FORCES, lane, with_diagonal(p, number(known, RESIST - WAY, lane)))
        put_symmetric(front, MOMENTS, lane, k - k @ b)
        put_matrix(front, MIXED, lane, k @ a)


@ti.func
def pass_free(known: ti.template(), mass: ti.template(), upright: ti.template(), front: ti.template()):
    """An edge whose tip moves."""
    for lane in range(LANES):
        t, pull, span = vector(known, 0, lane), vector(known, PULL - WAY, lane), number(known, SPAN - WAY, lane)
        give, resist = number(known, GIVE - WAY, lane), number(known, RESIST - WAY, lane)
        lean = 1.0 / pull.dot(t)
        slant = t.cross(pull) * (span * lean)
        p = with_diagonal(symmetric_at(front, FORCES, lane), mass[lane])
        r, q = symmetric_at(front, MOMENTS, lane), matrix(front, MIXED, lane)
        # tension
        way = lean * t
        y, z = applied(p, way), applied(q, way)
        reach = way.dot(y) + resist * lean * lean
        yielding = 1.0 / (1.0 + give * reach)
        share = give * yielding
        put(known, ALONG - WAY, lane, y)
        put(known, ABOUT - WAY, lane, z)
        known[(LEAN - WAY) * LANES + lane] = lean
        known[(YIELD - WAY) * LANES + lane] = yielding
        known[(REACH - WAY) * LANES + lane] = reach * yielding
        p -= squared(y, share)
        q -= z.outer_product(share * y)
        r -= squared(z, share)
        # from the tip to the other end
        shift = crossing(span * t) - slant.outer_product(t)
        swung = q + times(shift, p)
        r += below_of(shift, q) + below_of(swung, shift)
        turned = resist * span * span
        own = upright[lane] + LEAST_SHARE * r.trace() + SMALL
        r = with_diagonal(r + squared(t, own - turned), turned)
        # the joint
        k = joint_matrix(known, lane)
        s = inverse_of(r + k)
        a, b = times(s, swung), times(s, k)
        put_matrix(known, BY_MOVE - WAY, lane, a)
        put_symmetric(known, BY_MOMENT - WAY, lane, s)
        put_symmetric(front, FORCES, lane, p - below_of(swung.transpose(), a.transpose()))
        put_symmetric(front, MOMENTS, lane, below_of(b.transpose(), r))
        put_matrix(front, MIXED, lane, times(k, a))


@ti.func
def substitute_down(constraints: ti.template(), i):
    """What is asked for again where lengths are missing, from the tip to the root, and the root's move."""
    indices, values = ti.static(constraints.indices, constraints.parameters)
    known, asked = ti.Vector.zero(float, KNOWN * LANES), ti.Vector.zero(float, ASKED * LANES)
    for e in range(indices[indices[i + FIRST_EXTRA] + EDGES]):
        fetch(values, edge_at(constraints, i, e) + WAY * LANES, known, KNOWN)
        ask(constraints, i, e, known, asked, 0.0)
    fetch(values, indices[i + FIRST_VALUE] + indices[indices[i + FIRST_EXTRA] + AT_ROOT], known, TAUT)
    move_root(constraints, i, known, asked, 0.0)


@ti.func
def edge_at(constraints: ti.template(), i, e):
    """Where the values of an edge begin."""
    indices = ti.static(constraints.indices)
    return indices[i + FIRST_VALUE] + indices[indices[i + FIRST_EXTRA] + AT_EDGES] + e * EDGE_VALUES * LANES


@ti.func
def ask(constraints: ti.template(), i, e, known: ti.template(), asked: ti.template(), has_forces: ti.template()):
    """Force and moment that an edge and the part beyond it ask for; its turn and pull if what is before it rested."""
    indices, values = ti.static(constraints.indices, constraints.parameters)
    extras, found = indices[i + FIRST_EXTRA], ti.Vector.zero(float, FOUND * LANES)
    row = extras + indices[extras + AT_ROWS] + e * ROW_INTS
    if indices[row + IS_HELD] == 1:
        clear(asked, 3)
    elif indices[row + IS_TIP_HELD] == 1:
        for lane in range(LANES):
            share = number(known, MISSING - WAY, lane) / number(known, GIVE - WAY, lane)
            put(asked, 0, lane, share * vector(known, PULL - WAY, lane))
    else:
        force = ti.Vector.zero(float, 3 * LANES)
        node = indices[i + FIRST_VALUE] + indices[extras + AT_NODES] + e * NODE_VALUES * LANES
        if ti.static(has_forces):
            fetch(values, node + FORCE * LANES, force, 3)
        pull_back(known, force, asked, found)
    for lane in range(LANES):
        torque = has_forces * vector(known, MOMENT - WAY, lane)
        moment = vector(asked, 3, lane) + torque
        by_move, mine = matrix(known, BY_MOVE - WAY, lane), symmetric_at(known, BY_MOMENT - WAY, lane)
        turn = -applied(mine, moment)
        put(found, 0, lane, turn)
        put(asked, 0, lane, vector(asked, 0, lane) - applied(by_move.transpose(), moment))
        put(asked, 3, lane, -resisted(known, turn, lane) - torque)
    keep(values, edge_at(constraints, i, e) + OWN_TURN * LANES, found, FOUND)


@ti.func
def move_root(constraints: ti.template(), i, moved_by: ti.template(), asked: ti.template(), has_forces: ti.template()):
    """The move of the root; ``moved_by`` is what it moves by forces."""
    indices, values = ti.static(constraints.indices, constraints.parameters)
    extras, force = indices[i + FIRST_EXTRA], ti.Vector.zero(float, 3 * LANES)
    root = indices[i + FIRST_VALUE] + indices[extras + AT_NODES] + indices[extras + EDGES] * NODE_VALUES * LANES
    fetch(values, root + FORCE * LANES, force, 3)
    is_free = 1.0 - ti.cast(indices[extras + ROOT_HELD], float)
    for lane in range(LANES):
        pushed = has_forces * vector(force, 0, lane) - vector(asked, 0, lane)
        put(force, 0, lane, is_free * applied(symmetric_at(moved_by, 0, lane), pushed))
    keep(values, root + MOVE * LANES, force, 3)


@ti.func
def pull_back(known: ti.template(), force: ti.template(), front: ti.template(), found: ti.template()):
    """What is asked for at the tip of an edge, where a force acts, at its other end."""
    for lane in range(LANES):
        t, asked = vector(known, 0, lane), vector(front, 0, lane) - vector(force, 0, lane)
        missing = number(known, MISSING - WAY, lane)
        leaned, reach = number(known, LEAN - WAY, lane) * t.dot(asked), number(known, REACH - WAY, lane)
        pull = -number(known, YIELD - WAY, lane) * leaned - reach * missing
        stretched = missing + number(known, GIVE - WAY, lane) * pull
        asked += stretched * vector(known, ALONG - WAY, lane)
        moment = vector(front, 3, lane) + stretched * vector(known, ABOUT - WAY, lane)
        moment += number(known, SPAN - WAY, lane) * t.cross(asked) - t.dot(asked) * slant_of(known, lane)
        put(front, 0, lane, asked)
        put(front, 3, lane, moment)
        found[(OWN_PULL - OWN_TURN) * LANES + lane] = pull


@ti.func
def substitute_up(constraints: ti.template(), i, greatest: ti.template(), taut: ti.template()):
    """Moves, turns and pulls, from the root to the tip.

    In each lane ``greatest`` is the square of the greatest turn of an edge [rad²], ``taut`` how taut the strand is.
    """
    indices, values = ti.static(constraints.indices, constraints.parameters)
    extras, first = indices[i + FIRST_EXTRA], indices[i + FIRST_VALUE]
    edges, nodes = indices[extras + EDGES], first + indices[extras + AT_NODES]
    known, out = ti.Vector.zero(float, (SPUN - WAY) * LANES), ti.Vector.zero(float, 2 * LANES)
    place, turn = ti.Vector.zero(float, 3 * LANES), ti.Vector.zero(float, 3 * LANES)
    moved, length = ti.Vector.zero(float, 3 * LANES), ti.Vector.zero(float, LANES)
    near, far = ti.Vector.zero(float, LANES), ti.Vector.zero(float, LANES)
    for lane in range(LANES):
        greatest[lane], taut[lane] = 1e-24, 0.0
    fetch(values, nodes + (edges * NODE_VALUES + MOVE) * LANES, place, 3)
    fetch(values, nodes + (edges * NODE_VALUES + WEIGHT) * LANES, near, 1)
    for reverse in range(edges):
        e = edges - 1 - reverse
        edge = first + indices[extras + AT_EDGES] + e * EDGE_VALUES * LANES
        row = extras + indices[extras + AT_ROWS] + e * ROW_INTS
        fetch(values, edge + WAY * LANES, known, MOMENT - WAY)
        fetch_after(values, edge + WAY * LANES, known, BY_MOVE - WAY, SPUN - WAY)
        fetch(values, edge + LENGTH * LANES, length, 1)
        fetch(values, nodes + (e * NODE_VALUES + WEIGHT) * LANES, far, 1)
        for lane in range(LANES):
            held_back = resisted(known, vector(turn, 0, lane), lane)
            mine = vector(known, OWN_TURN - WAY, lane)
            mine += applied(symmetric_at(known, BY_MOMENT - WAY, lane), held_back)
            mine -= applied(matrix(known, BY_MOVE - WAY, lane), vector(place, 0, lane))
            put(turn, 0, lane, mine)
            out[lane] = mine.dot(vector(known, 0, lane))
        if indices[row + IS_HELD] == 1:
            clear(moved, 3)
            clear(out, 2)
        elif indices[row + IS_TIP_HELD] == 1:
            for lane in range(LANES):
                off = vector(known, PULL - WAY, lane).dot(vector(place, 0, lane)) + number(known, MISSING - WAY, lane)
                out[LANES + lane] = -off / number(known, GIVE - WAY, lane)
            clear(moved, 3)
        else:
            swing(known, place, turn, moved, out)
        for lane in range(LANES):
            way, span = vector(moved, 0, lane) - vector(place, 0, lane), number(known, SPAN - WAY, lane)
            turned = ti.max(way.norm_sqr() / (span * span), out[lane] * out[lane])
            greatest[lane] = ti.max(greatest[lane], turned)
            waves = ti.abs(out[LANES + lane]) * (near[lane] + far[lane]) / length[lane]
            taut[lane] = ti.max(taut[lane], waves)
            put(place, 0, lane, vector(moved, 0, lane))
            near[lane] = far[lane]
        keep(values, nodes + (e * NODE_VALUES + MOVE) * LANES, moved, 3)
        keep(values, edge + SPUN * LANES, out, 2)


@ti.func
def swing(known: ti.template(), place: ti.template(), turn: ti.template(), moved: ti.template(), out: ti.template()):
    """How the tip of an edge moves, and its pull."""
    for lane in range(LANES):
        t, mine, lean = vector(known, 0, lane), vector(turn, 0, lane), number(known, LEAN - WAY, lane)
        way = vector(place, 0, lane) + number(known, SPAN - WAY, lane) * mine.cross(t)
        way -= slant_of(known, lane).dot(mine) * t
        along = vector(known, ALONG - WAY, lane).dot(way) + vector(known, ABOUT - WAY, lane).dot(mine)
        pull = number(known, OWN_PULL - WAY, lane) - number(known, YIELD - WAY, lane) * along
        stretched = number(known, MISSING - WAY, lane) + number(known, GIVE - WAY, lane) * pull
        out[LANES + lane] = pull
        put(moved, 0, lane, way + (lean * stretched) * t)
