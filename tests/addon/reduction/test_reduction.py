# SPDX-License-Identifier: GPL-3.0-or-later
"""Fewer keys hold the error that they were asked for, whatever moves."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from blender_xpbd.addon.reduction.blended_keys import _product
from blender_xpbd.addon.reduction.chosen_frames import choose_frames
from blender_xpbd.addon.reduction.motion import Motion, ReductionStoppedError
from blender_xpbd.addon.reduction.playback import play_absolute, play_blends, play_ramps
from blender_xpbd.addon.reduction.reduction import Style, _error, reduce_motion

STYLES = [Style(is_absolute, may_blend) for is_absolute in (True, False) for may_blend in (True, False)]
BLENDING = Style(is_absolute=True, may_blend=True)
ABSOLUTE = Style(is_absolute=True, may_blend=False)


def motion_of(coordinates, step=1, to_world=None, reference=None):
    coordinates = np.asarray(coordinates, np.float32)
    frames = tuple(range(1, 1 + step * len(coordinates), step))
    return Motion(
        frames,
        coordinates,
        coordinates[0] if reference is None else reference,
        np.eye(3)[None] if to_world is None else to_world,
        tuple(10.0 * (index + 1) for index in range(len(frames))),
    )


def played(motion, reduction, style):
    """What the keys show, by the plainest formula in double precision."""
    if reduction.blends is not None:
        offsets, values = reduction.blends.offsets.astype(np.float64), reduction.blends.values.astype(np.float64)
        return motion.reference + np.einsum("fk,kvx->fvx", values, offsets)
    chosen = list(reduction.chosen)
    flat = motion.coordinates[chosen].astype(np.float64).reshape(len(chosen), -1)
    frames = np.array(motion.frames, np.float64)
    columns = [np.interp(frames, frames[chosen], column) for column in flat.T]
    return np.array(columns).T.reshape(motion.coordinates.shape)


def greatest_distance(motion, shown):
    world = np.einsum("fij,fvj->fvi", np.broadcast_to(motion.to_world, (len(shown), 3, 3)), shown - motion.coordinates)
    return np.linalg.norm(world, axis=-1).max()


@st.composite
def motions(draw):
    """Jumps, rests, noise: anything that single precision holds."""
    count, vertices = draw(st.integers(1, 14)), draw(st.integers(1, 5))
    size = draw(st.sampled_from([1e-3, 1.0, 1e4]))
    values = draw(arrays.arrays(np.float32, (count, vertices, 3), elements=st.floats(-1, 1, width=32)))
    smooth = np.cumsum(values, axis=0) if draw(st.booleans()) else values
    linear = draw(arrays.arrays(np.float64, (draw(st.sampled_from([1, count])), 3, 3), elements=st.floats(-2, 2)))
    reference = draw(arrays.arrays(np.float32, (vertices, 3), elements=st.floats(-1, 1, width=32)))
    return motion_of(size * smooth, draw(st.integers(1, 3)), linear, np.float32(size) * reference)


@settings(deadline=None)
@given(motions(), st.sampled_from([1e-6, 1e-3, 0.05, 1.0, 1e3]), st.sampled_from(STYLES))
def test_every_frame_is_within_the_tolerance(motion, tolerance, style):
    reduction = reduce_motion(motion, tolerance, style)
    assert reduction.frame_count == len(motion.frames)
    assert 1 <= reduction.key_count <= len(motion.frames)
    assert reduction.error <= tolerance
    assert reduction.size <= reduction.full_size
    assert style.may_blend or reduction.blends is None
    assert {reduction.chosen[0], reduction.chosen[-1]} == {0, len(motion.frames) - 1}
    distance = greatest_distance(motion, played(motion, reduction, style))
    # what is told is the error, but for what single precision adds
    assert distance == pytest.approx(reduction.error, abs=1e-9 + 4.0 * motion.rounding())


@settings(deadline=None)
@given(motions())
def test_no_tolerance_is_too_small_to_be_held(motion):
    assert reduce_motion(motion, 1e-300, BLENDING).error == 0.0


def swing(frames, vertices=40, amplitude=0.3, decay=0.02, modes=3):
    """A few modes that swing and die away."""
    generator = np.random.default_rng(1)
    shapes = generator.normal(size=(modes, vertices, 3))
    time = np.arange(frames)
    values = [np.cos(0.9 * (mode + 1) * time) * np.exp(-decay * time) for mode in range(modes)]
    return amplitude * np.einsum("mf,mvx->fvx", values, shapes)


def test_what_moves_straight_takes_two_keys():
    straight = np.linspace(0.0, 5.0, 100)[:, None, None] * np.ones((7, 3))
    reduction = reduce_motion(motion_of(straight), 1e-4, ABSOLUTE)
    assert reduction.chosen == (0, 99)


def test_what_comes_to_rest_takes_no_keys_there():
    falling = np.zeros((250, 30, 3))
    falling[:, :, 2] = np.maximum(1.0 - 0.002 * np.arange(250) ** 2, 0.0)[:, None]
    reduction = reduce_motion(motion_of(falling), 1e-3, ABSOLUTE)
    assert 20 < len(reduction.chosen) < 30
    assert max(np.diff(reduction.chosen)) > 200


def test_a_longer_line_is_not_missed():
    """From every key the next frame after the chosen one is out of reach."""
    generator = np.random.default_rng(2)
    motion = motion_of(np.cumsum(np.cumsum(generator.normal(size=(60, 4, 3)), axis=0), axis=0))
    chosen = choose_frames(motion, 3.0)
    assert 10 < len(chosen) < 50
    frames = np.arange(60.0)
    for begin, end in pairwise(chosen[:-1]):
        share = ((frames[begin : end + 2] - begin) / (end + 1 - begin))[:, None, None]
        line = (1 - share) * motion.coordinates[begin] + share * motion.coordinates[end + 1]
        assert np.linalg.norm(line - motion.coordinates[begin : end + 2], axis=-1).max() > 3.0


def test_a_few_modes_are_as_many_blends():
    motion = motion_of(swing(200, vertices=2000), reference=np.zeros((2000, 3), np.float32))
    reduction = reduce_motion(motion, 1e-3, BLENDING)
    assert reduction.blends is not None
    assert reduction.key_count == 3
    assert np.abs(reduction.blends.values).max() == 1.0


def test_weights_on_what_is_farthest_off_save_shapes(monkeypatch):
    """On frames, and on vertices: a few that move in ways of their own."""
    from blender_xpbd.addon.reduction import blended_keys

    generator = np.random.default_rng(3)
    noise = 10.0 ** -np.arange(0, 4, 0.1)[:, None, None] * generator.normal(size=(40, 300, 3))
    coordinates = np.einsum("fm,mvx->fvx", generator.normal(size=(60, 40)), noise)
    coordinates[:, :5] += 0.1 * generator.normal(size=(60, 5, 3))
    motion = motion_of(coordinates)

    def count():
        return len(blended_keys.blend_frames(motion, 0.05).offsets)

    weighted = count()
    weigh = blended_keys._Search._weigh

    def weigh_frames(search, basis, tried):
        greatest = weigh(search, basis, tried)
        search._vertex_weights[:] = 1.0
        return greatest

    with monkeypatch.context() as patches:
        patches.setattr(blended_keys._Search, "_weigh", weigh_frames)
        by_frames = count()
    monkeypatch.setattr(blended_keys, "_MOST_ROUNDS", 0)
    monkeypatch.setattr(blended_keys, "_FEWEST_ROUNDS", 0)
    assert weighted < by_frames < count()


def test_a_large_mesh_is_decomposed_a_few_times(monkeypatch):
    """Each decomposition of 100,000 vertices takes seconds."""
    from blender_xpbd.addon.reduction import blended_keys

    motion = motion_of(swing(60, vertices=200, modes=9))
    calls = []
    gram = blended_keys._gram

    def counted(*values):
        calls.append(values)
        return gram(*values)

    monkeypatch.setattr(blended_keys, "_gram", counted)
    monkeypatch.setattr(blended_keys, "_PRODUCTS", 0.0)
    blended_keys.blend_frames(motion, 1e-3)
    assert 1 < len(calls) <= 1 + blended_keys._FEWEST_ROUNDS


def test_the_tolerance_is_one_in_the_world():
    """An object that is scaled up shows errors of its local coordinates larger."""
    motion = swing(100, modes=1)
    small = reduce_motion(motion_of(motion), 0.01, ABSOLUTE)
    large = reduce_motion(motion_of(motion, to_world=10.0 * np.eye(3)[None]), 0.1, ABSOLUTE)
    assert small.chosen == large.chosen
    assert large.error == pytest.approx(10.0 * small.error, rel=1e-3)


def test_playing_all_frames_gives_all_frames():
    motion = motion_of(swing(9), reference=np.zeros((40, 3), np.float32))
    for shown in (play_absolute(motion, range(9)), play_ramps(motion, range(9))):
        np.testing.assert_array_equal(list(shown), motion.coordinates)
    blends = list(play_blends(motion.reference, motion.coordinates, np.eye(9, dtype=np.float32)))
    np.testing.assert_array_equal(blends, motion.coordinates)


@pytest.mark.parametrize("style", STYLES)
def test_it_stops_when_it_is_told_to(style):
    calls = []

    def stop():
        calls.append(1)
        return len(calls) > 5

    with pytest.raises(ReductionStoppedError):
        reduce_motion(motion_of(swing(50)), 1e-3, style, stop)


def test_curves_of_blends_have_fewer_points_where_that_is_near_enough():
    motion = motion_of(swing(200, vertices=300, decay=0.05), reference=np.zeros((300, 3), np.float32))
    blends = reduce_motion(motion, 0.02, BLENDING).blends
    assert blends is not None
    assert blends.points[[0, -1]].all()
    assert 0.1 < blends.points.mean() < 0.6
    frames = np.array(motion.frames, np.float64)
    for values, points in zip(blends.values.T, blends.points.T, strict=True):
        np.testing.assert_allclose(np.interp(frames, frames[points], values[points]), values, atol=1e-6)


def test_curves_that_cannot_be_thinned_stay():
    from blender_xpbd.addon.reduction.blended_keys import blend_frames
    from blender_xpbd.addon.reduction.thin_curves import thin_curves

    motion = motion_of(np.random.default_rng(4).normal(size=(20, 6, 3)))
    blends = blend_frames(motion, 1e-4)
    assert thin_curves(motion, blends, 1e-9) is blends


def test_the_products_and_the_last_error_may_be_stopped_too():
    """A body of many vertices takes seconds in each; a cancel waits for the thread."""
    motion = motion_of(swing(20))

    def played():
        yield motion.coordinates[0]
        raise AssertionError("played on after the stop")

    with pytest.raises(ReductionStoppedError):
        _error(motion, played(), lambda: True)
    offsets = np.zeros((3, 3 * 10_000), np.float32)
    asked = []

    def ask():
        asked.append(1)
        return False

    _product(np.zeros((3, 3), np.float32), offsets, ask)
    assert len(asked) == 3
    with pytest.raises(ReductionStoppedError):
        _product(np.zeros((3, 3), np.float32), offsets, lambda: True)


def test_a_product_in_pieces_is_the_product():
    random = np.random.default_rng(3)
    factors, offsets = random.normal(size=(4, 4)).astype(np.float32), random.normal(size=(4, 30_000)).astype(np.float32)
    np.testing.assert_allclose(_product(factors, offsets, lambda: False), factors @ offsets, rtol=1e-5, atol=1e-6)
