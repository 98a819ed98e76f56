# SPDX-License-Identifier: GPL-3.0-or-later
"""Colliders that go several edges of a cloth in a substep: frames in slices."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.device.arrays import read_array
from blender_xpbd.scene.collider import Collider
from blender_xpbd.solver.order import tasks
from blender_xpbd.solver.step import pair_substeps
from blender_xpbd.solver.system import fast_colliders
from blender_xpbd.solver.system.frame_slice import FrameSlice
from blender_xpbd.solver.windows.pair_tables import DOUBTED
from tests.geometry.triangle_shapes import icosphere
from tests.solver.scenes import cloth, pins, touching

pytestmark = pytest.mark.usefixtures("taichi_cpu")

FRAMES = 4


def ball(speed, first=-0.5):
    """A ball of 0.16 m that flies along Z."""
    positions, triangles = icosphere(2)
    transforms = np.tile(np.eye(4), (FRAMES + 1, 1, 1))
    transforms[:, 2, 3] = first + speed * np.arange(FRAMES + 1) / 24.0
    return Collider("c0", "Ball", "MESH", transforms, 0.08 * positions[None], triangles.astype(np.int32), friction=0.0)


def curtain(speed=30.0, substeps=5, **settings):
    """A level sheet of 12² that is held at one side, and a ball that flies through it."""
    body = cloth(12)
    body = replace(body, pins=pins(body.positions, np.arange(12)))
    frames = (1, FRAMES + 1)
    return touching(body, colliders=[ball(speed)], gravity=(0, 0, 0), substeps=substeps, frames=frames, **settings)


@pytest.fixture
def slices(monkeypatch):
    """A list that grows with each slice that is simulated."""
    found, simulate = [], pair_substeps.PairSubsteps.simulate_slice

    def noted(self, plan, path, frame_index, frame_slice):
        found.append(frame_slice)
        return simulate(self, plan, path, frame_index, frame_slice)

    monkeypatch.setattr(pair_substeps.PairSubsteps, "simulate_slice", noted)
    return found


@pytest.mark.parametrize("substeps", [3, 10, 20])
def test_nothing_crosses_a_ball_whatever_the_substeps(substeps, slices):
    simulation = curtain(substeps=substeps)
    for _ in range(FRAMES):
        simulation.advance()
        assert simulation.crossings().counts.sum() == 0
        assert simulation.contact_counts()[:, 1].sum() == 0
    assert max(part.of for part in slices) > 1
    # before the ball comes and when it has gone, nothing is divided
    assert slices[0] == FrameSlice() == slices[-1]


def test_what_only_leaves_its_planes_behind_is_not_told():
    """A ball that turns the faces of a sheet in a substep; the frame is done again in slices, and then nothing is."""
    simulation, doubts = curtain(speed=10.0, substeps=10), 0
    for _ in range(FRAMES):
        simulation.advance()
        doubts += read_array(simulation._pairs.counts)[0, DOUBTED]
        assert simulation.crossings().counts.sum() == 0
        assert simulation.contact_counts()[:, 1].sum() == 0
    assert doubts > 0


def test_what_passes_within_a_frame_is_told_though_nothing_crosses_when_it_is_over():
    """Two balls meet in a sheet, and each goes on through the other: one side of the sheet is left to no one."""
    body = cloth(12)
    body = replace(body, pins=pins(body.positions, np.arange(12)))
    balls = [ball(30.0), replace(ball(-30.0, 0.5), identifier="c1", name="Other")]
    simulation = touching(body, colliders=balls, gravity=(0, 0, 0), substeps=10, frames=(1, FRAMES + 1))
    simulation.advance()
    assert simulation.crossings().counts.sum() == 0
    assert simulation.contact_counts()[0, 1] > 0


def test_what_does_not_pass_is_not_divided(slices):
    simulation = curtain(speed=-30.0)
    simulation.advance()
    assert slices == [FrameSlice()]


def test_a_divided_frame_leaves_the_substeps_as_they_were(slices):
    simulation = curtain()
    before = tables(simulation)
    for _ in range(3):
        simulation.advance()
    assert max(part.of for part in slices) > 1
    for one, other in zip(before, tables(simulation), strict=True):
        np.testing.assert_array_equal(one, other)


def tables(simulation):
    """What goes by the duration of a substep."""
    state = simulation._plan.state
    plates = read_array(state.constraints.parameters)[simulation._slices._plates]
    assert len(plates)
    return read_array(state.order.duration), read_array(state.levels.stiffness), plates


def test_threads_and_resuming_change_no_byte(monkeypatch, slices):
    monkeypatch.setattr(tasks, "FEWEST_TASKS", 0.0)
    monkeypatch.setattr(fast_colliders, "MOST_SUBSTEPS", 60)
    whole = states(curtain(path="SERIAL"))
    assert max(part.of for part in slices) > 1
    simulation = curtain(path="THREADS")
    for one, other in zip(whole, states(simulation), strict=True):
        assert all(np.array_equal(one[name], other[name]) for name in one)
    for frame in reversed(range(FRAMES)):
        simulation.restore(frame, whole[frame])
        simulation.advance()
        after = simulation.checkpoint()
        assert all(np.array_equal(whole[frame + 1][name], after[name]) for name in after)


def states(simulation):
    """Checkpoints before and after each frame."""
    found = [simulation.checkpoint()]
    for _ in range(FRAMES):
        simulation.advance()
        found.append(simulation.checkpoint())
    return found
