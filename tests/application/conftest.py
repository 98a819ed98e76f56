# SPDX-License-Identifier: GPL-3.0-or-later
"""Real Blender applications, each with the extension installed into a configuration of its own.

``XPBD_BLENDER_APP`` is a command that runs Blender with the arguments it gets. ``XPBD_BLENDER_ROOTS`` may list
several installations, separated by colons: each goes to the command as ``BLENDER_APP_ROOT``. A command that knows
``BLENDER_APP_WINDOW=WIDTHxHEIGHT`` opens a window on a virtual screen. ``XPBD_WORKER_PYTHON`` names an
interpreter with Taichi for applications whose own Python has no wheel of it (default: the one that runs the tests).
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.application.blender_application import EXTENSION, ROOT, Application, assert_no_errors


def applications() -> list[str]:
    return [root for root in os.environ.get("XPBD_BLENDER_ROOTS", "").split(":") if root] or [""]


@pytest.fixture(scope="session")
def extension_archive() -> Path:
    """The extension's zip for Linux, built now."""
    output = ROOT / "build" / "test-extension"
    command = [sys.executable, str(ROOT / "scripts" / "build_extension"), "--platform=linux-x64", f"--output={output}"]
    subprocess.run(command, check=True, timeout=300)
    return next(output.glob("xpbd_physics-*-linux_x64.zip"))


@pytest.fixture(scope="session", params=applications(), ids=lambda root: Path(root).name or "blender")
def application(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, extension_archive: Path
) -> Application:
    """Blender with the extension installed and enabled by Blender's own command."""
    command = os.environ.get("XPBD_BLENDER_APP")
    if not command:
        pytest.skip("XPBD_BLENDER_APP names no Blender")
    blender = Application(str(Path(command).resolve()), request.param, tmp_path_factory.mktemp("blender"))
    install = ("--command", "extension", "install-file", "--repo", "user_default", "--enable", str(extension_archive))
    result = blender.run(*install)
    assert result.status == 0, result.output
    assert_no_errors(result.output)
    python = os.environ.get("XPBD_WORKER_PYTHON", sys.executable)
    result = blender.script("prepare_preferences.py", EXTENSION, python)
    assert result.status == 0, result.output
    return blender
