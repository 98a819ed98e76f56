# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from blender_xpbd.scene.errors import XpbdError
from blender_xpbd.scene.force import FORCE_KINDS, FORCE_PARAMETERS, Force
from blender_xpbd.scene.scene import validate
from tests.scene.test_scene import scene_of

WIND = Force("f", "Fan", "WIND", np.eye(4)[None])


def test_parameters_are_the_fields_and_their_defaults() -> None:
    assert WIND.values() == {parameter.name: parameter.default for parameter in FORCE_PARAMETERS}


def test_every_kind_is_valid() -> None:
    for frames in (1, 3):
        transforms = np.tile(np.eye(4), (frames, 1, 1))
        forces = tuple(
            Force(f"f{number}", kind.label, kind.identifier, transforms, strength=-2.0)
            for number, kind in enumerate(FORCE_KINDS)
        )
        validate(dataclasses.replace(scene_of(), forces=forces))


def test_a_field_may_be_scaled_to_zero() -> None:
    transforms = np.diag([0.0, 0.0, 0.0, 1.0])[None]
    validate(dataclasses.replace(scene_of(), forces=(dataclasses.replace(WIND, transforms=transforms),)))


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"kind": "MAGIC"}, "E_PARAM"),
        ({"identifier": "a"}, "E_PARAM"),
        ({"transforms": np.tile(np.eye(4), (2, 1, 1))}, "E_PARAM"),
        ({"transforms": np.full((1, 4, 4), np.nan)}, "E_TRANSFORM_SINGULAR"),
        ({"transforms": np.zeros((1, 4, 4))}, "E_PARAM"),
        ({"strength": np.nan}, "E_PARAM"),
        ({"falloff": -1.0}, "E_PARAM"),
        ({"size": -1.0}, "E_PARAM"),
        ({"seed": -1}, "E_PARAM"),
        ({"maximum_distance": -1.0}, "E_PARAM"),
    ],
)
def test_forces_that_make_no_sense_are_refused(changes: dict[str, Any], code: str) -> None:
    with pytest.raises(XpbdError) as caught:
        validate(dataclasses.replace(scene_of(), forces=(dataclasses.replace(WIND, **changes),)))
    assert caught.value.code == code
