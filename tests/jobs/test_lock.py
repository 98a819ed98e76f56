# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from blender_xpbd.jobs.lock import JobLock
from blender_xpbd.scene.errors import XpbdError

ROOT = Path(__file__).resolve().parents[2]
HOLDER = """
import sys
from pathlib import Path
from blender_xpbd.jobs.lock import JobLock
with JobLock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A second process that holds the lock of the folder."""
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        try:
            yield process
        finally:
            process.kill()


def test_the_second_process_is_refused_at_once(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    second = subprocess.run(command, check=False, cwd=ROOT, input="", capture_output=True, text=True, timeout=60)
    assert second.returncode == 1
    assert f"E_LOCKED: Another bake is computing {tmp_path}" in second.stderr
    assert holder.poll() is None


def test_a_killed_holder_lets_go(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    holder.kill()
    holder.wait()
    with JobLock(tmp_path):
        pass


def test_a_holder_that_ends_lets_go(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    holder.communicate("")
    assert holder.returncode == 0
    with JobLock(tmp_path):
        pass


def test_the_same_process_is_refused_too_and_may_lock_again(tmp_path: Path) -> None:
    lock = JobLock(tmp_path)
    with lock, pytest.raises(XpbdError, match="E_LOCKED"), JobLock(tmp_path):
        pytest.fail("held twice")
    with lock:
        pass
    with pytest.raises(RuntimeError), lock:
        raise RuntimeError
    with JobLock(tmp_path):
        pass


def test_a_missing_folder_is_an_io_error(tmp_path: Path) -> None:
    with pytest.raises(XpbdError, match="E_IO"), JobLock(tmp_path / "missing"):
        pytest.fail("locked nothing")


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX")
def test_links_are_refused_and_the_lock_is_free_again(tmp_path: Path) -> None:
    (tmp_path / "lock").symlink_to(tmp_path / "victim")
    with pytest.raises(XpbdError, match="E_CACHE"), JobLock(tmp_path):
        pytest.fail("followed a link")
    assert not (tmp_path / "victim").exists()
    (tmp_path / "lock").unlink()
    (tmp_path / "frames").symlink_to(tmp_path)
    with pytest.raises(XpbdError, match="E_CACHE"), JobLock(tmp_path):
        pytest.fail("followed a link")
    (tmp_path / "frames").unlink()
    with JobLock(tmp_path):
        pass
