# SPDX-License-Identifier: GPL-3.0-or-later
"""The system of a chain, solved from its tip to its root and back; see ``chain``."""

import taichi as ti

from ..constraint import SMALL
from ..pools import FIRST_EXTRA, FIRST_VALUE
from .chain_lanes import below_of, clear, diagonal_of, fetch, inverted, keep, put, symmetric, vector
from .chain_tables import (
    ABOUT,
    ALONG,
    ASLANT,
    AT_EDGES,
    AT_NODES,
    AT_ROOT,
    AT_ROWS,
    AXIS_NOW,
    BY_MOMENT,
    BY_MOVE,
    BY_TURN,
    EDGE_VALUES,
    EDGES,
    FORCE,
    GIVE,
    IS_HELD,
    IS_TIP_HELD,
    LANES,
    LEAN,
    LENGTH,
    MASS,
    MOMENT,
    MOVE,
    NODE_VALUES,
    OWN_TURN,
    PULL,
    PULLED,
    RESIST,
    ROOT_HELD,
    ROW_INTS,
    SPUN,
    STIFF,
    WAY,
    WEIGHT,
)
from .rod_system import LEAST_TWIST

# of the trace of what resists turns: what keeps an edge from turning about itself that nothing holds
LEAST_SHARE = 1e-12


