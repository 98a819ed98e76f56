# SPDX-License-Identifier: GPL-3.0-or-later
"""What holds for every constraint."""

import numpy as np
import pytest

from blender_xpbd.bodies.rods import Section, build_rods
from blender_xpbd.constraints import CONSTRAINTS
from blender_xpbd.constraints.attachments.attachment import LAG, build_attachment
from blender_xpbd.constraints.attachments.element_attachment import build_element_attachment
from blender_xpbd.constraints.attachments.element_link import build_element_link
from blender_xpbd.constraints.attachments.patch_attachment import build_patch_attachment
from blender_xpbd.constraints.bending.dihedral_bending import build_dihedral_bending
from blender_xpbd.constraints.bending.isometric_bending import build_isometric_bending
from blender_xpbd.constraints.bending.plate_bending import build_plate_bending
from blender_xpbd.constraints.corotated import build_corotated
from blender_xpbd.constraints.diagonal import build_diagonals
from blender_xpbd.constraints.distance import build_distance
from blender_xpbd.constraints.enclosed_volume import build_enclosed_volume
from blender_xpbd.constraints.membrane import build_membrane
from blender_xpbd.constraints.neo_hookean import build_neo_hookean
from blender_xpbd.constraints.shape_matching import build_shape_matching
from blender_xpbd.constraints.stitch import build_stitch
from blender_xpbd.constraints.tetrahedron_volume import build_tetrahedron_volume
from blender_xpbd.constraints.two_sided_distance import build_two_sided_distance
from tests.constraints.bent_sheets import strip_matrix
from tests.constraints.projection_kernel import projected

pytestmark = pytest.mark.usefixtures("taichi_cpu")

TETRAHEDRON = np.array([[0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.1, 1.1, 0.0], [0.2, 0.1, 0.9]])
REST = {
    # tests of compliance draw it out
    "diagonal": np.array([[0.0, 0.0, 0.0], [0.25, -0.9, -0.75]]),
    "distance": np.array([[0.0, 0.0, 0.0], [1.0, 0.5, -0.2]]),
    "attachment": np.array([[0.3, -0.2, 0.1], [0.3, -0.2, 0.1]]),
    "tetrahedron_volume": TETRAHEDRON,
    "dihedral_bending": np.array([[0.0, 0.0, 0.0], [0.0, 1.0, 0.1], [-0.9, 0.4, 0.3], [0.8, 0.6, 0.2]]),
    "two_sided_distance": np.array([[0.0, 0.0, 0.0], [1.0, 0.5, -0.2]]),
    "stitch": np.array([[0.3, -0.2, 0.1], [0.3, -0.2, 0.1]]),
    "membrane": np.array([[0.0, 0.0, 0.0], [1.0, 0.1, 0.2], [0.2, 0.9, -0.1]]),
    "neo_hookean": TETRAHEDRON,
    "corotated": TETRAHEDRON,
    # flat, in the plane z = 0.3 x − 0.1 y
    "isometric_bending": np.array([[0.0, 0.0, 0.0], [0.1, 1.0, -0.07], [-0.9, 0.4, -0.31], [0.8, 0.6, 0.18]]),
    # the points ¼ (sum of four) of two tetrahedra
    "element_attachment": np.array(
        [
            *([0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.1, 1.1, 0.0], [0.2, 0.1, 0.9]),
            *([0.3, 0.3, 0.3], [-0.7, 0.2, 0.1], [0.8, -0.3, 0.2], [0.9, 1.1, 0.3]),
        ]
    ),
    # two tetrahedra, ¼ of each corner
    "element_link": np.concatenate([TETRAHEDRON, TETRAHEDRON + np.array([-1.0, -1.0, 0.2])]),
    # an octahedron
    "enclosed_volume": np.array(
        [[1.0, 0, 0.1], [-1.0, 0, 0], [0, 1.1, 0], [0, -0.9, 0], [0.1, 0, 1.0], [0, 0.1, -1.0]]
    ),
    # flat, two by four in the plane z = 0.3 x
    "plate_bending": np.array([[x, y, 0.3 * x] for x in (0.0, 1.0, 2.2, 3.0) for y in (0.1 * x, 1.0)]),
    # a fork
    "rod": np.array([[0.0, 0, 0], [1.0, 0.1, 0], [1.6, 0.9, 0.2], [1.2, 1.6, 0.7], [1.9, -0.6, 0.3]]),
    # a curl
    "rod_chains": np.array([[0.0, 0, 0], [1.0, 0.1, 0], [1.6, 0.9, 0.2], [1.2, 1.6, 0.7], [0.3, 1.5, 1.1]]),
    # five particles, held at the middle of an edge
    "patch_attachment": np.array(
        [
            *([0, 0, 0], [1.0, 0, 0.1], [0.1, 0.9, 0], [0, 0.2, 1.2], [0.8, 0.7, 0.5]),
            *([0.2, 1.0, 0.7], [0.6, 1.4, 0.9]),
        ]
    ),
    "shape_matching": np.array([[0, 0, 0], [1.0, 0, 0.1], [0.1, 0.9, 0], [0, 0.2, 1.2], [0.8, 0.7, 0.5]]),
}
OCTAHEDRON = np.array(
    [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]], np.int32
)
QUARTERS = np.full((1, 4), 0.25)
INVERSE_MASSES = np.array([0.5, 2.0, 1.0, 0.7, 1.3, 0.9, 0.4, 1.1])


