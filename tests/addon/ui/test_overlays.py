# SPDX-License-Identifier: GPL-3.0-or-later
"""How overlays are drawn, with a stand-in for the graphics card; that they look right was seen in the application."""

from __future__ import annotations

from types import SimpleNamespace
from unittest.mock import MagicMock

import pytest


@pytest.fixture
def drawing(bpy, make_body, monkeypatch):
    """The module, with a scene that shows pins and a stand-in for what draws."""
    from blender_xpbd.addon.ui import overlays

    body = make_body("A")
    body.vertex_groups.new(name="Pins").add([0, 4], 1.0, "REPLACE")
    body.xpbd.pin_group = "Pins"
    bpy.context.scene.xpbd.show_pins = True
    context = SimpleNamespace(
        scene=bpy.context.scene,
        space_data=SimpleNamespace(overlay=SimpleNamespace(show_overlays=True)),
        visible_objects=[body],
        evaluated_depsgraph_get=bpy.context.evaluated_depsgraph_get,
    )
    monkeypatch.setattr(overlays, "bpy", SimpleNamespace(context=context, types=bpy.types))
    monkeypatch.setattr(overlays, "gpu", MagicMock())
    monkeypatch.setattr(overlays, "batch_for_shader", MagicMock())
    return overlays


def last_of(setter):
    return setter.call_args.args[0]


@pytest.mark.parametrize("fails", [False, True])
def test_the_state_is_as_before_in_the_end(drawing, monkeypatch, fails):
    if fails:
        monkeypatch.setattr(drawing, "group_points", MagicMock(side_effect=ValueError("singular")))
        with pytest.raises(ValueError, match="singular"):
            drawing._draw()
    else:
        drawing._draw()
    state = drawing.gpu.state
    ends = [state.blend_set, state.depth_test_set, state.program_point_size_set]
    assert [last_of(setter) for setter in ends] == ["NONE", "NONE", False]


@pytest.mark.parametrize(("is_sized", "name"), [(True, "POINT_FLAT_COLOR"), (False, "FLAT_COLOR")])
def test_points_have_a_size_in_each_version(drawing, monkeypatch, is_sized, name):
    monkeypatch.setattr(drawing, "_SIZES_POINTS", is_sized)
    drawing._draw()
    from_builtin = drawing.gpu.shader.from_builtin
    from_builtin.assert_called_once_with(name)
    sized = from_builtin.return_value.uniform_float
    assert sized.called == is_sized
    assert drawing.gpu.state.point_size_set.called != is_sized
    (call,) = (sized if is_sized else drawing.gpu.state.point_size_set).call_args_list
    assert call.args[-1] > 1.0
    assert drawing.gpu.state.program_point_size_set.call_args_list[0].args == (is_sized,)


def test_what_crossed_at_the_start_is_shown_where_it_was_selected(drawing):
    (body,) = drawing.bpy.context.visible_objects
    settings = drawing.bpy.context.scene.xpbd
    settings.show_pins, settings.show_crossings = False, True
    drawing._draw()
    assert not drawing.batch_for_shader.called
    body.vertex_groups.new(name="XPBD Crossings").add([1, 2, 3], 1.0, "REPLACE")
    drawing._draw()
    (call,) = drawing.batch_for_shader.call_args_list
    assert call.args[1] == "POINTS"
    assert len(call.args[2]["pos"]) == 3
