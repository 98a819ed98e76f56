# SPDX-License-Identifier: GPL-3.0-or-later
"""What a body meets comes back from a job as it was, and nothing forged is taken for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.jobs.contact_record import CONTACT_KEYS, describe_contact, read_contact
from blender_xpbd.scene.body_contact import BodyContact
from blender_xpbd.scene.errors import XpbdError
from tests.jobs.recorded import assert_same, edited

LEFT_OUT = np.array([1, 4], np.int32)


@given(
    st.booleans(),
    st.booleans(),
    st.floats(0.0, 1e6),
    st.none() | st.lists(st.sampled_from(["b0", "b17", "c3", "c123"]), max_size=4),
    st.integers(0, 100),
)
def test_any_settings_come_back_as_they_were(own: bool, others: bool, thickness: float, sees: Any, layer: int) -> None:
    contact = BodyContact(own, others, thickness, None if sees is None else tuple(sees), LEFT_OUT, layer)
    described = describe_contact(contact)
    assert set(described) == set(CONTACT_KEYS)
    assert_same(read_contact(edited(described, lambda value: None), LEFT_OUT), contact)


@pytest.mark.parametrize(
    "change",
    [
        lambda value: value.update(self_collision=0),
        lambda value: value.update(body_collision=None),
        lambda value: value.update(thickness="thin"),
        lambda value: value.update(thickness=True),
        lambda value: value.update(sees={}),
        lambda value: value.update(sees=[3]),
        lambda value: value.update(layer=True),
    ],
)
def test_forged_settings_are_refused(change: Callable[[dict[str, Any]], object]) -> None:
    with pytest.raises(XpbdError, match="E_JOB"):
        read_contact(edited(describe_contact(BodyContact()), change), LEFT_OUT)
