# SPDX-License-Identifier: GPL-3.0-or-later
"""A bake that would fill disk or memory is told before it starts."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from blender_xpbd.scene.settings import FrameRange


@pytest.fixture
def told(bpy, monkeypatch, tmp_path):
    """What is told of 1,000 frames of 1,000,000 vertices: 12 GB."""
    from blender_xpbd.addon.baking import space

    def tell(disk, memory, *, has_fewer_keys=False):
        monkeypatch.setattr(space, "free_memory", lambda: memory)
        monkeypatch.setattr(space.shutil, "disk_usage", lambda _path: SimpleNamespace(free=disk))
        scene = SimpleNamespace(bodies=(SimpleNamespace(vertex_count=1_000_000),), frames=FrameRange(1, 1000))
        notices = space.space_notices(scene, tmp_path / "not" / "there", has_fewer_keys=has_fewer_keys)
        return [(notice.code, notice.message) for notice in notices]

    return tell


def test_what_fits_is_not_told(told):
    assert told(13e9, 13e9) == []


def test_a_disk_that_is_too_small(told):
    ((code, message),) = told(11e9, 13e9)
    assert code == "W_SPACE"
    assert "12.0 GB, and 11.0 GB are free" in message


def test_a_memory_that_is_too_small(told):
    ((code, message),) = told(13e9, 500e6)
    assert code == "W_SPACE"
    assert "500 MB are free: set a key tolerance" in message
    assert told(13e9, 500e6, has_fewer_keys=True) == []
