# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import hypothesis.extra.numpy as npst
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from blender_xpbd.jobs.arrays import array_digest, load_array, npy_header, save_array
from blender_xpbd.scene.errors import XpbdError

DTYPES = st.sampled_from([np.dtype(name) for name in ("f4", "f8", "i4", "i8", "u1", "?", ">f4")])
ARRAYS = DTYPES.flatmap(
    lambda dtype: npst.arrays(dtype, npst.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5))
)
same_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@given(array=ARRAYS)
@same_folder
def test_round_trip_keeps_every_byte_and_numpy_agrees(tmp_path: Path, array: np.ndarray[Any, Any]) -> None:
    path = tmp_path / "a.npy"
    digest = save_array(path, array)
    stored = array.dtype.newbyteorder("<")
    back = load_array(path, stored, array.shape, digest)
    assert back.shape == array.shape
    assert back.tobytes() == array.astype(stored).tobytes()
    assert np.load(path, allow_pickle=False).tobytes() == back.tobytes()


@given(array=ARRAYS)
@same_folder
def test_files_written_by_numpy_are_read(tmp_path: Path, array: np.ndarray[Any, Any]) -> None:
    array = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"))).reshape(array.shape)
    path = tmp_path / "a.npy"
    np.save(path, array, allow_pickle=False)
    assert load_array(path, array.dtype, array.shape, array_digest(array)).tobytes() == array.tobytes()


def test_digest_tells_type_shape_and_bytes_apart() -> None:
    array = np.arange(6, dtype=np.int32)
    different = [array, array.reshape(2, 3), array.reshape(3, 2), array.view(np.float32), array + 1]
    assert len({array_digest(a) for a in different}) == len(different)
    assert array_digest(array) == array_digest(np.arange(12, dtype=np.int32)[::2] // 2)


def test_every_truncation_and_flipped_byte_is_found(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    array = np.arange(6, dtype=np.float64).reshape(2, 3)
    digest = save_array(path, array)
    content = path.read_bytes()
    damaged = [content[:length] for length in range(len(content))]
    damaged += [content + b"\0"]
    damaged += [content[:i] + bytes([content[i] ^ 0x21]) + content[i + 1 :] for i in range(len(content))]
    for bad in damaged:
        path.write_bytes(bad)
        with pytest.raises(XpbdError, match="E_JOB") as caught:
            load_array(path, "<f8", (2, 3), digest)
        assert str(path) in caught.value.message


def test_type_shape_and_digest_must_be_those_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    array = np.arange(6, dtype=np.float64).reshape(2, 3)
    digest = save_array(path, array)
    for dtype, shape in (("<f4", (2, 3)), ("<f8", (3, 2)), ("<f8", (6,)), ("<i8", (2, 3)), ("<f4", (4, 3))):
        with pytest.raises(XpbdError, match="holds <f8"):
            load_array(path, dtype, shape, digest)
    with pytest.raises(XpbdError, match="corrupt"):
        load_array(path, "<f8", (2, 3), "0" * 32)


def test_pickles_and_evaluated_headers_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    np.save(path, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(XpbdError, match="no array"):
        load_array(path, "<f8", (1,), "0" * 32)
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (__import__('os').getpid(),), }\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(8))
    with pytest.raises(XpbdError, match="no array"):
        load_array(path, "<f8", (1,), "0" * 32)
    with pytest.raises(ValueError, match="not stored"):
        save_array(path, np.array([None]))


def test_fortran_order_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    array = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    np.save(path, array)
    with pytest.raises(XpbdError, match="E_JOB"):
        load_array(path, "<f8", (2, 3), array_digest(array))
    assert load_array(path, "<f8", (2, 3), save_array(path, array)).tolist() == array.tolist()


@pytest.mark.parametrize("shape", [(2**53, 3), (2**40,), (0, 2**53, 2**53), (2**53, 0, 2**53)])
def test_a_shape_too_large_is_refused_before_allocation(tmp_path: Path, shape: tuple[int, ...]) -> None:
    path = tmp_path / "a.npy"
    path.write_bytes(npy_header("<f8", shape))
    with pytest.raises(XpbdError, match="E_CACHE"):
        load_array(path, "<f8", shape, "0" * 32, code="E_CACHE")


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (10**9, 3)])
def test_header_is_numpys(shape: tuple[int, ...]) -> None:
    file = io.BytesIO(npy_header("<f4", shape))
    assert np.lib.format.read_magic(file) == (1, 0)
    assert np.lib.format.read_array_header_1_0(file) == (shape, False, np.dtype("<f4"))
    assert file.tell() % 64 == 0
    assert file.read() == b""
