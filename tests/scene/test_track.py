# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from blender_xpbd.scene.errors import XpbdError
from blender_xpbd.scene.force import FORCE_PARAMETERS, Force
from blender_xpbd.scene.parameters.material_parameters import MATERIAL_PARAMETERS
from blender_xpbd.scene.scene import Scene, animatable_parameters, validate
from blender_xpbd.scene.settings import SCENE_PARAMETERS, SOLVER_PARAMETERS
from blender_xpbd.scene.track import Track
from tests.scene.test_scene import BODY, PLANE, scene_of

JELLY = dataclasses.replace(BODY, identifier="j", name="Jelly", role="JELLY")
FAN = Force("f", "Fan", "WIND", np.eye(4)[None])


def scene_with(*tracks: Track) -> Scene:
    return dataclasses.replace(scene_of(BODY, PLANE), bodies=(BODY, JELLY), forces=(FAN,), tracks=tracks)


def test_every_animatable_parameter_can_have_a_track() -> None:
    """In its own default, which is in range, of everything that has it."""
    defaults = {spec.name: spec.default for spec in (*MATERIAL_PARAMETERS, *SCENE_PARAMETERS, *FORCE_PARAMETERS)}
    tracks = [
        Track(target, name, np.full(3, defaults[name], np.float64))
        for target, parameters in animatable_parameters(scene_with()).items()
        for name in parameters
    ]
    assert {track.target for track in tracks} == {"a", "j", "c", "f", "scene"}
    validate(scene_with(*tracks))


def test_only_plain_numbers_are_animatable() -> None:
    specs = (*MATERIAL_PARAMETERS, *SCENE_PARAMETERS, *FORCE_PARAMETERS, *SOLVER_PARAMETERS)
    assert {spec.kind for spec in specs if spec.animatable} == {"FLOAT"}
    assert not any(spec.animatable for spec in SOLVER_PARAMETERS)


@pytest.mark.parametrize(
    ("track", "reason"),
    [
        (Track("nobody", "friction", np.zeros(3)), "nobody"),
        (Track("", "gravity_z", np.zeros(3)), "nothing called"),
        (Track("a", "density", np.ones(3)), "density"),
        (Track("a", "youngs_modulus", np.ones(3)), "youngs_modulus"),
        (Track("j", "bending_stiffness", np.ones(3)), "bending_stiffness"),
        (Track("c", "damping", np.ones(3)), "damping"),
        (Track("f", "seed", np.ones(3)), "seed"),
        (Track("scene", "substeps", np.ones(3)), "substeps"),
        (Track("a", "friction", np.ones(1)), "each of 3 frames"),
        (Track("a", "friction", np.ones((3, 1))), "each of 3 frames"),
        (Track("a", "friction", np.array([0.5, -0.1, 0.5])), "at least 0"),
        (Track("a", "friction", np.array([0.5, 11.0, 0.5])), "at most 10"),
        (Track("a", "friction", np.array([0.5, np.nan, 0.5])), "finite"),
        (Track("j", "youngs_modulus", np.array([1.0, 0.0, 1.0])), "more than 0"),
    ],
)
def test_tracks_that_make_no_sense_are_refused(track: Track, reason: str) -> None:
    with pytest.raises(XpbdError, match=rf"E_PARAM.*{reason}"):
        validate(scene_with(track))


def test_one_parameter_has_one_track() -> None:
    track = Track("a", "friction", np.ones(3))
    validate(scene_with(track, Track("c", "friction", np.ones(3))))
    with pytest.raises(XpbdError, match=r"E_PARAM.*Cube.*two tracks"):
        validate(scene_with(track, Track("a", "friction", np.zeros(3))))
