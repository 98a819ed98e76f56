# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bake says of the one before, and takes over from it."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from blender_xpbd.jobs.checkpoint import checkpoint_frame, write_checkpoint
from blender_xpbd.jobs.frames import FrameCache
from blender_xpbd.scene.errors import XpbdError


@pytest.fixture
def bake(bpy, fake_worker, tmp_path):
    from blender_xpbd.addon.baking.bake import run_bake
    from blender_xpbd.addon.data.bake_options import BakeOptions

    def run(**values):
        wishes = {"cache": tmp_path / "cache", "frame_start": 1, "frame_end": 10, "substeps": 4, **values}
        return run_bake(bpy.context, BakeOptions(**wishes))

    return run


def keep_a_state(summary, frame):
    """The stand-in for the worker keeps none."""
    from pathlib import Path

    write_checkpoint(Path(summary.cache), frame, {"x": np.arange(3.0)})


def test_the_first_bake_has_nothing_to_compare_with(bake, make_body):
    make_body()
    summary = bake()
    assert summary.stale == []
    assert bake().stale == []


def test_what_changed_is_named(bpy, bake, make_body):
    body = make_body("Tuch")
    bake()
    body.xpbd.friction = 0.77
    body.location.x += 1.0
    assert set(bake(substeps=5).stale) == {"Tuch: Friction", "Tuch: mesh or place", "Substeps"}
    assert bake(substeps=5).stale == []


def test_a_longer_bake_begins_with_the_frames_of_the_shorter_one(bpy, bake, make_body):
    from pathlib import Path

    make_body()
    first = bake()
    keep_a_state(first, 10)
    second = bake(frame_end=12)
    assert second.stale == ["last frame from frame 11"]
    job = Path(second.cache)
    assert checkpoint_frame(job) == 10
    frames = [FrameCache(folder, 25, 1, 4).path(5) for folder in (Path(first.cache), job)]
    assert frames[0].read_bytes() == frames[1].read_bytes()


def test_what_changed_from_the_start_takes_nothing_over(bake, make_body):
    from pathlib import Path

    body = make_body()
    keep_a_state(bake(), 10)
    body.xpbd.friction = 0.77
    assert checkpoint_frame(Path(bake().cache)) is None


def test_a_bake_that_is_gone_is_nothing_to_go_on_from(bake, make_body):
    from pathlib import Path

    body = make_body()
    shutil.rmtree(Path(bake().cache))
    body.xpbd.friction = 0.77
    summary = bake()
    assert summary.stale == []
    assert summary.complete


def test_the_same_bake_in_another_folder_is_not_computed_again(bake, make_body, fake_worker, tmp_path):
    make_body()
    bake()
    fake_worker(crash_at=1)
    assert bake(cache=tmp_path / "elsewhere").from_cache
    assert (tmp_path / "elsewhere").is_dir()


def test_a_forged_record_leads_nowhere(bpy, bake, make_body, tmp_path):
    import json

    body = make_body()
    bake()
    values = json.loads(body.xpbd.bake_record)
    body.xpbd.bake_record = json.dumps(values | {"job": "../secret"})
    body.xpbd.friction = 0.77
    assert bake().stale == []


def key_places(obj):
    return {key.name: [tuple(point.co) for point in key.data] for key in obj.data.shape_keys.key_blocks}


def read(bpy, **values):
    from blender_xpbd.addon.baking.scene_reader import read_scene
    from blender_xpbd.addon.data.bake_options import BakeOptions

    steps = read_scene(bpy.context, BakeOptions(frame_start=1, frame_end=10, **values))
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def test_others_take_part_as_they_are_baked(bpy, bake, make_body):
    first, second = make_body("A", location=(0, 0, 5)), make_body("B", location=(3, 0, 1))
    bake()
    before = key_places(second)
    reading = read(bpy, only=("A",))
    assert [body.name for body in reading.scene.bodies] == ["A"]
    (collider,) = reading.scene.colliders
    assert (collider.name, collider.shape, collider.positions.shape) == ("B", "MESH", (10, 25, 3))
    # it falls, as it is baked
    fallen = collider.positions[0, :, 2].mean() - collider.positions[9, :, 2].mean()
    assert fallen == pytest.approx(0.5 * 9.81 * (9 / 24) ** 2, rel=0.05)
    first.xpbd.friction = 0.77
    summary = bake(only=("A",))
    assert summary.objects == ["A"]
    assert key_places(second) == before


def test_an_object_without_a_bake_is_left_out(bpy, bake, make_body):
    make_body("A")
    make_body("B", location=(3, 0, 0))
    assert [collider.name for collider in read(bpy, only=("A",)).scene.colliders] == []


def test_an_unknown_object_is_named(bpy, bake, make_body):
    make_body("A")
    with pytest.raises(XpbdError, match='E_NOTHING: object "C"'):
        bake(only=("C",))


def test_a_bake_from_a_frame_on_names_the_bake_before(bake, make_body):
    from pathlib import Path

    from blender_xpbd.jobs.job import read_job

    make_body("A")
    first = bake()
    job = Path(bake(from_frame=5).cache)
    assert job != Path(first.cache)
    beginning = read_job(job).beginning
    assert (beginning.job, beginning.frame) == (Path(first.cache).name, 4)


