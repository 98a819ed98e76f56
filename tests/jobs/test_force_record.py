# SPDX-License-Identifier: GPL-3.0-or-later
"""A force field comes back from a job folder as it was."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.jobs.force_record import FORCE_KEYS, describe_force, force_arrays, read_force
from blender_xpbd.scene.errors import XpbdError
from blender_xpbd.scene.force import FORCE_KINDS, FORCE_PARAMETERS, Force
from tests.jobs.recorded import assert_same, edited, names, recorded

FRAMES = 3
MOTION = np.tile(np.eye(4), (FRAMES, 1, 1))


@given(
    st.sampled_from([kind.identifier for kind in FORCE_KINDS]), st.floats(-1e6, 1e6), st.integers(0, 100), st.booleans()
)
def test_any_force_comes_back_as_it_was(kind: str, strength: float, seed: int, moves: bool) -> None:
    force = Force("f0", "Wind", kind, MOTION if moves else MOTION[:1], strength=strength, seed=seed)
    with tempfile.TemporaryDirectory() as folder:
        described = describe_force(force)
        assert set(described) == set(FORCE_KEYS)
        assert set(described["parameters"]) == {parameter.name for parameter in FORCE_PARAMETERS}
        record = recorded(Path(folder), "f0", described, force_arrays(force))
        assert_same(read_force(Path(folder), record, names(f0="Wind"), FRAMES), force)


def test_a_parameter_out_of_range_is_neither_written_nor_read(tmp_path: Path) -> None:
    force = Force("f0", "Wind", "WIND", MOTION)
    described = describe_force(force)
    recorded(tmp_path, "f0", described, force_arrays(force))
    forged = edited(described, lambda value: value["parameters"].update(size=-1.0))
    for act in (
        lambda: describe_force(replace(force, size=-1.0)),
        lambda: read_force(tmp_path, forged, names(), FRAMES),
    ):
        with pytest.raises(XpbdError, match="E_PARAM"):
            act()


@pytest.mark.parametrize(
    "change",
    [
        lambda value: value.update(kind="MAGIC"),
        lambda value: value["parameters"].pop("strength"),
        lambda value: value["parameters"].update(more=1.0),
        lambda value: value["arrays"]["transforms"].update(shape=[FRAMES, 3, 4]),
    ],
)
def test_a_forged_force_is_refused(tmp_path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    force = Force("f0", "Wind", "WIND", MOTION)
    described = describe_force(force)
    recorded(tmp_path, "f0", described, force_arrays(force))
    with pytest.raises(XpbdError, match="E_JOB"):
        read_force(tmp_path, edited(described, change), names(), FRAMES)
