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

@ti.func
def doubled(a, times: ti.template()):
    result = a
    if ti.static(times > 0):
        result = 2 * doubled(a, times - 1)
    return result

@ti.kernel
def many(n: ti.i32, times: ti.template()) -> ti.i32:
    result = doubled(n, times)
    for k in ti.static(range(5)):
        result += doubled(k, 1) + doubled(n, 2)
    return result

@ti.func
def length(vector: ti.template()):
    return vector.norm()

@ti.data_oriented
class Known:
    @ti.func
    def norm(self):
        return 5.0

KNOWN = Known()

@ti.kernel
def lengths(x: ti.f32) -> ti.f32:
    vector = ti.Vector([x, 0.0])
    return 100.0 * length(vector) + length(KNOWN)

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
import ast
parse, parsed = ast.parse, []
ast.parse = lambda source: parsed.append(source) or parse(source)
results = [outside(1), Counter().inside(1), many(1, 3), many(1, 1), lengths(2.0)]
from taichi.lang import kernel_impl
kept = sum("def many" in source for source in kernel_impl.ast._sources.values())
print(json.dumps([results, kept, message, len(stacks), len([source for source in parsed if "def doubled" in source])]))
"""

OTHER_VERSION = """
import inspect, json, sys
from blender_xpbd.device.quick_import import finish_import, prepare_import

def insides():
    position, lines = ASTTransformerContext.get_pos_info, kernel_impl.getsourcelines
    return inspect.getframeinfo, kernel_impl.ast, position, lines, _ndarray.get_traceback, matrix.get_traceback

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
    assert json.loads(output_of("-c", OTHER_VERSION, json.dumps(version))) == [is_left_alone] * 6


def test_kernels_are_told_apart_faults_have_a_place_and_nothing_is_done_again_and_again(tmp_path):
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    results, kept, message, stacks, parsed = json.loads(output_of(str(script)))
    # 8 or 2, and 5 times 4, and twice 0 to 4; 2 and 5
    assert results == [2, 3, 48, 42, 205.0]
    assert kept == 0
    # at most four calls lie in each other
    assert parsed == 4
    line = 1 + PROGRAM.splitlines().index("    return n + nothing")
    assert f'program.py", line {line}, in wrong' in message
    assert "nothing" in message
    assert stacks == 0
