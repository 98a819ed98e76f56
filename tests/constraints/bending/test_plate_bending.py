# SPDX-License-Identifier: GPL-3.0-or-later
"""Bending of a whole sheet is the exact implicit step, whatever moves, is held or is damped."""

import numpy as np
import pytest
from contact_cases.shapes import rotation

from blender_xpbd.constraints.bending.plate_bending import build_plate_bending, evaluate_plate_bending
from blender_xpbd.geometry.cholesky import SparseRows
from blender_xpbd.geometry.surface.rest_curvature import vertex_frames
from tests.constraints.bent_sheets import bent_sheet, equilateral_sheet, jittered, sheet_matrix
from tests.constraints.projection_kernel import projected

pytestmark = pytest.mark.usefixtures("taichi_cpu")

H = 0.25


def sheet(size=9):
    positions, triangles = equilateral_sheet(size)
    positions = jittered(positions)
    matrix = sheet_matrix(positions, triangles, 0.3)
    masses = np.random.default_rng(1).uniform(0.5, 2.0, len(positions))
    return positions, matrix, masses


def dense(matrix):
    result = np.zeros((len(matrix.starts) - 1,) * 2)
    result[matrix.rows, matrix.columns] = matrix.values
    return result


def step(matrix, masses, positions, previous, gamma=0.0):
    """(M + h² (1 + γ) B) Δx = −h² B (x + γ (x − x_previous)) for what has a mass."""
    free = masses > 0.0
    stiff = H * H * dense(matrix)
    force = -stiff @ (positions + gamma * (positions - previous))
    moved = positions.copy()
    system = np.diag(masses[free]) + (1.0 + gamma) * stiff[np.ix_(free, free)]
    moved[free] += np.linalg.solve(system, force[free])
    return moved


def inverse(masses):
    return np.divide(1.0, masses, out=np.zeros(len(masses)), where=masses > 0.0)


def disturbed(positions, seed=3):
    return positions + np.random.default_rng(seed).normal(0.0, 0.3, positions.shape)


@pytest.mark.parametrize("held", [0, 3])
@pytest.mark.parametrize("time", [0.0, 0.5])
def test_it_is_the_implicit_step(held, time):
    rest, matrix, masses = sheet()
    masses[:held] = 0.0
    block = build_plate_bending(rest, matrix, masses, H, time)
    positions, previous = disturbed(rest), disturbed(rest, 4)
    moved, _ = projected(block, positions, inverse(masses), 1.0 / H**2, previous=previous, damping=time, once=True)
    expected = step(matrix, masses, positions, previous, time / H)
    assert np.abs(expected - positions).max() > 0.1
    np.testing.assert_allclose(moved, expected, atol=3e-3)
    np.testing.assert_array_equal(moved[:held], positions[:held])


def tube(size=12):
    """A piece of a tube that curves along both axes: positions, B, masses and what its rest shape adds."""
    flat, triangles = equilateral_sheet(size)
    flat = jittered(flat)
    angle = flat[:, 0] / 8.0
    positions = np.stack([8.0 * np.sin(angle), flat[:, 1], 8.0 * np.cos(angle) - 0.02 * flat[:, 1] ** 2], axis=1)
    bending = bent_sheet(positions, triangles, 0.3)
    masses = np.random.default_rng(1).uniform(0.5, 2.0, len(positions))
    return positions, bending.matrix, masses, bending.rest


def turned(positions):
    return positions @ rotation(2, 0.7).T @ rotation(0, 2.0).T + np.array([1.0, 2.0, 3.0])


def test_what_rests_curved_rests_in_any_attitude():
    positions, matrix, masses, rest = tube()
    block = build_plate_bending(positions, matrix, masses, H, rest=rest)
    flat = build_plate_bending(positions, matrix, masses, H)
    for places in (positions, turned(positions)):
        assert evaluate_plate_bending(places, block).max() < 1e-12 < evaluate_plate_bending(places, flat).max()
        moved, _ = projected(block, places, inverse(masses), 1.0 / H**2)
        np.testing.assert_allclose(moved, places, atol=2e-5)
        assert np.abs(projected(flat, places, inverse(masses), 1.0 / H**2)[0] - places).max() > 1e-3


