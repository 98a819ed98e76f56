# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run has shown is taken back whoever ends it, and whatever the artist does meanwhile."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.fixture
def shown(bpy, make_body):
    """A body that is shown half a metre higher, as by a run, and its coordinates."""
    from blender_xpbd.addon.baking.scene_reader import read_scene
    from blender_xpbd.addon.data.bake_options import BakeOptions
    from blender_xpbd.addon.playing import display

    body = make_body("A")
    before = coordinates(body)
    steps = read_scene(bpy.context, BakeOptions())
    try:
        while True:
            next(steps)
    except StopIteration as end:
        reading = end.value
    display.show(reading.targets[0], 1, np.add(reading.scene.bodies[0].positions, (0.0, 0.0, 0.5)))
    return body, before


def coordinates(body):
    found = np.zeros(3 * len(body.data.vertices), np.float32)
    body.data.vertices.foreach_get("co", found)
    return found.tobytes()


def test_what_is_edited_while_its_run_ends_is_left_as_it_was_after_that(bpy, shown):
    from blender_xpbd.addon.playing import window_play

    body, before = shown
    bpy.context.view_layer.objects.active = body
    bpy.ops.object.mode_set(mode="EDIT")
    for handler in list(bpy.app.handlers.save_pre):
        handler(bpy.context.scene)
    assert body.xpbd.play_record
    assert bpy.app.timers.is_registered(window_play.tidy)
    assert window_play.tidy() == window_play.EDITING_SECONDS
    bpy.ops.object.mode_set(mode="OBJECT")
    assert window_play.tidy() is None
    assert not body.xpbd.play_record
    assert body.data.shape_keys is None
    assert not body.show_only_shape_key
    assert coordinates(body) == before
    bpy.app.timers.unregister(window_play.tidy)
