# SPDX-License-Identifier: GPL-3.0-or-later
"""A bake that would fill disk or memory is told before it starts."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from blender_xpbd.scene.scene import Scene
from blender_xpbd.scene.settings import FrameRange, SolverSettings
from tests.solver.scenes import cloth


@pytest.fixture
def space(bpy):
    from blender_xpbd.addon.baking import space

    return space


@pytest.fixture
def told(space, monkeypatch, tmp_path):
    """What is told of a bake that needs 12 GB on the disk, 1 GB for the worker and 10 GB for keys."""
    from blender_xpbd.addon.baking.needs import Needs

    def tell(disk, memory, *, has_fewer_keys=False):
        monkeypatch.setattr(space, "needs_of", lambda _scene: Needs(12 * 10**9, 10**9, 10**10))
        monkeypatch.setattr(space, "free_memory", lambda: memory)
        monkeypatch.setattr(space.shutil, "disk_usage", lambda _path: SimpleNamespace(free=disk))
        notices = space.space_notices(None, tmp_path / "not" / "there", has_fewer_keys=has_fewer_keys)
        return [(notice.code, notice.message) for notice in notices]

    return tell


def test_what_fits_is_not_told(told):
    assert told(13e9, 12e9) == []


def test_a_disk_that_is_too_small(told):
    ((code, message),) = told(11e9, 13e9)
    assert code == "W_SPACE"
    assert "12.0 GB" in message
    assert "11.0 GB are free" in message


def test_a_memory_that_is_too_small(told):
    ((code, message),) = told(13e9, 5e9)
    assert code == "W_SPACE"
    assert "11.0 GB of memory (10.0 GB for the shape keys), and 5.0 GB are free: set a key tolerance" in message
    assert told(13e9, 5e9, has_fewer_keys=True) == []


def test_a_memory_that_is_too_small_for_the_worker_alone(told):
    ((code, message),) = told(13e9, 500e6, has_fewer_keys=True)
    assert code == "W_SPACE"
    assert "1.0 GB of memory, and 500 MB are free: close other programs" in message


def test_a_bake_is_told_on_a_disk_without_room(space, monkeypatch, tmp_path):
    monkeypatch.setattr(space, "free_memory", lambda: 10**12)
    monkeypatch.setattr(space.shutil, "disk_usage", lambda _path: SimpleNamespace(free=1000))
    scene = Scene((cloth(5),), (), FrameRange(1, 10), SolverSettings())
    assert [notice.code for notice in space.space_notices(scene, tmp_path, has_fewer_keys=False)] == ["W_SPACE"]


def test_a_folder_whose_name_is_too_long_is_told_as_one(bpy, make_body, fake_worker, tmp_path):
    """Where room was looked for, the system's own error came, without a code."""
    from blender_xpbd.addon.baking.bake import run_bake
    from blender_xpbd.addon.data.bake_options import BakeOptions
    from blender_xpbd.scene.errors import XpbdError

    make_body()
    with pytest.raises(XpbdError, match=r"E_IO.*File name too long"):
        run_bake(bpy.context, BakeOptions(frame_start=1, frame_end=2, cache=tmp_path / ("x" * 300)))
