# SPDX-License-Identifier: GPL-3.0-or-later
"""Hard bodies part from other solids with e times their approach, and what one loses the other gains."""

from dataclasses import replace

import numpy as np
import pytest

from tests.contacts.solids import HARD, RUBBER, Motion, angle, ball, cube, shifted, solid, tetrahedron
from tests.solver.scenes import pins, touching

pytestmark = pytest.mark.usefixtures("taichi_cpu")

SPEED, E = 2.0, 0.5
STILL = {"gravity": (0.0, 0.0, 0.0), "substeps": 20}


def placed(shape, identifier, bottom, velocity=(0.0, 0.0, 0.0), **material):
    """A solid whose lowest point has a height [m], with its middle over the origin."""
    values = {**material, "friction": 0.3, "restitution": E, "internal_damping": 0.0}
    body = solid(shape, height=bottom, velocity=velocity, identifier=identifier, **values)
    middle = 0.5 * (body.positions.min(axis=0) + body.positions.max(axis=0))
    return shifted(body, -middle * [1.0, 1.0, 0.0])


def motions(simulation):
    """Of both bodies, and the angular momentum of both about the origin [kg m²/s]."""
    found = [Motion(simulation, *simulation.system.starts[body : body + 2]) for body in range(2)]
    return found, np.sum([mine.spin + mine.mass * np.cross(mine.centre, mine.velocity) for mine in found], axis=0)


@pytest.mark.slow
@pytest.mark.parametrize(("lower", "upper"), [(cube, cube), (cube, ball), (angle, tetrahedron)])
def test_what_a_hard_body_loses_the_other_gains(lower, upper):
    below = placed(lower, "b0", 0.0, **HARD)
    top = float(below.positions[:, 2].max())
    simulation = touching(below, placed(upper, "b1", top + 0.03, (0.1, 0.0, -SPEED), **HARD), **STILL)
    before, spin = motions(simulation)
    for _ in range(3):
        simulation.advance()
        after, spin_after = motions(simulation)
        momentum = sum(mine.mass * mine.velocity for mine in after)
        np.testing.assert_allclose(momentum, before[1].mass * before[1].velocity, atol=1e-8)
        np.testing.assert_allclose(spin_after, spin, atol=0.01 * float(np.linalg.norm(spin)) + 1e-3)
    parting = (after[1].velocity - after[0].velocity)[2]
    assert parting > 0.5 * E * SPEED


@pytest.mark.parametrize("shape", [cube, ball, tetrahedron])
def test_a_hard_body_rebounds_from_what_is_held(shape):
    floor = placed(cube, "b0", -0.2, **RUBBER)
    floor = replace(floor, pins=pins(floor.positions, np.arange(len(floor.positions))))
    simulation = touching(floor, placed(shape, "b1", 0.03, (0.0, 0.0, -SPEED), **HARD), **STILL)
    for _ in range(3):
        simulation.advance()
    assert Motion(simulation, *simulation.system.starts[1:3]).velocity[2] == pytest.approx(E * SPEED, rel=0.03)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [HARD, RUBBER], ids=["hard", "soft"])
def test_what_a_push_holds_down_rests_as_by_its_weight(kind):
    """A body's push of −g is its weight: what counts as a hit and what as rest is the same.

    The ball falls beside the middle. Over it, points of the ball and of the cube meet in pairs, and a difference of
    1e-9 m/s to a side decides which of them are first: that alone makes millimetres. Rounding alone makes 15 µm of soft
    rubber.
    """
    floor = placed(cube, "b0", -0.2, **RUBBER)
    floor = replace(floor, pins=pins(floor.positions, np.arange(len(floor.positions))))
    found = []
    for gravity, push in ((-9.81, 0.0), (0.0, -9.81)):
        above = shifted(placed(ball, "b1", 0.01, (0.0, 0.0, -0.05), **kind, push_z=push), [0.021, 0.011, 0.0])
        simulation = touching(floor, above, gravity=(0.0, 0.0, gravity), substeps=20)
        for _ in range(4):
            simulation.advance()
        found.append(simulation.positions()[simulation.system.starts[1] :])
    np.testing.assert_allclose(found[1], found[0], atol=1e-6 if kind is HARD else 5e-5)


def test_threads_and_resuming_change_no_byte():
    below = placed(cube, "b0", 0.0, **HARD)
    above = placed(ball, "b1", 0.23, (0.1, 0.0, -SPEED), **HARD)
    found = []
    for path in ("SERIAL", "THREADS"):
        simulation = touching(below, above, path=path, substeps=20)
        simulation.advance()
        checkpoint = simulation.checkpoint()
        simulation.advance()
        found.append(simulation.positions().tobytes())
    resumed = touching(below, above, substeps=20)
    resumed.restore(1, checkpoint)
    resumed.advance()
    assert found[0] == found[1] == resumed.positions().tobytes()
