# SPDX-License-Identifier: GPL-3.0-or-later
"""What a job holds and no step acts on yet is told."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.scene.force import Force
from blender_xpbd.scene.track import Track
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.system.system import build_system
from tests.solver.scenes import cloth, mesh_box, run, scene

pytestmark = pytest.mark.usefixtures("taichi_cpu")


@pytest.mark.slow
def test_each_is_named_and_changes_nothing():
    still = mesh_box((0.2, 0.2, 0.2))
    plain = scene(cloth(6, height=0.3, stiffness_input="COMPLIANCE"), colliders=[still], frames=(1, 3))
    full = replace(
        plain,
        # a spring of a given compliance has no stretch stiffness
        tracks=(
            Track("b0", "stretch_stiffness", np.array([1.0, 2.0, 3.0])),
            Track("b0", "bending_stiffness", np.full(3, 1.0)),
        ),
    )
    solvers = [Solver(build_system(job)) for job in (plain, full)]
    notices = [notice for notice in solvers[1].system.notices if notice.code == "W_IGNORED"]
    assert [notice.object_name for notice in notices] == ["Cloth"]
    assert "stretch_stiffness" in notices[0].message
    assert not any(notice.code == "W_IGNORED" for notice in solvers[0].system.notices)
    np.testing.assert_array_equal(*(run(each, 2) for each in solvers))


@pytest.mark.parametrize(
    ("force", "idle"),
    [
        ({}, ["air_drag", "air_lift", "force_weight"]),
        ({"strength": 2.0}, ["air_drag", "air_lift"]),
        ({"strength": 2.0, "wind_factor": 1.0}, []),
    ],
)
def test_what_fields_ask_for_is_told_where_there_are_none(force, idle):
    """A keyed drag in the air of no wind moved nothing, and nothing told so."""
    fields = (Force("f0", "Field", "WIND", np.eye(4)[None], **force),) if force else ()
    body, names = cloth(4), ("air_drag", "air_lift", "force_weight")
    tracks = tuple(Track("b0", name, np.array([1.0, 0.2, 0.2])) for name in names)
    whole = replace(scene(body, frames=(1, 3)), tracks=tracks, forces=fields)
    told = [notice.message for notice in build_system(whole).notices if notice.code == "W_IGNORED"]
    assert told == [f"The track of {name} changes nothing." for name in idle]
    apart = replace(whole, bodies=(replace(whole.bodies[0], fields=()),))
    assert len([notice for notice in build_system(apart).notices if notice.code == "W_IGNORED"]) == len(names)


def test_a_wind_that_comes_later_is_no_lack():
    wind = Force("f0", "Field", "WIND", np.eye(4)[None], wind_factor=0.0)
    tracks = (Track("b0", "air_drag", np.array([1.0, 0.2, 0.2])), Track("f0", "wind_factor", np.array([0.0, 0.0, 1.0])))
    whole = replace(scene(cloth(4), frames=(1, 3)), tracks=tracks, forces=(wind,))
    assert not [notice for notice in build_system(whole).notices if notice.code == "W_IGNORED"]
