# SPDX-License-Identifier: GPL-3.0-or-later
"""A fingerprint changes with all that a kernel leads to, and not from process to process."""

import ast
import importlib
import importlib.util
import os
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pytest
import taichi as ti

from blender_xpbd.device.kernel_fingerprint import UnknownIngredientError, fingerprint
from blender_xpbd.device.packs import pack_type

ROOT = Path(__file__).resolve().parents[2]
SOURCE = '''
import enum
from dataclasses import dataclass
from functools import partial, wraps
from typing import ClassVar, NamedTuple

import taichi as ti

FACTORS = (2.0, 3.0)
NAMES = {"one", "two", "three"}


@ti.func
def deepest(x):
    return x + 1.0


@ti.func
def called(x):
    return deepest(x) * FACTORS[0]


def other(x, more=4.0):
    return x + more


class Pair(NamedTuple):
    first: int
    second: int = 5

    def total(self):
        return self.first + self.second


class Mode(enum.IntEnum):
    FAST = 11
    SLOW = 12


@dataclass(frozen=True)
class Kind:
    name: str
    act: object
    weight: float = 6.0
    _share: ClassVar[float] = 0.25

    @property
    def twice(self):
        return 2.0 * self.weight


@dataclass
class Late:
    value: float

    def __post_init__(self):
        self.other = 2.0 * self.value


def unset():
    def inner(x):
        return inner_most(x)

    if False:
        inner_most = None
    return inner


KINDS = (Kind("one", called), Kind("two", partial(other, more=7.0)))


def shared(value):
    def inner(x):
        return x + value

    return inner


ADD = shared(8.0)


def twice(function):
    @wraps(function)
    def wrapped(x):
        return 2.0 * function(x)

    return wrapped


@twice
def doubled(x):
    return x


def made(x):
    """What a kernel would be."""
    pair = Pair(1)
    result = called(x) + doubled(x) + Mode.FAST + ADD(x) + pair.total() + 9.0 * 10.0
    for kind in ti.static(KINDS):
        result += kind.act(x) * kind.twice
    if "two" in NAMES:
        result += ti.math.sqrt(x)
    return result
'''


def load(folder, source):
    """The function of a module of one name, wherever it stands."""
    folder.mkdir()
    path = folder / "ingredients.py"
    path.write_text(source)
    spec = importlib.util.spec_from_file_location("ingredients", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["ingredients"] = module
    spec.loader.exec_module(module)
    return module.made


def test_the_same_source_has_the_same_fingerprint_wherever_it_stands(tmp_path):
    function = load(tmp_path / "a", SOURCE)
    found = fingerprint(function)
    assert len(found) == 32
    assert fingerprint(function) == found
    assert fingerprint(load(tmp_path / "b", SOURCE)) == found
    assert fingerprint(load(tmp_path / "c", SOURCE + "\n\ndef unrelated():\n    return 1\n")) == found


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x + 1.0", "x - 1.0"),
        ("x + 1.0", "x + 1.5"),
        ("FACTORS = (2.0", "FACTORS = (2.5"),
        ("more=4.0", "more=4.5"),
        ("second: int = 5", "second: int = 6"),
        ("self.first + self.second", "self.first - self.second"),
        ("weight: float = 6.0", "weight: float = 7.0"),
        ("2.0 * self.weight", "3.0 * self.weight"),
        ("more=7.0", "more=7.5"),
        ('Kind("one", called)', 'Kind("one", deepest)'),
        ('Kind("two"', 'Kind("three"'),
        ("shared(8.0)", "shared(8.5)"),
        ("9.0 * 10.0", "90.0"),
        ('"one", "two"', '"one", "four"'),
        ("ti.math.sqrt", "ti.math.exp"),
        ("return x + value", "return x - value"),
        ("_share: ClassVar[float] = 0.25", "_share: ClassVar[float] = 0.5"),
        ("2.0 * function(x)", "3.0 * function(x)"),
        ("FAST = 11", "FAST = 13"),
        ("def called(x)", "def called(x: ti.f32)"),
    ],
)
def test_it_changes_with_whatever_the_function_leads_to(old, new, tmp_path):
    before, after = load(tmp_path / "a", SOURCE), load(tmp_path / "b", SOURCE.replace(old, new, 1))
    assert fingerprint(before) != fingerprint(after)


