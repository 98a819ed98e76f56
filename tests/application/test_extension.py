# SPDX-License-Identifier: GPL-3.0-or-later
"""The extension in real applications: installed, enabled, taken out again."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest

from tests.application.blender_application import EXTENSION, Application, assert_no_errors

pytestmark = pytest.mark.application


def test_archives_hold_the_product_alone(archives: dict[str, Path]) -> None:
    names = zipfile.ZipFile(archives["linux-x64"]).namelist()
    wheels = [name for name in names if name.startswith("wheels/")]
    assert {"cp311", "cp313"} <= {match for name in wheels for match in re.findall(r"taichi-[\d.]+-(cp\d+)", name)}
    assert not [name for name in wheels if "numpy" in name]
    assert set(names) - set(wheels) == set(zipfile.ZipFile(archives["any"]).namelist())
    assert {"__init__.py", "blender_manifest.toml", "LICENSE"} <= set(names)
    assert not [name for name in names if "test" in name or "__pycache__" in name]


def test_starts_without_an_error(application: Application) -> None:
    run = application.run(
        "--background", "--python-expr", "import bpy; print('role', bpy.types.Object.bl_rna.properties['xpbd'])"
    )
    assert run.status == 0
    assert "role" in run.output
    assert_no_errors(run.output)


def test_leaves_nothing_behind(application: Application) -> None:
    run = application.script("register_twice.py", EXTENSION)
    assert run.status == 0, run.output
    assert "the same after disabling" in run.output
    assert_no_errors(run.output)
