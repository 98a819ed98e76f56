# SPDX-License-Identifier: GPL-3.0-or-later
"""What keeps a bake from a cache folder is told before, and the folder is left as it is."""

from __future__ import annotations

import os
import sys

import pytest


@pytest.fixture
def folder_fault(bpy):
    """The function; its package needs a Blender."""
    from blender_xpbd.addon.process.folder_check import folder_fault as function

    return function


@pytest.mark.parametrize("names", [(), ("not", "yet"), ("x" * 255,), ("not yet", "ä" * 127)])
def test_a_folder_that_can_be_made(folder_fault, tmp_path, names):
    assert folder_fault(tmp_path.joinpath(*names)) is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="names are measured in bytes")
@pytest.mark.parametrize("names", [("x" * 256,), ("not yet", "x" * 256), ("not yet", "ä" * 128, "cache")])
def test_a_name_that_is_too_long(folder_fault, tmp_path, names):
    fault = folder_fault(tmp_path.joinpath(*names))
    assert fault.code == "E_IO"
    assert "File name too long; choose a cache folder with shorter names" in fault.message


@pytest.mark.parametrize("plant", ["file", "link to nothing"])
def test_something_else_in_the_way(folder_fault, tmp_path, plant):
    place = tmp_path / "place"
    if plant == "file":
        place.touch()
    else:
        place.symlink_to(tmp_path / "nothing")
    for folder in (place, place / "cache"):
        assert folder_fault(folder).code == "E_IO"


def test_a_link_to_a_folder_is_one(folder_fault, tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert folder_fault(tmp_path / "link") is None
    assert folder_fault(tmp_path / "link" / "cache") is None


def test_a_folder_that_may_not_be_written_to(folder_fault, tmp_path, monkeypatch):
    """Root may write anywhere, so the system's answer is put in its mouth."""
    monkeypatch.setattr(os, "access", lambda *_: False)
    fault = folder_fault(tmp_path / "cache")
    assert fault.code == "E_IO"
    assert "Permission denied; you may not write there" in fault.message
    assert folder_fault(tmp_path).code == "E_IO"
    (tmp_path / "0123456789abcdef01234567").mkdir()
    assert folder_fault(tmp_path) is None, "the bake may be there already"
