# SPDX-License-Identifier: GPL-3.0-or-later
"""States within a frame: those after whole substeps, which change no byte of the frames."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.scene.scene import Scene
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.step.frame_samples import FrameSamples, whole_samples
from blender_xpbd.solver.system.frame_slice import WHOLE, FrameSlice
from blender_xpbd.solver.system.system import build_system
from tests.solver.scenes import cloth, jelly_cube, pins, plane, scene
from tests.solver.test_fast_colliders import FRAMES as BALL_FRAMES
from tests.solver.test_fast_colliders import ball

pytestmark = pytest.mark.usefixtures("taichi_cpu")

SUBSTEPS = 12


def with_subframes(given: Scene, count: int) -> Solver:
    return Solver(build_system(replace(given, frames=replace(given.frames, subframes=count))))


def curtain():
    body = cloth(10)
    return scene(replace(body, pins=pins(body.positions, [0, 9])), substeps=SUBSTEPS)


def colliding():
    """A jelly that falls onto a floor, and one onto it."""
    first = jelly_cube(0.3, 0.02, 3)
    second = replace(jelly_cube(0.2, 0.0, 3), identifier="b1")
    second = replace(second, positions=second.positions + np.array([0.05, 0.0, 0.33]))
    return scene(first, second, colliders=[plane()], substeps=SUBSTEPS, meet=True)


def pierced():
    """A level sheet through which a fast ball flies: frames in slices."""
    body = cloth(12)
    body = replace(body, pins=pins(body.positions, np.arange(12)))
    frames = (1, BALL_FRAMES + 1)
    return scene(body, colliders=[ball(30.0)], gravity=(0, 0, 0), substeps=SUBSTEPS, frames=frames, meet=True)


@pytest.mark.parametrize("make", [curtain, colliding, pierced])
def test_frames_keep_their_bytes(make):
    plain, sampled = with_subframes(make(), 0), with_subframes(make(), 3)
    before = sampled.surface(sampled.positions())
    for _ in range(BALL_FRAMES):
        plain.advance()
        sampled.advance()
        np.testing.assert_array_equal(sampled.positions(), plain.positions())
        assert len(sampled.samples) == 3
        assert plain.samples == ()
        # something moves from each state to the next
        after = sampled.surface(sampled.positions())
        path = np.array([before, *sampled.samples, after])
        assert (np.abs(np.diff(path, axis=0)).max(axis=(1, 2)) > 0.0).all()
        before = after


def test_states_are_those_after_substeps_and_no_mixtures():
    """A frame of four parts is four frames of a quarter of its duration."""
    given = curtain()
    quarters = replace(given, frames=replace(given.frames, frame_duration=given.frames.frame_duration / 4.0))
    quarters = replace(quarters, settings=replace(given.settings, substeps=SUBSTEPS // 4))
    sampled, fine = with_subframes(given, 3), with_subframes(quarters, 0)
    for _ in range(6):
        sampled.advance()
        for sample in sampled.samples:
            fine.advance()
            np.testing.assert_allclose(sample, fine.surface(fine.positions()), atol=2e-6)
        fine.advance()


def test_states_of_a_frame_in_slices_come_at_the_same_times():
    samples = FrameSamples(3, SUBSTEPS)
    for number in range(4):
        part = FrameSlice(number, 4)
        assert samples.stops(part) == [SUBSTEPS]
        samples.note(part, SUBSTEPS, lambda: np.zeros((1, 4)))
    assert sorted(samples.places) == [1, 2, 3]
    assert FrameSamples(2, SUBSTEPS).stops(FrameSlice(0, 4)) == [SUBSTEPS]
    assert FrameSamples(2, SUBSTEPS).stops(FrameSlice(1, 4)) == [4, SUBSTEPS]
    assert FrameSamples(2, SUBSTEPS).stops(WHOLE) == [4, 8, SUBSTEPS]
    with pytest.raises(ValueError, match="do not fall"):
        FrameSamples(4, SUBSTEPS)
    assert [whole_samples(count, 3) for count in (1, 4, 10)] == [4, 4, 12]
