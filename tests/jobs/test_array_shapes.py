# SPDX-License-Identifier: GPL-3.0-or-later
"""What a job may say of its arrays, for every kind of object that has any."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from blender_xpbd.jobs import array_record, array_shapes
from blender_xpbd.jobs import job as job_module
from blender_xpbd.jobs.job import read_job
from blender_xpbd.scene.errors import XpbdError

MANY = 10**9


@pytest.fixture(autouse=True)
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that are opened for their arrays."""
    names: list[str] = []
    load = array_record.load_array

    def noting(path: Path, *arguments: Any) -> Any:
        names.append(path.stem)
        return load(path, *arguments)

    monkeypatch.setattr(array_record, "load_array", noting)
    return names


def reshape(job: Path, section: str, index: int, name: str, shape: list[int]) -> None:
    """Forge the shape of an array, with a digest of the job that fits."""
    path = job / "job.json"
    value = json.loads(path.read_text(encoding="utf-8"))
    value["scene"][section][index]["arrays"][name]["shape"] = shape
    value["digest"] = job_module._digest(value["scene"], value["software"], value["solver_version"])
    path.write_text(json.dumps(value), encoding="utf-8")


@pytest.mark.parametrize(
    ("section", "index", "name", "shape"),
    [
        ("bodies", 0, "face_sizes", [MANY]),
        ("bodies", 0, "axes", [MANY, 3]),
        ("bodies", 0, "factor_bending", [MANY]),
        ("bodies", 1, "pin_matrices", [MANY, 4, 4]),
        ("bodies", 1, "pin_matrices", [4, 4, MANY]),
        ("colliders", 1, "transforms", [MANY, 4, 4]),
        ("colliders", 2, "positions", [MANY, 4, 3]),
        ("forces", 0, "transforms", [3, 4, 4]),
        ("tracks", 3, "track_gravity_z", [MANY]),
    ],
)
def test_no_file_is_opened_where_shapes_do_not_fit(
    job: Path, opened: list[str], section: str, index: int, name: str, shape: list[int]
) -> None:
    reshape(job, section, index, name, shape)
    with pytest.raises(XpbdError, match=r"E_JOB.*should be"):
        read_job(job)
    assert opened == []


@pytest.mark.parametrize(
    ("section", "index", "name", "shape"),
    [
        ("bodies", 1, "loose_edges", [MANY, 2]),
        ("colliders", 2, "positions", [4, MANY, 3]),
        ("colliders", 2, "triangles", [MANY, 3]),
    ],
)
def test_no_file_is_opened_where_all_do_not_fit_into_memory(
    job: Path,
    opened: list[str],
    monkeypatch: pytest.MonkeyPatch,
    section: str,
    index: int,
    name: str,
    shape: list[int],
) -> None:
    monkeypatch.setattr(array_shapes, "free_memory", lambda: 2**30)
    reshape(job, section, index, name, shape)
    with pytest.raises(XpbdError, match="E_MEMORY"):
        read_job(job)
    assert opened == []


def test_the_arrays_of_all_objects_count(job: Path, opened: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    total = sum(np.load(path).nbytes for path in (job / "arrays").iterdir())
    monkeypatch.setattr(array_shapes, "free_memory", lambda: total)
    read_job(job)
    assert len(opened) == len(list((job / "arrays").iterdir()))
    opened.clear()
    monkeypatch.setattr(array_shapes, "free_memory", lambda: total - 1)
    with pytest.raises(XpbdError, match=f"E_MEMORY.*{total} bytes"):
        read_job(job)
    assert opened == []
