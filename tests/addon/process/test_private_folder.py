# SPDX-License-Identifier: GPL-3.0-or-later
"""The folder that processes are started in."""

from __future__ import annotations

import sys
import tempfile

import pytest


def test_processes_start_in_a_folder_of_ours_alone(bpy, tmp_path, monkeypatch):
    from blender_xpbd.addon.process import private_folder

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(private_folder, "_folder", None)
    folder = private_folder.private_folder()
    assert folder.parent == tmp_path
    assert private_folder.is_private(folder)
    assert private_folder.private_folder() == folder, "one for the session"
    folder.rmdir()
    second = private_folder.private_folder()
    assert second != folder
    assert private_folder.is_private(second)
    if sys.platform != "win32":
        second.chmod(0o777)
        assert private_folder.private_folder() != second, "others could write there"
    (tmp_path / "link").symlink_to(second)
    assert not private_folder.is_private(tmp_path / "link")


def test_no_place_for_such_a_folder_is_told(bpy, tmp_path, monkeypatch):
    from blender_xpbd.addon.process import private_folder
    from blender_xpbd.scene.errors import XpbdError

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    monkeypatch.setattr(private_folder, "_folder", None)
    with pytest.raises(XpbdError, match=r"E_IO.*missing"):
        private_folder.private_folder()
