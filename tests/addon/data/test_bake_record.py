# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bake notes of what it adds, as it comes back from a file; and what a stranger's file may hold instead."""

from __future__ import annotations

import base64
import json
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.scene.settings import MAXIMUM_FRAMES, FrameRange


@pytest.fixture
def record(bpy):
    """A record that has each of its fields set."""
    from blender_xpbd.addon.data.bake_record import RELATIVE, BakeRecord

    return BakeRecord(
        bake="0123456789abcdef",
        job="Scene_0123",
        topology="4f",
        style=RELATIVE,
        prefix="XPBD2",
        start=-3,
        end=8,
        step=5,
        created_keys=False,
        created_animation=True,
        created_action="XPBD Bödy",
        last_slot="KEKey",
        use_relative=True,
        eval_time=0.1,
        active_index=2,
        show_only=True,
    )


def test_a_record_comes_back_as_it_was(bpy, make_body, record):
    from blender_xpbd.addon.data.bake_record import read_record

    obj = make_body()
    assert read_record(obj) is None
    record.store(obj)
    assert read_record(obj) == record
    replace(record, end=9).store(obj)
    assert read_record(obj) == replace(record, end=9)


def test_the_frames_of_a_record_are_those_that_the_bake_keeps(record):
    @given(st.integers(-1000, 1000), st.integers(0, 300), st.integers(1, 400))
    def check(start, length, step):
        taken = replace(record, start=start, end=start + length, step=step)
        assert taken.frames() == list(FrameRange(start, start + length, step, 0.04).kept())
        assert len(taken.key_names()) == 2 * len(taken.frames())

    check()


def test_the_names_of_keys(record):
    frames = {"XPBD2 -003", "XPBD2 0002", "XPBD2 0007", "XPBD2 0008"}
    assert record.key_names() == {*frames, *(f"XPBD2 Blend {number:03d}" for number in (1, 2, 3, 4))}
    assert record.key_name(12345) == "XPBD2 12345"


def stored(record, **values):
    return json.dumps({"version": 1, **asdict(record), **values})


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"version": 1}', '{"version": 99}', "[" * 100_000])
def test_a_text_that_is_no_record_is_none(bpy, make_body, text):
    from blender_xpbd.addon.data.bake_record import read_record
    from blender_xpbd.addon.keys.clearing import clear_bake

    obj = make_body()
    obj.xpbd.bake_record = text
    assert read_record(obj) is None
    assert not clear_bake(obj)


@pytest.mark.parametrize(
    "values",
    [
        {"version": 2},
        {"more": 1},
        {"job": None},
        {"start": 1.5},
        {"show_only": 1},
        {"eval_time": "0"},
        {"step": 0},
        {"start": 9},
        {"end": -3 + MAXIMUM_FRAMES},
        {"active_index": -1},
        {"active_index": -100},
        {"active_index": 10**30},
        {"eval_time": float("nan")},
        {"eval_time": float("inf")},
        {"eval_time": 10**400},
        {"start": 10**400, "end": 10**400 + 9},
        {"start": -(2**31), "end": 9 - 2**31},
        {"step": 10**400},
        {"unit_scale": 0.0},
        {"unit_scale": 1e-300},
        {"unit_scale": 1e10},
        {"unit_scale": float("nan")},
    ],
    ids=lambda values: ", ".join(f"{name} {str(value)[:9]}" for name, value in values.items()),
)
def test_a_record_that_a_stranger_changed_is_none(bpy, make_body, record, values):
    from blender_xpbd.addon.data.bake_record import read_record

    obj = make_body()
    obj.xpbd.bake_record = stored(record)
    assert read_record(obj) == record
    obj.xpbd.bake_record = stored(record, **values)
    assert read_record(obj) is None


@pytest.mark.parametrize(
    "values",
    [{"active_index": -100}, {"active_index": 10**30}, {"eval_time": 10**400}],
    ids=lambda values: str(values)[:28],
)
def test_a_record_that_a_stranger_changed_stops_neither_reading_nor_clearing(bpy, make_body, record, values):
    from blender_xpbd.addon.keys.clearing import clear_bake
    from blender_xpbd.addon.reading.mesh_reader import read_rest_shape

    obj = make_body()
    obj.shape_key_add(name="Basis")
    obj.shape_key_add(name="Smile")
    obj.xpbd.bake_record = stored(record, **values)
    assert read_rest_shape(obj).shape == (25, 3)
    assert not clear_bake(obj)
    assert len(obj.data.shape_keys.key_blocks) == 2


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_all_units_that_blender_has_are_known(bpy, make_body, record, scale):
    from blender_xpbd.addon.data.bake_record import read_record

    obj = make_body()
    bpy.context.scene.unit_settings.scale_length = scale
    found = replace(record, unit_scale=bpy.context.scene.unit_settings.scale_length)
    found.store(obj)
    assert read_record(obj) == found


