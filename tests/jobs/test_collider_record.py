# SPDX-License-Identifier: GPL-3.0-or-later
"""A collider comes back from a job folder to the last byte."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.jobs.collider_record import COLLIDER_KEYS, collider_arrays, describe_collider, read_collider
from blender_xpbd.scene.collider import Collider
from blender_xpbd.scene.errors import XpbdError
from tests.jobs.recorded import assert_same, edited, names, recorded

FRAMES = 3


def random_collider(seed: int, shape: str, moves: bool, deforms: bool) -> Collider:
    random = np.random.default_rng(seed)
    count = 7 if shape == "MESH" else 0
    return Collider(
        "c0",
        "Rock",
        shape,
        random.normal(size=(FRAMES if moves else 1, 4, 4)),
        random.normal(size=(FRAMES if deforms else 1, count, 3)),
        random.integers(0, 7, (count, 3)).astype(np.int32),
        float(random.random()) if shape == "SPHERE" else 0.0,
        float(random.random()),
        float(random.random()),
    )


@given(st.integers(0, 10_000), st.sampled_from(["MESH", "SPHERE", "PLANE"]), st.booleans(), st.booleans())
def test_any_collider_comes_back_as_it_was(seed: int, shape: str, moves: bool, deforms: bool) -> None:
    collider = random_collider(seed, shape, moves, deforms)
    with tempfile.TemporaryDirectory() as folder:
        described = describe_collider(collider)
        assert set(described) == set(COLLIDER_KEYS)
        record = recorded(Path(folder), "c0", described, collider_arrays(collider))
        assert_same(read_collider(Path(folder), record, names(c0="Rock"), FRAMES), collider)


@pytest.mark.parametrize(
    "change",
    [
        lambda value: value.update(shape="TORUS"),
        lambda value: value.update(radius="1"),
        lambda value: value.update(friction=None),
        lambda value: value.update(identifier="c/0"),
        lambda value: value["arrays"]["transforms"].update(shape=[2, 4, 4]),
        lambda value: value["arrays"]["triangles"].update(dtype="<i8"),
    ],
)
def test_a_forged_collider_is_refused(tmp_path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    collider = random_collider(0, "MESH", True, True)
    described = describe_collider(collider)
    recorded(tmp_path, "c0", described, collider_arrays(collider))
    with pytest.raises(XpbdError, match="E_JOB"):
        read_collider(tmp_path, edited(described, change), names(), FRAMES)
