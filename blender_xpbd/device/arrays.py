# SPDX-License-Identifier: GPL-3.0-or-later
"""Taichi's arrays from NumPy's and back; where the processor computes, by looking into their memory.

Taichi's own copies are kernels: 3 ms for the first of each kind of array, and half a millisecond for the particles of
a frame, which are copied in a fiftieth of that. They are what is left where the insides of Taichi are not known.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt
import taichi as ti

from ..scene.errors import XpbdError
from .host_memory import host_memory, is_processor, numpy_type
from .runtime import real_type


def require_finite(values: npt.NDArray[Any], dtype: Any) -> None:
    """Refuse numbers that would reach a kernel as infinite or not a number.

    Args:
        values: of any shape.
        dtype: Taichi's, in which they reach the device.

    Raises:
        XpbdError: E_NONFINITE.
    """
    if values.dtype.kind != "f" or values.size == 0:
        return
    # the extremes are NaN where any number is, and need no array of answers
    greatest = max(abs(float(values.min())), abs(float(values.max())))
    if not greatest <= float(np.finfo(numpy_type(dtype)).max):
        text = "A size, mass or stiffness in the scene is too large or too small to compute with."
        raise XpbdError("E_NONFINITE", text)


def make_array(values: npt.NDArray[Any], dtype: Any) -> Any:
    """An array of numbers on the device.

    Taichi has no empty arrays: one row of zeros stands for none, and the counts say so.

    Raises:
        XpbdError: E_NONFINITE.
    """
    require_finite(values, dtype)
    array = make_zeros(values.shape, dtype)
    if values.size:
        write_array(array, values)
    return array


def readable_array(values: npt.NDArray[Any], dtype: Any) -> Any:
    """An array of numbers that kernels only read: on the processor, NumPy's own, which takes no second copy.

    Raises:
        XpbdError: E_NONFINITE.
    """
    if is_processor() and values.size and values.dtype == numpy_type(dtype) and values.flags.c_contiguous:
        require_finite(values, dtype)
        return values
    return make_array(values, dtype)


def make_zeros(shape: tuple[int, ...], dtype: Any) -> Any:
    """An array of zeros on the device, at least one along every axis."""
    return ti.ndarray(dtype, tuple(max(length, 1) for length in shape))


def make_vectors(values: npt.NDArray[Any], fourth: npt.NDArray[Any] | None = None) -> Any:
    """An array of 4-vectors on the device, in the precision of what moves; one of zeros stands for none.

    Args:
        values: shape (vectors, 4), or (vectors, 3) with the fourth components apart.
        fourth: shape (vectors,); None for zeros.

    Raises:
        XpbdError: E_NONFINITE.
    """
    require_finite(values, real_type())
    if fourth is not None:
        require_finite(fourth, real_type())
    array = make_zero_vectors(len(values))
    if len(values):
        memory = host_memory(array)
        rows = np.zeros((len(values), 4), numpy_type(real_type())) if memory is None else memory
        rows[:, : values.shape[1]] = values
        if fourth is not None:
            rows[:, 3] = fourth
        if memory is None:
            write_array(array, rows)
    return array


def make_zero_vectors(*shape: int) -> Any:
    """An array of 4-vectors of zeros on the device, at least one along every axis."""
    return ti.ndarray(ti.types.vector(4, real_type()), tuple(max(length, 1) for length in shape))


def make_rows(values: npt.NDArray[Any], dtype: Any) -> Any:
    """An array on the device of rows that kernels read as a whole, shape (rows, width); one of zeros stands for none.

    Raises:
        XpbdError: E_NONFINITE.
    """
    require_finite(values, dtype)
    array = make_zero_rows(len(values), values.shape[1], dtype)
    if values.size:
        write_array(array, values)
    return array


def make_zero_rows(count: int, width: int, dtype: Any) -> Any:
    """An array on the device of rows of zeros, at least one."""
    return ti.ndarray(ti.types.vector(width, dtype), (max(count, 1),))


def write_array(array: Any, values: npt.NDArray[Any]) -> None:
    """Copy into a device array of the same shape."""
    view = host_memory(array)
    if view is not None:
        if view.shape != values.shape:
            raise ValueError(f"an array of shape {view.shape} cannot take {values.shape}")
        view[...] = values
    else:
        array.from_numpy(np.ascontiguousarray(values, numpy_type(array.dtype)))


@contextmanager
def edited_array(array: Any) -> Iterator[npt.NDArray[Any]]:
    """The numbers of a device array, to be changed in place; vectors are rows.

    On the processor it is the array's own memory. From a graphics card all is copied, and back in the end.
    """
    view = host_memory(array)
    if view is not None:
        yield view
    else:
        values = array.to_numpy()
        yield values
        array.from_numpy(values)


def read_array(array: Any, rows: int | None = None) -> npt.NDArray[Any]:
    """A copy of a device array, or of so many of its first rows; vectors are rows."""
    view = host_memory(array)
    if view is not None:
        return view[:rows].copy()
    values: npt.NDArray[Any] = array.to_numpy()[:rows]
    return values
