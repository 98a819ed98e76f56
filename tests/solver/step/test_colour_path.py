# SPDX-License-Identifier: GPL-3.0-or-later
"""The launches of graphics cards follow the same table of stages as the kernel of processors."""

import dataclasses

import numpy as np
import pytest

from blender_xpbd.scene.force import Force
from blender_xpbd.solver.order import stages
from blender_xpbd.solver.order.stages import RESTORE_SPINS, SUM_SPINS
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.step import colour_path
from blender_xpbd.solver.system.grabbed import GrabbedParticles
from blender_xpbd.solver.system.system import build_system
from tests.solver import scenes
from tests.solver.scenes import cloth, jelly_cube, pins, plane

pytestmark = pytest.mark.usefixtures("taichi_cpu")

FRAMES = 7


def simulation(path):
    """A scene that has every act of a substep."""
    hung = cloth(24, pinned=(0, 23), height=1.0, area_density=0.15)
    targets = np.stack([hung.positions[[0, 23]] + [0.02 * frame, 0.0, 0.0] for frame in range(50)])
    hung = dataclasses.replace(hung, pins=pins(hung.positions, (0, 23), targets=targets))
    material = {"restitution": 0.8, "youngs_modulus": 3e5, "damping_time": 0.01, "yield_strain": 0.01}
    fallen = dataclasses.replace(jelly_cube(0.2, 0.2, 3, **material), identifier="b1")
    wind = Force("f0", "Wind", "WIND", np.eye(4)[None], strength=4.0, wind_factor=0.5)
    made = scenes.scene(hung, fallen, colliders=[plane()], forces=[wind], substeps=6)
    played = Solver(dataclasses.replace(build_system(made), takes_grabs=True), (path,))
    hand = np.array([0.0, 0.0, 1.2])
    held = np.array([300], np.int32)
    played.grab = GrabbedParticles(held, np.ones(1), np.array([50.0]), 1e3, 0.01, 0.01, hand, hand)
    return played


def positions(path):
    return scenes.run(simulation(path), FRAMES)


@pytest.mark.slow
@pytest.mark.parametrize("act", [None, *sorted(colour_path.LAUNCHES)[1:]])
def test_both_paths_follow_the_table(act, monkeypatch):
    """What is not in it is done by neither, and makes a difference."""
    whole = positions("SERIAL")
    # spins that were not summed cannot be restored
    left_out = {act, RESTORE_SPINS} if act == SUM_SPINS else {act}
    every_stage = stages.substep_stages
    monkeypatch.setattr(
        "blender_xpbd.solver.step.state.substep_stages",
        lambda *given, **named: tuple(stage for stage in every_stage(*given, **named) if stage.act not in left_out),
    )
    serial, colours = positions("SERIAL"), positions("COLOURS")
    np.testing.assert_allclose(colours, serial, atol=1e-9)
    assert (np.abs(serial - whole).max() > 1e-6) == (act is not None)


def test_the_scene_has_every_act():
    assert {stage.act for stage in simulation("COLOURS")._state.stages} == set(colour_path.LAUNCHES)
