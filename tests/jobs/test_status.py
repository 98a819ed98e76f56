# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from blender_xpbd.jobs.status import STATES, Fault, Status, read_status, write_status
from blender_xpbd.scene.errors import Notice, XpbdError

STATUS = Status(
    state="FAILED",
    frame=-3,
    frames_done=5,
    frames_total=250,
    seconds={"build": 0.5, "solve": 1 / 3},
    solver_fps=123.4,
    device="CUDA: a card",
    pid=4711,
    notices=(Notice("W_PRECISION", "far away", "Würfel"),),
    error=Fault("E_DIVERGED", "too stiff\n", "Cube", 7),
)


def test_round_trip(tmp_path: Path) -> None:
    assert read_status(tmp_path) is None
    write_status(tmp_path, STATUS)
    assert read_status(tmp_path) == STATUS
    for state in STATES:
        known: Any = state
        write_status(tmp_path, Status(known))
        assert read_status(tmp_path) == Status(known)


def test_errors_survive_the_file() -> None:
    error = XpbdError("E_IO", "disk full", "Cube", 3)
    again = Fault.from_error(error).to_error()
    assert str(again) == str(error)
    assert (again.code, again.object_name, again.frame) == ("E_IO", "Cube", 3)


def test_numpys_numbers_and_broken_names_are_written(tmp_path: Path) -> None:
    number: Any = np.int64(3)
    name = b"\xff\xfe".decode("utf-8", "surrogateescape")
    write_status(tmp_path, Status("FAILED", number, number, number, error=Fault("E_IO", "", name, number)))
    status = read_status(tmp_path)
    assert status is not None
    assert status.error is not None
    assert (status.frame, status.error.frame) == (3, 3)
    status.error.object_name.encode("utf-8")


def test_a_time_that_is_not_finite_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="JSON"):
        write_status(tmp_path, Status("RUNNING", solver_fps=float("inf")))


@pytest.mark.parametrize(
    "change",
    [
        {"state": "PAUSED"},
        {"state": None},
        {"state": []},
        {"frame": 1.5},
        {"frame": True},
        {"frames_done": -1},
        {"seconds": {"solve": "1"}},
        {"seconds": []},
        {"solver_fps": 10**400},
        {"device": None},
        {"pid": 2**70},
        {"notices": [1]},
        {"error": {"code": "E_UNKNOWN", "message": "", "object_name": "", "frame": None}},
        {"error": {"code": "E_IO"}},
        {"error": []},
        {"more": 1},
    ],
)
def test_hostile_values_are_refused(tmp_path: Path, change: dict[str, object]) -> None:
    write_status(tmp_path, STATUS)
    path = tmp_path / "status.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(XpbdError, match="E_CACHE") as caught:
        read_status(tmp_path)
    assert str(path) in caught.value.message


def test_truncation_is_found(tmp_path: Path) -> None:
    write_status(tmp_path, STATUS)
    path = tmp_path / "status.json"
    content = path.read_bytes()
    for length in range(len(content)):
        path.write_bytes(content[:length])
        with pytest.raises(XpbdError, match="E_CACHE"):
            read_status(tmp_path)
