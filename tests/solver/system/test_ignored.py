# SPDX-License-Identifier: GPL-3.0-or-later
"""What a job holds and no step acts on yet is told."""

from dataclasses import replace

import numpy as np
import pytest

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