@pytest.mark.parametrize("held", [0, 3])
def test_a_shell_is_the_implicit_step_of_what_turns_with_it(held):
    positions, matrix, masses, rest = tube()
    masses[:held] = 0.0
    block = build_plate_bending(positions, matrix, masses, H, rest=rest)
    bent = turned(positions) + np.random.default_rng(3).normal(0.0, 0.05, positions.shape)
    frames = vertex_frames(bent, rest.stencils)[rest.vertices]
    push = np.zeros_like(bent)
    np.add.at(push, rest.particles, np.einsum("nij,nj->ni", frames, rest.forces))
    free, stiff = masses > 0.0, H * H * dense(matrix)
    expected = bent.copy()
    system = np.diag(masses[free]) + stiff[np.ix_(free, free)]
    expected[free] += np.linalg.solve(system, (H * H * push - stiff @ bent)[free])
    moved, _ = projected(block, bent, inverse(masses), 1.0 / H**2)
    np.testing.assert_allclose(moved, expected, atol=3e-4)
    assert np.abs(expected - bent).max() > 1e-2


def test_another_iteration_adds_nothing():
    """The first one solved for all: what it has given is kept, and not asked for again."""
    rest, matrix, masses = sheet()
    masses[:2] = 0.0
    block = build_plate_bending(rest, matrix, masses, H)
    positions = disturbed(rest)
    once, thrice = (projected(block, positions, inverse(masses), 1.0 / H**2, iterations=count)[0] for count in (1, 3))
    np.testing.assert_allclose(thrice, once, atol=3e-3)


def test_what_is_free_keeps_its_momentum():
    rest, matrix, masses = sheet(15)
    block = build_plate_bending(rest, matrix, masses, H)
    positions = disturbed(rest)
    moved, _ = projected(block, positions, inverse(masses), 1.0 / H**2)
    momentum = masses[:, None] * (moved - positions)
    assert np.abs(momentum.sum(axis=0)).max() < 1e-5 * np.abs(momentum).sum()
    assert np.abs(np.cross(positions, momentum).sum(axis=0)).max() < 1e-3 * np.abs(np.cross(positions, momentum)).sum()


def test_each_piece_is_a_constraint_and_still_ones_are_left_out():
    rest, matrix, masses = sheet(6)
    count = len(rest)
    rows = np.concatenate([matrix.rows + part * count for part in range(3)])
    columns = np.concatenate([matrix.columns + part * count for part in range(3)])
    three = SparseRows.summed(rows, columns, np.tile(matrix.values, 3), 3 * count)
    weights = np.concatenate([masses, np.zeros(count), masses])
    places = np.concatenate([rest + np.array([20.0 * part, 0.0, 0.0]) for part in range(3)])
    block = build_plate_bending(places, three, weights, H)
    assert len(block) == 2
    positions = np.concatenate([disturbed(rest)] * 3)
    moved, _ = projected(block, positions, inverse(weights), 1.0 / H**2)
    np.testing.assert_array_equal(moved[count : 2 * count], positions[count : 2 * count])
    np.testing.assert_allclose(moved[2 * count :], moved[:count], atol=1e-6)


def test_softer_cloth_bends_more_by_the_same_factor():
    """Long waves follow the stiffness of a frame; the factor is of the greatest."""
    rest, matrix, masses = sheet(15)
    bent = rest.copy()
    bent[:, 2] = 0.01 * rest[:, 0] ** 2
    moves = []
    for compliance in (1.0, 4.0):
        block = build_plate_bending(rest, matrix, masses, 0.01)
        block.parameters[:, -1] = compliance
        moves.append(projected(block, bent, inverse(masses), 1e4)[0] - bent)
    np.testing.assert_allclose(4.0 * moves[1], moves[0], atol=2e-2 * np.abs(moves[0]).max())


def test_a_sheet_without_bending_has_no_constraint():
    rest, matrix, masses = sheet(4)
    assert len(build_plate_bending(rest, matrix, 0.0 * masses, H)) == 0
