# SPDX-License-Identifier: GPL-3.0-or-later
"""What the worker leaves out of Taichi changes no kernel."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

PROGRAM = """
import json, sys
from blender_xpbd.worker.quick_taichi import finish_import, prepare_import
prepare_import()
import taichi as ti

@ti.func
def plus(a, b):
    return a + b

@ti.kernel
def outside(n: ti.i32) -> ti.i32:
    return plus(n, 1)

@ti.data_oriented
class Counter:
    @ti.kernel
    def inside(self, n: ti.i32) -> ti.i32:
        return n + 2

@ti.kernel
def wrong(n: ti.i32) -> ti.i32:
    return n + nothing
finish_import()
ti.init(arch=ti.cpu, offline_cache=False, log_level=ti.ERROR)
try:
    wrong(1)
except ti.TaichiCompilationError as fault:
    message = str(fault)
print(json.dumps([outside(1), Counter().inside(1), message]))
"""


def test_kernels_in_and_out_of_classes_are_told_apart_and_faults_have_a_place(tmp_path):
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    result = subprocess.run([sys.executable, str(script)], env=environment, capture_output=True, text=True, check=True)
    outside, inside, message = json.loads(result.stdout.splitlines()[-1])
    assert (outside, inside) == (2, 3)
    line = 1 + PROGRAM.splitlines().index("    return n + nothing")
    assert f'program.py", line {line}, in wrong' in message
    assert "nothing" in message