def test_it_changes_with_template_arguments_and_types(tmp_path):
    function = load(tmp_path / "a", SOURCE)
    packs = [pack_type(one=ti.types.ndarray(kind, 1), two=ti.types.ndarray(ti.i32, n))
             for kind in (ti.f32, ti.f64, ti.types.vector(3, ti.f64)) for n in (1, 2)]  # fmt: skip
    renamed = pack_type(one=ti.types.ndarray(ti.f32, 1), three=ti.types.ndarray(ti.i32, 1))
    told = [
        (),
        1,
        2,
        1.0,
        True,
        "1",
        (1, 2),
        (2, 1),
        (1, (2,)),
        ti.f32,
        ti.f64,
        ti.i32,
        np.dtype("int32"),
        *packs,
        renamed,
    ]
    assert len({fingerprint(function, each) for each in told}) == len(told)


@pytest.mark.parametrize(
    "constant",
    [
        "unset()",
        "Late(1.0)",
        "type('Adds', (), {})()",
        "ti.Vector([1.0, 2.0])",
        "ti.types.struct(a=ti.f64)",
        "iter([1])",
    ],
)
def test_what_is_not_known_is_refused(constant, tmp_path):
    function = load(tmp_path / "a", SOURCE.replace("ADD = shared(8.0)", f"ADD = {constant}"))
    with pytest.raises(UnknownIngredientError):
        fingerprint(function)


def test_it_is_of_the_source_that_taichi_would_read_now(tmp_path):
    """Taichi reads a file anew where it has changed; what was read before would be told of another kernel."""
    function = load(tmp_path / "a", SOURCE)
    before = fingerprint(function)
    path = tmp_path / "a" / "ingredients.py"
    path.write_text(SOURCE.replace("x + 1.0", "x + 1.5"))
    os.utime(path, ns=(0, 0))
    assert fingerprint(function) != before
    path.write_text("")
    with pytest.raises(UnknownIngredientError):
        fingerprint(function)


def test_kernels_cast_by_no_name_in_a_statement():
    """Python keeps no names of annotations in a function, so they would not be followed."""
    for path in (ROOT / "blender_xpbd").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and {"func", "kernel"} & {
                each.attr for each in node.decorator_list if isinstance(each, ast.Attribute)
            }:
                assert not [each for each in ast.walk(node) if isinstance(each, ast.AnnAssign)], (path, node.name)


@pytest.mark.parametrize("place", ["inner", "inner.innermost"])
def test_it_follows_members_of_modules(place, tmp_path):
    modules = [types.ModuleType(f"outer{name}") for name in ("", ".inner", ".inner.innermost")]
    outer, outer.inner, outer.inner.innermost = modules
    outer.inner.VALUE = outer.inner.innermost.VALUE = 1.0
    function = load(tmp_path / "a", "def made():\n    return outer.inner.VALUE + outer.inner.innermost.VALUE\n")
    function.__globals__["outer"] = outer
    before = fingerprint(function)
    next(each for each in modules if each.__name__ == f"outer.{place}").VALUE = 2.0
    assert fingerprint(function) != before


PROGRAM = """
import importlib
from blender_xpbd.device.kernel_fingerprint import fingerprint
from tests.device.test_kernel_fingerprint import kernels
for name, kernel in kernels():
    print(name, fingerprint(kernel._primal.func).hex())
"""


def kernels():
    """All kernels of the package, by name."""
    for path in sorted((ROOT / "blender_xpbd").rglob("*.py")):
        if "@ti.kernel" in path.read_text(encoding="utf-8"):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            for attribute, value in sorted(vars(importlib.import_module(name)).items()):
                if hasattr(value, "_primal"):
                    yield f"{name}.{attribute}", value


def test_all_kernels_of_the_package_have_one_that_is_the_same_in_each_process():
    found = []
    for seed in ("1", "2"):
        # without and with bytecode that was read from files
        environment = {
            **os.environ,
            "PYTHONHASHSEED": seed,
            "PYTHONPATH": str(ROOT),
            "PYTHONPYCACHEPREFIX": f"/nowhere/{seed}",
        }
        if seed == "2":
            del environment["PYTHONPYCACHEPREFIX"]
        ended = subprocess.run(
            [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True
        )
        found.append([line for line in ended.stdout.splitlines() if line.startswith("blender_xpbd.")])
    assert found[0] == found[1]
    assert len(found[0]) == len(list(kernels())) > 5
