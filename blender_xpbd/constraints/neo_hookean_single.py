# SPDX-License-Identifier: GPL-3.0-or-later
"""Stable neo-Hookean tetrahedra projected once per substep: half the work of ``neo_hookean``, the same solid.

Where a substep has a single iteration nothing need be found but one good impulse. It is derived from the implicit step
of one tetrahedron in the space of its F: an impulse −β P qᵢ on every corner, β = μ V h², moves F by −β P A with
A = Σ wᵢ qᵢ qᵢᵀ over the four corners, so the stress at the end of the step (over μ, to first order) is

    P = (1 + β A H)⁻¹ P₀,    P₀ = F + (r s − 1) n,    n = cof F,  s = det F − 1,  r = λ̂/μ

with the Hessian H = 1 + r n⊗n + (r s − 1) ∂n/∂F. Two approximations make that scalar:

- A ≈ a = tr A / 3, exact for a regular tetrahedron of equal masses. Stiff elements whose corners differ in mass, as
  those of cut cells do, would overstep: so 1 + β a κ is never below β κ times a share of the greatest eigenvalue A₁ of
  A, which only counts where β κ is large. It is 0.8 where masses are equal (A₁ = 3a/2), for with 0.7 and less they
  explode. Where one corner is much lighter than the others (A₁ → 3a), the steps along n and across it move that corner
  the same way, together by up to 1/share of what is wanted. A share of 0.8 is stable from nothing, for a residual above
  −1/3 of the load is, but not with a warm start, which gives what was overstepped again: a body at rest that nothing
  touches then flutters in such corners. So the share grows with A₁/a, the more the smaller r is;
- H has one curvature along n and one across it. Along n, r n·n and the rest's (1 − 2) at F = 1, spread as −n·n/3,
  and as det F departs from 1 up to |r s| |∂n/∂F|. Across n, 1 + |r s − 1| |∂n/∂F|, with the r s that the step along n
  leaves, and never below that of rest, which is 2. The eigenvalues of ∂n/∂F are as large as the stretches, √(F:F/3);
  those of either sign count as positive, so steps rather stop short of the minimum.

So P₀ is split into the part along n and the part across it, and each is divided by 1 + β a κ. Both are combinations
of F and cof F, hence free of torque. At rest both vanish, so a body without load has its volume at every substep; and
for a small strain of a regular tetrahedron this is the whole implicit step, as in ``neo_hookean``. That one finds
besides the curvature along the very impulse, which a single iteration does not need.

A single sweep over a stiff body leaves it too soft: what one tetrahedron takes up its neighbours have not yet felt,
and the next substep begins anew from nothing. In a **warm start** it begins where the last one ended: a tetrahedron
keeps the impulse Σ = β P it gave, and γ Σ is given again with the next prediction, before any projection; then the
projection is of what is missing, P₀ − γ Σ/β, and Σ ← γ Σ + (what it gives): no load is borne twice.

A projection leaves ρ = β a κ/(1 + β a κ) of a load undone; what is given is in the mean γ ρ/(1 − γ ρ) substeps old.
Σ does not turn with the body, and forces of a turning body that lag by more than one substep speed up its rotation
(a plain projection slows it down); a mode of vibration alone is stable up to γ ρ = 1/2 too. So γ ρ is a little less
than that, and γ below 1. Along n, where κ is larger, it is another γ than across. Both fade out where β a κ is so large
that neighbours hold an element more than its own mass does.

Euler's step takes ω² h/2 per time from a swing of the frequency ω, for velocities feel forces as they are at the end of
the substep. A force that lags by L substeps gives ω² L h/2 back. A warm start lags by L = γ ρ/(1 − γ ρ): nearly a
substep where elements are hard, and hardly where they are soft, which would rebound too low. So the impulse
θ (Σ_before − Σ) is given with the next prediction besides. That is as if the share θ of each force moved velocities a
substep later. L + θ is ``LAG`` in elements in which L is not more. At rest nothing is given. A mode of vibration is
stable up to L + θ = 1, whatever its frequency and ρ.

Nothing is given of what changes by less than a *still rate* per second, along n by less than r times that, and that
much less of what is more: friction keeps a body that sticks on a slope vibrating, and without Euler's damping of that
it would creep. Along n slow strain changes the stress r times as fast. What pins or a goal hold does not creep, and
is to jiggle: there the rate is 0. It is a parameter of each tetrahedron.

The pull of a vanishing element fades, see ``neo_hookean``.
"""

