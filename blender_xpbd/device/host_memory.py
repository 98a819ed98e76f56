# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays of Taichi where NumPy can reach them."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import numpy.typing as npt
import taichi as ti

from .version import knows_taichi


def is_processor() -> bool:
    """Whether Taichi runs on the processor, whose memory NumPy can reach."""
    return ti.cfg.arch in (ti.x64, ti.arm64)


def numpy_type(dtype: Any) -> type[np.generic]:
    """The same type of number in NumPy."""
    numpy_types: dict[Any, type[np.generic]] = {ti.f64: np.float64, ti.f32: np.float32, ti.i32: np.int32}
    return numpy_types[dtype]


def host_memory(array: Any) -> npt.NDArray[Any] | None:
    """The memory of an array, None where it cannot be reached.

    The array keeps it: to make one takes 20 µs, and a substep with contact reads and writes several arrays.
    """
    view: npt.NDArray[Any] | None = array.__dict__.get("_view")
    if view is None and is_processor() and knows_taichi():
        view = array.__dict__["_view"] = _memory(array)
    return view


def _memory(array: Any) -> npt.NDArray[Any]:
    """The memory of an array, as long as that lives; launches on the processor return when they are done."""
    address = ti.lang.impl.get_runtime().prog.get_ndarray_data_ptr_as_int(array.arr)
    shape, dtype = tuple(array.arr.total_shape()), np.dtype(numpy_type(array.dtype))
    size = int(np.prod(shape)) * dtype.itemsize
    return np.frombuffer(memoryview((ctypes.c_byte * size).from_address(address)), dtype).reshape(shape)
