# SPDX-License-Identifier: GPL-3.0-or-later
"""A check tells nothing of contact in the scenes of the gallery and the tutorials, which have been looked at."""

from __future__ import annotations

import json

import pytest
from tutorial_scenes import TUTORIALS

# what a check says of how bodies start, and what it says of scenes in which this is meant
CONTACT = {"W_ENCLOSED", "W_INSIDE", "W_NEAR", "W_SHOWN_SMOOTH", "W_SMOOTHED", "W_TANGLED", "W_THICKENED", "W_WITHIN"}
MEANT = {
    ("jiggling-character", code, name)
    for code, name in (
        ("W_INSIDE", "Hat"),
        ("W_SMOOTHED", "Cape"),
        ("W_SMOOTHED", "Skirt"),
        ("W_THICKENED", "Cape"),
        ("W_THICKENED", "Skirt"),
    )
}


@pytest.fixture
def told(bpy, monkeypatch):
    from blender_xpbd.addon.checking import check_scene
    from blender_xpbd.addon.gallery.gallery import add_gallery_scene

    monkeypatch.setattr(check_scene, "compile_ahead", lambda *_: None)

    def check(entry, file=""):
        bpy.ops.wm.read_factory_settings(use_empty=True)
        bpy.context.window.scene = add_gallery_scene(entry, str(file))
        bpy.ops.xpbd.check()
        rows = json.loads(bpy.context.scene.xpbd.findings)
        return {(entry.name, row["code"], row["object"]) for row in rows if row["code"] in CONTACT}

    return check


def test_none_of_the_gallery(told, meshes_folder):
    from blender_xpbd.addon.gallery.gallery import GALLERY

    for entry in GALLERY:
        assert told(entry, meshes_folder / entry.needs_file if entry.needs_file else "") == set()


@pytest.mark.slow
def test_none_of_the_tutorials(told):
    assert {row for entry in TUTORIALS for row in told(entry)} == MEANT