def patch(rest, _):
    """Five particles that are held at a point, and the middle of an edge there."""
    order, masses = np.arange(7, dtype=np.int32), 1.0 / INVERSE_MASSES[:5]
    point, halves = rest[5:].mean(axis=0), np.array([0.5, 0.5])
    return build_patch_attachment(order[:5], rest[:5], masses, point, order[5:], halves, 0.0)


CURL = np.array([[0, 1], [1, 2], [2, 3], [3, 4]], np.int32)
FORK = np.array([[0, 1], [1, 2], [2, 3], [1, 4]], np.int32)


def strand(rest, edges):
    """The constraint of a strand along edges."""
    section = Section(youngs_modulus=3.0, shear_modulus=1.0, bending_share=1.0, density=1.0)
    fixed = np.zeros(len(rest), np.bool_)
    rods = build_rods(rest, edges, np.full(len(rest), 0.5), section, fixed, straight=False)
    (block,) = rods.blocks(np.ones(len(rest)), 0)
    return block


# these solve for an elastic energy as a whole: the tests of rows of C are not for them, they have files of their own
ENERGIES = {
    "neo_hookean": lambda rest, order: build_neo_hookean(rest, order, 1.0, 0.3),
    "corotated": lambda rest, order: build_corotated(rest, order, 1.0, 0.3),
    # exact for rigid patches alone
    "patch_attachment": patch,
    "plate_bending": lambda rest, _: build_plate_bending(rest, strip_matrix(rest, 0.5), 1.0 / INVERSE_MASSES, 1.0),
    "rod": lambda rest, _: strand(rest, FORK),
    "rod_chains": lambda rest, _: strand(rest, CURL),
}
DISTANCES = {"diagonal": build_diagonals, "distance": build_distance}
# what it loses of a spin is given back, see ``solver.acts.spin``: its matrix is the same along all axes
LOSES_SPIN = {"rod", "rod_chains"}
# relative to the stiffness that it is built with
LEAST_COMPLIANCE = {"plate_bending": 1.0, "rod": 1.0, "rod_chains": 1.0}


def lag(name, weights, alpha_tilde, gamma=0.0):
    """How much of the change of C within the substep the force of a constraint does not feel yet."""
    hardness = (1.0 + gamma) * weights.sum() / (alpha_tilde + 1e-30)
    return LAG / (1.0 + hardness) if name == "attachment" else 0.0


