# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames of a job folder become keys, as far as the folder has them."""

from __future__ import annotations

import numpy as np
import pytest

from blender_xpbd.jobs.frames import FrameCache
from blender_xpbd.jobs.result import BodyResult, Result, write_result
from blender_xpbd.jobs.status import Status, write_status
from blender_xpbd.scene.errors import Notice, XpbdError

ORIGIN = np.array([100.0, 0.0, -50.0])
STATISTICS = ("greatest_strain",)


class Worker:
    """Does in this process what the worker does to a job folder: every frame is a wobble around the rest shape."""

    def __init__(self, folder, scene):
        self.folder = folder
        self.scene = scene
        counts = [body.vertex_count for body in scene.bodies]
        self.starts = np.cumsum([0, *counts])
        self.turns = (0,) * len(counts)

    def build(self, spare=0):
        bodies = tuple(
            BodyResult(
                body.identifier, body.name, int(start), body.vertex_count + spare, 4, 2, {"distance": 3}, "",
                sum(self.turns[:number]), self.turns[number],
            )
            for number, (body, start) in enumerate(zip(self.scene.bodies, self.starts, strict=False))
        )  # fmt: skip
        count = int(self.starts[-1]) + spare * len(bodies)
        write_result(self.folder, Result(tuple(ORIGIN), count, bodies, "Fake", STATISTICS, (), 4, 1))

    def positions(self, number, frame):
        rest = self.scene.bodies[number].positions
        return rest + np.random.default_rng(abs(10 * frame + number)).uniform(-1.0, 1.0, rest.shape)

    @property
    def cache(self):
        counts = (int(self.starts[-1]), len(self.scene.bodies), len(STATISTICS), sum(self.turns))
        return FrameCache(self.folder, *counts)

    def orientations(self, frame):
        return np.random.default_rng(abs(frame)).uniform(-1.0, 1.0, (sum(self.turns), 4)).astype(np.float32)

    def publish(self, *frames):
        for frame in frames:
            world = np.concatenate([self.positions(number, frame) for number in range(len(self.scene.bodies))])
            statistics = np.full((len(self.scene.bodies), 1), 0.01 * frame)
            self.cache.publish(frame, (world - ORIGIN).astype(np.float32), statistics, self.orientations(frame))


@pytest.fixture
def bake(read, tmp_path):
    """A function that reads the scene and gives what writes its frames, and what solves them."""
    from blender_xpbd.addon.baking.bake_output import BakeOutput
    from blender_xpbd.addon.baking.report import BakeSummary

    def make(**values):
        reading = read(**values)
        folder = tmp_path / "job"
        folder.mkdir()
        return BakeOutput(folder, reading, BakeSummary()), Worker(folder, reading.scene)

    return make


def all_frames():
    from blender_xpbd.addon.baking.bake_output import ALL_FRAMES

    return ALL_FRAMES


def write_all(output, newest=None):
    while output.write(60.0, all_frames() if newest is None else newest):
        pass


def keys(obj):
    blocks = obj.data.shape_keys.key_blocks if obj.data.shape_keys else ()
    return [int(block.name.split()[-1]) for block in blocks[1:]]