import numpy as np
import numpy.typing as npt
import taichi as ti

from .constraint import SMALL, WARM, ConstraintBlock, SideBySide, WarmStart, moved
from .side_by_side import LANES, matrix, number, put_matrix
from .tetrahedron_element import deformation, pulls

# share of (F:F)² − 3 n·n ≥ 0, which is 0 for equal stretches, that keeps the split defined for an element like a line;
# chosen by hand
LINE_SHARE = 1e-3
# where r, the mobilities and the compliance are among the parameters, and how many there are; the still rate stands
# before the compliance
RATIO, MOBILITY, COMPLIANCE, COLUMNS = 9, 10, 13, 14
# how much of the greatest one counts at least: of equal masses, and how much more of a single light corner, which is a
# sum of one part and one per r. Chosen by trying, see docs/experiments.md, Corners that flutter
GREATEST_SHARE = 0.8
LIGHT_SHARE, LIGHT_SHARE_PER_RATIO = 0.4, 0.3
# A₁/a of equal masses, and how much more of a single light corner
EVEN, UNEVEN = 1.5, 1.5
# γ ρ, a little below the ½ that speeds up rotations, and the greatest γ, below 1; chosen by hand. A γ of 0.9 whatever
# the stiffness was not stable (docs/experiments.md, Jelly)
WARM_SHARE = 0.48
GREATEST_WARMTH = 0.95
# of velocities behind forces [substeps]; chosen by hand: docs/experiments.md, Forces that velocities feel later
LAG = 0.8
# rate of strain up to which no force is given later [1/s] where nothing holds a body: so what hardly moves is damped,
# comes to rest and sticks
STILL_RATE = 2.0
# β a κ from which γ fades, and where it is 0: across n, and along it. Chosen by hand: what has faded is too soft,
# as the arm of 6 cells at 20 substeps (docs/experiments.md, Jelly)
SHAPE_FADES, SHAPE_COLD = 2.0, 6.0
VOLUME_FADES, VOLUME_COLD = 6.0, 20.0


@ti.func
def project_neo_hookean_once(particles: ti.template(), constraints: ti.template(), i, p, m, step, mode: ti.template()):
    """Project one tetrahedron of ``NEO_HOOKEAN`` in XPBD mode; arguments as in ``constraint`` and ``WarmStart``.

    Without WARM neither corrections nor impulses are touched.
    """
    # a share of the impulse is kept where multipliers would be
    impulses, parameters = ti.static(constraints.lagrange_multipliers, constraints.parameters)
    rest = ti.Matrix([[parameters[p + 3 * row + axis] for axis in ti.static(range(3))] for row in ti.static(range(3))])
    material = ti.Vector([parameters[p + RATIO + n] for n in ti.static(range(5))])
    kept = ti.Matrix.zero(ti.f32, 3, 3)
    if ti.static(mode & WARM):
        for row, axis in ti.static(ti.ndrange(3, 3)):
            kept[row, axis] = single(impulses[m + 3 * row + axis] * material[1])
    pull, kept, begin = _solve(_edges(particles, constraints, i), rest, material, kept, single(step[0]), mode)
    per_mobility = 1.0 / ti.cast(material[1], float)
    _move(particles, constraints, i, pull, begin, per_mobility, mode)
    if ti.static(mode & WARM):
        for row, axis in ti.static(ti.ndrange(3, 3)):
            impulses[m + 3 * row + axis] = per_mobility * kept[row, axis]


