# SPDX-License-Identifier: GPL-3.0-or-later
"""Plastic flow: constraints take on another rest shape where they are strained beyond a limit.

In a time h the share s = 1 − exp(−c h) of what is beyond the limit becomes permanent, with the creep rate c [1/s]
(Müller & Gross 2004, §5, with rates in place of shares per step, so that substeps do not matter). Springs and folds get
another rest length and rest angle. Elements have F = Fₑ Fₚ: their inverse rest edges become D_m⁻¹ Fₚ⁻¹ (Irving, Teran &
Fedkiw 2004, §6), with F = Fₑ by logarithms of the principal stretches (Hencky strain), of which

- tetrahedra give way by the deviator alone, so they keep their rest volume: the equivalent strain √(2/3) |dev h| is
  that of a bar of constant volume that is drawn by as much (von Mises);
- triangles give way along each principal direction by itself.

What is not strained beyond its limit is not written to.
"""

import taichi as ti

from .constraint import SMALL, Flow
from .eigen import symmetric_eigen
from .lanes import edge
from .tetrahedron_element import deformation, rest_rows

# how slender a rest shape may become: Σ|qᵢ|²/3 over det(D_m⁻¹)^⅔, which is 1 for three edges of one length at right
# angles, and about 30 where one side is drawn to ten times the others. Chosen by hand: beyond, elements break down
MOST_SLENDER = 60.0
# log stretches that are told apart; what is squashed flatter counts as this
GREATEST_LOG = 3.0


@ti.func
def permanent_share(amount):
    """1 − exp(−c h)."""
    return 1.0 - ti.exp(-amount)


@ti.func
def flow_length(particles: ti.template(), constraints: ti.template(), i, p, given):
    """Let a spring have another rest length, its first parameter.

    It tends to the one of which its length is at the limit: exp(−c t) of the way is left, whatever the substeps.
    """
    limit, amount = given[0], given[1]
    positions = ti.static(particles.positions)
    indices, parameters = ti.static(constraints.indices, constraints.parameters)
    length = edge(positions[indices[i]], positions[indices[i + 1]]).norm()
    rest = parameters[p]
    wanted = ti.max(rest, length / (1.0 + limit))
    if limit < 1.0:
        wanted = ti.min(wanted, length / (1.0 - limit))
    if wanted != rest:
        parameters[p] = rest + permanent_share(amount) * (wanted - rest)


@ti.func
def flow_triangle(particles: ti.template(), constraints: ti.template(), i, p, given):
    """Let a triangle have another rest shape: u₁, v₁, u₂, v₂, its first parameters."""
    limit, amount = given[0], given[1]
    positions = ti.static(particles.positions)
    indices, parameters = ti.static(constraints.indices, constraints.parameters)
    x0 = positions[indices[i]]
    d1, d2 = edge(positions[indices[i + 1]], x0), edge(positions[indices[i + 2]], x0)
    rest = ti.Matrix([[parameters[p], parameters[p + 1]], [parameters[p + 2], parameters[p + 3]]])
    fu, fv = rest[0, 0] * d1 + rest[1, 0] * d2, rest[0, 1] * d1 + rest[1, 1] * d2
    uu, vv, uv = fu.dot(fu), fv.dot(fv), fu.dot(fv)
    mean, half = 0.5 * (uu + vv), 0.5 * (uu - vv)
    radius = ti.sqrt(half * half + uv * uv)
    # log stretches along the principal directions
    first = 0.5 * ti.log(mean + radius + SMALL)
    second = ti.max(0.5 * ti.log(ti.max(mean - radius, SMALL)), -GREATEST_LOG)
    if ti.max(ti.abs(first), ti.abs(second)) > limit:
        share = permanent_share(amount)
        by_first = ti.exp(-share * (first - ti.math.clamp(first, -limit, limit)))
        by_second = ti.exp(-share * (second - ti.math.clamp(second, -limit, limit)))
        # V diag V⁻¹ from the cosine and sine of twice the angle of the first direction
        cosine, sine = 1.0, 0.0
        if radius > 0.0:
            cosine, sine = half / radius, uv / radius
        middle, apart = 0.5 * (by_first + by_second), 0.5 * (by_first - by_second)
        change = ti.Matrix([[middle + apart * cosine, apart * sine], [apart * sine, middle - apart * cosine]])
        flown = rest @ change
        squares, area = 0.5 * (flown * flown).sum(), ti.abs(flown.determinant())
        if squares < MOST_SLENDER * area:
            for row in ti.static(range(2)):
                for column in ti.static(range(2)):
                    parameters[p + 2 * row + column] = flown[row, column]


@ti.func
def flow_element(particles: ti.template(), constraints: ti.template(), i, p, given):
    """Let a tetrahedron have another rest shape: D_m⁻¹, its first nine parameters; whether it has."""
    limit, amount = given[0], given[1]
    positions = ti.static(particles.positions)
    indices, parameters = ti.static(constraints.indices, constraints.parameters)
    x0 = positions[indices[i]].xyz
    d1, d2 = positions[indices[i + 1]].xyz - x0, positions[indices[i + 2]].xyz - x0
    d3 = positions[indices[i + 3]].xyz - x0
    q1, q2, q3 = rest_rows(parameters, p)
    f1, f2, f3 = deformation(d1, d2, d3, q1, q2, q3)
    c11, c22, c33 = f1.dot(f1), f2.dot(f2), f3.dot(f3)
    c12, c13, c23 = f1.dot(f2), f1.dot(f3), f2.dot(f3)
    mean = (c11 + c22 + c33) / 3.0
    e1, e2, e3 = c11 - mean, c22 - mean, c33 - mean
    deviator = ti.sqrt(e1 * e1 + e2 * e2 + e3 * e3 + 2.0 * (c12 * c12 + c13 * c13 + c23 * c23))
    has_flown = False
    # the eigenvalues of C are within the deviator of their mean, so their logarithms are no farther apart than this;
    # C does not tell an inverted element from one that is not, and as it is would come to rest inverted
    if deviator > ti.tanh(1.5 * limit) * mean and f1.dot(f2.cross(f3)) > 0.0:
        squares, vectors = symmetric_eigen(ti.Matrix([[c11, c12, c13], [c12, c22, c23], [c13, c23, c33]]))
        logs = ti.Vector([0.0, 0.0, 0.0])
        for axis in ti.static(range(3)):
            logs[axis] = 0.5 * ti.log(ti.max(squares[axis], ti.exp(-2.0 * GREATEST_LOG)))
        logs -= logs.sum() / 3.0
        equivalent = ti.sqrt(2.0 / 3.0) * logs.norm()
        if equivalent > limit:
            taken = permanent_share(amount) * (1.0 - limit / equivalent)
            spread = ti.Matrix([[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
            for axis in ti.static(range(3)):
                spread[axis, axis] = ti.exp(-taken * logs[axis])
            rest = ti.Matrix.rows([q1, q2, q3])
            flown = rest @ (vectors @ spread @ vectors.transpose())
            size = ti.abs(flown.determinant()) ** (2.0 / 3.0)
            if (flown * flown).sum() < 3.0 * MOST_SLENDER * size:
                has_flown = True
                for row in ti.static(range(3)):
                    for column in ti.static(range(3)):
                        parameters[p + 3 * row + column] = flown[row, column]
    return has_flown


FLOWING_LENGTH = Flow(flow_length, (0,))
FLOWING_TRIANGLE = Flow(flow_triangle, (0, 1, 2, 3))
ELEMENT_COLUMNS = tuple(range(9))
FLOWING_ELEMENT = Flow(flow_element, ELEMENT_COLUMNS)
