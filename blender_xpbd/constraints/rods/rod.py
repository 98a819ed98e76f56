# SPDX-License-Identifier: GPL-3.0-or-later
"""A strand as an elastic rod: it resists stretch, bending and twist. U = ½ Σ EA/l (|e| − l)² + ½ Σ (EI κ² + GJ τ²)/l.

Each edge e has an orientation q, which turns the tangent at rest to e/|e| (Kugelstadt & Schömer 2016, "Position and
orientation based Cosserat rods", without shear). What an edge has turned relative to the one before it, since rest, is
a rotation, whose part along the strand is the twist τ. The moments that follow push the ends of the edges by couples
and turn the edges about themselves (Bergou et al. 2008, "Discrete elastic rods").

A strand is stiff against bending and hardly has inertia against twist. Projections of single joints, one after the
other, carry that over a few edges per substep, and a fine strand hangs as if it were soft. So a whole strand is one
constraint, and one system is solved for all of it at once (Deul et al. 2018, "Direct position-based solver for stiff
rods"), see ``rod_system``: a step of Newton's for moves that are implicit in bending and twist, for turns of the edges
about themselves, quasi-static, for waves of twist run through a strand in less than a substep, and for the multipliers
of all edges, XPBD (2016, eq. 18) with compliances l/EA. What bends one edge of a bend stretches the other and twists
what is before it: solved for one after the other, these would push the bend ever farther, or hold it where it is.
Lengths are then solved for again.

It is factorized in each substep, in the precision of what moves, see ``geometry.elimination``. No two rods share an
orientation, so the schedule needs to know of particles alone. In PBD mode rods are the same.
"""

import numpy as np
import numpy.typing as npt
import taichi as ti

from ..constraint import ConstraintBlock, ConstraintType
from ..pools import FIRST_EXTRA, FIRST_VALUE, POOLED_ROW
from ..scaling import Scaling
from .elimination_functions import factorize, substitute
from .rod_joints import bend_joints, carry_edges, clear_forces, push_ends
from .rod_system import (
    MOST_TAUTNESS,
    fill_matrix,
    is_too_taut,
    measure_strains,
    move_nodes,
    place_pulls,
    recall_tensions,
    tautness,
)
from .rod_tables import (
    AT_EDGE_VALUES,
    AT_EDGES,
    AT_MATRIX,
    AT_PATTERN,
    AT_SIDE,
    EDGE_HEAD,
    EDGE_INTS,
    EDGE_LENGTH,
    EDGE_TAIL,
    EDGE_VALUES,
    EDGES,
    ROWS,
)

# how often lengths are solved for at most, and the greatest strain at which they need no more
TENSION_PASSES = 3
LEAST_STRAIN = 1e-5


@ti.func
def project_rod(particles: ti.template(), constraints: ti.template(), i, p, m, step, mode: ti.template()):
    """Solve for one strand; arguments as in ``constraint``."""
    carry_edges(particles, constraints, i)
    clear_forces(particles, constraints, i, step, mode)
    bend_joints(particles, constraints, i, p, step, mode)
    push_ends(constraints, i, step)
    solve_moves(particles, constraints, i, p, step, mode)
    move_nodes(particles, constraints, i, mode)
    solve_lengths(particles, constraints, i, p, step, mode)


@ti.func
def solve_moves(particles: ti.template(), constraints: ti.template(), i, p, step, mode: ti.template()):
    """Moves and tensions of a strand.

    Edges pull along where they were when the substep began, as SHAKE does (Ryckaert, Ciccotti & Berendsen 1977), so a
    swing keeps its height. Where a strand is so taut that this would make its waves grow, edges pull along where they
    are and resist turns: by the tensions of the substep before, or where these were not like that, all is found anew.
    """
    indices, values = ti.static(constraints.indices, constraints.parameters)
    extras, first = indices[i + FIRST_EXTRA], indices[i + FIRST_VALUE]
    rows, pattern = indices[extras + ROWS], extras + indices[extras + AT_PATTERN]
    matrix, side = first + indices[extras + AT_MATRIX], first + indices[extras + AT_SIDE]
    recall_tensions(constraints, i, step)
    reckoned = tautness(particles, constraints, i)
    for attempt in range(2):
        if attempt == 0 or is_too_taut(tautness(particles, constraints, i), reckoned):
            is_taut = attempt == 1 or reckoned >= MOST_TAUTNESS
            place_pulls(particles, constraints, i, is_taut, step, mode)
            fill_matrix(particles, constraints, i, p, is_taut, step, mode)
            measure_strains(particles, constraints, i, p, 1.0, step, mode)
            factorize(indices, values, pattern, rows, matrix)
            substitute(indices, values, pattern, rows, matrix, side, 1)


@ti.func
def solve_lengths(particles: ti.template(), constraints: ti.template(), i, p, step, mode: ti.template()):
    """Give edges their lengths where they turned; the matrix is the same."""
    indices, values = ti.static(constraints.indices, constraints.parameters)
    extras, first = indices[i + FIRST_EXTRA], indices[i + FIRST_VALUE]
    rows, pattern = indices[extras + ROWS], extras + indices[extras + AT_PATTERN]
    matrix, side = first + indices[extras + AT_MATRIX], first + indices[extras + AT_SIDE]
    last = 1e30
    for _ in range(TENSION_PASSES - 1):
        error = measure_strains(particles, constraints, i, p, 0.0, step, mode)
        # passes that do not come closer would only come farther
        if error > LEAST_STRAIN and error < 0.5 * last:
            last = error
            substitute(indices, values, pattern, rows, matrix, side, 1)
            move_nodes(particles, constraints, i, mode)
        else:
            last = 0.0


def evaluate_rod(positions: npt.NDArray[np.float64], block: ConstraintBlock) -> npt.NDArray[np.float64]:
    """The greatest change of an edge's length in each strand [m], shape (constraints, 1)."""
    values = np.zeros((len(block), 1))
    if block.pools is None:
        raise ValueError("a rod without its pools")
    for number, row in enumerate(block.indices):
        extras, constants = block.pools.extras[row[FIRST_EXTRA] :], block.pools.values[row[FIRST_VALUE] :]
        count = int(extras[EDGES])
        edges = extras[extras[AT_EDGES] :][: count * EDGE_INTS].reshape(count, EDGE_INTS)
        lengths = constants[extras[AT_EDGE_VALUES] :][: count * EDGE_VALUES].reshape(count, EDGE_VALUES)[:, EDGE_LENGTH]
        points = positions[block.members(number)]
        ways = points[edges[:, EDGE_HEAD]] - points[edges[:, EDGE_TAIL]]
        values[number] = np.abs(np.linalg.norm(ways, axis=1) - lengths).max()
    return values


ROD = ConstraintType(
    name="rod",
    particle_count=POOLED_ROW,
    parameters=(
        "stiffness against bending relative to the one it was built with",
        "stiffness against twist, likewise",
        "compliance of stretch, likewise",
    ),
    multiplier_count=1,
    project=project_rod,
    evaluate=evaluate_rod,
    scales=(
        Scaling("youngs_modulus", 0, 1.0),
        Scaling("bending_share", 0, 1.0),
        Scaling("twist_stiffness", 1, 1.0),
        Scaling("youngs_modulus", 2, -1.0),
    ),
    nanoseconds=5000,
    is_real=True,
)
