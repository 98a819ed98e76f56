# SPDX-License-Identifier: GPL-3.0-or-later
"""The preferences, and the search for the worker's Python from there."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from tests.addon.recorded_layout import RecordedLayout


def test_a_script_has_no_preferences(bpy):
    from blender_xpbd.addon.data import extension
    from blender_xpbd.addon.ui import preferences

    assert extension.BASE_PACKAGE == "blender_xpbd"
    assert preferences.XPBD_preferences.bl_idname == "blender_xpbd"
    assert extension.worker_python_path(bpy.context) == ""


def test_an_installed_add_on_has(bpy):
    from blender_xpbd.addon.data import extension

    addon = bpy.context.preferences.addons.new()
    addon.module = extension.BASE_PACKAGE
    try:
        assert extension.worker_python_path(bpy.context) == ""
        addon.preferences.worker_python = "/somewhere/python"
        assert extension.worker_python_path(bpy.context) == "/somewhere/python"
    finally:
        bpy.context.preferences.addons.remove(addon)


@pytest.mark.parametrize(
    ("message", "left"),
    [("E_DEP: No Python with Taichi.", ""), ("E_IO: The disk is full.", "E_IO: The disk is full.")],
)
def test_another_python_takes_the_fault_of_the_last_one_away(bpy, monkeypatch, message, left):
    from blender_xpbd.addon.data import extension
    from blender_xpbd.addon.data.bake_status import STATUS

    addon = bpy.context.preferences.addons.new()
    addon.module = extension.BASE_PACKAGE
    monkeypatch.setattr(STATUS, "message", message)
    try:
        addon.preferences.worker_python = "/somewhere/python"
        assert STATUS.message == left
    finally:
        bpy.context.preferences.addons.remove(addon)


def test_a_script_from_a_checkout_finds_those_of_the_extension(bpy, monkeypatch):
    """The extension has registered the properties; a checkout that is imported beside it has no preferences."""
    from blender_xpbd.addon.data import properties
    from blender_xpbd.addon.data.extension import worker_python_path

    extension = "bl_ext.user_default.xpbd_physics"
    monkeypatch.setattr(properties.XPBD_PG_scene, "__module__", f"{extension}.addon.data.properties")
    named = SimpleNamespace(preferences=SimpleNamespace(worker_python="/somewhere/python"))
    context = SimpleNamespace(
        scene=bpy.context.scene, preferences=SimpleNamespace(addons={extension: named, "blender_xpbd": None})
    )
    assert worker_python_path(context) == "/somewhere/python"


def test_check_tells_what_it_found(bpy, monkeypatch):
    from blender_xpbd.addon.process.worker_python import WorkerPython
    from blender_xpbd.addon.ui.operators import check_worker

    monkeypatch.setattr(check_worker, "find_python", lambda _path: WorkerPython(sys.executable, "3.11", {}))
    assert bpy.ops.xpbd.check_worker() == {"FINISHED"}


def test_check_says_what_to_do(bpy, monkeypatch):
    from blender_xpbd.addon.process import worker_python

    monkeypatch.setattr(worker_python, "candidates", lambda: iter(()))
    with pytest.raises(RuntimeError, match="E_DEP"):
        bpy.ops.xpbd.check_worker()
    assert bpy.context.window_manager.xpbd.message.startswith("E_DEP")
    assert any("taichi" in word for word in drawn(bpy))


def drawn(bpy, context=None):
    from blender_xpbd.addon.ui.preferences import XPBD_preferences

    layout = RecordedLayout()
    values = SimpleNamespace(layout=layout, worker_python="", bl_rna=XPBD_preferences.bl_rna)
    XPBD_preferences.draw(values, context or bpy.context)
    assert layout.properties[0] == "worker_python"
    return layout.words


def test_the_preferences_show_what_is_known(bpy, monkeypatch):
    from blender_xpbd.addon.process.worker_python import WorkerPython
    from blender_xpbd.addon.ui import preferences

    monkeypatch.setattr(preferences, "known_python", lambda _path: None)
    assert drawn(bpy) == ["Solver's Python", "Check Solver", "Compile Ahead", "Folder of Wheels", "Install Taichi"]
    monkeypatch.setattr(preferences, "known_python", lambda _path: WorkerPython("/x/python", "3.12", {}))
    assert "Python 3.12 with Taichi: /x/python" in " ".join(drawn(bpy))


def test_what_the_preferences_say_fits_into_them(bpy, monkeypatch):
    from blender_xpbd.addon.data.bake_status import STATUS
    from blender_xpbd.addon.ui import preferences

    monkeypatch.setattr(preferences, "known_python", lambda _path: None)
    monkeypatch.setattr(STATUS, "message", f"E_DEP: {'a Python without Taichi, ' * 20}")
    narrow = SimpleNamespace(
        region=SimpleNamespace(width=500),
        preferences=SimpleNamespace(system=SimpleNamespace(ui_scale=1.0)),
    )
    lines = [word for word in drawn(bpy, narrow) if "Taichi" in word]
    assert len(lines) > 6
    assert all(len(line) <= (500 - 74) / 6.4 for line in lines)


def test_check_has_all_that_shows_it_drawn_again(bpy, monkeypatch):
    """Without that the panel's red box stays until the mouse passes over it."""
    from blender_xpbd.addon.process import worker_python
    from blender_xpbd.addon.ui import redraw
    from blender_xpbd.addon.ui.operators import check_worker

    tagged = []

    def region(kind, area):
        return SimpleNamespace(type=kind, tag_redraw=lambda: tagged.append((area, kind)))

    areas = [
        SimpleNamespace(type=area, regions=[region(kind, area) for kind in ("WINDOW", "UI", "HEADER")])
        for area in ("VIEW_3D", "PREFERENCES", "PROPERTIES")
    ]
    window = SimpleNamespace(screen=SimpleNamespace(areas=areas))
    context = SimpleNamespace(window_manager=SimpleNamespace(windows=[window]))
    redraw.redraw_panels(context)
    assert tagged == [("VIEW_3D", "UI"), ("PREFERENCES", "WINDOW")]

    contexts = []
    monkeypatch.setattr(check_worker, "redraw_panels", contexts.append)
    monkeypatch.setattr(worker_python, "candidates", lambda: iter(()))
    with pytest.raises(RuntimeError, match="E_DEP"):
        bpy.ops.xpbd.check_worker()
    assert len(contexts) == 1