@ti.func
def project_side_by_side(
    particles: ti.template(), constraints: ti.template(), first, slots: ti.template(), count, step, mode: ti.template()
):
    """Project ``count`` tetrahedra as ``project_neo_hookean_once`` does; arguments as in ``SideBySide``."""
    impulses, parameters = ti.static(constraints.lagrange_multipliers, constraints.parameters)
    # edges, and then the pulls
    shape, rest = ti.Vector.zero(ti.f32, 9 * LANES), ti.Vector.zero(ti.f32, COLUMNS * LANES)
    kept, begin = ti.Vector.zero(ti.f32, 9 * LANES), ti.Vector.zero(ti.f32, 9 * LANES)
    for lane in range(LANES):
        k = ti.min(lane, count - 1)
        put_matrix(shape, 0, lane, _edges(particles, constraints, first[0] + 4 * k))
        for column in ti.static(range(COLUMNS)):
            rest[column * LANES + lane] = parameters[first[1] + COLUMNS * k + column]
        if ti.static(mode & WARM):
            for n in ti.static(range(9)):
                kept[n * LANES + lane] = single(impulses[first[2] + slots * k + n] * number(rest, MOBILITY, lane))
    inverse_square = single(step[0])
    for lane in range(LANES):
        edges, before = matrix(shape, 0, lane), matrix(kept, 0, lane)
        material = ti.Vector([number(rest, RATIO + n, lane) for n in ti.static(range(5))])
        pull, after, start = _solve(edges, matrix(rest, 0, lane), material, before, inverse_square, mode)
        put_matrix(shape, 0, lane, pull)
        if ti.static(mode & WARM):
            put_matrix(kept, 0, lane, after)
            put_matrix(begin, 0, lane, start)
    for lane in range(count):
        pull, start = matrix(shape, 0, lane), matrix(begin, 0, lane)
        per_mobility = 1.0 / ti.cast(number(rest, MOBILITY, lane), float)
        _move(particles, constraints, first[0] + 4 * lane, pull, start, per_mobility, mode)
        if ti.static(mode & WARM):
            for n in ti.static(range(9)):
                impulses[first[2] + slots * lane + n] = per_mobility * kept[n * LANES + lane]


@ti.func
def single(value):
    """In single precision."""
    return ti.cast(value, ti.f32)


@ti.func
def _edges(particles: ti.template(), constraints: ti.template(), i):
    """From the first corner of a tetrahedron to the others [m], by rows."""
    positions, indices = ti.static(particles.positions, constraints.indices)
    x = positions[indices[i]].xyz
    edges = [single(positions[indices[i + corner]].xyz - x) for corner in ti.static(range(1, 4))]
    return ti.Matrix.rows(edges)


@ti.func
def _move(particles: ti.template(), constraints: ti.template(), i, pull, begin, per_mobility, mode: ti.template()):
    """Move the corners by an impulse, and note by how much further on they are to begin; pulls are times the mobility.

    They are added up in the precision of the positions: so momentum is kept to that.
    """
    positions, indices = ti.static(particles.positions, constraints.indices)
    given, begins = _of_corners(ti.cast(pull, float)), _of_corners(ti.cast(begin, float))
    for corner in ti.static(range(4)):
        k = indices[i + corner]
        x = positions[k]
        positions[k] = moved(x, per_mobility * given[corner, :])
        if ti.static(mode & WARM):
            _add(particles, k, (per_mobility * x[3]) * begins[corner, :])


@ti.func
def _of_corners(pull):
    """Pulls of all corners by rows, of those at the corners 1, 2, 3."""
    g1, g2, g3 = pull[0, :], pull[1, :], pull[2, :]
    return ti.Matrix.rows([g1 + g2 + g3, -g1, -g2, -g3])


