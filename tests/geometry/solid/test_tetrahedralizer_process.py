# SPDX-License-Identifier: GPL-3.0-or-later
"""The process that runs a tetrahedralizer: arrays in, arrays out, and what it says when a library refuses."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from blender_xpbd.geometry.solid import tetrahedralizer_process
from blender_xpbd.geometry.solid.tetrahedralizer_process import LIBRARIES, REFUSED, main

POSITIONS = np.arange(12.0).reshape(4, 3)
TRIANGLES = np.array([[0, 1, 2]], np.int32)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    np.save(tmp_path / "positions.npy", POSITIONS)
    np.save(tmp_path / "triangles.npy", TRIANGLES)
    return tmp_path


def test_arrays_go_to_the_library_and_come_back_in_fixed_types(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(positions: np.ndarray, triangles: np.ndarray, edge_length: float) -> tuple[list[object], list[object]]:
        np.testing.assert_array_equal(positions, POSITIONS)
        np.testing.assert_array_equal(triangles, TRIANGLES)
        assert edge_length == 0.125
        return [[1, 2, 3]], [[0, 0, 0, 0]]

    monkeypatch.setitem(LIBRARIES, "TETGEN", run)
    assert main(["TETGEN", str(folder), "0.125"]) == 0
    vertices, tetrahedra = np.load(folder / "vertices.npy"), np.load(folder / "tetrahedra.npy")
    assert (vertices.dtype, vertices.shape) == (np.float64, (1, 3))
    assert (tetrahedra.dtype, tetrahedra.shape) == (np.int32, (1, 4))


@pytest.mark.parametrize("fault", [RuntimeError("open\nsurface"), ValueError("open\nsurface")])
def test_a_library_that_refuses_is_told_in_one_line(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], fault: Exception
) -> None:
    def refuse(*_: object) -> None:
        raise fault

    monkeypatch.setitem(LIBRARIES, "FTETWILD", refuse)
    assert main(["FTETWILD", str(folder), "1"]) == REFUSED
    assert capsys.readouterr().err == f"{type(fault).__name__}: open surface\n"
    assert not (folder / "vertices.npy").exists()


def test_other_faults_are_no_refusal(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise MemoryError

    monkeypatch.setitem(LIBRARIES, "TETGEN", fail)
    with pytest.raises(MemoryError):
        main(["TETGEN", str(folder), "1"])


def test_arrays_of_objects_are_never_loaded(folder: Path) -> None:
    np.save(folder / "positions.npy", np.array([{"a": 1}], object), allow_pickle=True)
    with pytest.raises(ValueError, match="allow_pickle"):
        main(["TETGEN", str(folder), "1"])


def test_it_imports_nothing_of_the_package(folder: Path) -> None:
    """It runs as a file, in an interpreter that does not know the package."""
    path = Path(tetrahedralizer_process.__file__)
    done = subprocess.run(
        [sys.executable, "-P", str(path), "NONE", str(folder), "1"],
        capture_output=True,
        cwd=folder,
        env={},
        check=False,
        timeout=60,
    )
    assert b"KeyError: 'NONE'" in done.stderr
    assert done.returncode not in {0, REFUSED}
