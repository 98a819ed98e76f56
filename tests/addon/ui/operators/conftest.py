# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests of operators share. They call them as scripts do; the window's side is tested in the application."""

from __future__ import annotations

import pytest


@pytest.fixture
def short(bpy, tmp_path):
    """A scene whose bake is short."""
    settings = bpy.context.scene.xpbd
    settings.frame_end, settings.substeps, settings.cache_directory = 5, 2, str(tmp_path / "cache")
    return settings
