# SPDX-License-Identifier: GPL-3.0-or-later
"""Two bakes of the same objects at a time, as scripts may begin them: one writes, and both end."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from blender_xpbd.scene.errors import XpbdError

FRAMES = 30


@pytest.fixture
def begin(bpy, fake_worker, tmp_path, monkeypatch):
    """A function that begins a bake; each writes a frame or two at a step, as on a machine with much to do."""
    from blender_xpbd.addon.baking import bake as module
    from blender_xpbd.addon.data.bake_options import BakeOptions

    monkeypatch.setattr(module, "SLICE_SECONDS", 1e-4)

    def run(**values):
        wishes = {"frame_start": 1, "frame_end": FRAMES, "substeps": 2, "cache": tmp_path / "cache", **values}
        return module.bake(bpy.context, BakeOptions(**wishes))

    return run


def alternate(bakes, seconds=60.0):
    """Advance bakes by turns until all have ended; how each did: its summary, or its fault."""
    ended, limit = {}, time.monotonic() + seconds
    while len(ended) < len(bakes):
        assert time.monotonic() < limit, "they do not end"
        for number, steps in enumerate(bakes):
            if number in ended:
                continue
            try:
                next(steps)
            except StopIteration as end:
                ended[number] = end.value
            except XpbdError as fault:
                ended[number] = fault
        time.sleep(0.001)
    return [ended[number] for number in range(len(bakes))]


def test_two_that_begin_at_once_both_end_and_one_is_whole(bpy, make_body, begin, tmp_path):
    body = make_body("A")
    ended = alternate([begin(), begin(cache=tmp_path / "other")])
    assert any(not isinstance(each, XpbdError) and each.complete for each in ended)
    assert len(body.data.shape_keys.key_blocks) == 1 + FRAMES


@pytest.fixture
def writing(begin, fake_worker):
    """A function that begins a bake, and goes on until it has written to an object."""

    def run(body, **values):
        fake_worker(seconds=0.02)
        steps = begin(**values)
        while body.data.shape_keys is None:
            next(steps)
        return steps

    return run


@pytest.mark.parametrize("cache", ["cache", "other"])
def test_a_bake_that_writes_is_not_disturbed_by_another(bpy, make_body, begin, writing, tmp_path, cache):
    from blender_xpbd.addon.data.bake_record import read_record

    body = make_body("A")
    first = writing(body)
    (fault,) = alternate([begin(cache=tmp_path / cache)])
    assert fault.code == "E_LOCKED"
    (summary,) = alternate([first])
    assert summary.complete
    assert len(body.data.shape_keys.key_blocks) == 1 + FRAMES
    assert read_record(body).job == Path(summary.cache).name


def test_a_bake_gives_way_where_one_of_its_objects_is_held(bpy, make_body, begin, writing, tmp_path):
    """The other object is its own, and gets its keys."""
    held, mine = make_body("A"), make_body("B")
    first = writing(held, objects=("A",))
    (fault,) = alternate([begin(cache=tmp_path / "other")])
    assert (fault.code, fault.object_name) == ("E_LOCKED", "A")
    assert "writes to this object" in fault.message
    assert len(mine.data.shape_keys.key_blocks) == 1 + FRAMES
    (summary,) = alternate([first])
    assert summary.complete
    assert len(held.data.shape_keys.key_blocks) == 1 + FRAMES


def test_what_a_bake_that_was_closed_has_written_holds_nobody(bpy, make_body, begin, writing, tmp_path):
    writing(make_body("A")).close()
    (summary,) = alternate([begin(cache=tmp_path / "other")])
    assert summary.complete


def test_what_an_undo_takes_away_is_written_again(bpy, make_body, begin):
    """The record of a bake before is no bake that takes over."""
    body = make_body("A")
    alternate([begin()])
    former = body.xpbd.bake_record
    steps = begin()
    while len(body.data.shape_keys.key_blocks) > 5 or body.xpbd.bake_record == former:
        next(steps)
    body.xpbd.bake_record = former
    (summary,) = alternate([steps])
    assert summary.complete
    assert len(body.data.shape_keys.key_blocks) == 1 + FRAMES
