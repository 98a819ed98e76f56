# SPDX-License-Identifier: GPL-3.0-or-later
"""Keyed and driven parameters come into the job as tracks."""

import numpy as np
import pytest

from blender_xpbd.jobs.job import read_job, write_job


def key(obj, name, values):
    for frame, value in values.items():
        setattr(obj.xpbd, name, value)
        obj.keyframe_insert(f"xpbd.{name}", frame=frame)


def drive(obj, name, values):
    (first, start), (last, end) = values.items()
    driver = obj.driver_add(f"xpbd.{name}").driver
    driver.expression = f"{start} + (frame - {first}) * {(end - start) / (last - first)}"


def shown(bpy, obj, name):
    values = []
    for frame in range(1, 6):
        bpy.context.scene.frame_set(frame)
        values.append(getattr(obj.xpbd, name))
    return values


@pytest.mark.parametrize("how", [key, drive])
def test_values_are_those_of_each_frame(bpy, make_body, read, how, tmp_path):
    body = make_body()
    wall = make_body("Wall", role="COLLIDER")
    how(body, "damping", {1: 1.0, 5: 3.0})
    how(wall, "friction", {1: 0.1, 5: 0.9})
    reading = read()
    tracks = {(track.target, track.parameter): track.values for track in reading.scene.tracks}
    assert tracks.keys() == {("b0", "damping"), ("c0", "friction")}
    assert tracks["b0", "damping"].tolist() == shown(bpy, body, "damping")
    assert tracks["c0", "friction"].tolist() == shown(bpy, wall, "friction")
    assert tracks["b0", "damping"][0] == reading.scene.bodies[0].material.damping == 1.0
    assert not any(notice.code == "W_ANIMATED" for notice in reading.notices)
    again = read_job(write_job(tmp_path, reading.scene))
    np.testing.assert_array_equal(again.tracks[0].values, reading.scene.tracks[0].values)


def test_what_a_collider_has_no_use_for_is_told(make_body, read):
    make_body()
    wall = make_body("Wall", role="COLLIDER")
    for name, values in {"damping": {1: 1.0, 5: 3.0}, "pin_frequency": {1: 2.0, 5: 3.0}}.items():
        key(wall, name, values)
    reading = read()
    assert reading.scene.tracks == ()
    (notice,) = (notice for notice in reading.notices if notice.code == "W_ANIMATED")
    assert 'damping, pin_frequency of "Wall"' in notice.message


def test_what_does_not_change_is_no_track(make_body, read):
    key(make_body(), "damping", {1: 2.0, 5: 2.0})
    reading = read()
    assert reading.scene.tracks == ()
    assert reading.scene.bodies[0].material.damping == 2.0


def test_what_a_preset_sets_is_its_own_and_is_told(make_body, read):
    body = make_body()
    body.xpbd.preset = "COTTON"
    drive(body, "stretch_stiffness", {1: 1e3, 5: 1e4})
    reading = read()
    assert reading.scene.tracks == ()
    (notice,) = (notice for notice in reading.notices if notice.code == "W_ANIMATED")
    assert 'stretch_stiffness of "Body"' in notice.message


def test_a_value_that_is_out_of_range_at_some_frame_is_refused(make_body, read):
    body = make_body()
    key(body, "stretch_stiffness", {1: 1e4, 5: 0.0})
    with pytest.raises(Exception, match="Stretch Stiffness") as raised:
        read()
    assert raised.value.object_name == "Body"