@ti.func
def _solve(edges, rest, material, kept, inverse_square, mode: ti.template()):
    """The impulse of one tetrahedron, see the module's text; numbers alone, so that a loop over lanes may call it.

    All is in single precision, in which the rest shape is, too: so strains are right to 1e-7. Impulses are times the
    mobility, so that none is too small for it, however small or light a body is.

    Args:
        edges: from the first corner to the others [m], by rows.
        rest: q₁, q₂, q₃ [1/m], by rows.
        material: r, the mobilities, the still rate and the compliance.
        kept: γ Σ times the mobility, by its columns, as rows; 0 without WARM.
        inverse_square: 1/h² [1/s²].
        mode: as in ``constraint``.

    Returns:
        The pulls at the corners 1, 2, 3, by rows; then what is to be kept, and the pulls by which the next substep
        begins further on, which without WARM mean nothing. All are times the mobility.
    """
    one, small = single(1.0), single(SMALL)
    q1, q2, q3 = rest[0, :], rest[1, :], rest[2, :]
    # α̃ and the least mobility are per mobility
    ratio, least = material[0], material[2] / material[1]
    alpha_tilde = material[4] * (inverse_square / material[1]) + small
    f1, f2, f3 = deformation(edges[0, :], edges[1, :], edges[2, :], q1, q2, q3)
    n1, n2, n3 = f2.cross(f3), f3.cross(f1), f1.cross(f2)
    swelling = f1.dot(n1) - one
    squares = f1.dot(f1) + f2.dot(f2) + f3.dot(f3)
    area = n1.dot(n1) + n2.dot(n2) + n3.dot(n3)
    line = ti.max(squares * squares - single(3.0) * area, single(0.0))
    fading = ti.min(squares, one)
    # d is times ``fading``, which is done at the end unless something is added to it before
    d1, d2, d3 = f1, f2, f3
    along = fading * single(3.0) * (swelling + one)
    pressure = ratio * swelling - one
    s1, s2, s3 = kept[0, :], kept[1, :], kept[2, :]
    before1, before2, before3 = s1, s2, s3
    if ti.static(mode & WARM):
        d1, d2, d3 = fading * f1 - alpha_tilde * s1, fading * f2 - alpha_tilde * s2, fading * f3 - alpha_tilde * s3
        along = d1.dot(n1) + d2.dot(n2) + d3.dot(n3)
    per_split = one / (area + single(LINE_SHARE) * line + small)
    along *= per_split
    pressure += along
    stretch = ti.sqrt(squares * single(1.0 / 3.0))
    curvature = (ratio - single(1.0 / 3.0)) * area + ratio * ti.abs(swelling) * stretch
    hardness = ti.max(alpha_tilde + curvature, least * curvature)
    by_volume = one / hardness
    left = ti.abs(ratio * swelling * alpha_tilde * by_volume - one)
    curvature = one + stretch * ti.max(left, one)
    by_shape = one / ti.max(alpha_tilde + curvature, least * curvature)
    of_n = by_volume * pressure - by_shape * along
    if ti.static(not mode & WARM):
        by_shape *= fading
    d1, d2, d3 = by_shape * d1 + of_n * n1, by_shape * d2 + of_n * n2, by_shape * d3 + of_n * n3
    g1, g2, g3 = pulls(d1, d2, d3, q1, q2, q3)
    b1, b2, b3 = g1, g2, g3
    if ti.static(mode & WARM):
        s1, s2, s3 = s1 + d1, s2 + d2, s3 + d3
        per_alpha = one / alpha_tilde
        curvature = single(2.0) * per_alpha
        stiffness = ti.max(curvature, least * curvature - one)
        faded = _faded(stiffness, SHAPE_FADES, SHAPE_COLD)
        shape, later = _warmth(stiffness) * faded, _later(stiffness)
        # rounding must not make it less than nothing, where jelly is so soft that it hardly has any
        stiffness = ti.max(hardness * per_alpha - one, single(0.0))
        volume = _warmth(stiffness) * _faded(stiffness, VOLUME_FADES, VOLUME_COLD) * faded
        # Σ_before − Σ, where it is asked for γ is the greatest one
        w = single(1.0 / GREATEST_WARMTH)
        l1, l2, l3 = w * before1 - s1, w * before2 - s2, w * before3 - s3
        along = (volume - shape) * (s1.dot(n1) + s2.dot(n2) + s3.dot(n3)) * per_split
        s1, s2, s3 = shape * s1 + along * n1, shape * s2 + along * n2, shape * s3 + along * n3
        # those along n, of which as fast strain makes so many times more
        along = (l1.dot(n1) + l2.dot(n2) + l3.dot(n3)) * per_split
        volume_change = along * along * area
        shape_change = ti.sqrt(ti.max(l1.dot(l1) + l2.dot(l2) + l3.dot(l3) - volume_change, single(0.0)))
        per_h = alpha_tilde * ti.sqrt(inverse_square)
        later *= ti.max(one - material[3] / (per_h * shape_change + small), single(0.0))
        least_change = material[3] * ti.max(ratio, one)
        of_volume = _later(stiffness) * ti.max(
            one - least_change / (per_h * ti.sqrt(volume_change) + small), single(0.0)
        )
        along *= of_volume - later
        b1, b2, b3 = s1 + later * l1 + along * n1, s2 + later * l2 + along * n2, s3 + later * l3 + along * n3
        b1, b2, b3 = pulls(b1, b2, b3, q1, q2, q3)
    return ti.Matrix.rows([g1, g2, g3]), ti.Matrix.rows([s1, s2, s3]), ti.Matrix.rows([b1, b2, b3])


