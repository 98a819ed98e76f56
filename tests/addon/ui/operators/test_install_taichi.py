# SPDX-License-Identifier: GPL-3.0-or-later
"""Install Taichi, as a script asks for it; the dialog was seen in the application."""

from __future__ import annotations

import sys
from contextlib import nullcontext

import pytest

from blender_xpbd.scene.errors import XpbdError
from tests.addon.process.wheels import VERSIONS, make_requirements, make_wheel


@pytest.fixture
def offline(bpy, tmp_path, monkeypatch):
    """A folder of wheels, and this Python as the one that the artist has named."""
    from blender_xpbd.addon.process import solver_setup, taichi_folder, taichi_install, worker_python
    from blender_xpbd.addon.ui.operators import install_taichi

    lines = [make_wheel(tmp_path / "wheels", name) for name in VERSIONS]
    requirements = make_requirements(tmp_path / "requirements.txt", lines)
    monkeypatch.setattr(taichi_folder, "own_folder", lambda: tmp_path / "own")
    for module in (install_taichi, solver_setup):
        monkeypatch.setattr(module, "worker_python_path", lambda _context: sys.executable)
    monkeypatch.setattr(
        install_taichi,
        "install_taichi",
        lambda preference, wheels: taichi_install.install_taichi(preference, wheels, requirements),
    )
    worker_python.forget_python()
    yield tmp_path
    worker_python.forget_python()


def test_it_installs_from_a_folder_without_a_network(bpy, offline, monkeypatch):
    from blender_xpbd.addon.data.bake_status import STATUS
    from blender_xpbd.addon.process.worker_python import known_python

    monkeypatch.setattr(STATUS, "message", "E_DEP: No Python with Taichi was found.")
    assert bpy.ops.xpbd.install_taichi(wheels_folder=str(offline / "wheels")) == {"FINISHED"}
    assert list((offline / "own" / "taichi").glob("*/taichi"))
    assert STATUS.message == ""
    assert known_python(sys.executable) is not None


def test_it_goes_online_only_where_blender_may(bpy, offline):
    assert not bpy.app.online_access
    with pytest.raises(RuntimeError, match="Blender may not go online"):
        bpy.ops.xpbd.install_taichi()
    assert not (offline / "own").exists()


def test_a_fault_is_told(bpy, offline):
    with pytest.raises(RuntimeError, match="There is no folder"):
        bpy.ops.xpbd.install_taichi(wheels_folder=str(offline / "none"))


def test_there_is_nothing_to_cancel(bpy):
    assert not bpy.ops.xpbd.cancel_install.poll()


def test_what_goes_on_can_be_cancelled(bpy, monkeypatch):
    """The steps of a window, without its timer."""
    from blender_xpbd.addon.process import solver_setup
    from blender_xpbd.addon.process.taichi_install import InstallProgress

    ended = []

    def installation():
        try:
            while True:
                yield InstallProgress(0.5, "Getting taichi")
        finally:
            ended.append(True)

    shown = []
    monkeypatch.setattr(bpy.app.timers, "register", lambda *_args, **_options: None, raising=False)
    solver_setup.begin_installation(installation(), lambda: shown.append(solver_setup.SETUP.progress.fraction))
    assert not bpy.ops.xpbd.install_taichi.poll()
    assert solver_setup._tick() is not None
    assert shown == [0.5]
    assert bpy.ops.xpbd.cancel_install() == {"FINISHED"}
    assert ended
    assert not solver_setup.SETUP.is_installing
    assert solver_setup._tick() is None


@pytest.mark.parametrize(("kind", "words"), [(XpbdError, ("E_DEP", "No pip.")), (RuntimeError, ("not thought of",))])
def test_nothing_goes_on_after_a_fault(bpy, monkeypatch, kind, words):
    from blender_xpbd.addon.process import solver_setup

    def installation():
        # one of the module's own would keep Blender's data until Python ends, where bpy 4.2 crashes on it
        raise kind(*words)
        yield

    shown = []
    monkeypatch.setattr(solver_setup.SETUP, "fault", "")
    monkeypatch.setattr(bpy.app.timers, "register", lambda *_args, **_options: None, raising=False)
    solver_setup.begin_installation(installation(), lambda: shown.append(solver_setup.SETUP.is_installing))
    with nullcontext() if kind is XpbdError else pytest.raises(RuntimeError):
        assert solver_setup._tick() is None
    assert shown == [False]
    assert solver_setup._tick() is None
    assert bpy.ops.xpbd.install_taichi.poll()
