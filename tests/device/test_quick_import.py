# SPDX-License-Identifier: GPL-3.0-or-later
"""What the worker leaves out of Taichi changes no kernel."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

PROGRAM = """
import json, sys
from blender_xpbd.device.quick_import import finish_import, prepare_import
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
import traceback
stacks = []
traceback.extract_stack = lambda *_: stacks.append(1) or []
arrays = [ti.ndarray(ti.f32, 2), ti.Vector.ndarray(3, ti.f32, 2)]
print(json.dumps([outside(1), Counter().inside(1), message, len(stacks)]))
"""

OTHER_VERSION = """
import inspect, json, sys
from blender_xpbd.device.quick_import import finish_import, prepare_import

def insides():
    position, lines = ASTTransformerContext.get_pos_info, kernel_impl.getsourcelines
    return inspect.getframeinfo, position, lines, _ndarray.get_traceback, matrix.get_traceback

whole = inspect.getframeinfo
prepare_import()
import taichi as ti
from taichi.lang import _ndarray, kernel_impl, matrix
from taichi.lang.ast.ast_transformer_utils import ASTTransformerContext
before = (whole, *insides()[1:])
ti.__version__ = tuple(json.loads(sys.argv[1]))
finish_import()
print(json.dumps([old is new for old, new in zip(before, insides())]))
"""


def output_of(*arguments):
    """The last line of a Python's output."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    result = subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, text=True, check=True)
    return result.stdout.splitlines()[-1]


@pytest.mark.parametrize(
    ("version", "is_left_alone"), [([1, 7, 4], False), ([1, 7, 9], False), ([1, 8, 0], True), ([2, 7, 0], True)]
)
def test_only_the_version_that_is_known_is_changed(version, is_left_alone):
    assert json.loads(output_of("-c", OTHER_VERSION, json.dumps(version))) == [is_left_alone] * 5


def test_kernels_are_told_apart_faults_have_a_place_and_arrays_take_no_stack(tmp_path):
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    outside, inside, message, stacks = json.loads(output_of(str(script)))
    assert (outside, inside) == (2, 3)
    line = 1 + PROGRAM.splitlines().index("    return n + nothing")
    assert f'program.py", line {line}, in wrong' in message
    assert "nothing" in message
    assert stacks == 0
