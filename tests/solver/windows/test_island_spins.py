# SPDX-License-Identifier: GPL-3.0-or-later
"""Angular momentum of bodies that touch each other and nothing else."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.device.arrays import edited_array
from tests.solver.scenes import cloth, touching

pytestmark = pytest.mark.usefixtures("taichi_cpu")


def spin(simulation):
    """Angular momentum about the centre of mass [kg m²/s], and how much of it there would be if all turned as one."""
    masses = 1.0 / simulation.system.inverse_masses[:, None]
    places, velocities = simulation.positions(), simulation.checkpoint()["velocities"][:, :3]
    arms = places - (masses * places).sum(axis=0) / masses.sum()
    moments = masses * np.cross(arms, velocities.astype(np.float64))
    return moments.sum(axis=0), np.linalg.norm(moments, axis=1).sum()


def lying(rate):
    """Two sheets that turn about their normal, nearer than they are to be, so that friction pushes them."""
    bodies = [cloth(9, size=0.2, identifier="a"), cloth(9, size=0.2, height=0.0045, identifier="b")]
    simulation = touching(*bodies, gravity=(0.0, 0.0, 0.0), substeps=10)
    with edited_array(simulation._plan.state.particles.velocities) as velocities:
        velocities[:, :3] = np.cross([0.0, 0.0, rate], simulation.positions())
    return simulation


def glancing():
    """Two sheets that fly at each other and overlap by half."""
    bodies = [cloth(9, size=0.2, identifier="a"), cloth(9, size=0.2, height=0.02, identifier="b")]
    bodies[1] = replace(bodies[1], positions=bodies[1].positions + np.array([0.1, 0.0, 0.0]))
    for number, sign in enumerate((1.0, -1.0)):
        bodies[number] = replace(bodies[number], velocity=np.array([0.0, 0.0, sign]))
    return touching(*bodies, gravity=(0.0, 0.0, 0.0), substeps=10)


@pytest.mark.parametrize("make", [lambda: lying(10.0), lambda: lying(30.0), glancing], ids=["slow", "fast", "glancing"])
def test_bodies_that_touch_keep_their_spin(make):
    simulation = make()
    before, size = spin(simulation)
    pushing = 0.0
    for _ in range(6):
        simulation.advance()
        pushing = max(pushing, simulation.contact_counts()[:, 0].max())
    assert pushing > 0.0
    after, now = spin(simulation)
    np.testing.assert_allclose(after, before, atol=1e-4 * max(size, now))
