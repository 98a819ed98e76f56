# SPDX-License-Identifier: GPL-3.0-or-later
"""Fewer keys in Blender: what it plays is within the error that is told, and Clear takes them back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from blender_xpbd.scene.errors import XpbdError
from tests.addon.keys.test_shape_key_writer import MATRIX, STATES, absolute_keys, frame_of, give_own_keys, target_of

FRAMES = 40


def swinging(target, frame, amplitude=0.3):
    """World positions [m] of three modes that die away."""
    row = frame - target.start
    shapes = np.random.default_rng(5).normal(size=(3, *target.mixed_shape.shape))
    values = amplitude * np.exp(-0.05 * row) * np.sin(np.array([0.3, 0.5, 0.9]) * row)
    matrix = target.matrices[row if len(target.matrices) > 1 else 0]
    local = target.mixed_shape + np.einsum("m,mvx->vx", values, shapes)
    return (local @ matrix[:3, :3].T + matrix[:3, 3]) * target.unit_scale


def write(bpy, obj, tolerance, motion=swinging, end=FRAMES, **values):
    """Write reduced keys; the writer and the reduction."""
    from blender_xpbd.addon.keys.shape_key_writer import ShapeKeyWriter
    from blender_xpbd.addon.reduction.reduction import reduce_motion

    target = target_of(obj, end=end, key_tolerance=tolerance, **values)
    writer = ShapeKeyWriter(target, "bake", Path("job"))
    writer.begin()
    for frame in range(1, end + 1):
        writer.add_frame(frame, frame_of(motion(target, frame)))
    reduction = reduce_motion(writer.motion(), tolerance, writer.key_style())
    writer.reduce(reduction)
    writer.finish(bpy.context.scene.frame_current_final)
    assert writer.reduction() is reduction
    return writer, reduction


def error_of(bpy, obj, target, motion=swinging):
    """The greatest distance [m] of what Blender shows from what was simulated."""
    worst = 0.0
    for frame in range(target.start, target.end + 1):
        bpy.context.scene.frame_set(frame)
        evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
        points = np.array([vertex.co[:] for vertex in evaluated.data.vertices])
        matrix = target.matrices[frame - target.start if len(target.matrices) > 1 else 0]
        world = (points @ matrix[:3, :3].T + matrix[:3, 3]) * target.unit_scale
        worst = max(worst, float(np.linalg.norm(world - motion(target, frame), axis=1).max()))
    return worst


def blocks(obj):
    return [block.name for block in obj.data.shape_keys.key_blocks]


@pytest.mark.parametrize("style", ["AUTO", "ABSOLUTE", "RELATIVE"])
@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("tolerance", [0.05, 0.3])
def test_what_blender_plays_has_the_error_that_is_told(bpy, make_body, style, own, tolerance):
    obj = make_body(matrix_world=MATRIX.tolist())
    if own:
        give_own_keys(obj)
    writer, reduction = write(bpy, obj, tolerance, key_style=style)
    ours = len(blocks(obj)) - (2 if own else 1)
    assert ours == reduction.key_count < FRAMES
    assert 0.0 < reduction.error <= tolerance
    # the world's coordinates come from a matrix in single precision
    assert error_of(bpy, obj, writer.target) == pytest.approx(reduction.error, rel=1e-3, abs=3e-6)


def test_few_modes_become_blends_where_keys_may_be_relative(bpy, make_body):
    size = 300
    mesh = bpy.data.meshes.new("Large")
    grid = [(x, y, 0.0) for x in range(size // 10) for y in range(10)]
    mesh.from_pydata(grid, [], [(0, 1, 11, 10)])
    obj = make_body(mesh=mesh)
    writer, reduction = write(bpy, obj, 1e-3)
    assert reduction.blends is not None
    assert blocks(obj) == ["Basis", "XPBD Blend 001", "XPBD Blend 002", "XPBD Blend 003"]
    assert obj.data.shape_keys.use_relative
    assert error_of(bpy, obj, writer.target) == pytest.approx(reduction.error, abs=1e-5)
    writer, reduction = write(bpy, obj, 1e-3, key_style="ABSOLUTE")
    assert reduction.blends is None
    assert not obj.data.shape_keys.use_relative


def test_a_moving_object_is_measured_in_the_world(bpy, make_body):
    obj = make_body()
    matrices = np.tile(np.eye(4), (FRAMES, 1, 1))
    matrices[:, 0, 3] = np.arange(FRAMES)
    matrices[:, :3, :3] *= np.linspace(1.0, 3.0, FRAMES)[:, None, None]
    writer, reduction = write(bpy, obj, 0.02, matrices=matrices)
    assert error_of(bpy, obj, writer.target) == pytest.approx(reduction.error, rel=1e-3, abs=1e-5)


@pytest.mark.parametrize("style", ["AUTO", "ABSOLUTE", "RELATIVE"])
@pytest.mark.parametrize("state", STATES)
def test_clear_takes_fewer_keys_back(bpy, make_body, dump, state, style):
    from blender_xpbd.addon.keys.clearing import clear_bake

    obj = make_body(matrix_world=MATRIX.tolist())
    state(obj)
    if state is absolute_keys and style == "RELATIVE":
        pytest.skip("refused")
    bpy.context.scene.frame_set(1)
    before = dump(obj)
    for tolerance in (0.05, 2e-3):
        write(bpy, obj, tolerance, end=12, key_style=style)
        bpy.context.scene.frame_set(1)
    assert clear_bake(obj)
    bpy.context.view_layer.update()
    assert dump(obj) == before


def test_a_key_that_is_gone_leaves_the_others(bpy, make_body):
    from blender_xpbd.addon.keys.shape_key_writer import ShapeKeyWriter
    from blender_xpbd.addon.reduction.reduction import reduce_motion

    obj = make_body()
    target = target_of(obj, end=20, key_tolerance=0.05)
    writer = ShapeKeyWriter(target, "bake", Path("job"))
    writer.begin()
    for frame in range(1, 21):
        writer.add_frame(frame, frame_of(swinging(target, frame)))
    writer.reduce(reduce_motion(writer.motion(), 0.05, writer.key_style()))
    obj.shape_key_remove(obj.data.shape_keys.key_blocks["XPBD 0007"])
    writer.finish(1.0)
    assert len(blocks(obj)) == 20
    assert writer.reduction().key_count == len(writer.written) == 19


def test_a_writer_without_a_tolerance_keeps_no_frames(bpy, make_body):
    from blender_xpbd.addon.keys.shape_key_writer import ShapeKeyWriter

    obj = make_body()
    writer = ShapeKeyWriter(target_of(obj), "bake", Path("job"))
    writer.begin()
    writer.add_frame(1, frame_of(swinging(writer.target, 1)))
    assert writer.motion() is None
    assert writer.reduction().key_count == 1


def time_points(obj):
    from blender_xpbd.addon.keys.key_animation import _curves

    (curve,) = _curves(obj.data.shape_keys, create=False)
    assert curve.data_path == "eval_time"
    return curve


@pytest.mark.parametrize(("end", "step", "points"), [(250, 1, 2), (1200, 1, 3), (91, 5, 2), (90, 5, 19)])
def test_time_that_runs_evenly_takes_two_points(bpy, make_body, end, step, points):
    from blender_xpbd.addon.keys.shape_key_writer import ShapeKeyWriter

    obj = make_body()
    writer = ShapeKeyWriter(target_of(obj, end=end, step=step), "bake", Path("job"))
    writer.begin()
    frames = sorted({*range(1, end + 1, step), end})
    for frame in frames:
        writer.add_frame(frame, frame_of(swinging(writer.target, frame)))
    writer.finish(1.0)
    curve = time_points(obj)
    assert len(curve.keyframe_points) == points
    # to the last bit: at its own time a key is shown alone
    stands = [block.frame for block in obj.data.shape_keys.key_blocks[1:]]
    assert [curve.evaluate(frame) for frame in frames] == stands
    assert (100.0 * np.array(stands, np.float32) / 100.0 == stands).all()


def test_a_frame_is_shown_to_the_last_bit(bpy, make_body):
    from blender_xpbd.addon.keys.shape_key_writer import ShapeKeyWriter

    obj = make_body()
    writer = ShapeKeyWriter(target_of(obj, end=130), "bake", Path("job"))
    writer.begin()
    for frame in range(1, 131):
        writer.add_frame(frame, frame_of(swinging(writer.target, frame)))
    writer.finish(1.0)
    for frame in range(1, 131, 3):
        bpy.context.scene.frame_set(frame)
        evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
        shown = [vertex.co[:] for vertex in evaluated.data.vertices]
        key = obj.data.shape_keys.key_blocks[f"XPBD {frame:04d}"]
        np.testing.assert_array_equal(shown, [point.co[:] for point in key.points])


def test_a_reduction_that_memory_cannot_hold_is_refused(bpy, make_body, dump, monkeypatch):
    from blender_xpbd.addon.keys import written_frames
    from blender_xpbd.addon.keys.shape_key_writer import ShapeKeyWriter

    obj = make_body()
    before = dump(obj)
    target = target_of(obj, key_tolerance=0.1)

    def run_out(*_):
        raise MemoryError

    monkeypatch.setattr(written_frames.np, "empty", run_out)
    with pytest.raises(XpbdError, match=r"E_MEMORY.*Body"):
        ShapeKeyWriter(target, "bake", Path("job"))
    assert dump(obj) == before
