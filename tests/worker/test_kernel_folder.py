# SPDX-License-Identifier: GPL-3.0-or-later
"""A folder of kernels that is damaged is put right, and one that is none keeps nobody from a bake."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from blender_xpbd.jobs.job import write_job
from blender_xpbd.jobs.status import read_status
from blender_xpbd.scene.errors import ExitCode, XpbdError
from blender_xpbd.worker import job_runner, kernel_folder
from blender_xpbd.worker.kernel_folder import KernelFolder
from blender_xpbd.worker.stop_signal import StopSignal
from tests.solver.scenes import cloth, plane, scene

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """
import sys
from pathlib import Path

import taichi as ti

from blender_xpbd.device.runtime import start_taichi, stop_taichi
from blender_xpbd.worker.kernel_folder import KernelFolder

folder = KernelFolder(Path(sys.argv[1]))
start_taichi("CPU", 0, folder.path)


@ti.kernel
def twice(number: ti.i32) -> ti.i32:
    return 2 * number


@ti.kernel
def thrice(number: ti.i32) -> ti.i32:
    return 3 * number


assert (twice(21), thrice(14)) == (42, 42)
print("damaged" if folder.forget_damaged() else "whole")
stop_taichi()
folder.close()
"""


def use_kernels(folder):
    """Compute with two kernels of Taichi's, in a process of its own; what it found in their folder."""
    script = folder.with_name("script.py")
    script.write_text(SCRIPT, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, script, folder], check=True, capture_output=True, text=True, timeout=120, env=environment
    )
    return done.stdout.split()[-1]


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """A folder with two kernels, for copies to be made of."""
    folder = tmp_path_factory.mktemp("compiled") / "kernels"
    assert use_kernels(folder) == "whole"
    return folder


@pytest.fixture
def kernels(compiled, tmp_path):
    """Such a copy."""
    return Path(shutil.copytree(compiled, tmp_path / "kernels"))


def spoil(path, how):
    content = path.read_bytes()
    if how == "missing":
        path.unlink()
    elif how == "a folder":
        path.unlink()
        path.mkdir()
    else:
        middle = len(content) // 2
        spoilt = {
            "empty": b"",
            "of ten bytes": content[:10],
            "half": content[:middle],
            "longer": content + b"x",
            "zeros": bytes(len(content)),
            "of a flipped bit": content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :],
        }
        path.write_bytes(spoilt[how])


def test_a_kernel_that_is_damaged_is_kept_anew(kernels):
    """Taichi compiled it in each process, and kept it in none."""
    spoil(min(kernels.glob("*.tic")), "half")
    assert use_kernels(kernels) == "damaged"
    # the other one is compiled again, which is what that costs
    use_kernels(kernels)
    assert use_kernels(kernels) == "whole"
    assert len(list(kernels.glob("*.tic"))) == 2


@pytest.mark.parametrize("how", ["missing", "empty", "of ten bytes", "half", "longer", "zeros", "of a flipped bit"])
def test_each_damage_of_a_kernel_is_seen(kernels, how):
    assert not KernelFolder(kernels).forget_damaged()
    spoil(max(kernels.glob("*.tic")), how)
    assert KernelFolder(kernels).forget_damaged()
    assert list(kernels.iterdir()) == []


@pytest.mark.parametrize("how", ["missing", "empty", "half", "zeros", "a folder"])
def test_a_table_that_is_damaged_stops_nobody(kernels, how):
    spoil(kernels / "ticache.tcb", how)
    KernelFolder(kernels).forget_damaged()


def test_nothing_is_forgotten_while_another_writes(kernels):
    spoil(min(kernels.glob("*.tic")), "half")
    (kernels / "ticache.lock").touch()
    there = sorted(kernels.iterdir())
    assert not KernelFolder(kernels).forget_damaged()
    assert sorted(kernels.iterdir()) == there


def plant(place, what):
    if what == "file":
        place.touch()
    elif what == "link to nothing":
        place.symlink_to(place.with_name("nothing"))
    else:
        place.parent.rmdir()
        place.parent.touch()


