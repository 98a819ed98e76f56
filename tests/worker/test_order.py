# SPDX-License-Identifier: GPL-3.0-or-later
"""A worker that is started before there is a job."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from blender_xpbd.jobs.job import write_job
from blender_xpbd.jobs.status import read_status
from blender_xpbd.scene.errors import ExitCode
from blender_xpbd.worker.order import Order, Orders
from tests.solver.scenes import cloth, scene

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 60


def start(*options):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "XPBD_TAICHI_CACHE": str(ROOT / ".cache" / "taichi")}
    command = [sys.executable, "-m", "blender_xpbd.worker", "--stop-at-end-of-input", *options]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=environment)


def order_of(job):
    return json.dumps({"job": str(job)}).encode() + b"\n"


def test_a_worker_that_waits_takes_one_job(tmp_path):
    job = write_job(tmp_path / "line\nbreak", scene(cloth(4), frames=(1, 3)))
    process = start("--wait=60")
    process.stdin.write(order_of(job))
    process.stdin.flush()
    assert process.wait(LIMIT) == ExitCode.COMPLETE
    process.stdin.close()
    status = read_status(job)
    assert (status.state, status.pid) == ("COMPLETE", process.pid)


def test_it_prints_to_the_log_of_the_job(tmp_path):
    (tmp_path / "worker.log").write_text("before\n")
    process = start("--wait=60")
    process.communicate(order_of(tmp_path), timeout=LIMIT)
    assert process.returncode == ExitCode.REFUSED
    text = (tmp_path / "worker.log").read_text()
    assert text.startswith("before\n")
    assert "E_JOB" in text


@pytest.mark.parametrize("way", ["end of input", "time", "SIGTERM"])
def test_a_worker_without_a_job_ends(way):
    process = start("--wait=0.1" if way == "time" else "--wait=60")
    if way == "SIGTERM":
        process.terminate()
    if way == "end of input":
        process.stdin.close()
    assert process.wait(LIMIT) == (-signal.SIGTERM if way == "SIGTERM" else ExitCode.COMPLETE)
    process.stdin.close()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_it_ends_with_the_process_that_started_it():
    """Killed, so that it can say nothing."""
    code = (
        "import subprocess, sys, time; "
        "p = subprocess.Popen([sys.executable, '-m', 'blender_xpbd.worker', '--stop-at-end-of-input', '--wait=60'],"
        " stdin=subprocess.PIPE, stdout=subprocess.DEVNULL); print(p.pid, flush=True); time.sleep(60)"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, env=environment)
    worker = int(parent.stdout.readline())
    assert is_running(worker)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    limit = time.monotonic() + LIMIT
    while is_running(worker):
        assert time.monotonic() < limit
        time.sleep(0.05)


def is_running(pid):
    """Whether there is such a process; one that is dead and only waits to be noticed is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_orders_come_one_after_the_other_until_the_input_ends():
    reading, writing = os.pipe()
    orders = Orders(reading)
    os.write(writing, b'{"job": "/a"}\n{"job": "/b", "pl')
    first = orders.next(10.0)
    assert first == Order(Path("/a"))
    assert orders.next(0.05) is None
    os.write(writing, b'ay": true}\n{"stop": true}\n{"job": "/c", "prepare": true}\n')
    second, third = orders.next(10.0), orders.next(10.0)
    assert (second, third) == (Order(Path("/b"), is_played=True), Order(Path("/c"), is_preparation=True))
    assert [order.stop.is_requested for order in (first, second, third)] == [False, True, False]
    assert not orders.has_ended
    os.write(writing, b"half a li")
    os.close(writing)
    assert orders.next(10.0) is None
    assert orders.has_ended
    assert third.stop.is_requested
    assert not first.stop.is_requested
    os.close(reading)
