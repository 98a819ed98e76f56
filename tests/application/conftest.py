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
from dataclasses import replace
from pathlib import Path

import pytest

from tests.application.blender_application import EXTENSION, ROOT, Application, assert_no_errors

PYTHONS_WITH_TAICHI = ("3.11", "3.13")


def applications() -> list[str]:
    return [root for root in os.environ.get("XPBD_BLENDER_ROOTS", "").split(":") if root] or [""]


@pytest.fixture(scope="session")
def blender_command() -> str:
    """What runs Blender, as an absolute path."""
    command = os.environ.get("XPBD_BLENDER_APP")
    if not command:
        pytest.skip("XPBD_BLENDER_APP names no Blender")
    return str(Path(command).resolve())


@pytest.fixture(scope="session")
def archives(blender_command: str) -> dict[str, Path]:
    """The extension's zips for Linux, built now: with Taichi, and without ("any")."""
    output = ROOT / "build" / "test-extension"
    platforms = ("linux-x64", "any")
    command = [sys.executable, str(ROOT / "scripts" / "build_extension"), f"--output={output}"]
    subprocess.run([*command, *(f"--platform={platform}" for platform in platforms)], check=True, timeout=300)
    paths = ("xpbd_physics-*-linux_x64.zip", "xpbd_physics-?.?.?.zip")
    return {platform: next(output.glob(path)) for platform, path in zip(platforms, paths, strict=True)}


@pytest.fixture(scope="session", params=applications(), ids=lambda root: Path(root).name or "blender")
def application(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    blender_command: str,
    archives: dict[str, Path],
) -> Application:
    """Blender with the extension installed and enabled by Blender's own command."""
    blender = Application(blender_command, request.param, tmp_path_factory.mktemp("blender"))
    version = blender.run("--background", "--python-expr", "import sys; print('Python %d.%d' % sys.version_info[:2])")
    archive = archives[
        "linux-x64" if any(f"Python {known}\n" in version.output for known in PYTHONS_WITH_TAICHI) else "any"
    ]
    install = ("--command", "extension", "install-file", "--repo", "user_default", "--enable", str(archive))
    result = blender.run(*install)
    assert result.status == 0, result.output
    assert_no_errors(result.output)
    python = os.environ.get("XPBD_WORKER_PYTHON", sys.executable)
    result = blender.script("prepare_preferences.py", EXTENSION, python)
    assert result.status == 0, result.output
    return replace(blender, can_bake="No Python with Taichi" not in result.output)


@pytest.fixture(scope="session")
def baking_application(application: Application) -> Application:
    """An application that has a Python for the worker."""
    if not application.can_bake:
        pytest.skip(f"no Python with Taichi runs in {application.root or 'this Blender'}; see XPBD_WORKER_PYTHON")
    return application