def test_a_record_of_an_earlier_version_has_less(bpy, make_body, record):
    from blender_xpbd.addon.data.bake_record import read_record

    obj = make_body()
    values = json.loads(stored(replace(record, body="Sheet")))
    obj.xpbd.bake_record = json.dumps(values)
    assert read_record(obj) == replace(record, body="Sheet")
    for name in ("body", "transforms", "unit_scale", "folder"):
        del values[name]
    obj.xpbd.bake_record = json.dumps(values)
    assert read_record(obj) == record


def test_a_record_without_one_of_its_fields_is_none(bpy, make_body, record):
    from blender_xpbd.addon.data.bake_record import read_record

    obj = make_body()
    # of records of earlier versions
    optional = {"body", "transforms", "unit_scale", "folder", "points", "muted", "frees_deformed", "subframes"}
    optional |= {"loop", "regions", "cut_start", "cut_end", "shift", "speed", "own_shape"}
    for name in set(asdict(record)) - optional:
        values = json.loads(stored(record))
        del values[name]
        obj.xpbd.bake_record = json.dumps(values)
        assert read_record(obj) is None, name


def test_the_longest_bake_has_a_record(bpy, make_body, record):
    from blender_xpbd.addon.data.bake_record import read_record

    obj = make_body()
    longest = replace(record, end=record.start + MAXIMUM_FRAMES - 1)
    longest.store(obj)
    assert read_record(obj) == longest


def test_stamps_are_on_mesh_and_keys_until_the_record_is_forgotten(bpy, make_body, record):
    from blender_xpbd.addon.data.bake_record import forget_record, read_record, stamp

    obj = make_body()
    stamp(obj, "first")
    assert obj.data.xpbd_bake == "first"
    obj.shape_key_add(name="Basis")
    stamp(obj, "second")
    assert (obj.data.xpbd_bake, obj.data.shape_keys.xpbd_bake) == ("second", "second")
    record.store(obj)
    forget_record(obj)
    assert read_record(obj) is None
    assert (obj.data.xpbd_bake, obj.data.shape_keys.xpbd_bake) == ("", "")


@pytest.mark.parametrize("count", [1, 12])
def test_where_the_object_was_comes_back_exactly(bpy, make_body, record, count):
    from blender_xpbd.addon.data.bake_record import encoded_transforms, read_record

    matrices = np.random.default_rng(count).uniform(-9.0, 9.0, (count, 4, 4)).astype(np.float32).astype(np.float64)
    matrices[:, 3] = 0.0, 0.0, 0.0, 1.0
    obj = make_body()
    assert record.matrices() is None
    replace(record, transforms=encoded_transforms(matrices)).store(obj)
    np.testing.assert_array_equal(read_record(obj).matrices(), matrices)


@pytest.mark.parametrize(
    "transforms",
    ["A", "ä", "AAAA", base64.b64encode(bytes(48)).decode(), base64.b64encode(b"\xff" * 48).decode()],
    ids=["short", "strange", "torn", "flat", "nan"],
)
def test_transforms_that_a_stranger_changed_are_no_record(bpy, make_body, record, transforms):
    from blender_xpbd.addon.data.bake_record import read_record

    obj = make_body()
    obj.xpbd.bake_record = stored(record, transforms=transforms)
    assert read_record(obj) is None


def test_a_share_of_the_network_is_looked_at_where_the_file_or_the_cache_lies_there(bpy, tmp_path, monkeypatch):
    """Windows would sign in to any server that a stranger's record names."""
    from blender_xpbd.addon.data import bake_record

    looked = []

    def look(folder, job, code):
        looked.append(folder)
        return folder / job

    monkeypatch.setattr(bake_record, "inside", look)
    job = "0123456789abcdef01234567"
    # two slashes are what Windows has for a server, and one for the system of the tests
    shared = "/" + str(tmp_path)
    record = bake_record.BakeRecord(
        "1", job, "", "ABSOLUTE", "XPBD", 1, 2, 1, True, True, "", "", True, 0.0, 0, False, folder=shared
    )
    assert bake_record.record_folder(record) is None
    assert bake_record.record_folder(record, tmp_path / "cache") is None
    assert Path(shared) not in looked
    assert bake_record.record_folder(record, Path(shared) / "cache") == Path(shared) / job
    bpy.ops.wm.save_as_mainfile(filepath=f"{shared}/scene.blend")
    assert (bake_record.record_folder(record) is not None) == bpy.data.filepath.startswith("//")
