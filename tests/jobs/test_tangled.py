# SPDX-License-Identifier: GPL-3.0-or-later
"""The vertices that cross something come back, and nothing else is taken for them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from blender_xpbd.jobs.arrays import save_array
from blender_xpbd.jobs.result import Result, Tangled
from blender_xpbd.jobs.tangled import TANGLED_FILE, read_tangled, write_tangled
from blender_xpbd.scene.errors import XpbdError

RESULT = Result((0.0, 0.0, 0.0), 12, (), "CPU", ())


@pytest.mark.parametrize("vertices", [[], [0], [2, 3, 11]])
def test_round_trip(tmp_path: Path, vertices: list[int]) -> None:
    tangled = write_tangled(tmp_path, np.array(vertices, np.int32))
    assert tangled.count == len(vertices)
    found = read_tangled(tmp_path, replace(RESULT, tangled=tangled))
    assert found.dtype == np.int32
    assert found.tolist() == vertices


@pytest.mark.parametrize("vertices", [[-1, 3], [3, 12], [3, 3], [4, 2]])
def test_what_is_no_vertex_is_refused(tmp_path: Path, vertices: list[int]) -> None:
    digest = save_array(tmp_path / TANGLED_FILE, np.array(vertices, "<i4"))
    with pytest.raises(XpbdError, match=r"E_CACHE.*tangled"):
        read_tangled(tmp_path, replace(RESULT, tangled=Tangled(2, digest)))


def test_damage_is_found(tmp_path: Path) -> None:
    result = replace(RESULT, tangled=write_tangled(tmp_path, np.array([2, 3], np.int32)))
    path = tmp_path / TANGLED_FILE
    content = path.read_bytes()
    for bad in (content[:-1], content + b"\0", content[:-1] + b"\1"):
        path.write_bytes(bad)
        with pytest.raises(XpbdError, match="E_CACHE"):
            read_tangled(tmp_path, result)
    path.unlink()
    with pytest.raises(XpbdError, match="E_CACHE"):
        read_tangled(tmp_path, result)
