# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.scene.errors import XpbdError
from blender_xpbd.scene.settings import MAXIMUM_FRAMES, SOLVER_PARAMETERS, FrameRange, SolverSettings


def test_defaults_are_those_of_the_parameters() -> None:
    assert SolverSettings().values() == {spec.name: spec.default for spec in SOLVER_PARAMETERS}
    assert SolverSettings.from_values({}) == SolverSettings()
    settings = SolverSettings.from_values({"substeps": 5.0, "device": "CPU"})
    assert settings == SolverSettings(substeps=5, device="CPU")
    assert SolverSettings.from_values(settings.values()) == settings
    swept = SolverSettings(spring_sweeps=8)
    assert swept.values() == {**SolverSettings().values(), "spring_sweeps": 8}
    assert SolverSettings.from_values(swept.values()) == swept


@pytest.mark.parametrize(
    "values",
    [
        {"substeps": 0},
        {"iterations": 0},
        {"spring_sweeps": 0},
        {"substeps": 1.5},
        {"solver_mode": "FEM"},
        {"device": "TPU"},
        {"dt": 1},
    ],
)
def test_impossible_settings_are_refused(values: dict[str, Any]) -> None:
    with pytest.raises(XpbdError, match="E_PARAM"):
        SolverSettings.from_values(values)


@pytest.mark.parametrize(
    "arguments",
    [
        (2, 1),
        (1, 2, 0),
        (1, 2, -1),
        (0, MAXIMUM_FRAMES),
        (1, 2, 1, 0.0),
        (1, 2, 1, -1.0),
        (1, 2, 1, math.nan),
        (1, 2, 1, math.inf),
    ],
)
def test_impossible_ranges_are_refused(arguments: tuple[Any, ...]) -> None:
    with pytest.raises(XpbdError, match="E_FRAME_RANGE"):
        FrameRange(*arguments)


def test_one_frame_negative_frames_and_the_longest_range() -> None:
    assert FrameRange(5, 5).kept() == [5]
    assert FrameRange(5, 5).count == 1
    assert FrameRange(-3, 1).kept() == [-3, -2, -1, 0, 1]
    assert FrameRange(0, MAXIMUM_FRAMES - 1).count == MAXIMUM_FRAMES


@given(start=st.integers(-100, 100), length=st.integers(0, 60), step=st.integers(1, 70))
def test_kept_frames_hold_both_ends_and_the_step(start: int, length: int, step: int) -> None:
    frames = FrameRange(start, start + length, step)
    kept = frames.kept()
    assert kept[0] == start
    assert kept[-1] == start + length
    assert kept == sorted(set(kept))
    assert all((frame - start) % step == 0 for frame in kept[:-1])
    assert len(kept) == -(-length // step) + 1
    assert frames.count == length + 1
