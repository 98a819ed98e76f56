# SPDX-License-Identifier: GPL-3.0-or-later
"""A kernel that is kept is found without its statements, and never another."""

import os
import secrets
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import taichi as ti

from blender_xpbd.device import kept_kernels
from blender_xpbd.device.launch import forget, launch
from blender_xpbd.device.packs import pack_type

ROOT = Path(__file__).resolve().parents[2]
Numbers = pack_type(found=ti.types.ndarray(ti.f64, 1), given=ti.types.ndarray(ti.f64, 1))
FACTOR = 3.0


@ti.func
def times(x, factor: ti.template()):
    return x * factor * FACTOR


@ti.kernel
def multiply(numbers: Numbers, factor: ti.template(), plus: float):
    for i in numbers.found:
        numbers.found[i] = times(numbers.given[i], factor) + plus


def products(factor, plus=0.5):
    numbers = Numbers(found=np.zeros(4), given=np.arange(4.0))
    launch(multiply, numbers, factor, plus)
    return dict(numbers.items)["found"]


@pytest.fixture
def made(taichi_cpu, monkeypatch):
    """Whether each kernel that was made was whole."""
    forget()
    is_whole, make = [], kept_kernels._make

    def record(*arguments, **keywords):
        is_whole.append(keywords["is_whole"])
        return make(*arguments, **keywords)

    monkeypatch.setattr(kept_kernels, "_make", record)
    return is_whole


def test_each_template_argument_has_its_own(made):
    for factor in (2, 5, 2):
        np.testing.assert_array_equal(products(factor), 3.0 * factor * np.arange(4.0) + 0.5)
    assert len(made) >= 2


def test_one_that_was_made_is_found_again_without_its_statements(made):
    expected = products(7)
    made.clear()
    forget()
    np.testing.assert_array_equal(products(7), expected)
    assert made == [False]


def test_one_that_called_functions_another_way_is_made_again(made, monkeypatch):
    expected = products(7)
    made.clear()
    forget()
    # new, so that no earlier run has kept it
    monkeypatch.setattr(kept_kernels, "_calls", secrets.token_hex)
    np.testing.assert_array_equal(products(7), expected)
    assert made == [False, True]


def test_what_taichi_prints_makes_no_other_kernel(made):
    """Taichi 1.7.4 leaves this setting as the memory was, so it differs from process to process."""
    expected = products(7)
    made.clear()
    config = ti.lang.impl.get_runtime().prog.config()
    is_printed = config.print_ir_dbg_info
    try:
        for value in (False, True):
            config.print_ir_dbg_info = value
            forget()
            np.testing.assert_array_equal(products(7), expected)
    finally:
        config.print_ir_dbg_info = is_printed
    assert made == [False, False]


class Settings:
    """Something that the fingerprint does not know."""

    factor = 11.0


SETTINGS = Settings()


@ti.kernel
def multiply_by_settings(found: ti.types.ndarray(ti.f64, 1)):
    for i in found:
        found[i] = SETTINGS.factor * i


def test_what_has_no_fingerprint_is_made_as_taichi_does(made):
    found = np.zeros(3)
    launch(multiply_by_settings, found)
    np.testing.assert_array_equal(found, [0.0, 11.0, 22.0])
    assert made == []


def test_a_taichi_that_notes_no_keys_makes_kernels_itself(made, monkeypatch):
    monkeypatch.setattr(kept_kernels, "_can_keep", lambda: False)
    np.testing.assert_array_equal(products(13), 39.0 * np.arange(4.0) + 0.5)
    assert made == []


def test_this_taichi_notes_keys_and_compiles_nothing_spoiled(taichi_cpu):
    assert kept_kernels._can_keep.__wrapped__()


MODULE = """
import numpy as np
import taichi as ti
from blender_xpbd.device.launch import launch

FACTOR = {factor}

@ti.func
def times(x):
    return x * FACTOR

@ti.kernel
def multiply(found: ti.types.ndarray(ti.f64, 1), n: ti.template()):
    for i in found:
        found[i] = times(i + n)
"""
PROGRAM = """
import sys
from pathlib import Path
from blender_xpbd.device.quick_import import finish_import, prepare_import
prepare_import()
import numpy as np
from blender_xpbd.device import kept_kernels, runtime
from blender_xpbd.device.launch import launch
finish_import()
import kernel_module
runtime.start_taichi("CPU", 0, Path(sys.argv[1]), is_double=sys.argv[2] == "f64")
made, make = [], kept_kernels._make
kept_kernels._make = lambda *a, **k: (made.append(k["is_whole"]), make(*a, **k))[1]
found = np.zeros(3)
launch(kernel_module.multiply, found, 1)
runtime.stop_taichi()
print("FOUND", made, found.tolist())
"""


def run(tmp_path, factor, precision="f64"):
    (tmp_path / "kernel_module.py").write_text(MODULE.format(factor=factor))
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{tmp_path}", "PYTHONDONTWRITEBYTECODE": "1"}
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path / "kernels"), precision],
        env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    lines = ended.stdout.splitlines()
    # Taichi would print empty ones where it cannot compile
    assert "" not in lines
    return next(line for line in lines if line.startswith("FOUND"))


def test_the_next_process_finds_it_unless_its_source_or_the_precision_changed(tmp_path):
    assert run(tmp_path, 2.0) == "FOUND [False, True] [2.0, 4.0, 6.0]"
    assert run(tmp_path, 2.0) == "FOUND [False] [2.0, 4.0, 6.0]"
    assert run(tmp_path, 4.0) == "FOUND [False, True] [4.0, 8.0, 12.0]"
    assert run(tmp_path, 2.0, "f32") == "FOUND [False, True] [2.0, 4.0, 6.0]"
    assert run(tmp_path, 2.0) == "FOUND [False] [2.0, 4.0, 6.0]"
    for path in (tmp_path / "kernels").glob("*.tic"):
        path.unlink()
    assert run(tmp_path, 2.0) == "FOUND [False, True] [2.0, 4.0, 6.0]"
