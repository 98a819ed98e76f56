# SPDX-License-Identifier: GPL-3.0-or-later
"""How Taichi starts: on how many threads, with how large a cache of kernels, again in the same process."""

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
import taichi as ti
from blender_xpbd.device.runtime import start_taichi, thread_count
start_taichi("CPU", 0, Path(".cache/taichi"))
print("threads", thread_count())
print("kernels", ti.cfg.offline_cache_max_size_of_files)
"""


def started(*arguments, **variables):
    command = [sys.executable, "-c", PROGRAM, *arguments]
    environment = {**os.environ, **variables}
    done = subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True)
    return done.stdout.splitlines()


def threads_of(*arguments, **variables):
    return next(int(line.split()[1]) for line in started(*arguments, **variables) if line.startswith("threads"))


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system does not tie processes to cores")
def test_as_many_threads_as_the_process_has_cores(monkeypatch):
    monkeypatch.delenv("TI_CPU_MAX_NUM_THREADS", raising=False)
    cores = sorted(os.sched_getaffinity(0))
    assert threads_of() == min(len(cores), 16)
    assert threads_of(str(cores[0])) == 1


def test_taichis_own_variable_counts_more():
    assert threads_of(TI_CPU_MAX_NUM_THREADS="3") == 3


def test_kernels_of_forty_kinds_of_scenes_are_kept():
    # those of a scene with mesh colliders take up to 25 MB, and Taichi drops the oldest ones beyond its bound
    assert f"kernels {2**30}" in started()


STARTED_TWICE = """
import gc
from pathlib import Path
import numpy as np
import taichi as ti
from blender_xpbd.scene.body import Body
from blender_xpbd.scene.scene import Scene
from blender_xpbd.scene.settings import FrameRange, SolverSettings
from blender_xpbd.device.runtime import start_taichi
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.system.system import build_system
gc.disable()
start = ti.init

def init(**options):
    print("arrays", sum(isinstance(thing, ti.Ndarray) for thing in gc.get_objects()))
    start(**options)

ti.init = init
positions = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]])
body = Body("b0", "Cloth", "CLOTH", positions, np.array([4], np.int32), np.arange(4, dtype=np.int32))
for _ in range(3):
    system = build_system(Scene((body,), (), FrameRange(1, 5, 1, 1 / 24), SolverSettings()))
    start_taichi("CPU", 0, Path(".cache/taichi"), *system.compiling)
    solver = Solver(system)
    solver.compile()
    solver.advance()
    print("height", float(solver.positions()[:, 2].mean()))
    del solver
"""


def test_taichi_may_start_again_in_the_same_process():
    done = subprocess.run([sys.executable, "-c", STARTED_TWICE], cwd=ROOT, check=True, capture_output=True, text=True)
    heights = [line for line in done.stdout.splitlines() if line.startswith("height")]
    assert len(heights) == 3
    assert len(set(heights)) == 1
    # an array of before that is deleted later takes a new one with it that lies where it lay
    assert [line for line in done.stdout.splitlines() if line.startswith("arrays")] == ["arrays 0"] * 3
