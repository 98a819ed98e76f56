# SPDX-License-Identifier: GPL-3.0-or-later
"""What all scenes of the gallery have: a name of their own, a place in the menu, a picture, a body to bake."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def gallery(bpy):
    from blender_xpbd.addon.gallery.gallery import GALLERY

    return GALLERY


def test_names_are_their_own(gallery):
    assert len({entry.identifier for entry in gallery}) == len({entry.label for entry in gallery}) == len(gallery)


def test_every_scene_is_made_whole_and_leaves_others_alone(bpy, gallery, meshes_folder):
    from blender_xpbd.addon.data.object_types import is_body
    from blender_xpbd.addon.gallery.gallery import add_gallery_scene

    for entry in gallery:
        file = str(meshes_folder / entry.needs_file) if entry.needs_file else ""
        scene = add_gallery_scene(entry, file)
        bodies = [obj for obj in scene.objects if is_body(obj)]
        assert bodies, entry.name
        assert scene.camera is not None
        assert scene.xpbd.frame_start <= entry.picture_frame <= scene.xpbd.frame_end, entry.name
        assert (scene.frame_start, scene.frame_end) == (scene.xpbd.frame_start, scene.xpbd.frame_end)
    assert len(bpy.context.scene.objects) == 0


def test_every_scene_has_a_picture(gallery):
    page = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    for entry in gallery:
        assert (ROOT / "docs" / "pictures" / "gallery" / f"{entry.name}.png").is_file(), entry.name
        assert f"(pictures/gallery/{entry.name}.png)" in page


def test_the_page_is_current(gallery):
    import gallery_docs

    assert gallery_docs.TARGET.read_text(encoding="utf-8") == gallery_docs.text(), "run scripts/gallery_docs.py"


def test_the_menu_of_blender_offers_the_gallery_once(bpy):
    from blender_xpbd.addon.ui import menus

    drawn = bpy.types.VIEW3D_MT_add._dyn_ui_initialize()
    assert sum(function.__module__ == menus.__name__ for function in drawn) == 1


def test_the_operator_makes_a_scene_and_shows_it(bpy, gallery):
    before = bpy.context.scene
    assert bpy.ops.xpbd.add_gallery_scene(name="TWO_PINS") == {"FINISHED"}
    assert bpy.context.window.scene.name == "Cloth on Two Pins"
    assert before.name in bpy.data.scenes


def test_a_scene_whose_file_is_missing_is_refused_and_leaves_nothing(bpy, tmp_path):
    (tmp_path / "broken.node").write_text("no numbers\n", encoding="utf-8")
    for file in ("", "absent.node", "broken.node"):
        with pytest.raises(RuntimeError, match="E_TET_FILE"):
            bpy.ops.xpbd.add_gallery_scene(name="BUNNY", filepath=str(tmp_path / file))
    assert len(bpy.data.scenes) == 1
