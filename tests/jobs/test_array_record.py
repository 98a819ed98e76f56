# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from blender_xpbd.jobs import array_record
from blender_xpbd.jobs.array_record import describe_arrays, read_arrays, typed, write_arrays
from blender_xpbd.jobs.array_shapes import ArraySpec
from blender_xpbd.jobs.files import make_folder
from blender_xpbd.jobs.record import Record
from blender_xpbd.scene.errors import XpbdError

SPECS: dict[str, ArraySpec] = {
    "vertices": ("<i4", ("points",)),
    "targets": ("<f8", ("frames", "points", 3)),
    "matrices": ("<f8", ("frames", 4, 4)),
}
ARRAYS = typed({"vertices": [1, 2], "targets": np.ones((5, 2, 3)), "matrices": np.zeros((0, 4, 4))}, SPECS)


def record_of(described: dict[str, Any]) -> Record:
    return Record({"arrays": described}, Path("job.json"), "E_JOB")


def written(folder: Path) -> dict[str, Any]:
    described = describe_arrays(ARRAYS)
    make_folder(folder / array_record.ARRAYS_FOLDER)
    write_arrays(folder, "b0", ARRAYS, described)
    return described


def test_what_is_written_is_read(tmp_path: Path) -> None:
    found = read_arrays(tmp_path, "b0", record_of(written(tmp_path)), SPECS, 5)
    assert found.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        assert (found[name].dtype, found[name].shape) == (array.dtype, array.shape)
        np.testing.assert_array_equal(found[name], array)


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("targets", [4, 2, 3]),
        ("targets", [6, 2, 3]),
        ("targets", [10**12, 2, 3]),
        ("targets", [5, 3, 3]),
        ("targets", [5, 10**12, 3]),
        ("targets", [5, 2, 4]),
        ("targets", [5, 2]),
        ("matrices", [5, 4, 3]),
        ("matrices", [2, 4, 4]),
    ],
)
def test_no_file_is_opened_for_a_length_that_the_job_does_not_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, shape: list[int]
) -> None:
    described = written(tmp_path)
    described[name]["shape"] = shape
    opened: list[str] = []
    load = array_record.load_array

    def noting(path: Path, *arguments: Any) -> Any:
        opened.append(path.stem)
        return load(path, *arguments)

    monkeypatch.setattr(array_record, "load_array", noting)
    with pytest.raises(XpbdError, match=r"E_JOB.*should be"):
        read_arrays(tmp_path, "b0", record_of(described), SPECS, 5)
    assert f"b0_{name}" not in opened
