# SPDX-License-Identifier: GPL-3.0-or-later
"""Every Taichi constraint, and the whole loop, against the NumPy reference."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.constraints import CONSTRAINTS
from tests.constraints.projection_kernel import projected
from tests.reference.scenes import INVERSE_MASSES, SHAPES, block_of, two_tetrahedra
from tests.reference.systems import Reference, constraints_of
from tests.reference.xpbd import solve
from tests.solver.scenes import cloth, creased, particles, pins, run, solver

pytestmark = pytest.mark.usefixtures("taichi_cpu")

# these solve for an elastic energy as a whole, see test_energies.py
# solved for as a whole; plate bending has its own reference in tests/constraints/bending/test_plate_bending.py
ENERGIES = {"neo_hookean", "corotated", "plate_bending"}
# a strand is solved for at once, by elimination, in both positions and orientations, which the reference does not have;
# see tests/constraints/test_all_constraints.py and tests/geometry/test_elimination.py, and test_strands.py for theory
WITH_ORIENTATIONS = {"rod", "rod_chains"}
# a patch is moved as if it were rigid, by other gradients than those of its values; see test_patch_attachment.py
AS_RIGID = {"patch_attachment"}


def test_the_reference_has_every_constraint():
    assert set(SHAPES) | ENERGIES | WITH_ORIENTATIONS | AS_RIGID == {kind.name for kind in CONSTRAINTS}


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("iterations", [1, 4])
@pytest.mark.parametrize(
    ("compliance", "damping", "pbd"), [(0.0, 0.0, False), (1e-2, 0.0, False), (1e-2, 0.3, False), (0.4, 0.0, True)]
)
def test_projection(name, iterations, compliance, damping, pbd):
    """Positions and multipliers after one and several iterations, compliant, damped and as PBD."""
    block, w, h = block_of(name, compliance), INVERSE_MASSES[: len(SHAPES[name])], 0.2
    random = np.random.default_rng(1)
    start = SHAPES[name] + random.normal(0.0, 0.05, SHAPES[name].shape)
    x = start + random.normal(0.0, 0.1, start.shape)
    got, got_multipliers = projected(block, x, w, 1.0 / h**2, iterations, pbd, start, damping)
    constraints = constraints_of(block, np.full(len(x), damping), start, h)
    expected = x.copy()
    multipliers = [np.zeros(len(c.function(x[c.particles])[0])) for c in constraints]
    before = [constraint.function(start[constraint.particles])[0] for constraint in constraints]
    for _ in range(iterations):
        for constraint, own, reached in zip(constraints, multipliers, before, strict=True):
            solve(constraint, own, expected, reached, w, h, pbd, start)
    np.testing.assert_allclose(got, expected, atol=3e-6)
    if not pbd:
        np.testing.assert_allclose(got_multipliers[0], sum(multipliers), rtol=1e-4, atol=1e-5)


def compare(simulation, frames, tolerance):
    """The solver and the reference, frame by frame."""
    reference = Reference(simulation.system)
    for _ in range(frames):
        got, expected = run(simulation, 1), reference.advance() + simulation.system.origin
        np.testing.assert_allclose(got, expected, atol=tolerance)
    assert np.abs(expected - simulation.system.positions - simulation.system.origin).max() > 100 * tolerance


@pytest.mark.parametrize(("substeps", "iterations"), [(1, 20), (5, 4), (20, 1)])
@pytest.mark.parametrize("compliance", [0.0, 1e-3])
def test_chain(substeps, iterations, compliance):
    count = 8
    points = [[0.1 * i, 0, 0] for i in range(count)]
    pairs = [[i, i + 1] for i in range(count - 1)]
    chain = particles(points, [0.0] + [0.3] * (count - 1), pairs, compliance, substeps=substeps, iterations=iterations)
    compare(chain, 12, 1e-4)


CLOTHS = {
    "XPBD": {},
    "drag": {"damping": 2.0},
    "wobble damping": {"internal_damping": 10.0},
    "flat folds": {"bending_stiffness": 1e-3},
    "springs over folds": {"bending_model": "DISTANCE", "bending_stiffness": 1e-2},
    "membrane": {"membrane_model": "ISOTROPIC"},
    "quadratic bending": {"bending_model": "ISOMETRIC", "bending_stiffness": 1e-3},
    "material damping": {"damping_time": 0.01},
    "soft under compression": {"compression_share": 0.2},
    "compliance": {"stiffness_input": "COMPLIANCE", "stretch_compliance": 1e-3},
}


def folded(body):
    """The body with a fold: it bends by its hinges, for plates have a reference of their own."""
    positions = creased(body)
    return replace(body, positions=positions, pins=pins(positions, body.pins.vertices))


@pytest.mark.slow
@pytest.mark.parametrize("kind", CLOTHS)
@pytest.mark.parametrize("iterations", [1, 3])
def test_cloth(kind, iterations):
    body = folded(cloth(5, pinned=[0, 4], **{"stretch_stiffness": 100.0, **CLOTHS[kind]}))
    compare(solver(body, substeps=5, iterations=iterations), 3, 1e-4)


@pytest.mark.parametrize("stiffness", [0.2, 1.0])
def test_cloth_in_pbd_mode(stiffness):
    body = cloth(5, pinned=[0, 4], pbd_stretch_stiffness=stiffness)
    compare(solver(body, substeps=4, iterations=3, solver_mode="PBD"), 6, 2e-4)


def test_cloth_with_a_pulled_corner_and_soft_pins():
    body = folded(cloth(4, stretch_stiffness=100.0))
    path = body.positions[None, [0, 3]] + np.linspace(0.0, 0.3, 8)[:, None, None] * [1.0, 0.0, 1.0]
    pinned = type(body.pins)(np.array([0, 3], np.int32), np.array([1.0, 0.5], np.float32), path)
    body = type(body)(**{**body.__dict__, "pins": pinned})
    compare(solver(body, frames=(1, 8), substeps=5), 7, 1e-4)


@pytest.mark.parametrize(
    "values", [{}, {"volume_compliance": 1e-9, "stretch_compliance": 1e-3, "stiffness_input": "COMPLIANCE"}]
)
@pytest.mark.parametrize("iterations", [1, 4])
def test_tetrahedra(values, iterations):
    body = two_tetrahedra(**{"solid_model": "SPRINGS", "youngs_modulus": 2e4, "stretch_compliance": 1e-4, **values})
    compare(solver(body, substeps=10, iterations=iterations), 6, 2e-4)