@pytest.mark.parametrize("what", ["file", "link to nothing", "file above it"])
def test_a_bake_without_a_folder_for_kernels_is_whole_and_says_so(tmp_path, monkeypatch, what):
    """As of a user of a farm without a home; it ended with the system's words as a crash of the worker."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(kernel_folder.tempfile, "tempdir", str(temporary))
    place = tmp_path / "home" / "taichi"
    place.parent.mkdir()
    plant(place, what)
    job = write_job(tmp_path / "cache", scene(cloth(4, height=0.3), colliders=[plane()], frames=(1, 3), substeps=2))
    assert job_runner.run_job(job, StopSignal(), place) == ExitCode.COMPLETE
    (notice,) = (notice for notice in read_status(job).notices if notice.code == "W_KERNELS")
    assert str(place) in notice.message
    assert "compiles them anew" in notice.message
    assert list(temporary.iterdir()) == []


def test_a_folder_that_may_not_be_written_to(tmp_path, monkeypatch):
    """Root may write anywhere, so the system's answer is put in its mouth."""
    monkeypatch.setattr(os, "access", lambda *_: False)
    folder = KernelFolder(tmp_path)
    assert "may not be written to" in folder.notice.message
    assert folder.path != tmp_path
    folder.close()
    assert not folder.path.exists()


def kernel_notices(tmp_path, place):
    """Those of a bake that keeps its kernels in a place."""
    job = write_job(tmp_path / "cache", scene(cloth(4, height=0.3), colliders=[plane()], frames=(1, 3), substeps=2))
    assert job_runner.run_job(job, StopSignal(), place) == ExitCode.COMPLETE
    return [notice.message for notice in read_status(job).notices if notice.code == "W_KERNELS"]


def test_a_lock_that_is_a_folder_is_told(tmp_path):
    """Nobody ever got it, so nothing was kept, without a word."""
    place = tmp_path / "kernels"
    (place / "ticache.lock").mkdir(parents=True)
    (message,) = kernel_notices(tmp_path, place)
    assert "its ticache.lock is a folder, which is to be removed" in message


@pytest.fixture
def mounted(tmp_path):
    """A file system of its own, of 300 kB; the function mounts it again with other options."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount")

    def again(options):
        command = [mount, "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
        if mount is None or subprocess.run(command, check=False).returncode:
            pytest.skip("file systems may not be mounted here")
        return folder

    again("size=300k")
    yield again
    subprocess.run([shutil.which("umount") or "umount", "-l", str(folder)], check=True)


def test_a_disk_that_may_not_be_written_to_is_told(tmp_path, mounted):
    """Not even by root."""
    (message,) = kernel_notices(tmp_path, mounted("remount,ro"))
    assert "it may not be written to" in message


def test_a_disk_without_room_for_kernels_is_told_where_some_were_compiled(tmp_path, mounted, monkeypatch):
    """Taichi left half a kernel there, and said nothing."""
    folder = mounted("remount,size=300k")
    monkeypatch.setattr(job_runner, "compiled_count", lambda: 0)
    assert kernel_notices(tmp_path, folder) == []
    monkeypatch.setattr(job_runner, "compiled_count", itertools.count().__next__)
    assert list(folder.glob("*.tic")) != []
    (message,) = kernel_notices(tmp_path / "again", folder)
    assert "bytes are free" in message
    assert "Free space on the disk" in message
    assert list(folder.glob("*.tic")) == []


def test_no_place_for_another_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(kernel_folder.tempfile, "tempdir", str(tmp_path / "none"))
    (tmp_path / "file").touch()
    with pytest.raises(XpbdError, match="E_IO"):
        KernelFolder(tmp_path / "file")


def test_kernels_are_looked_at_after_a_run_that_compiled(tmp_path, monkeypatch):
    looks = []
    monkeypatch.setattr(KernelFolder, "forget_damaged", lambda folder: looks.append(folder.path))
    for name in ("first", "again"):
        job = write_job(tmp_path / name, scene(cloth(4, height=0.3), frames=(1, 2), substeps=2))
        assert job_runner.run_job(job, StopSignal(), tmp_path / "kernels") == ExitCode.COMPLETE
        assert len(looks) == 1, "the second run finds all that the first has compiled"
