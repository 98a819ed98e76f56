# SPDX-License-Identifier: GPL-3.0-or-later
"""From which value a body is built, and by what its columns change; without a solver."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.constraints.scaling import Scaling
from blender_xpbd.scene.track import SCENE_TARGET, Track
from blender_xpbd.solver.system.tracks import (
    FollowingColumn,
    Law,
    Tracks,
    build_value,
    built_scene,
    unfollowed,
)
from tests.solver.scenes import cloth, plane, scene


@pytest.mark.parametrize(
    ("parameter", "values", "expected"),
    [
        ("stretch_stiffness", [1.0, 3.0, 2.0], 3.0),
        ("stretch_compliance", [0.0, 3.0, 2.0], 2.0),
        ("stretch_compliance", [0.0, 0.0], 0.0),
        ("compression_share", [1.0, 0.8], 0.5),
        ("compression_share", [1.0, 0.2], 0.2),
        ("compression_share", [1.0, 1.0], 1.0),
        ("gravity_factor", [0.5, -2.0, 1.0], -2.0),
    ],
)
def test_bodies_are_built_from_the_strongest_value_that_can_be_scaled(parameter, values, expected):
    assert build_value(parameter, np.array(values)) == expected


def test_the_scene_that_is_built_has_those_values():
    tracks = (
        Track("b0", "stretch_stiffness", np.array([10.0, 700.0, 20.0])),
        Track("c0", "friction", np.array([0.1, 0.2, 0.3])),
        Track(SCENE_TARGET, "gravity_z", np.array([-1.0, -20.0, 5.0])),
    )
    whole = scene(cloth(4), colliders=[plane()], frames=(1, 3))
    built = built_scene(replace(whole, tracks=tracks))
    assert built.bodies[0].material.stretch_stiffness == 700.0
    assert built.colliders[0].friction == 0.3
    np.testing.assert_array_equal(built.gravity, [0.0, 0.0, -20.0])
    assert built_scene(whole) is whole


def test_a_value_counts_until_the_next_and_after_the_last():
    tracks = Tracks({("b0", "friction"): np.array([0.1, 0.2])})
    assert [tracks.at("b0", "friction", 0.9, frame) for frame in (0, 1, 2, 100)] == [0.1, 0.2, 0.2, 0.2]
    assert tracks.at("b1", "friction", 0.9, 0) == 0.9
    sideways = Tracks({(SCENE_TARGET, "gravity_x"): np.array([1.0, 2.0])})
    gravities = sideways.gravities(np.array([0.0, 0.0, -9.81]), range(2))
    np.testing.assert_array_equal(gravities, [[1.0, 0.0, -9.81], [2.0, 0.0, -9.81]])


def test_tracks_that_never_change_are_left_out():
    constant = Track("b0", "stretch_stiffness", np.array([2.0, 2.0]))
    moving = Track("b0", "bending_stiffness", np.array([1e-5, 2e-5]))
    whole = replace(scene(cloth(4), frames=(1, 2)), tracks=(constant, moving))
    assert list(Tracks.of(whole).values) == [("b0", "bending_stiffness")]
    assert not Tracks.of(scene(cloth(4)))


def test_a_law_gives_the_factor_of_a_frame_within_bounds():
    law = Law(Scaling("stretch_stiffness", -1, -1.0), 100.0, np.array([50.0, 100.0, 0.0]))
    assert [law.factor(0), law.factor(1)] == [2.0, 1.0]
    assert law.factor(2) == 1e20
    assert law.factor(99) == law.factor(2)


@pytest.mark.parametrize("places", [slice(1, 6, 2), np.array([1, 3, 5], np.int32)], ids=["range", "each"])
def test_a_column_is_written_where_it_lies(places):
    laws = (Law(Scaling("a", -1, -1.0), 4.0, np.array([2.0])), Law(Scaling("b", -1, 1.0), 1.0, np.array([3.0])))
    column = FollowingColumn(places, laws, "b0")
    assert column.factor(0) == 6.0
    built = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 1e30], np.float32)
    parameters = built.copy()
    column.write(parameters, built, column.factor(0))
    np.testing.assert_allclose(parameters, [1.0, 12.0, 3.0, 24.0, 5.0, 1e30], rtol=1e-6)


def test_what_nothing_follows_is_told():
    track = Track("b0", "stretch_stiffness", np.array([1.0, 2.0]))
    whole = replace(scene(cloth(4), frames=(1, 2)), tracks=(track,))
    tracks = Tracks.of(whole)
    assert unfollowed(whole, tracks, ()) == (track,)
    law = tracks.law("b0", Scaling("stretch_stiffness", -1, -1.0), 2.0)
    assert unfollowed(whole, tracks, (FollowingColumn(slice(0, 1), (law,), "b0"),)) == ()
    assert unfollowed(whole, tracks, (FollowingColumn(slice(0, 1), (law,), "b1"),)) == (track,)
