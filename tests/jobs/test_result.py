# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from blender_xpbd.jobs.result import BodyResult, Result, Tangled, read_result, result_digest, write_result
from blender_xpbd.scene.errors import Notice, XpbdError
from blender_xpbd.scene.settings import SolverSettings

RESULT = Result(
    origin=(0.1, -1e6, 1 / 3),
    vertex_count=12,
    bodies=(
        BodyResult("a", "Würfel\n", 0, 8, 100, 300, {"distance": 600, "volume": 300}, "0123"),
        BodyResult("b", "Cloth", 8, 4, 4, 0, {}, "4567"),
    ),
    device="CPU, 2 threads",
    statistics=("inverted", "residual"),
    notices=(Notice("W_TET_SLIVERS", "3 slivers", "Cube"),),
    tangled=Tangled(3, "89ab"),
)


def test_round_trip(tmp_path: Path) -> None:
    write_result(tmp_path, RESULT)
    assert read_result(tmp_path) == RESULT
    assert "spring_sweeps" not in json.loads((tmp_path / "result.json").read_text())
    swept = replace(RESULT, spring_sweeps=8)
    write_result(tmp_path, swept)
    assert read_result(tmp_path) == swept
    assert swept.fixed(SolverSettings(quality="FINAL")).spring_sweeps == 8


def test_numpys_numbers_are_written(tmp_path: Path) -> None:
    origin: Any = np.array([1.0, 2.0, 3.0])
    count: Any = np.int64(4)
    write_result(tmp_path, Result(origin, count, (BodyResult("a", "A", 0, count, count, 0, {"d": count}, ""),), "", ()))
    assert read_result(tmp_path).origin == (1.0, 2.0, 3.0)


def test_missing_and_linked(tmp_path: Path) -> None:
    with pytest.raises(XpbdError, match=r"E_CACHE.*missing"):
        read_result(tmp_path)


def write_signed(path: Path, value: dict[str, Any]) -> None:
    """Write as somebody does who knows how the digest is made."""
    path.write_text(json.dumps(value | {"digest": result_digest(value)}))


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2},
        {"version": None},
        {"origin": [1, 2]},
        {"origin": [1, 2, "3"]},
        {"origin": [1, 2, True]},
        {"vertex_count": 11},
        {"vertex_count": -1},
        {"vertex_count": 2**40},
        {"bodies": {}},
        {"bodies": [{}]},
        {"bodies": []},
        {"device": 1},
        {"statistics": [1]},
        {"statistics": "ab"},
        {"notices": [{"code": "W_UNKNOWN", "message": "", "object_name": ""}]},
        {"tangled": None},
        {"tangled": {"count": 13, "digest": ""}},
        {"tangled": {"count": -1, "digest": ""}},
        {"tangled": {"count": 1, "digest": 3}},
        {"more": 1},
    ],
)
def test_hostile_values_are_refused(tmp_path: Path, change: dict[str, object]) -> None:
    write_result(tmp_path, RESULT)
    path = tmp_path / "result.json"
    write_signed(path, json.loads(path.read_text()) | change)
    with pytest.raises(XpbdError, match="E_CACHE") as caught:
        read_result(tmp_path)
    assert str(path) in caught.value.message


@pytest.mark.parametrize("start", [0, 7, 9])
def test_bodies_that_overlap_or_leave_gaps_are_refused(tmp_path: Path, start: int) -> None:
    write_result(tmp_path, RESULT)
    path = tmp_path / "result.json"
    value = json.loads(path.read_text())
    value["bodies"][1]["vertex_start"] = start
    write_signed(path, value)
    with pytest.raises(XpbdError, match="E_CACHE"):
        read_result(tmp_path)


def test_truncation_is_found(tmp_path: Path) -> None:
    write_result(tmp_path, RESULT)
    path = tmp_path / "result.json"
    content = path.read_bytes()
    for length in range(len(content) - 1):
        path.write_bytes(content[:length])
        with pytest.raises(XpbdError, match="E_CACHE"):
            read_result(tmp_path)


def test_a_changed_byte_is_found(tmp_path: Path) -> None:
    """Also where it makes another number or letter, with which the file reads as well."""
    write_result(tmp_path, RESULT)
    path = tmp_path / "result.json"
    content = path.read_bytes()
    for place in range(len(content)):
        # another digit stays a digit, another letter a letter
        path.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        # white space between the entries says nothing
        if content[place : place + 1].isspace():
            continue
        with pytest.raises(XpbdError, match="E_CACHE"):
            read_result(tmp_path)
