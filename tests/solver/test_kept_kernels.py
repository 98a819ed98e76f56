# SPDX-License-Identifier: GPL-3.0-or-later
"""No kernel of the solver has to be made to be found: each has a fingerprint, whatever a scene has."""

import numpy as np
import pytest

from blender_xpbd.device import kept_kernels
from blender_xpbd.device.launch import forget
from tests.solver.grain_scenes import block, grains
from tests.solver.scenes import cloth, jelly_cube, mesh_box, plane, run, solver
from tests.solver.strands import line, strand

pytestmark = pytest.mark.usefixtures("taichi_cpu")

SCENES = {
    "jelly that starts in a mesh": lambda: solver(
        jelly_cube(0.3, height=-0.05, resolution=3), colliders=[mesh_box(0.4)]
    ),
    "cloth on a plane": lambda: solver(cloth(5, height=0.05, pinned=[0]), colliders=[plane()]),
    "strand": lambda: solver(strand(line(6), pinned=[0])),
    "grains": lambda: solver(grains(block((2, 2, 2), 0.02), radius=0.02), colliders=[plane()]),
    "colours": lambda: solver(cloth(5, height=0.05), colliders=[plane()], path="COLOURS"),
}


@pytest.mark.parametrize("name", SCENES)
def test_each_kernel_of_a_scene_has_a_fingerprint(name, monkeypatch):
    forget()
    found, words = [], kept_kernels._words

    def record(primal, features):
        found.append((primal.func.__name__, words(primal, features)))
        return found[-1][1]

    monkeypatch.setattr(kept_kernels, "_words", record)
    assert np.isfinite(run(SCENES[name](), 2)).all()
    assert found
    assert not [kernel for kernel, told in found if told is None]
