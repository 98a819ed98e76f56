# SPDX-License-Identifier: GPL-3.0-or-later
"""What viewports show of the settings is drawn again when it changes."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

OF_THE_FLOOR = {"use_floor": True, "floor_height": 1.0}


@pytest.fixture
def drawn(bpy, monkeypatch):
    """What is drawn again in windows: pip's bpy has no window of its own."""
    from blender_xpbd.addon.data import properties
    from blender_xpbd.addon.data.shown_settings import SHOWN, redraw_viewports

    tagged = []

    def area(name):
        return SimpleNamespace(type=name, tag_redraw=lambda: tagged.append(name))

    windows = [SimpleNamespace(screen=SimpleNamespace(areas=[area("VIEW_3D"), area("OUTLINER")])) for _ in range(2)]
    context = SimpleNamespace(window_manager=SimpleNamespace(windows=windows))

    def redraw(settings, _context):
        redraw_viewports(settings, context)

    properties.unregister()
    updates = {**properties._SCENE_UPDATES, **dict.fromkeys(SHOWN, redraw)}
    monkeypatch.setattr(properties, "_SCENE_UPDATES", updates)
    properties.register()
    yield tagged
    properties.unregister()
    monkeypatch.undo()
    properties.register()


def test_viewports_are_drawn_again_where_the_floor_or_an_overlay_changes(bpy, drawn):
    from blender_xpbd.addon.data.overlay_settings import OVERLAYS

    settings = bpy.context.scene.xpbd
    for name, value in {**OF_THE_FLOOR, **dict.fromkeys(OVERLAYS, True)}.items():
        drawn.clear()
        setattr(settings, name, value)
        assert drawn == ["VIEW_3D", "VIEW_3D"], name


def test_nothing_is_drawn_again_for_what_no_viewport_shows(bpy, drawn):
    bpy.context.scene.xpbd.use_force_fields = not bpy.context.scene.xpbd.use_force_fields
    assert drawn == []
