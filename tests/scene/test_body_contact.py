# SPDX-License-Identifier: GPL-3.0-or-later
"""What a body may be told to meet."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from blender_xpbd.scene.body_contact import CONTACT_PARAMETERS, BodyContact
from blender_xpbd.scene.errors import XpbdError
from blender_xpbd.scene.force import Force
from blender_xpbd.scene.scene import Scene, validate
from tests.scene.test_scene import BODY, FRAMES, PLANE, POINTS, ints

OTHER = dataclasses.replace(BODY, identifier="b", name="Other")
WIND = Force("f", "Wind", "WIND", np.eye(4)[None])


def with_contact(**values: Any) -> Scene:
    body = dataclasses.replace(BODY, contact=BodyContact(**values))
    return Scene((body, OTHER), (PLANE,), FRAMES, forces=(WIND,))


def test_defaults_meet_everything_but_the_body_itself() -> None:
    contact = BodyContact()
    defaults = {parameter.name: parameter.default for parameter in CONTACT_PARAMETERS}
    assert (contact.self_collision, contact.body_collision) == (False, True)
    assert contact.sees is None
    assert len(contact.left_out) == 0
    assert defaults == {
        "use_self_collision": contact.self_collision,
        "use_body_collision": contact.body_collision,
        "thickness": contact.thickness,
        "contact_layer": contact.layer,
    }


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"self_collision": False, "body_collision": False},
        {"thickness": 0.002, "layer": 100},
        {"sees": ()},
        {"sees": ("b", "c")},
        {"left_out": np.arange(len(POINTS), dtype=np.int32)},
    ],
)
def test_contact_that_makes_sense_is_taken(values: dict[str, Any]) -> None:
    validate(with_contact(**values))


@pytest.mark.parametrize(
    "values",
    [
        {"thickness": -1e-9},
        {"thickness": np.nan},
        {"thickness": np.inf},
        {"thickness": 1e7},
        {"thickness": True},
        {"layer": -1},
        {"layer": 101},
        {"layer": 0.5},
        {"sees": ("nobody",)},
        {"sees": ("a",)},
        {"sees": ("f",)},
        {"sees": ("b", "c", "b")},
        {"left_out": ints(4)},
        {"left_out": ints(-1)},
        {"left_out": ints(1, 1)},
        {"left_out": ints(1, 2)[None]},
    ],
)
def test_contact_that_makes_no_sense_is_refused_by_name(values: dict[str, Any]) -> None:
    with pytest.raises(XpbdError) as caught:
        validate(with_contact(**values))
    assert (caught.value.code, caught.value.object_name) == ("E_PARAM", "Cube")
