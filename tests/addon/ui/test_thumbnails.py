# SPDX-License-Identifier: GPL-3.0-or-later
"""Each preset has a picture, and they are small."""

from __future__ import annotations

import shutil
import struct
from pathlib import Path

import pytest

from blender_xpbd.scene.presets import PRESETS
from tests.addon.recorded_layout import draw

LARGEST_SIDE, LARGEST_SUM = 128, 1_000_000


def test_each_preset_has_a_picture_and_no_picture_is_left_over(bpy):
    from blender_xpbd.addon.ui.thumbnails import FOLDER

    paths = {path.stem.upper(): path for path in FOLDER.iterdir()}
    assert set(paths) == {preset.identifier for preset in PRESETS}
    contents = [path.read_bytes() for path in paths.values()]
    assert sum(map(len, contents)) < LARGEST_SUM
    assert len(set(contents)) == len(contents)
    for content in contents:
        assert content[:8] == b"\x89PNG\r\n\x1a\n"
        assert max(struct.unpack(">II", content[16:24])) <= LARGEST_SIDE


def test_what_has_none_shows_no_icon(bpy):
    """Without a window all icons have the number 0; that they are shown was seen in the application."""
    from blender_xpbd.addon.ui import thumbnails

    assert thumbnails.thumbnail("NO_SUCH_PRESET") == 0
    assert set(thumbnails._pictures) == {preset.identifier for preset in PRESETS}


@pytest.mark.parametrize("role", ["JELLY", "CLOTH", "GRAINS"])
def test_the_pictures_of_a_role_are_buttons(bpy, make_body, select, role):
    from blender_xpbd.addon.ui.own_presets import XPBD_PT_presets
    from blender_xpbd.addon.ui.thumbnails import thumbnail

    select(make_body("A", role=role))
    layout = draw(XPBD_PT_presets)
    presets = [preset for preset in PRESETS if preset.role == role]
    assert layout.words == [preset.label for preset in presets]
    assert layout.icons == [thumbnail(preset.identifier) for preset in presets]
    assert [values.preset for values in layout.operator_values] == [preset.identifier for preset in presets]


def test_a_picture_is_there_when_it_is_first_shown(bpy, tmp_path, monkeypatch):
    """A menu that is open while a job reads it has been seen without the first one, in 4.3."""
    from blender_xpbd.addon.ui import thumbnails

    monkeypatch.setattr(thumbnails, "FOLDER", Path(shutil.copytree(thumbnails.FOLDER, tmp_path / "pictures")))
    thumbnails.unregister()
    thumbnails.register()
    try:
        thumbnails.thumbnail(PRESETS[0].identifier)
        shutil.rmtree(tmp_path / "pictures")
        picture = thumbnails._pictures[PRESETS[0].identifier]
        assert min(picture.image_size) > 0
        assert min(picture.icon_size) > 0
    finally:
        monkeypatch.undo()
        thumbnails.unregister()
        thumbnails.register()
