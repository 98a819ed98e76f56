# SPDX-License-Identifier: GPL-3.0-or-later
"""A track comes back from a job folder as it was."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.jobs.track_record import TRACK_KEYS, describe_track, read_track, track_arrays, track_specs
from blender_xpbd.scene.errors import XpbdError
from blender_xpbd.scene.parameters.material_parameters import MATERIAL_PARAMETERS
from blender_xpbd.scene.track import Track, animatable
from tests.jobs.recorded import assert_same, edited, recorded

FRAMES = 4
ANIMATABLE = sorted(animatable(MATERIAL_PARAMETERS))


@given(st.sampled_from(ANIMATABLE), st.lists(st.floats(-1e9, 1e9), min_size=FRAMES, max_size=FRAMES))
def test_any_track_comes_back_as_it_was(parameter: str, values: list[float]) -> None:
    track = Track("b0", parameter, np.array(values))
    with tempfile.TemporaryDirectory() as folder:
        described = describe_track(track)
        assert set(described) == set(TRACK_KEYS)
        record = recorded(Path(folder), "b0", described, track_arrays(track))
        assert list(track_specs(record)) == list(track_arrays(track))
        assert_same(read_track(Path(folder), record, FRAMES), track)


def test_tracks_of_one_object_have_files_of_their_own() -> None:
    arrays = [track_arrays(Track("b0", parameter, np.zeros(FRAMES))) for parameter in ANIMATABLE]
    assert len({name for files in arrays for name in files}) == len(ANIMATABLE)


@pytest.mark.parametrize(
    "change",
    [
        lambda value: value.update(target="../b0"),
        lambda value: value.update(parameter="bending_model"),
        lambda value: value.update(parameter=ANIMATABLE[1]),
        lambda value: value["arrays"][f"track_{ANIMATABLE[0]}"].update(shape=[FRAMES + 1]),
    ],
)
def test_a_forged_track_is_refused(tmp_path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    track = Track("b0", ANIMATABLE[0], np.zeros(FRAMES))
    described = describe_track(track)
    recorded(tmp_path, "b0", described, track_arrays(track))
    with pytest.raises(XpbdError, match="E_JOB"):
        read_track(tmp_path, edited(described, change), FRAMES)