def build(name, compliance=0.0):
    rest = REST[name]
    order = np.arange(len(rest), dtype=np.int32)[None]
    if name in DISTANCES:
        return DISTANCES[name](rest, order, compliance)
    if name in ENERGIES:
        block = ENERGIES[name](rest, order)
        block.parameters[:, -1] = max(compliance, LEAST_COMPLIANCE.get(name, 0.0))
        return block
    if name == "membrane":
        # of compliance 1 in every row
        block = build_membrane(rest, order, 1.0, 1.0, 1.0, 0.0, np.array([[0.5, -0.3, 0.9]]))
        block.parameters[:, -1] = compliance
        return block
    if name == "attachment":
        return build_attachment(order, np.array([compliance]))
    if name == "tetrahedron_volume":
        return build_tetrahedron_volume(rest, order, compliance)
    if name == "two_sided_distance":
        return build_two_sided_distance(rest, order, compliance, compliance)
    if name == "stitch":
        return build_stitch(order, closing_speed=1e6, greatest_force=1e30, compliance=compliance)
    if name == "isometric_bending":
        return build_isometric_bending(rest, order, compliance)
    if name.startswith("element_"):
        points = (order[:, :4], QUARTERS, order[:, 4:], QUARTERS)
        is_link = name == "element_link"
        return (
            build_element_link(rest, *points, None, compliance, compliance)
            if is_link
            else build_element_attachment(*points, compliance)
        )
    if name == "enclosed_volume":
        return build_enclosed_volume(rest, OCTAHEDRON, 1.0, compliance)
    if name == "shape_matching":
        return build_shape_matching(rest, 1.0 / INVERSE_MASSES[: len(rest)], [order[0]], compliance)
    return build_dihedral_bending(rest, order, compliance)


def gradient(block, positions, step=1e-6):
    """∇C by central differences, shape (rows, particles, 3)."""
    rows = []
    for particle in range(len(positions)):
        for axis in range(3):
            ahead, behind = positions.copy(), positions.copy()
            ahead[particle, axis] += step
            behind[particle, axis] -= step
            rows.append((block.type.evaluate(ahead, block)[0] - block.type.evaluate(behind, block)[0]) / (2 * step))
    return np.array(rows).T.reshape(-1, len(positions), 3)


def disturbed(name, size, seed=0):
    return REST[name] + np.random.default_rng(seed).normal(0.0, size, REST[name].shape)


def turned(positions):
    axis, angle = np.array([1.0, 2.0, 3.0]) / np.sqrt(14.0), 0.8
    cross = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    rotation = np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
    return positions @ rotation.T + [0.4, -0.3, 0.6]


# the quaternion of ``turned``
TURN = (np.cos(0.4), *(np.sin(0.4) * np.array([1.0, 2.0, 3.0]) / np.sqrt(14.0)))

every = pytest.mark.parametrize("name", [kind.name for kind in CONSTRAINTS])
every_with_rows = pytest.mark.parametrize("name", [kind.name for kind in CONSTRAINTS if kind.name not in ENERGIES])


def corrected(positions, weights, slope, force, alpha_tilde, factor=1.0):
    """Positions after x ← x − W ∇Cᵀ (factor ∇C W ∇Cᵀ + α̃)⁻¹ force."""
    matrix = factor * np.einsum("ria,i,sia->rs", slope, weights, slope) + alpha_tilde * np.eye(len(slope))
    return positions - weights[:, None] * np.einsum("r,ria->ia", np.linalg.solve(matrix, force), slope)


def test_every_constraint_is_tested():
    assert set(REST) == {kind.name for kind in CONSTRAINTS}


@pytest.mark.slow
@every
def test_rest_satisfies_the_constraint(name):
    block = build(name)
    assert np.abs(block.type.evaluate(REST[name], block)).max() < 1e-12
    moved, _ = projected(block, REST[name], INVERSE_MASSES[: len(REST[name])])
    np.testing.assert_allclose(moved, REST[name], atol=1e-6)


@every_with_rows
def test_correction_follows_the_gradient(name):
    """Δx = w ∇C Δλ with (Σ w ∇C∇Cᵀ + α̃) Δλ = −C, against finite differences."""
    block, weights = build(name, 0.3), INVERSE_MASSES[: len(REST[name])]
    positions = disturbed(name, 0.1)
    value, slope = block.type.evaluate(positions, block)[0], gradient(block, positions)
    expected = corrected(positions, weights, slope, value, 0.3, 1.0 - lag(name, weights, 0.3))
    moved, _ = projected(block, positions, weights)
    np.testing.assert_allclose(moved, expected, atol=3e-6)


@every
def test_internal_forces_keep_momentum(name):
    """Σ ∇C = 0: no net force; Σ x × ∇C = 0: no net torque."""
    block, weights = build(name), INVERSE_MASSES[: len(REST[name])]
    positions = disturbed(name, 0.1, 1)
    moved, _ = projected(block, positions, weights)
    impulse = (moved - positions) / weights[:, None]
    assert np.abs(impulse).max() > 1e-3
    np.testing.assert_allclose(impulse.sum(axis=0), 0.0, atol=1e-5)
    if name not in LOSES_SPIN:
        np.testing.assert_allclose(np.cross(positions, impulse).sum(axis=0), 0.0, atol=1e-5)


