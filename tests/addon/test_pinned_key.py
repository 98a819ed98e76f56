# SPDX-License-Identifier: GPL-3.0-or-later
"""A shape key that is pinned (shown alone): it is simulated, the bake shows it, and Clear pins it again."""

from __future__ import annotations

import numpy as np
import pytest

LOWER, WIDER = "Lower", "Wider"


def shown(bpy, obj):
    bpy.context.view_layer.update()
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return np.array([vertex.co[:] for vertex in evaluated.data.vertices])


@pytest.fixture
def pinned(bpy, make_body):
    """A body with two keys: one of value 1, 0.3 m below the mesh, and another, which is pinned."""
    body = make_body()
    body.shape_key_add(name="Basis")
    lower, wider = body.shape_key_add(name=LOWER), body.shape_key_add(name=WIDER)
    for below, beside in zip(lower.points, wider.points, strict=True):
        below.co.z -= 0.3
        beside.co.x *= 1.5
    lower.value = 1.0
    body.active_shape_key_index = 2
    body.show_only_shape_key = True
    return body


@pytest.fixture
def weightless(bpy, fake_worker, tmp_path):
    """A function that bakes five frames without gravity, so that every frame is what was simulated."""
    from blender_xpbd.addon.baking.bake import run_bake
    from blender_xpbd.addon.data.bake_options import BakeOptions

    bpy.context.scene.use_gravity = False
    return lambda: run_bake(bpy.context, BakeOptions(cache=tmp_path / "cache", frame_start=1, frame_end=5))


def plain(body):
    pass


def muted(body):
    body.data.shape_keys.key_blocks[WIDER].mute = True


def weighted(body):
    body.vertex_groups.new(name="Half").add([0, 1, 2], 0.5, "REPLACE")
    body.data.shape_keys.key_blocks[WIDER].vertex_group = "Half"


def weighted_on_another(body):
    weighted(body)
    body.data.shape_keys.key_blocks[WIDER].relative_key = body.data.shape_keys.key_blocks[LOWER]


def absolute(body):
    body.data.shape_keys.use_relative = False
    body.data.shape_keys.eval_time = 10.0


def the_first(body):
    body.active_shape_key_index = 0


STATES = [plain, muted, weighted, weighted_on_another, absolute, the_first]


@pytest.mark.parametrize("state", STATES)
def test_rest_shape_is_what_blender_shows(bpy, pinned, state):
    from blender_xpbd.addon.reading.mesh_reader import read_mixed_shape, read_rest_shape

    state(pinned)
    np.testing.assert_allclose(read_rest_shape(pinned), shown(bpy, pinned), atol=1e-6)
    pinned.show_only_shape_key = False
    np.testing.assert_allclose(read_mixed_shape(pinned), shown(bpy, pinned), atol=1e-6)


@pytest.mark.parametrize("style", ["AUTO", "ABSOLUTE"])
@pytest.mark.parametrize("state", STATES)
def test_every_frame_is_what_was_pinned_and_clear_pins_it_again(bpy, pinned, weightless, dump, state, style):
    from blender_xpbd.addon.keys.clearing import clear_bake

    state(pinned)
    pinned.xpbd.key_style = style
    bpy.context.scene.frame_set(1)
    before, rest = dump(pinned), shown(bpy, pinned)
    # the second bake finds the pin in the record of the first
    for _ in range(2):
        weightless()
        for frame in (1, 3, 5):
            bpy.context.scene.frame_set(frame)
            np.testing.assert_allclose(shown(bpy, pinned), rest, atol=1e-6)
    bpy.context.scene.frame_set(1)
    clear_bake(pinned)
    assert dump(pinned) == before


def test_clear_pins_the_same_key_whichever_was_looked_at_meanwhile(bpy, pinned, weightless):
    from blender_xpbd.addon.keys.clearing import clear_bake

    weightless()
    pinned.active_shape_key_index = 1
    clear_bake(pinned)
    assert pinned.show_only_shape_key
    assert pinned.active_shape_key.name == WIDER


def test_a_key_pinned_after_the_bake_stays_pinned_and_is_simulated_next(bpy, pinned, weightless):
    from blender_xpbd.addon.keys.clearing import clear_bake

    wider = shown(bpy, pinned)
    pinned.show_only_shape_key = False
    weightless()
    pinned.active_shape_key_index = 2
    pinned.show_only_shape_key = True
    weightless()
    np.testing.assert_allclose(shown(bpy, pinned), wider, atol=1e-6)
    clear_bake(pinned)
    assert pinned.show_only_shape_key
    assert pinned.active_shape_key.name == WIDER
