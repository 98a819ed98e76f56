# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays that a scene may not have are refused by a code."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.scene.checks import require_finite, require_indices, require_transforms
from blender_xpbd.scene.errors import XpbdError


@given(
    st.integers(0, 3), st.integers(0, 6), st.integers(0, 2), st.sampled_from([np.nan, np.inf, -np.inf]), st.booleans()
)
def test_the_first_point_at_no_finite_place_is_named(
    frame: int, vertex: int, axis: int, value: float, is_single: bool
) -> None:
    points = np.zeros((4, 7, 3))
    require_finite(points, "Body")
    points[frame, vertex, axis] = value
    with pytest.raises(XpbdError, match=rf"Vertex {vertex} ") as caught:
        require_finite(points[frame] if is_single else points, "Body")
    assert (caught.value.code, caught.value.object_name) == ("E_GEOM_NONFINITE", "Body")


@given(st.lists(st.integers(-2, 6), max_size=8), st.integers(0, 5))
def test_indices_are_those_of_things_that_there_are(indices: list[int], count: int) -> None:
    array = np.array(indices, np.int32)
    if all(0 <= index < count for index in indices):
        require_indices(array, count, "Body")
    else:
        with pytest.raises(XpbdError, match=r"E_PARAM.*Body"):
            require_indices(array, count, "Body")


def transforms(count: int = 1) -> np.ndarray:
    return np.tile(np.eye(4), (count, 1, 1))


@pytest.mark.parametrize("count", [1, 5])
def test_transforms_are_for_one_frame_or_for_all(count: int) -> None:
    require_transforms(transforms(count), 5, "Body")
    with pytest.raises(XpbdError, match="E_PARAM"):
        require_transforms(transforms(count + 1), 5, "Body")


@pytest.mark.parametrize(
    ("place", "value", "code"),
    [
        ((-1, 0, 0), 0.0, "E_TRANSFORM_SINGULAR"),
        ((-1, 0, 0), 1e-31, "E_TRANSFORM_SINGULAR"),
        ((-1, 2, 3), np.nan, "E_TRANSFORM_SINGULAR"),
        ((-1, 1, 1), np.inf, "E_TRANSFORM_SINGULAR"),
        ((-1, 3, 0), 1e-9, "E_PARAM"),
        ((-1, 3, 3), 2.0, "E_PARAM"),
    ],
)
def test_a_transform_that_is_none_is_refused_in_any_frame(place: tuple[int, int, int], value: float, code: str) -> None:
    broken = transforms(5)
    broken[place] = value
    with pytest.raises(XpbdError) as caught:
        require_transforms(broken, 5, "Body")
    assert (caught.value.code, caught.value.object_name) == (code, "Body")


def test_mirrored_tiny_and_sheared_objects_are_allowed() -> None:
    matrix = np.eye(4)
    for linear in (np.diag([-1.0, 1.0, 1.0]), 1e-9 * np.eye(3), np.eye(3) + np.eye(3, k=1)):
        matrix[:3, :3] = linear
        require_transforms(matrix[None], 5, "Body")
    with pytest.raises(XpbdError, match="E_PARAM"):
        require_transforms(np.eye(3)[None], 5, "Body")