@ti.func
def crossing(v):
    """The matrix of v ×."""
    return ti.Matrix([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


@ti.func
def rows_of(a: ti.template(), b: ti.template(), c: ti.template(), l):
    """A matrix of three rows of lanes."""
    return ti.Matrix([[a[0, l], a[1, l], a[2, l]], [b[0, l], b[1, l], b[2, l]], [c[0, l], c[1, l], c[2, l]]])


@ti.func
def put_rows(a: ti.template(), b: ti.template(), c: ti.template(), l, m):
    """Write them."""
    for axis in ti.static(range(3)):
        a[axis, l] = m[0, axis]
        b[axis, l] = m[1, axis]
        c[axis, l] = m[2, axis]


@ti.func
def eliminate(constraints: ti.template(), i, is_taut):
    """What the part of a strand beyond each edge answers with, from the tip to the root."""
    indices, values = ti.static(constraints.indices, constraints.parameters)
    extras, first = indices[i + FIRST_EXTRA], indices[i + FIRST_VALUE]
    frame, pulls, axes = (
        ti.Matrix.zero(float, 4, LANES),
        ti.Matrix.zero(float, 3, LANES),
        ti.Matrix.zero(float, 3, LANES),
    )
    give, stiff, resist = (
        ti.Matrix.zero(float, 1, LANES),
        ti.Matrix.zero(float, 2, LANES),
        ti.Matrix.zero(float, 1, LANES),
    )
    mass = ti.Matrix.zero(float, 1, LANES)
    # P, Q, R: forces by moves, moments by moves, moments by turns
    pd, po = ti.Matrix.zero(float, 3, LANES), ti.Matrix.zero(float, 3, LANES)
    qa, qb, qc = (
        ti.Matrix.zero(float, 3, LANES),
        ti.Matrix.zero(float, 3, LANES),
        ti.Matrix.zero(float, 3, LANES),
    )
    rd, ro = ti.Matrix.zero(float, 3, LANES), ti.Matrix.zero(float, 3, LANES)
    aa, ab, ac = (
        ti.Matrix.zero(float, 3, LANES),
        ti.Matrix.zero(float, 3, LANES),
        ti.Matrix.zero(float, 3, LANES),
    )
    ba, bb, bc = (
        ti.Matrix.zero(float, 3, LANES),
        ti.Matrix.zero(float, 3, LANES),
        ti.Matrix.zero(float, 3, LANES),
    )
    sd, so = ti.Matrix.zero(float, 3, LANES), ti.Matrix.zero(float, 3, LANES)
    along, about, aslant = (
        ti.Matrix.zero(float, 3, LANES),
        ti.Matrix.zero(float, 3, LANES),
        ti.Matrix.zero(float, 3, LANES),
    )
    lean = ti.Matrix.zero(float, 3, LANES)
    for e in range(indices[extras + EDGES]):
        edge = first + indices[extras + AT_EDGES] + e * EDGE_VALUES * LANES
        row = extras + indices[extras + AT_ROWS] + e * ROW_INTS
        node = first + indices[extras + AT_NODES] + e * NODE_VALUES * LANES
        fetch(values, node + MASS * LANES, mass, 1)
        fetch(values, edge + WAY * LANES, frame, 4)
        fetch(values, edge + PULL * LANES, pulls, 3)
        fetch(values, edge + GIVE * LANES, give, 1)
        fetch(values, edge + AXIS_NOW * LANES, axes, 3)
        fetch(values, edge + STIFF * LANES, stiff, 2)
        if is_taut == 1:
            fetch(values, edge + RESIST * LANES, resist, 1)
        if indices[row + IS_HELD] == 1:
            for l in range(LANES):
                bend, more, axis = stiff[0, l], stiff[1, l], vector(axes, 0, l)
                for n in ti.static(range(3)):
                    rd[n, l] = bend + more * axis[n] * axis[n]
                ro[0, l], ro[1, l], ro[2, l] = (
                    more * axis[0] * axis[1],
                    more * axis[0] * axis[2],
                    more * axis[1] * axis[2],
                )
            for m in ti.static((pd, po, qa, qb, qc, aa, ab, ac, ba, bb, bc, sd, so)):
                clear(m, 3)
        elif indices[row + IS_TIP_HELD] == 1:
            for l in range(LANES):
                t, pull, axis = vector(frame, 0, l), vector(pulls, 0, l), vector(axes, 0, l)
                inverse = 1.0 / frame[3, l]
                r = symmetric(vector(rd, 0, l), vector(ro, 0, l))
                bend, more = stiff[0, l], stiff[1, l]
                own = LEAST_TWIST * (2.0 * bend + more) + LEAST_SHARE * r.trace() + SMALL
                k = ti.Matrix.identity(float, 3) * bend + more * axis.outer_product(axis)
                n = r + k + own * t.outer_product(t)
                across = n @ t
                share = 1.0 / t.dot(across)
                a = inverse * (crossing(t) - share * t.outer_product(across.cross(t)))
                b = share * t.outer_product(k @ t)
                put_rows(aa, ab, ac, l, a)
                put_rows(ba, bb, bc, l, b)
                put(sd, 0, l, share * ti.Vector([t[0] * t[0], t[1] * t[1], t[2] * t[2]]))
                put(so, 0, l, share * ti.Vector([t[0] * t[1], t[0] * t[2], t[1] * t[2]]))
                forward = a.transpose() @ (n @ a) + (1.0 / give[0, l]) * pull.outer_product(pull)
                forward += ti.Matrix.identity(float, 3) * resist[0, l]
                put(pd, 0, l, diagonal_of(forward))
                put(po, 0, l, below_of(forward))
                put_rows(qa, qb, qc, l, k @ a)
                left = k - k @ b
                put(rd, 0, l, diagonal_of(left))
                put(ro, 0, l, below_of(left))
        else:
            for l in range(LANES):
                t, pull, axis = vector(frame, 0, l), vector(pulls, 0, l), vector(axes, 0, l)
                span, m = frame[3, l], mass[0, l]
                sloped = 1.0 / pull.dot(t)
                slant = (span * sloped) * t.cross(pull)
                p = symmetric(vector(pd, 0, l) + ti.Vector([m, m, m]), vector(po, 0, l))
                q = rows_of(qa, qb, qc, l)
                r = symmetric(vector(rd, 0, l), vector(ro, 0, l))
                # tension
                way = sloped * t
                y, z = p @ way, q @ way
                reach = way.dot(y) + resist[0, l] * sloped * sloped
                yielding = 1.0 / (1.0 + give[0, l] * reach)
                share = give[0, l] * yielding
                p -= share * y.outer_product(y)
                q -= share * z.outer_product(y)
                r -= share * z.outer_product(z)
                put(along, 0, l, y)
                put(about, 0, l, z)
                put(aslant, 0, l, slant)
                lean[0, l], lean[1, l], lean[2, l] = sloped, yielding, reach * yielding
                # from the tip's side to the root's
                shift = span * crossing(t) - slant.outer_product(t)
                swung = q + shift @ p
                r += shift @ q.transpose() + swung @ shift.transpose()
                bend, more = stiff[0, l], stiff[1, l]
                own = LEAST_TWIST * (2.0 * bend + more) + LEAST_SHARE * r.trace() + SMALL
                turned = resist[0, l] * span * span
                r += ti.Matrix.identity(float, 3) * turned + (own - turned) * t.outer_product(t)
                # the joint
                k = ti.Matrix.identity(float, 3) * bend + more * axis.outer_product(axis)
                n = r + k
                d, o = inverted(diagonal_of(n), below_of(n))
                s = symmetric(d, o)
                a, b = s @ swung, s @ k
                put_rows(aa, ab, ac, l, a)
                put_rows(ba, bb, bc, l, b)
                put(sd, 0, l, d)
                put(so, 0, l, o)
                p -= swung.transpose() @ a
                put(pd, 0, l, diagonal_of(p))
                put(po, 0, l, below_of(p))
                put_rows(qa, qb, qc, l, k @ a)
                left = b.transpose() @ r
                put(rd, 0, l, diagonal_of(left))
                put(ro, 0, l, below_of(left))
            keep(values, edge + ALONG * LANES, along, 3)
            keep(values, edge + ABOUT * LANES, about, 3)
            keep(values, edge + ASLANT * LANES, aslant, 3)
            keep(values, edge + LEAN * LANES, lean, 3)
        for n, m in ti.static(enumerate((ba, bb, bc, aa, ab, ac, sd, so))):
            keep(values, edge + (BY_TURN + 3 * n) * LANES, m, 3)
    root = first + indices[extras + AT_NODES] + indices[extras + EDGES] * NODE_VALUES * LANES
    fetch(values, root + MASS * LANES, mass, 1)
    for l in range(LANES):
        m = mass[0, l]
        d, o = inverted(vector(pd, 0, l) + ti.Vector([m, m, m]), vector(po, 0, l))
        put(sd, 0, l, d)
        put(so, 0, l, o)
    response = first + indices[extras + AT_ROOT]
    keep(values, response, sd, 3)
    keep(values, response + 3 * LANES, so, 3)


@ti.func
def substitute_down(constraints: ti.template(), i, has_forces):
    """Forces and moments that the part beyond each edge asks for, from the tip to the root, and the root's move."""
    indices, values = ti.static(constraints.indices, constraints.parameters)
    extras, first = indices[i + FIRST_EXTRA], indices[i + FIRST_VALUE]
    edges = indices[extras + EDGES]
    frame, pulls, give = (
        ti.Matrix.zero(float, 4, LANES),
        ti.Matrix.zero(float, 3, LANES),
        ti.Matrix.zero(float, 2, LANES),
    )
    bent, force = ti.Matrix.zero(float, 3, LANES), ti.Matrix.zero(float, 3, LANES)
    along, about, aslant = (
        ti.Matrix.zero(float, 3, LANES),
        ti.Matrix.zero(float, 3, LANES),
        ti.Matrix.zero(float, 3, LANES),
    )
    lean = ti.Matrix.zero(float, 3, LANES)
    aa, ab, ac = (
        ti.Matrix.zero(float, 3, LANES),
        ti.Matrix.zero(float, 3, LANES),
        ti.Matrix.zero(float, 3, LANES),
    )
    ba, bb, bc = (
        ti.Matrix.zero(float, 3, LANES),
        ti.Matrix.zero(float, 3, LANES),
        ti.Matrix.zero(float, 3, LANES),
    )
    sd, so = ti.Matrix.zero(float, 3, LANES), ti.Matrix.zero(float, 3, LANES)
    gx, gw = ti.Matrix.zero(float, 3, LANES), ti.Matrix.zero(float, 3, LANES)
    own = ti.Matrix.zero(float, 4, LANES)
    for e in range(edges):
        edge = first + indices[extras + AT_EDGES] + e * EDGE_VALUES * LANES
        row = extras + indices[extras + AT_ROWS] + e * ROW_INTS
        node = first + indices[extras + AT_NODES] + e * NODE_VALUES * LANES
        fetch(values, node + FORCE * LANES, force, 3)
        fetch(values, edge + WAY * LANES, frame, 4)
        fetch(values, edge + GIVE * LANES, give, 2)
        fetch(values, edge + MOMENT * LANES, bent, 3)
        for n, m in ti.static(enumerate((ba, bb, bc, aa, ab, ac, sd, so))):
            fetch(values, edge + (BY_TURN + 3 * n) * LANES, m, 3)
        if indices[row + IS_HELD] == 1:
            clear(gx, 3)
        elif indices[row + IS_TIP_HELD] == 1:
            fetch(values, edge + PULL * LANES, pulls, 3)
            for l in range(LANES):
                put(gx, 0, l, (give[1, l] / give[0, l]) * vector(pulls, 0, l))
        else:
            fetch(values, edge + ALONG * LANES, along, 3)
            fetch(values, edge + ABOUT * LANES, about, 3)
            fetch(values, edge + ASLANT * LANES, aslant, 3)
            fetch(values, edge + LEAN * LANES, lean, 3)
            for l in range(LANES):
                t, f = vector(frame, 0, l), vector(gx, 0, l) - has_forces * vector(force, 0, l)
                pull = -lean[1, l] * lean[0, l] * t.dot(f) - lean[2, l] * give[1, l]
                stretched = give[1, l] + give[0, l] * pull
                f += stretched * vector(along, 0, l)
                moment = vector(gw, 0, l) + stretched * vector(about, 0, l)
                put(gx, 0, l, f)
                put(gw, 0, l, moment + frame[3, l] * t.cross(f) - t.dot(f) * vector(aslant, 0, l))
                own[3, l] = pull
        for l in range(LANES):
            torque = has_forces * vector(bent, 0, l)
            moment = vector(gw, 0, l) + torque
            put(own, 0, l, -(symmetric(vector(sd, 0, l), vector(so, 0, l)) @ moment))
            put(gx, 0, l, vector(gx, 0, l) - rows_of(aa, ab, ac, l).transpose() @ moment)
            put(gw, 0, l, rows_of(ba, bb, bc, l).transpose() @ moment - torque)
        keep(values, edge + OWN_TURN * LANES, own, 4)
    root = first + indices[extras + AT_NODES] + edges * NODE_VALUES * LANES
    response = first + indices[extras + AT_ROOT]
    fetch(values, response, sd, 3)
    fetch(values, response + 3 * LANES, so, 3)
    fetch(values, root + FORCE * LANES, force, 3)
    is_free = 1.0 - ti.cast(indices[extras + ROOT_HELD], float)
    for l in range(LANES):
        f = vector(gx, 0, l) - has_forces * vector(force, 0, l)
        put(gx, 0, l, -is_free * (symmetric(vector(sd, 0, l), vector(so, 0, l)) @ f))
    keep(values, root + MOVE * LANES, gx, 3)


@ti.func
def substitute_up(constraints: ti.template(), i, greatest: ti.template()):
    """Moves, turns and pulls, from the root to the tip; the greatest turn of an edge in each lane [rad]."""
    indices, values = ti.static(constraints.indices, constraints.parameters)
    extras, first = indices[i + FIRST_EXTRA], indices[i + FIRST_VALUE]
    edges = indices[extras + EDGES]
    frame, pulls, give = (
        ti.Matrix.zero(float, 4, LANES),
        ti.Matrix.zero(float, 3, LANES),
        ti.Matrix.zero(float, 2, LANES),
    )
    along, about, aslant = (
        ti.Matrix.zero(float, 3, LANES),
        ti.Matrix.zero(float, 3, LANES),
        ti.Matrix.zero(float, 3, LANES),
    )
    lean = ti.Matrix.zero(float, 3, LANES)
    aa, ab, ac = (
        ti.Matrix.zero(float, 3, LANES),
        ti.Matrix.zero(float, 3, LANES),
        ti.Matrix.zero(float, 3, LANES),
    )
    ba, bb, bc = (
        ti.Matrix.zero(float, 3, LANES),
        ti.Matrix.zero(float, 3, LANES),
        ti.Matrix.zero(float, 3, LANES),
    )
    own, out = ti.Matrix.zero(float, 4, LANES), ti.Matrix.zero(float, 2, LANES)
    x, w, moved = (
        ti.Matrix.zero(float, 3, LANES),
        ti.Matrix.zero(float, 3, LANES),
        ti.Matrix.zero(float, 3, LANES),
    )
    for l in range(LANES):
        greatest[0, l] = 1e-12
    root = first + indices[extras + AT_NODES] + edges * NODE_VALUES * LANES
    fetch(values, root + MOVE * LANES, x, 3)
    for reverse in range(edges):
        e = edges - 1 - reverse
        edge = first + indices[extras + AT_EDGES] + e * EDGE_VALUES * LANES
        row = extras + indices[extras + AT_ROWS] + e * ROW_INTS
        node = first + indices[extras + AT_NODES] + e * NODE_VALUES * LANES
        fetch(values, edge + WAY * LANES, frame, 4)
        fetch(values, edge + GIVE * LANES, give, 2)
        fetch(values, edge + OWN_TURN * LANES, own, 4)
        for n, m in ti.static(enumerate((ba, bb, bc, aa, ab, ac))):
            fetch(values, edge + (BY_TURN + 3 * n) * LANES, m, 3)
        for l in range(LANES):
            turn = vector(own, 0, l) + rows_of(ba, bb, bc, l) @ vector(w, 0, l) - rows_of(aa, ab, ac, l) @ vector(x, 0, l)
            put(w, 0, l, turn)
            out[0, l] = turn.dot(vector(frame, 0, l))
        if indices[row + IS_HELD] == 1:
            clear(moved, 3)
            clear(out, 2)
        elif indices[row + IS_TIP_HELD] == 1:
            fetch(values, edge + PULL * LANES, pulls, 3)
            for l in range(LANES):
                out[1, l] = -(vector(pulls, 0, l).dot(vector(x, 0, l)) + give[1, l]) / give[0, l]
            clear(moved, 3)
        else:
            fetch(values, edge + ALONG * LANES, along, 3)
            fetch(values, edge + ABOUT * LANES, about, 3)
            fetch(values, edge + ASLANT * LANES, aslant, 3)
            fetch(values, edge + LEAN * LANES, lean, 3)
            for l in range(LANES):
                t, turn = vector(frame, 0, l), vector(w, 0, l)
                place = vector(x, 0, l) + frame[3, l] * turn.cross(t) - vector(aslant, 0, l).dot(turn) * t
                pull = own[3, l] - lean[1, l] * (vector(along, 0, l).dot(place) + vector(about, 0, l).dot(turn))
                out[1, l] = pull
                put(moved, 0, l, place + (lean[0, l] * (give[1, l] + give[0, l] * pull)) * t)
        for l in range(LANES):
            way = vector(moved, 0, l) - vector(x, 0, l)
            greatest[0, l] = ti.max(greatest[0, l], ti.max(way.norm() / frame[3, l], ti.abs(out[0, l])))
        keep(values, node + MOVE * LANES, moved, 3)
        keep(values, edge + SPUN * LANES, out, 2)
        x = moved


@ti.func
def tighten(constraints: ti.template(), i, limit):
    """Let strands that are too taut pull along where they are, and resist turns; whether there are any."""
    indices, values = ti.static(constraints.indices, constraints.parameters)
    extras, first = indices[i + FIRST_EXTRA], indices[i + FIRST_VALUE]
    edges = indices[extras + EDGES]
    masses, others = ti.Matrix.zero(float, 1, LANES), ti.Matrix.zero(float, 1, LANES)
    pulled, length = ti.Matrix.zero(float, 1, LANES), ti.Matrix.zero(float, 1, LANES)
    ways, pulls = ti.Matrix.zero(float, 3, LANES), ti.Matrix.zero(float, 3, LANES)
    greatest = ti.Matrix.zero(float, 1, LANES)
    for e in range(edges):
        node = first + indices[extras + AT_NODES] + e * NODE_VALUES * LANES
        edge = first + indices[extras + AT_EDGES] + e * EDGE_VALUES * LANES
        fetch(values, node + WEIGHT * LANES, masses, 1)
        fetch(values, node + (NODE_VALUES + WEIGHT) * LANES, others, 1)
        fetch(values, edge + PULLED * LANES, pulled, 1)
        fetch(values, edge + LENGTH * LANES, length, 1)
        for l in range(LANES):
            taut = ti.abs(pulled[0, l]) * (masses[0, l] + others[0, l]) / length[0, l]
            greatest[0, l] = ti.max(greatest[0, l], taut)
    found = 0
    for l in range(LANES):
        if greatest[0, l] >= limit:
            found = 1
    if found == 1:
        for e in range(edges):
            edge = first + indices[extras + AT_EDGES] + e * EDGE_VALUES * LANES
            fetch(values, edge + PULLED * LANES, pulled, 1)
            fetch(values, edge + LENGTH * LANES, length, 1)
            fetch(values, edge + WAY * LANES, ways, 3)
            fetch(values, edge + PULL * LANES, pulls, 3)
            for l in range(LANES):
                is_taut = greatest[0, l] >= limit
                for axis in ti.static(range(3)):
                    pulls[axis, l] = ti.select(is_taut, ways[axis, l], pulls[axis, l])
                pulled[0, l] = ti.select(is_taut, ti.abs(pulled[0, l]) / length[0, l], 0.0)
            keep(values, edge + PULL * LANES, pulls, 3)
            keep(values, edge + RESIST * LANES, pulled, 1)
    return found
