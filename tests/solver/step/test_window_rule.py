# SPDX-License-Identifier: GPL-3.0-or-later
"""Where particles are expected to go in a window of substeps."""

import numpy as np
import pytest

from blender_xpbd.solver.step.window_rule import expected_fall

GRAVITY = np.array([0.0, 0.0, -10.0])


@pytest.mark.parametrize(
    ("velocity", "share"),
    [
        # at rest, sliding, falling half as fast as gravity makes it in a frame, falling faster, flying up
        ([0.0, 0.0, 0.0], 0.0),
        ([3.0, -2.0, 0.0], 0.0),
        ([0.0, 0.0, -0.2], 0.5),
        ([1.0, 0.0, -5.0], 1.0),
        ([0.0, 0.0, 5.0], 1.0),
    ],
)
def test_what_moves_along_gravity_falls(velocity: list[float], share: float) -> None:
    assert expected_fall(np.array([velocity]), GRAVITY, 0.04) == pytest.approx([share])


def test_without_gravity_nothing_falls() -> None:
    assert expected_fall(np.ones((3, 3)), np.zeros(3), 0.04).tolist() == [0.0, 0.0, 0.0]
