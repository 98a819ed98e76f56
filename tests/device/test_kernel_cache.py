# SPDX-License-Identifier: GPL-3.0-or-later
"""What a killed worker leaves in the folder of kernels does not keep later ones from being kept."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from blender_xpbd.device.kernel_cache import mend_kernel_cache

KERNEL = """
import sys
from pathlib import Path

import taichi as ti

from blender_xpbd.device.runtime import start_taichi, stop_taichi

start_taichi("CPU", 0, Path(sys.argv[1]))


@ti.kernel
def twice(number: ti.i32) -> ti.i32:
    return 2 * number


assert twice(21) == 42
stop_taichi()
"""


def run(script, folder):
    subprocess.run([sys.executable, script, folder], check=True, timeout=120, env={**os.environ, "PYTHONPATH": "."})


def make_old(path):
    then = time.time() - 3600.0
    os.utime(path, (then, then))


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "kernel.py"
    path.write_text(KERNEL, encoding="utf-8")
    return path


def test_kernels_are_kept_again_after_a_worker_was_killed_while_it_kept_them(script, tmp_path):
    folder = tmp_path / "kernels"
    run(script, folder)
    (kernel,) = folder.glob("*.tic")
    assert kernel.stat().st_size > 0
    (folder / "ticache.tcb").unlink()
    kernel.write_bytes(b"")
    (folder / "ticache.lock").touch()
    for path in folder.iterdir():
        make_old(path)
    run(script, folder)
    assert kernel.stat().st_size > 0
    assert {path.name for path in folder.iterdir()} == {kernel.name, "ticache.tcb"}


def test_what_another_worker_is_writing_stays(tmp_path):
    for name in ("ticache.lock", "Tempty.tic", "Twhole.tic", "Told.tic", "ticache.tcb", "notes.txt"):
        (tmp_path / name).write_bytes(b"" if name in {"ticache.lock", "Tempty.tic", "notes.txt"} else b"kernel")
    for name in ("Told.tic", "ticache.tcb", "notes.txt"):
        make_old(tmp_path / name)
    before = {path.name for path in tmp_path.iterdir()}
    mend_kernel_cache(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == before
    make_old(tmp_path / "ticache.lock")
    make_old(tmp_path / "Tempty.tic")
    mend_kernel_cache(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == before - {"ticache.lock", "Tempty.tic"}


def test_a_folder_that_is_not_there(tmp_path):
    mend_kernel_cache(tmp_path / "none")
