# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import hypothesis.extra.numpy as npst
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from blender_xpbd.jobs import arrays as arrays_module
from blender_xpbd.jobs import checkpoint
from blender_xpbd.jobs.checkpoint import read_checkpoint, write_checkpoint
from blender_xpbd.jobs.version import SOLVER_VERSION, VERSION
from blender_xpbd.scene.errors import XpbdError

DTYPES = st.sampled_from([np.dtype(name) for name in ("f4", "f8", "i4", "u8", "?", ">f4", "f2")])
ARRAYS = DTYPES.flatmap(
    lambda dtype: npst.arrays(dtype, npst.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=5))
)
same_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@given(frame=st.integers(-(10**6), 10**6), arrays=st.dictionaries(st.text(max_size=8), ARRAYS, max_size=4))
@same_folder
def test_restores_the_very_bytes(tmp_path: Path, frame: int, arrays: dict[str, np.ndarray[Any, Any]]) -> None:
    arrays = {name.encode("utf-8", "replace").decode(): array for name, array in arrays.items()}
    write_checkpoint(tmp_path, frame, arrays)
    kept = read_checkpoint(tmp_path)
    assert kept is not None
    assert kept[0] == frame
    assert list(kept[1]) == list(arrays)
    for name, array in arrays.items():
        back = kept[1][name]
        assert (back.dtype, back.shape, back.tobytes()) == (array.dtype, array.shape, array.tobytes())
        assert back.flags.writeable


def test_absent_is_none_and_the_last_one_counts(tmp_path: Path) -> None:
    assert read_checkpoint(tmp_path) is None
    write_checkpoint(tmp_path, 1, {"a": np.zeros(3)})
    write_checkpoint(tmp_path, 2, {"b": np.array([np.nan, -0.0])})
    kept = read_checkpoint(tmp_path)
    assert kept is not None
    assert kept[0] == 2
    assert kept[1]["b"].tobytes() == np.array([np.nan, -0.0]).tobytes()


def test_every_truncation_and_flipped_byte_is_found(tmp_path: Path) -> None:
    write_checkpoint(tmp_path, 3, {"a": np.arange(5.0), "b": np.arange(3, dtype=np.int32)})
    path = tmp_path / "checkpoint.bin"
    content = path.read_bytes()
    damaged = [content[:length] for length in range(len(content))] + [content + b"\0"]
    damaged += [
        content[:i] + bytes([content[i] ^ bit]) + content[i + 1 :] for i in range(len(content)) for bit in (1, 128)
    ]
    for bad in damaged:
        path.write_bytes(bad)
        with pytest.raises(XpbdError, match="E_CACHE") as caught:
            read_checkpoint(tmp_path)
        assert str(path) in caught.value.message


def forge(folder: Path, header: object, data: bytes = b"", length: int | None = None) -> None:
    """A checkpoint whose digest is right and whose content is hostile."""
    text = json.dumps(header).encode()
    body = b"XPBDSTA2" + (len(text) if length is None else length).to_bytes(8, "little") + text + data
    (folder / "checkpoint.bin").write_bytes(body + hashlib.blake2b(body, digest_size=16).digest())


@pytest.mark.parametrize(
    "array",
    [
        {"name": "a", "dtype": "|O8", "shape": [1]},
        {"name": "a", "dtype": "<f3", "shape": [1]},
        {"name": "a", "dtype": "<f1", "shape": [4]},
        {"name": "a", "dtype": "<f4", "shape": [2**53]},
        {"name": "a", "dtype": "<f4", "shape": [0, 2**53, 2**53]},
        {"name": "a", "dtype": "<f4", "shape": [-1]},
        {"name": "a", "dtype": "<f4", "shape": [1.5]},
        {"name": "a", "dtype": "<f4", "shape": [True]},
        {"name": "a", "dtype": "<f4", "shape": [0]},
        {"name": "a", "dtype": "<f4", "shape": [1] * 100},
        {"name": "a", "dtype": "<f4"},
        {"name": [], "dtype": {}, "shape": None},
        7,
    ],
)
def test_hostile_arrays_are_refused(tmp_path: Path, array: object) -> None:
    forge(tmp_path, {"software": VERSION, "solver_version": SOLVER_VERSION, "frame": 1, "arrays": [array]}, b"1234")
    with pytest.raises(XpbdError, match="E_CACHE"):
        read_checkpoint(tmp_path)


def test_hostile_headers_are_refused(tmp_path: Path) -> None:
    good = {"software": VERSION, "solver_version": SOLVER_VERSION, "frame": 1, "arrays": []}
    forge(tmp_path, good)
    assert read_checkpoint(tmp_path) == (1, {})
    forge(tmp_path, good, length=2**63)
    with pytest.raises(XpbdError, match="header"):
        read_checkpoint(tmp_path)
    headers: tuple[object, ...] = (
        [],
        good | {"frame": None},
        good | {"frame": 1.5},
        good | {"more": 1},
        good | {"arrays": {}},
    )
    for header in headers:
        forge(tmp_path, header)
        with pytest.raises(XpbdError, match="E_CACHE"):
            read_checkpoint(tmp_path)


@pytest.mark.parametrize(("name", "other"), [("VERSION", "0.0.1"), ("SOLVER_VERSION", 999)])
def test_another_version_is_not_gone_on_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, other: str | int
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(checkpoint, name, other)
        write_checkpoint(tmp_path, 3, {"a": np.arange(5.0)})
        assert read_checkpoint(tmp_path) is not None
    with pytest.raises(XpbdError, match=rf"E_CACHE.*is of version .*{other}"):
        read_checkpoint(tmp_path)


def test_what_would_not_be_read_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrays_module, "MAXIMUM_ARRAY_BYTES", 100)
    write_checkpoint(tmp_path, 1, {"a": np.zeros(12)})
    with pytest.raises(XpbdError, match="E_MEMORY"):
        write_checkpoint(tmp_path, 2, {"a": np.zeros(6), "b": np.zeros(7)})
    kept = read_checkpoint(tmp_path)
    assert kept is not None
    assert kept[0] == 1


def test_objects_are_not_kept(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="cannot be kept"):
        write_checkpoint(tmp_path, 1, {"a": np.array([None])})
    assert read_checkpoint(tmp_path) is None
