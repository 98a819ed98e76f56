# SPDX-License-Identifier: GPL-3.0-or-later
"""What runs where the insides of Taichi are not those that are known."""

import dataclasses

import numpy as np
import pytest

from blender_xpbd.device import arrays, version
from blender_xpbd.solver.plan import PATHS
from tests.solver.scenes import cloth, pins, plane, run, solver

pytestmark = pytest.mark.usefixtures("taichi_cpu")


def simulated(path):
    """Positions and checkpoint after some frames of a scene that has every act of a substep."""
    body = cloth(24, pinned=(0, 23), area_density=0.15, internal_damping=0.5, damping_time=0.01)
    targets = np.stack([body.positions[[0, 23]] + [0.0, 0.0, 0.01 * frame] for frame in range(50)])
    body = dataclasses.replace(body, pins=pins(body.positions, (0, 23), targets=targets))
    simulation = solver(body, colliders=[plane(-0.05)], substeps=6, path=path, time_integration="BDF2")
    return run(simulation, 3), simulation.checkpoint()


@pytest.mark.parametrize("path", PATHS)
def test_another_taichi_gives_the_same_bytes(path, monkeypatch):
    expected, kept = simulated(path)
    monkeypatch.setattr(version, "KNOWN", (0,))
    monkeypatch.setattr(arrays, "_memory", None)
    monkeypatch.setattr("blender_xpbd.device.launch._Compiled", None)
    found, also_kept = simulated(path)
    np.testing.assert_array_equal(found, expected)
    for name, values in kept.items():
        np.testing.assert_array_equal(also_kept[name], values)


def test_this_one_is_known():
    """The one that is pinned in pyproject.toml."""
    assert version.knows_taichi()
