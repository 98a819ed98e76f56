# SPDX-License-Identifier: GPL-3.0-or-later
"""What a hand takes along."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.scene.play import Grab
from blender_xpbd.solver.system.grabbed import grabbed_particles
from blender_xpbd.solver.system.system import build_system
from tests.solver.grain_scenes import grains
from tests.solver.scenes import cloth, scene


def two_sheets():
    """A small sheet beside a large one, in one body."""
    large, small = cloth(12), cloth(4, size=0.2)
    return replace(
        large,
        positions=np.concatenate([small.positions + np.array([0.65, 0.0, 0.0]), large.positions]),
        face_sizes=np.concatenate([small.face_sizes, large.face_sizes]),
        corners=np.concatenate([small.corners, large.corners + len(small.positions)]),
    )


@pytest.mark.parametrize("body", [two_sheets(), grains([[0.0, 0.0, 0.0], [0.05, 0, 0], [0.1, 0, 0], [0.05, 0.05, 0]])])
def test_a_hand_takes_along_what_hangs_together_with_what_it_holds(body):
    radius = 0.04
    system = build_system(scene(body))
    grab = Grab("b0", (0, 1, 2), (1.0, 0.0, 0.0), radius, 2.0, (1.0, 1.0, 1.0))
    found = grabbed_particles(system, grab, None)
    held = found.particles[found.pulls > 0.0]
    own = 1 if body.role == "GRAINS" else 16
    assert held.max() < own
    masses = system.models[0].masses
    assert (found.pulls * masses[found.particles]).sum() == pytest.approx(1.0)
    # a tenth of the piece at least, not of the body
    assert masses[held].sum() >= 0.1 * masses[:own].sum()


def test_a_hand_at_a_corner_reaches_until_it_holds_a_tenth():
    system = build_system(scene(cloth(12)))
    found = grabbed_particles(system, Grab("b0", (0, 1, 12), (1.0, 0.0, 0.0), 0.02, 2.0, (1.0, 1.0, 1.0)), None)
    assert len(found.particles) > 0.1 * 144
    assert found.particles.max() < 0.7 * 144
