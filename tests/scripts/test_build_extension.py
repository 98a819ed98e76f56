# SPDX-License-Identifier: GPL-3.0-or-later
"""The extension's layout and manifest, as Blender's own tool judges them. Real zips: tests/application."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tomllib
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

import environment
import pytest

import blender_xpbd

PYPROJECT = tomllib.loads((environment.ROOT / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def build_extension() -> ModuleType:
    loader = SourceFileLoader("build_extension", str(environment.ROOT / "scripts" / "build_extension"))
    spec = importlib.util.spec_from_loader("build_extension", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def test_versions_agree(build_extension: ModuleType) -> None:
    manifest = tomllib.loads((build_extension.PACKAGE / "blender_manifest.toml").read_text(encoding="utf-8"))
    assert manifest["version"] == PYPROJECT["project"]["version"] == blender_xpbd.__version__
    assert manifest["permissions"].keys() == {"files", "network"}
    assert build_extension.archive_name("linux-x64") == f"xpbd_physics-{manifest['version']}-linux_x64.zip"


def test_zip_brings_taichi_but_never_numpy() -> None:
    requirements = environment.extension_requirements()
    assert next(line for line in PYPROJECT["project"]["dependencies"] if line.startswith("taichi==")) in requirements
    assert not [line for line in requirements if line.startswith("numpy")]
    assert all("==" in line for line in requirements)


def test_blender_accepts_the_package(build_extension: ModuleType, tmp_path: Path) -> None:
    """Two empty stand-ins for wheels: the tool reads their names alone."""
    names = ["taichi-1.7.4-cp311-cp311-manylinux_2_27_x86_64.whl", "taichi-1.7.4-cp311-cp311-win_amd64.whl"]
    wheels = [tmp_path / name for name in names]
    for wheel in wheels:
        wheel.touch()
    build_extension.lay_out(tmp_path / "package", ["linux-x64", "windows-x64"], [*wheels, *wheels])
    if importlib.util.find_spec("bpy") is None:
        pytest.skip("Blender's tool comes with bpy")
    tool = [sys.executable, str(build_extension.blender_tool(Path(sys.executable)))]
    build = [*tool, "build", f"--source-dir={tmp_path / 'package'}", f"--output-dir={tmp_path}", "--split-platforms"]
    result = subprocess.run(build, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    for platform in ("linux-x64", "windows-x64"):
        archive = tmp_path / build_extension.archive_name(platform)
        result = subprocess.run([*tool, "validate", str(archive)], capture_output=True, text=True, check=False)
        assert result.returncode == 0, result.stdout + result.stderr
