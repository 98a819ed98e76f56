# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays that NumPy writes and kernels read, and the other way round."""

import numpy as np
import pytest
import taichi as ti

from blender_xpbd.device.arrays import make_array, make_vectors, read_array, readable_array, write_array
from blender_xpbd.device.host_memory import is_processor, numpy_type
from blender_xpbd.device.runtime import real_type
from blender_xpbd.scene.errors import XpbdError

pytestmark = pytest.mark.usefixtures("taichi_cpu")


@ti.kernel
def double_rows(numbers: ti.types.ndarray(dtype=ti.i32, ndim=2)):
    for i, j in numbers:
        numbers[i, j] *= 2


@ti.kernel
def swap(vectors: ti.types.ndarray(dtype=ti.types.vector(4, ti.f64), ndim=1)):
    for i in vectors:
        vectors[i] = vectors[i].wzyx


@pytest.mark.parametrize("is_direct", [True, False], ids=["memory", "taichi's copies"])
def test_kernels_see_what_is_written_and_their_results_are_read(is_direct, monkeypatch):
    assert is_processor()
    if not is_direct:
        monkeypatch.setattr("blender_xpbd.device.arrays.is_processor", lambda: False)
    values = np.arange(21, dtype=np.int32).reshape(7, 3)
    array = make_array(values, ti.i32)
    double_rows(array)
    np.testing.assert_array_equal(read_array(array), 2 * values)
    write_array(array, values)
    double_rows(array)
    double_rows(array)
    np.testing.assert_array_equal(read_array(array), 4 * values)

    rows = np.random.default_rng(0).normal(size=(5, 4))
    vectors = make_vectors(rows)
    swap(vectors)
    np.testing.assert_array_equal(read_array(vectors), rows[:, ::-1].astype(numpy_type(real_type())))


def test_what_was_read_stays_when_the_array_changes():
    array = make_array(np.ones(4), ti.f32)
    before = read_array(array)
    write_array(array, np.zeros(4))
    assert before.sum() == 4.0


def test_so_many_first_rows_are_read():
    array = make_vectors(np.arange(20.0).reshape(5, 4))
    np.testing.assert_array_equal(read_array(array, 2), np.arange(8.0).reshape(2, 4))
    assert read_array(array, 0).shape == (0, 4)


@pytest.mark.parametrize("values", [np.zeros(0), np.zeros((0, 3)), np.zeros((2, 0))])
def test_none_is_one_row_of_zeros(values):
    read = read_array(make_array(values, ti.f32))
    assert read.shape == tuple(max(length, 1) for length in values.shape)
    assert not read.any()
    assert read_array(make_vectors(np.zeros((0, 4)))).shape == (1, 4)


def test_another_shape_is_refused():
    array = make_array(np.zeros(4), ti.f32)
    for values in (np.zeros(5), np.zeros((4, 1)), np.zeros(1)):
        with pytest.raises(ValueError, match="shape"):
            write_array(array, values)


def test_what_is_only_read_is_not_copied():
    values = np.arange(6, dtype=np.int32).reshape(2, 3)
    assert readable_array(values, ti.i32) is values
    for other in (values.astype(np.int64), values[:, ::2], values[:0]):
        assert isinstance(readable_array(other, ti.i32), ti.Ndarray)


def test_fourth_components_come_apart():
    rows = np.arange(8.0).reshape(2, 4)
    np.testing.assert_array_equal(read_array(make_vectors(rows[:, :3], rows[:, 3])), rows)
    np.testing.assert_array_equal(read_array(make_vectors(rows[:, :3]))[:, 3], 0.0)


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf, 1e39])
@pytest.mark.parametrize("make", [make_array, readable_array])
def test_what_is_not_finite_is_refused(make, number):
    for dtype in (np.float32, np.float64):
        with np.errstate(over="ignore"):
            values = np.array([1.0, number, -2.0]).astype(dtype)
        with pytest.raises(XpbdError, match="E_NONFINITE"):
            make(values, ti.f32)


@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_vectors_that_are_not_finite_are_refused(number):
    rows = np.ones((3, 3))
    with pytest.raises(XpbdError, match="E_NONFINITE"):
        make_vectors(rows, np.array([0.0, number, 1.0]))
    rows[1, 1] = number
    with pytest.raises(XpbdError, match="E_NONFINITE"):
        make_vectors(rows)
