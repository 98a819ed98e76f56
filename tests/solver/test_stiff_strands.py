# SPDX-License-Identifier: GPL-3.0-or-later
"""Steel wires of 2 mm in segments of 1 cm, at 10 substeps: bends, coils and what meets a floor stays whole."""

from itertools import pairwise

import numpy as np
import pytest

from blender_xpbd.device.arrays import read_array
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.system.system import build_system
from tests.solver.scenes import GRAVITY, plane, scene
from tests.solver.strands import STEEL, line, strand

pytestmark = pytest.mark.usefixtures("taichi_cpu")

FRAME = 1.0 / 24.0


def bent(*corners):
    """Points every centimetre along straight ways."""
    ways = [(start, np.subtract(end, start)) for start, end in pairwise(corners)]
    parts = [line(1 + round(np.linalg.norm(way) / 0.01), np.linalg.norm(way), way, start) for start, way in ways]
    return np.concatenate([parts[0], *(part[1:] for part in parts[1:])])


def zigzag(height):
    return bent(*((0.05 * k, 0.05 * (k % 2), height) for k in range(8)))


def coil():
    share = np.linspace(0.0, 1.0, 150)
    angle = 30.0 * np.pi * share
    return np.stack([0.015 * np.cos(angle), 0.015 * np.sin(angle), 1.0 - 0.15 * share], axis=1)


def run(points, pinned=(), floor=False, frames=36):
    """Places at each frame, and velocities at the last."""
    wire = strand(points, pinned=pinned, radius=0.001, **STEEL)
    solver = Solver(build_system(scene(wire, colliders=(plane(),) if floor else (), substeps=10)))
    places = []
    for _ in range(frames):
        solver.advance()
        places.append(solver.positions()[: len(points)] + solver.system.origin)
    return np.array(places), read_array(solver._state.particles.velocities)[: len(points), :3]


def strain(points, places):
    lengths = [np.linalg.norm(np.diff(p, axis=-2), axis=-1) for p in (points, places)]
    return np.abs(lengths[1] / lengths[0] - 1.0).max()


ANGLE = bent((0.0, 0.0, 1.0), (0.3, 0.0, 1.0), (0.3, 0.3, 1.0))
IN_THE_AIR = {
    "a right angle on a hinge": (ANGLE, (0,)),
    "a right angle that hangs": (bent((0.0, 0.0, 1.0), (0.0, 0.0, 0.8), (0.2, 0.0, 0.8)), (0,)),
    "a right angle in a clamp": (ANGLE, (0, 1)),
    "a zigzag between two pins": (zigzag(1.0), (0, len(zigzag(1.0)) - 1)),
    "a dense coil in a clamp": (coil(), (0, 1)),
}


@pytest.mark.parametrize(("points", "pinned"), IN_THE_AIR.values(), ids=IN_THE_AIR)
def test_a_bent_wire_keeps_its_lengths_and_gains_no_energy(points, pinned):
    places, velocities = run(points, pinned)
    assert strain(points, places) < 1e-3
    fallen = (points[:, 2] - places[-1, :, 2]).sum()
    assert 0.5 * (velocities**2).sum() < GRAVITY * max(fallen, 0.0) + 0.05 * GRAVITY * len(points) * 0.01


ON_A_FLOOR = {
    "a straight wire aslant": bent((0.0, 0.0, 0.2), (0.57, 0.0, 0.38)),
    "a level right angle": ANGLE - [0.0, 0.0, 0.9],
    "a zigzag": zigzag(0.2),
}


@pytest.mark.slow
@pytest.mark.parametrize("points", ON_A_FLOOR.values(), ids=ON_A_FLOOR)
def test_a_wire_comes_to_rest_on_a_floor(points):
    places, velocities = run(points, floor=True)
    assert np.abs(velocities).max() < 1e-3
    # friction comes after the strand in each substep, and keeps what it has stretched
    assert strain(points, places[-1:]) < 1e-2
    assert places[-1, :, 2].min() > 0.0


def test_a_hinged_right_angle_falls_as_a_rigid_body():
    """Its far half turns with the near one, which turns about itself: both at once, or the corner holds it up."""
    places, _ = run(ANGLE, (0,), frames=2)
    arms = ANGLE[1:] - ANGLE[0]
    masses = np.full(len(arms), 1.0)
    masses[-1] = 0.5
    inertia = sum(m * (r @ r * np.eye(3) - np.outer(r, r)) for m, r in zip(masses, arms, strict=True))
    centre = masses @ arms / masses.sum()
    turn = np.linalg.solve(inertia, np.cross(centre, [0.0, 0.0, -GRAVITY]) * masses.sum())
    t = 2.0 * FRAME
    expected = 0.5 * t**2 * np.cross(turn, centre)[2]
    fallen = masses @ (places[-1, 1:, 2] - ANGLE[1:, 2]) / masses.sum()
    assert fallen == pytest.approx(expected, rel=0.03)


@pytest.mark.parametrize("is_closed", [False, True], ids=["a chain", "a ring"])
def test_a_taut_wire_goes_on_from_a_checkpoint_with_the_same_bytes(is_closed):
    """How taut it was is remembered within a frame alone, for no checkpoint has it."""
    numbers = np.arange(12)
    angles = 2.0 * np.pi * numbers / 12
    ring = 0.02 * np.column_stack([np.cos(angles), np.sin(angles), np.zeros(12)])
    points, edges = (ring, np.column_stack([numbers, np.roll(numbers, -1)])) if is_closed else (line(12, 0.11), None)
    wire = strand(points, (0,), edges, radius=0.001, **STEEL)
    system = build_system(scene(wire, substeps=10))
    begun, resumed = Solver(system), Solver(system)
    for _ in range(4):
        begun.advance()
    resumed.restore(begun.frame_index, begun.checkpoint())
    for solver in (begun, resumed):
        solver.advance()
    np.testing.assert_array_equal(resumed.positions(), begun.positions())