def test_what_goes_on_is_shown(bpy, monkeypatch):
    from blender_xpbd.addon.process.solver_setup import SETUP
    from blender_xpbd.addon.process.taichi_install import InstallProgress

    monkeypatch.setattr(SETUP, "is_searching", True)
    assert "Looking for a Python with Taichi" in drawn(bpy)
    monkeypatch.setattr(SETUP, "is_searching", False)
    monkeypatch.setattr(SETUP, "fault", "E_DEP: Taichi could not be installed.")
    assert {"Taichi could not be installed.", "Install Taichi"} <= set(drawn(bpy))
    monkeypatch.setattr(SETUP, "is_installing", True)
    monkeypatch.setattr(SETUP, "progress", InstallProgress(0.5, "Getting taichi"))
    words = drawn(bpy)
    assert {"Installing Taichi", "Getting taichi"} <= set(words)
    assert "Install Taichi" not in words


def test_a_python_that_is_found_ends_the_fault_of_the_bake_before(bpy, make_body, monkeypatch):
    """The report of the scene tells it still, after Install Taichi, or after a Python was named."""
    from blender_xpbd.addon.process.worker_python import WorkerPython
    from blender_xpbd.addon.ui import panels, result
    from tests.addon.recorded_layout import draw

    make_body("Cloth")
    bpy.context.scene.xpbd.report = '{"error": "E_DEP: No Python with Taichi was found."}'
    words = "No Python with Taichi was found. (E_DEP)"
    monkeypatch.setattr(result, "known_python", lambda _path: None)
    assert words in " ".join(draw(panels.XPBD_PT_main).words)
    monkeypatch.setattr(result, "known_python", lambda _path: WorkerPython("/x/python", "3.12", {}))
    assert words not in " ".join(draw(panels.XPBD_PT_main).words)
