# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests of operators share. They call them as scripts do; the window's side is tested in the application."""

from __future__ import annotations

import pytest


@pytest.fixture
def select(bpy):
    """A function that selects objects, the first of them active."""

    def choose(*objects):
        for obj in bpy.context.view_layer.objects:
            obj.select_set(obj in objects)
        bpy.context.view_layer.objects.active = objects[0] if objects else None

    return choose


@pytest.fixture
def short(bpy, tmp_path):
    """A scene whose bake is short."""
    settings = bpy.context.scene.xpbd
    settings.frame_end, settings.substeps, settings.cache_directory = 5, 2, str(tmp_path / "cache")
    return settings
