# SPDX-License-Identifier: GPL-3.0-or-later
"""Packs that Taichi binds rightly, and those that it would mix up."""

import numpy as np
import pytest
import taichi as ti

from blender_xpbd.device import version
from blender_xpbd.device.launch import launch
from blender_xpbd.device.packs import arrays_of, pack_type
from blender_xpbd.solver.step.packs import FLOATS

pytestmark = pytest.mark.usefixtures("taichi_cpu")

First = pack_type(a=FLOATS, b=FLOATS)
Second = pack_type(c=FLOATS, d=FLOATS)
Clashing = pack_type(c=FLOATS, b=FLOATS)


@ti.func
def combined(first: ti.template(), second: ti.template(), i):
    return first.a[i] + 10.0 * first.b[i] + 100.0 * second.c[i] + 1000.0 * second.d[i]


@ti.kernel
def combine(found: FLOATS, first: First, factor: ti.template(), second: Second, start: int, stop: int, more: float):
    for i in range(start, stop):
        found[i] = factor * combined(first, second, i) + more


@ti.kernel
def mix_up(first: First, second: Clashing):
    for i in range(first.a.shape[0]):
        first.a[i] = second.b[i]


def numbers(count, seed, is_taichi):
    values = np.random.default_rng(seed).normal(size=count)
    if not is_taichi:
        return values, values
    array = ti.ndarray(ti.f64, count)
    array.from_numpy(values)
    return array, values


@pytest.mark.parametrize("is_known", [True, False], ids=["known", "another"])
def test_every_array_comes_in_its_place(is_known, monkeypatch):
    if not is_known:
        monkeypatch.setattr(version, "KNOWN", (0,))
    for count, kinds in ((5, (True, False, True, False)), (7, (False, True, True, True)), (5, (True,) * 4)):
        (a, av), (b, bv), (c, cv), (d, dv) = (numbers(count, n, kind) for n, kind in enumerate(kinds))
        found = np.zeros(count)
        launch(combine, found, First(a=a, b=b), 2, Second(c=c, d=d), 1, count - 1, 0.5)
        expected = 2.0 * (av + 10.0 * bv + 100.0 * cv + 1000.0 * dv) + 0.5
        expected[[0, -1]] = 0.0
        np.testing.assert_allclose(found, expected, rtol=1e-14)


def test_what_is_in_a_pack_is_read_and_kept():
    a = ti.ndarray(ti.f64, 3)
    pack = First(a=a, b=np.ones(3))
    assert pack.a is a
    assert arrays_of(pack) == (a, pack.b)


def test_packs_with_a_name_in_common_are_refused():
    with pytest.raises(ValueError, match="have b"):
        launch(mix_up, First(a=np.zeros(3), b=np.ones(3)), Clashing(c=np.ones(3), b=np.ones(3)))


def test_packs_hold_arrays_alone():
    for kind in (ti.f32, First):
        with pytest.raises(TypeError, match="arrays alone"):
            pack_type(a=FLOATS, b=kind)


def test_packs_hold_no_array_of_a_name_that_they_have_themselves() -> None:
    with pytest.raises(ValueError, match="items"):
        pack_type(items=ti.types.ndarray(dtype=ti.i32, ndim=1))