@ti.func
def _warmth(stiffness):
    """γ for a stiffness β a κ."""
    return ti.min(
        single(WARM_SHARE) * (single(1.0) + single(1.0) / (stiffness + single(SMALL))), single(GREATEST_WARMTH)
    )


@ti.func
def _later(stiffness):
    """θ for a stiffness β a κ: what γ ρ/(1 − γ ρ) leaves of ``LAG`` with the greatest γ, from 1 on less than 0."""
    lag = single(GREATEST_WARMTH) * stiffness / (single(1.0) + single(1.0 - GREATEST_WARMTH) * stiffness)
    return ti.max(single(LAG) - lag, single(0.0))


@ti.func
def _faded(stiffness, fades: ti.template(), cold: ti.template()):
    """1 up to a stiffness of ``fades``, 0 from ``cold`` on."""
    share = (single(cold) - stiffness) * single(1.0 / (cold - fades))
    return ti.max(ti.min(share, single(1.0)), single(0.0))


@ti.func
def _add(particles: ti.template(), i, move):
    # no +=: that is atomic in a parallel loop, sixteen of them took as long as the whole projection
    particles.corrections[i] = particles.corrections[i] + ti.Vector([move[0], move[1], move[2], 0.0])


@ti.func
def least_mobility(mean, greatest, ratio):
    """The mobility that counts at least, from the mean and the greatest one [1/(kg·m²)] and r, in a kernel."""
    uneven = ti.max(ti.min((greatest / (mean + SMALL) - EVEN) / UNEVEN, 1.0), 0.0)
    return (GREATEST_SHARE + (LIGHT_SHARE + LIGHT_SHARE_PER_RATIO / ratio) * ti.sqrt(uneven)) * greatest


def with_mobilities(block: ConstraintBlock, inverse_masses: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Parameters with the mobilities [1/(kg·m²)] of each tetrahedron, see the module's text."""
    rows = block.parameters[:, :9].reshape(-1, 3, 3)
    rows = np.concatenate([-rows.sum(axis=1, keepdims=True), rows], axis=1)
    mobilities = np.linalg.eigvalsh(np.einsum("tc,tci,tcj->tij", inverse_masses[block.indices], rows, rows))
    parameters = block.parameters.copy()
    mean, greatest = mobilities.mean(axis=1), mobilities[:, 2]
    # as ``least_mobility``
    uneven = np.clip((greatest / (mean + SMALL) - EVEN) / UNEVEN, 0.0, 1.0)
    light = LIGHT_SHARE + LIGHT_SHARE_PER_RATIO / parameters[:, RATIO]
    # impulses are divided by it, also where nothing moves
    parameters[:, MOBILITY] = np.where(mean > 0.0, mean, 1.0)
    parameters[:, MOBILITY + 1] = (GREATEST_SHARE + light * np.sqrt(uneven)) * greatest
    return parameters


def hardness(block: ConstraintBlock, h: float) -> tuple[float, float]:
    """β a κ at rest of the stiffer tetrahedra (the upper quartile), across n and along it, as ``WarmStart``."""
    mobility, ratio = block.parameters[:, MOBILITY], block.parameters[:, RATIO]
    share = h**2 * mobility / block.parameters[:, -1]
    # κ as in the projection: 2 across n, and (r − 1/3) n·n along it
    return float(np.quantile(2.0 * share, 0.75)), float(np.quantile((3.0 * ratio - 1.0) * share, 0.75))


WARM_START = WarmStart(project=project_neo_hookean_once, slots=9, hardness=hardness)
SIDE_BY_SIDE = SideBySide(project_side_by_side)