def test_a_bake_from_a_frame_on_needs_a_bake_before(bake, make_body):
    make_body("A")
    with pytest.raises(XpbdError, match="E_NOTHING"):
        bake(from_frame=5)
    bake()
    for frame in (1, 11):
        with pytest.raises(XpbdError, match="E_FRAME_RANGE"):
            bake(from_frame=frame)


@pytest.mark.parametrize("wish", [{"from_frame": 5}, {"loop": 4}, {"region": True}])
@pytest.mark.parametrize("place", ["gone", "server"])
def test_frames_that_are_not_to_be_found_are_told(bake, make_body, wish, place):
    """The objects have a bake, so that there is none would be wrong."""
    from dataclasses import replace
    from pathlib import Path

    from blender_xpbd.addon.data.bake_record import read_record
    from blender_xpbd.addon.data.rebake_settings import RegionWish

    body = make_body("A")
    body.vertex_groups.new(name="Half").add(range(12), 1.0, "REPLACE")
    job = Path(bake().cache)
    shutil.rmtree(job)
    if place == "server":
        record = read_record(body)
        assert record is not None
        replace(record, folder="//nobody/share/cache").store(body)
    if "region" in wish:
        wish = {"region": RegionWish("A", "Half", 3, 6)}
    with pytest.raises(XpbdError) as caught:
        bake(**wish)
    assert (caught.value.code, caught.value.object_name) == ("E_CACHE", "A")
    assert ("lie on a server, in" if place == "server" else f"there is no {job}") in caught.value.message


def test_a_played_run_is_no_bake_to_go_on_from(bake, make_body, fake_worker, tmp_path):
    """Its frames are where a hand has put them, though its inputs are those of the bake."""
    from pathlib import Path

    from blender_xpbd.addon.baking.continuation import former_job
    from blender_xpbd.jobs.play_inputs import PlayInputs

    body = make_body()
    job = Path(bake().cache)
    target = type("Target", (), {"object_uid": body.session_uid})()
    assert former_job([target], job.parent) == job
    PlayInputs(job).begin_run()
    assert former_job([target], job.parent) is None
    assert not bake(cache=tmp_path / "elsewhere").from_cache


@pytest.mark.parametrize("wish", [{"from_frame": 5}, {"loop": 4}])
def test_bakes_of_objects_one_by_one_are_no_bake_of_all(bake, make_body, wish):
    """The motion that one of them got since would be replaced by its older one."""
    make_body("A", location=(0, 0, 5))
    second = make_body("B", location=(3, 0, 1))
    bake()
    second.location.z = 2.0
    bake(only=("B",))
    before = key_places(second)
    with pytest.raises(XpbdError, match=r'E_CACHE_STALE.*"B".*one by one'):
        bake(**wish)
    assert key_places(second) == before
    bake()
    assert bake(**wish).complete


@pytest.mark.parametrize("wish", [{"from_frame": 5}, {"loop": 4}])
def test_an_object_in_the_place_of_another_does_not_get_its_motion(bpy, bake, make_body, wish):
    make_body("A", location=(0, 0, 5))
    second = make_body("B", location=(3, 0, 1))
    bake()
    second.name = "Renamed"
    assert bake(**wish).complete
    bpy.data.objects.remove(second)
    make_body("C", location=(3, 0, 1))
    with pytest.raises(XpbdError, match=r"E_CACHE_STALE.*other objects"):
        bake(**wish)


def test_a_bake_from_a_frame_on_names_what_changed_alone(bake, make_body):
    body = make_body("Tuch")
    bake()
    assert bake(from_frame=5).stale == []
    body.xpbd.friction = 0.77
    summary = bake(from_frame=5)
    assert summary.stale == ["Tuch: Friction"]
    # it was changed for that
    assert not [text for text in summary.warnings if "W_IGNORED" in text]
    # nothing has changed since, though all is simulated now
    assert bake().stale == []


def test_one_object_again_names_what_changed_alone(bpy, bake, make_body):
    """Not the others, which are held on purpose, and so not where they stand among all."""
    first, second, _ = make_body("A"), make_body("B", location=(3, 0, 0)), make_body("C", location=(6, 0, 0))
    first.xpbd.friction = 0.3
    first.keyframe_insert("xpbd.friction", frame=1)
    bake()
    assert bake(only=("B",)).stale == []
    second.xpbd.restitution = 0.9
    assert bake(only=("B",)).stale == ["B: Restitution"]
    # the others move as they are baked, which may have become another motion
    assert bake(only=("A", "C")).stale == []
    # of all three the first one was simulated beside C alone
    assert bake().stale == ["B: now simulated"]


def test_a_body_that_became_a_collider_is_one_change(bpy, bake, make_body):
    make_body("A")
    other = make_body("B", location=(3, 0, 0))
    bake()
    other.xpbd.role = "COLLIDER"
    assert bake().stale == ["B: now a collider"]


def test_a_frame_that_is_refused_leaves_the_folder_of_the_bake_in_the_panel(bpy, bake, make_body):
    from blender_xpbd.addon.baking.report_text import summary_of

    make_body()
    cache = bake().cache
    with pytest.raises(XpbdError, match="E_FRAME_RANGE: frame 1: There is nothing before it"):
        bake(from_frame=1)
    assert summary_of(bpy.context.scene.xpbd.report)["cache"] == cache