def test_frames_come_where_the_worker_has_put_them(bpy, make_body, bake):
    bodies = [make_body("A", location=(98.0, 0.0, -50.0)), make_body("B", location=(102.0, 1.0, -49.0))]
    output, worker = bake()
    worker.build()
    worker.publish(1, 2, 3, 4, 5)
    write_all(output)
    output.finish()
    assert (output.frames_total, output.frames_written, output.newest_frame) == (5, 5, 5)
    for frame in (1, 3, 5):
        bpy.context.scene.frame_set(frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        for number, body in enumerate(bodies):
            evaluated = body.evaluated_get(depsgraph)
            found = np.array([(evaluated.matrix_world @ vertex.co)[:] for vertex in evaluated.data.vertices])
            np.testing.assert_allclose(found, worker.positions(number, frame), atol=5e-5)


def test_nothing_is_written_before_the_worker_says_what_it_built(make_body, bake):
    body = make_body()
    output, worker = bake()
    worker.publish(1, 2)
    assert not output.write(60.0, all_frames())
    worker.build()
    assert not output.write(60.0, None)
    assert keys(body) == []
    write_all(output)
    assert keys(body) == [1, 2]


def test_frames_of_an_earlier_run_wait_until_the_worker_has_passed_them(make_body, bake):
    body = make_body()
    output, worker = bake()
    worker.build()
    worker.publish(1, 2, 3, 4, 5)
    write_all(output, newest=3)
    assert keys(body) == [1, 2, 3]
    write_all(output)
    assert keys(body) == [1, 2, 3, 4, 5]


def test_writing_stops_at_a_gap_and_names_it(make_body, bake):
    body = make_body()
    output, worker = bake()
    worker.build()
    worker.publish(1, 2, 4, 5)
    write_all(output)
    assert keys(body) == [1, 2]
    missing = output.missing()
    assert (missing.code, missing.frame) == ("E_IO", 3)
    worker.publish(3)
    assert output.missing() is None


def test_a_step_keeps_its_frames_and_the_last(make_body, bake):
    body = make_body()
    output, worker = bake(frame_end=6, frame_step=2)
    worker.build()
    worker.publish(1, 3, 5, 6)
    write_all(output)
    assert keys(body) == [1, 3, 5, 6]
    assert (output.frames_total, output.missing()) == (4, None)


def test_time_for_no_frame_writes_none(make_body, bake):
    body = make_body()
    output, worker = bake()
    worker.build()
    worker.publish(1, 2)
    assert output.write(0.0, all_frames()), "there is more to write"
    assert keys(body) == []


def test_the_result_of_other_meshes_is_refused(make_body, bake):
    make_body()
    output, worker = bake()
    worker.build(spare=1)
    with pytest.raises(XpbdError, match=r"E_CACHE.*other meshes"):
        output.write(60.0, all_frames())


def test_a_damaged_frame_says_what_to_do(make_body, bake):
    make_body()
    output, worker = bake()
    worker.build()
    worker.publish(1, 2)
    worker.cache.path(2).write_bytes(worker.cache.path(2).read_bytes()[:-1])
    with pytest.raises(XpbdError, match=r"E_CACHE.*Bake again") as caught:
        write_all(output)
    assert caught.value.frame == 2


@pytest.mark.parametrize(
    ("state", "frames", "is_complete"),
    [
        ("COMPLETE", (1, 2, 3, 4, 5), True),
        ("COMPLETE", (1, 2, 3, 5), False),
        ("RUNNING", (1, 2, 3, 4, 5), False),
        (None, (1, 2, 3, 4, 5), False),
    ],
)
def test_what_is_a_whole_result(make_body, bake, state, frames, is_complete):
    make_body()
    output, worker = bake()
    worker.build()
    worker.publish(*frames)
    notices = (Notice("W_CACHE_DAMAGED", "mended"), Notice("W_PRECISION", "far"))
    if state:
        write_status(worker.folder, Status(state, 5, 5, 5, {"solve": 2.0}, 100.0, "Fake", 1, notices=notices))
    assert output.is_complete() == is_complete
    if is_complete:
        assert output.frames_solved == 5
        assert [warning.split(":")[0] for warning in output._summary.warnings] == ["W_PRECISION"]
        worker.cache.path(3).write_bytes(b"short")
        assert not output.is_complete()


def test_an_object_in_edit_mode_waits_and_the_others_go_on(bpy, make_body, bake):
    edited, other = make_body("Edited"), make_body("Other")
    output, worker = bake()
    worker.build()
    worker.publish(1, 2, 3)
    bpy.context.view_layer.objects.active = edited
    bpy.ops.object.mode_set(mode="EDIT")
    write_all(output)
    assert (keys(edited), keys(other)) == ([], [1, 2, 3])
    assert output.blocked() == {"Edit Mode": ["Edited"]}
    bpy.ops.object.mode_set(mode="OBJECT")
    write_all(output)
    assert keys(edited) == [1, 2, 3]
    assert output.blocked() == {}


def test_a_deleted_object_is_told_and_with_the_last_the_bake_ends(bpy, make_body, bake):
    first, second = make_body("First"), make_body("Second")
    output, worker = bake()
    worker.build()
    worker.publish(1)
    bpy.data.objects.remove(first)
    write_all(output)
    output.require_targets()
    assert keys(second) == [1]
    assert [warning.split(":")[0] for warning in output._summary.warnings] == ["W_OBJECT_GONE"]
    bpy.data.objects.remove(second)
    with pytest.raises(XpbdError, match="E_INTERRUPTED"):
        output.require_targets()


def test_each_frame_counts_once_in_the_statistics(bpy, make_body, bake):
    """Though an undo takes its keys away and they are written again."""
    from blender_xpbd.addon.keys.clearing import clear_bake

    body = make_body()
    output, worker = bake()
    worker.build()
    worker.publish(1, 2, 3)
    write_all(output)
    before = output._summary.greatest_strain
    clear_bake(body)
    write_all(output)
    assert keys(body) == [1, 2, 3]
    assert output._summary.greatest_strain == before == pytest.approx(0.03)
    assert len(output._measured) == 3


def test_a_writer_gets_positions_and_orientations_of_its_body(bpy, make_body, bake, monkeypatch):
    from blender_xpbd.addon.keys import shape_key_writer

    got = []

    def note(self, frame, result):
        got.append((self.target.name, frame, result))

    monkeypatch.setattr(shape_key_writer.ShapeKeyWriter, "add_frame", note)
    make_body("A")
    make_body("B")
    output, worker = bake(frame_end=2)
    worker.turns = (2, 3)
    worker.build()
    worker.publish(1)
    output.write(0.5, 1)
    every = worker.orientations(1)
    assert [(name, frame) for name, frame, _ in got[:2]] == [("A", 1), ("B", 1)]
    for number, (rows, (_, _, result)) in enumerate(zip((every[:2], every[2:]), got, strict=False)):
        np.testing.assert_array_equal(result.orientations, rows)
        np.testing.assert_allclose(result.positions, worker.positions(number, 1), atol=1e-5)