@every
def test_moves_with_the_frame_of_reference(name):
    block, weights = build(name, 0.1), INVERSE_MASSES[: len(REST[name])]
    positions = disturbed(name, 0.1, 2)
    moved, _ = projected(block, positions, weights)
    elsewhere, _ = projected(block, turned(positions), weights, turn=TURN)
    np.testing.assert_allclose(elsewhere, turned(moved), atol=3e-6)


@every
def test_fixed_particles_stay(name):
    block = build(name)
    weights = INVERSE_MASSES[: len(REST[name])].copy()
    weights[0] = 0.0
    positions = disturbed(name, 0.1, 3)
    moved, _ = projected(block, positions, weights)
    np.testing.assert_array_equal(moved[0], positions[0])
    assert np.abs(moved - positions)[1:].max() > 1e-3


@every_with_rows
@pytest.mark.parametrize("compliance", [0.0, 1e-3, 10.0])
def test_fixed_point_balances_multiplier_and_violation(name, compliance):
    """After many iterations C + α̃ λ = 0 (XPBD 2016, eq. 9)."""
    block, weights = build(name, compliance), INVERSE_MASSES[: len(REST[name])]
    positions = disturbed(name, 0.05, 4)
    moved, multipliers = projected(block, positions, weights, iterations=200)
    value, before = (block.type.evaluate(places, block) for places in (moved, positions))
    residual = value - lag(name, weights, compliance) * (value - before) + compliance * multipliers
    assert np.abs(residual).max() < 1e-5 * max(1.0, np.abs(block.type.evaluate(positions, block)).max())


@every_with_rows
def test_pbd_takes_its_share(name):
    """The residual of a linear constraint after one projection is (1 − k) C (PBD 2007)."""
    block, weights = build(name, 0.25), INVERSE_MASSES[: len(REST[name])]
    positions = disturbed(name, 1e-3, 5)
    before = block.type.evaluate(positions, block)
    moved, _ = projected(block, positions, weights, pbd=True)
    np.testing.assert_allclose(block.type.evaluate(moved, block), 0.75 * before, rtol=0.01, atol=2e-7)


@every
@pytest.mark.parametrize("shape", ["point", "line", "plane"])
@pytest.mark.parametrize("pbd", [False, True])
def test_degenerate_positions_stay_finite(name, shape, pbd):
    positions = disturbed(name, 0.1, 6)
    positions[:, {"point": slice(0, 3), "line": slice(1, 3), "plane": slice(2, 3)}[shape]] = 0.0
    moved, multipliers = projected(build(name), positions, INVERSE_MASSES[: len(positions)], iterations=3, pbd=pbd)
    assert np.isfinite(moved).all()
    assert np.isfinite(multipliers).all()


@every
def test_all_fixed_stays_finite(name):
    positions = disturbed(name, 0.1, 7)
    moved, _ = projected(build(name), positions, np.zeros(len(positions)), iterations=3)
    np.testing.assert_array_equal(moved, positions)


@every_with_rows
def test_damping_resists_the_change_of_the_constraint(name):
    """Δλ = (−C − γ (C − C_before)) / ((1 + γ) Σ w|∇C|² + α̃), γ = τ/h (XPBD 2016, eq. 26)."""
    block, weights = build(name, 0.3), INVERSE_MASSES[: len(REST[name])]
    positions, previous = disturbed(name, 0.1, 8), disturbed(name, 0.1, 9)
    value, before = (block.type.evaluate(places, block)[0] for places in (positions, previous))
    slope, inverse_h2, gamma = gradient(block, positions), 4.0, 0.5 * 2.0
    late = lag(name, weights, 0.3 * inverse_h2, gamma)
    felt = value - late * (value - before)
    force = felt + gamma * (felt - before)
    expected = corrected(positions, weights, slope, force, 0.3 * inverse_h2, (1.0 + gamma) * (1.0 - late))
    moved, _ = projected(block, positions, weights, inverse_h2, previous=previous, damping=0.5)
    np.testing.assert_allclose(moved, expected, atol=3e-6)
