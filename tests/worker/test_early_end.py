# SPDX-License-Identifier: GPL-3.0-or-later
"""A worker that hangs in an import ends with whoever has started it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from blender_xpbd.scene.errors import ExitCode

ROOT = Path(__file__).resolve().parents[2]
WORKER = [sys.executable, "-m", "blender_xpbd.worker", "--wait=100", "--stop-at-end-of-input"]
# what a module of that name does as it is imported: Python's own code, and that of a library, which holds the lock
SLEEPS = {
    "python": "import time\nprint('imported', flush=True)\ntime.sleep(100)\n",
    "library": "import ctypes\nprint('imported', flush=True)\nctypes.PyDLL(None).sleep(100)\n",
}
LONG = 60.0


def environment(tmp_path, kind):
    folder = tmp_path / kind
    folder.mkdir()
    (folder / "numpy.py").write_text(SLEEPS[kind], encoding="utf-8")
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)])}


def is_alive(pid):
    """Whether a process that is no child of this one runs; what nobody has waited for has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_the_end_of_the_input_ends_it(tmp_path):
    with subprocess.Popen(
        WORKER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment(tmp_path, "python")
    ) as worker:
        assert worker.stdout.readline() == b"imported\n"
        assert worker.poll() is None
        worker.stdin.close()
        try:
            assert worker.wait(LONG) == ExitCode.INTERRUPTED
        finally:
            worker.kill()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="what Linux is asked for")
@pytest.mark.parametrize("kind", SLEEPS)
def test_the_death_of_its_parent_ends_it(tmp_path, kind):
    code = (
        "import subprocess, sys, time\n"
        f"worker = subprocess.Popen({WORKER!r}, stdin=subprocess.PIPE, start_new_session=True)\n"
        "print(worker.pid, flush=True)\n"
        "time.sleep(100)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, env=environment(tmp_path, kind)
    ) as parent:
        pid = int(parent.stdout.readline())
        assert parent.stdout.readline() == b"imported\n"
        parent.kill()
    end = time.monotonic() + LONG
    try:
        while is_alive(pid) and time.monotonic() < end:
            time.sleep(0.05)
        assert not is_alive(pid)
    finally:
        if is_alive(pid):
            os.kill(pid, 9)


def test_a_job_that_is_told_early_is_not_read_away(tmp_path):
    """The worker may still import when the job comes."""
    from blender_xpbd.worker.early_end import EarlyEnd
    from blender_xpbd.worker.order import Orders

    reading, writing = os.pipe()
    early = EarlyEnd(reading)
    os.write(writing, b'{"job": "folder"}\n')
    time.sleep(0.1)
    early.leave_off()
    os.close(writing)
    orders = Orders(reading)
    assert orders.next(10.0).job == Path("folder")
    # its thread has read the end
    assert orders.next(10.0) is None
    os.close(reading)
