# SPDX-License-Identifier: GPL-3.0-or-later
"""A function that is set apart computes what it would within the kernel."""

from typing import Any, NamedTuple

import numpy as np
import pytest
import taichi as ti

from blender_xpbd.device import apart as module
from blender_xpbd.device.apart import apart
from blender_xpbd.device.arrays import make_vectors
from blender_xpbd.device.launch import forget, launch
from blender_xpbd.device.packs import pack_type

COUNT = 5
Numbers = pack_type(
    scalars=ti.types.ndarray(ti.f64, 1),
    vectors=ti.types.ndarray(ti.types.vector(4, ti.f64), 1),
    table=ti.types.ndarray(ti.i32, 2),
)
Others = pack_type(found=ti.types.ndarray(ti.f64, 1), never_named=ti.types.ndarray(ti.f64, 1))


class World(NamedTuple):
    numbers: Any
    others: Any


class Variant(NamedTuple):
    factor: int
    adds: bool


@apart
def add_row(table: ti.template(), found: ti.template(), row):
    for n in range(table.shape[1]):
        found[row] += table[row, n]


@apart
def work(world: ti.template(), scalars: ti.template(), row, step, is_late, variant: ti.template()):
    if not is_late:
        row += 0
        world.others.found[row] = step[1] * world.numbers.vectors[row].sum() + scalars[row] * variant.factor
    if ti.static(variant.adds):
        add_row(world.numbers.table, world.others.found, row)


@ti.kernel
def run(numbers: Numbers, others: Others, late: int, variant: ti.template()):
    world = ti.static(World(numbers, others))
    for row in range(others.found.shape[0]):
        work(world, numbers.scalars, row, ti.Vector([1.0, row * 0.5]), row >= late, variant)


@ti.kernel
def run_twice(numbers: Numbers, others: Others):
    for row in range(others.found.shape[0]):
        add_row(numbers.table, others.found, row)
        add_row(numbers.table, others.found, others.found.shape[0] - 1 - row)


class Unknown:
    pass


UNKNOWN = Unknown()


@ti.kernel
def pass_unknown(found: ti.types.ndarray(ti.f64, 1)):
    for row in range(1):
        add_row(UNKNOWN, found, row)


@pytest.fixture
def called(taichi_cpu, monkeypatch):
    """Names of the functions that kernels were made to call; kernels of other tests and runs are not taken."""
    forget()
    monkeypatch.setattr("blender_xpbd.device.kept_kernels._can_keep", lambda: False)
    names, call = [], module._call

    def record(inlined, name, arguments):
        names.append(name)
        call(inlined, name, arguments)

    monkeypatch.setattr(module, "_call", record)
    yield names
    forget()


def packs():
    random = np.random.default_rng(3)
    numbers = Numbers(
        scalars=random.random(COUNT),
        vectors=make_vectors(random.random((COUNT, 4))),
        table=random.integers(0, 9, (COUNT, 4)).astype(np.int32),
    )
    return numbers, Others(found=np.zeros(COUNT), never_named=np.zeros(1))


def expected(numbers, late, variant):
    arrays, rows = dict(numbers.items), np.arange(COUNT)
    found = rows * 0.5 * arrays["vectors"].to_numpy().sum(axis=1) + arrays["scalars"] * variant.factor
    return np.where(rows < late, found, 0.0) + variant.adds * arrays["table"].sum(axis=1)


@pytest.mark.parametrize("variant", [Variant(2, True), Variant(3, False)])
def test_it_takes_packs_arrays_vectors_numbers_and_constants(called, variant):
    numbers, others = packs()
    launch(run, numbers, others, 3, variant)
    np.testing.assert_allclose(dict(others.items)["found"], expected(numbers, 3, variant), rtol=1e-15)
    assert called[0] == "work"
    assert ("add_row" in called) == variant.adds


def test_each_call_has_a_function_of_its_own(called):
    numbers, others = packs()
    launch(run_twice, numbers, others)
    np.testing.assert_array_equal(dict(others.items)["found"], 2 * dict(numbers.items)["table"].sum(axis=1))
    assert called == ["add_row", "add_row"]


def test_an_array_is_passed_once_and_only_where_it_is_named(called, monkeypatch):
    counts, passed = [], module._Passing.passed

    def record(passing):
        counts.append(len(passing._given))
        return passed(passing)

    monkeypatch.setattr(module._Passing, "passed", record)
    numbers, others = packs()
    launch(run, numbers, others, 4, Variant(5, False))
    # found, vectors, scalars, row, two numbers of step, is_late
    assert counts == [7]


def test_what_cannot_be_passed_is_refused(called):
    with pytest.raises(Exception, match=r"takes no .*Unknown"):
        launch(pass_unknown, np.zeros(1))


def test_another_taichi_has_it_inlined(called, monkeypatch):
    monkeypatch.setattr(module, "knows_taichi", lambda: False)
    numbers, others = packs()
    launch(run, numbers, others, 2, Variant(7, True))
    np.testing.assert_allclose(dict(others.items)["found"], expected(numbers, 2, Variant(7, True)), rtol=1e-15)
    assert called == []
