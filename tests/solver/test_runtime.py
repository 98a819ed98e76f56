# SPDX-License-Identifier: GPL-3.0-or-later
"""How many threads kernels run on."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = """
import os, sys
from pathlib import Path
if len(sys.argv) > 1:
    os.sched_setaffinity(0, [int(sys.argv[1])])
from blender_xpbd.solver.runtime import start_taichi, thread_count
start_taichi("CPU", 0, Path(".cache/taichi"))
print("threads", thread_count())
"""


def threads_of(*arguments, **variables):
    command = [sys.executable, "-c", PROGRAM, *arguments]
    environment = {**os.environ, **variables}
    done = subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True)
    return next(int(line.split()[1]) for line in done.stdout.splitlines() if line.startswith("threads"))


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system does not tie processes to cores")
def test_as_many_threads_as_the_process_has_cores(monkeypatch):
    monkeypatch.delenv("TI_CPU_MAX_NUM_THREADS", raising=False)
    cores = sorted(os.sched_getaffinity(0))
    assert threads_of() == min(len(cores), 16)
    assert threads_of(str(cores[0])) == 1


def test_taichis_own_variable_counts_more():
    assert threads_of(TI_CPU_MAX_NUM_THREADS="3") == 3
