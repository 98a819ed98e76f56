# SPDX-License-Identifier: GPL-3.0-or-later
"""The door for scripts: ``python scripts/bake.py``, in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import bake as bake_script
import pytest

SCRIPT = Path(bake_script.__file__)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [(["blender", "-b", "--python", "bake.py", "--", "--step", "2"], ["--step", "2"]), (["blender", "-b"], [])],
)
def test_arguments_follow_the_dashes(arguments, expected):
    assert bake_script.script_arguments(arguments) == expected


def test_a_refused_bake_in_a_process(bpy, make_scene):
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(make_scene), "--json"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "E_NOTHING" in done.stderr
    assert json.loads(done.stdout.splitlines()[-1])["error"].startswith("E_NOTHING")


def test_a_file_that_is_not_there(bpy, tmp_path):
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(tmp_path / "none.blend")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 5
    assert "E_IO" in done.stderr


def test_the_end_is_python_s_alone_with_pips_module(bpy, make_scene):
    """Blender's own hangs now and then, after all is done; what is registered with Python is done all the same."""
    code = f"""
import atexit, runpy, sys
class Late:
    def __del__(self): print("torn down")
late = Late()
atexit.register(print, "handled")
sys.argv = ["bake.py", {str(make_scene)!r}, "--json"]
runpy.run_path({str(SCRIPT)!r}, run_name="__main__")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "E_NOTHING" in done.stdout
    assert "handled" in done.stdout
    assert "torn down" not in done.stdout


@pytest.fixture
def make_scene(bpy, tmp_path):
    path = tmp_path / "scene.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path
