# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene as one system: pins in any order, and one count for the choice of the device."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.scene.body import Pins
from blender_xpbd.solver.order import tasks
from blender_xpbd.solver.system import system as system_module
from blender_xpbd.solver.system.system import build_system
from tests.bodies.test_materials import jelly
from tests.solver.grain_scenes import grains
from tests.solver.scenes import cloth, mesh_box, run, scene, solver


@pytest.mark.usefixtures("taichi_cpu")
@pytest.mark.parametrize("weight", [1.0, 0.5])
@pytest.mark.parametrize("make", [lambda: cloth(6), jelly], ids=["cloth", "jelly"])
def test_the_order_of_pins_does_not_count(make, weight):
    body = make()
    vertices = np.array([5, 0, 3], np.int32)
    order = np.argsort(vertices)
    turned = body.positions[vertices] @ np.array([[0.8, 0.6, 0.0], [-0.6, 0.8, 0.0], [0.0, 0.0, 1.0]]).T
    targets = np.stack([body.positions[vertices], turned, turned])
    weights = np.array([weight, 1.0, weight], np.float32)
    ends = [
        run(solver(replace(body, pins=given), frames=(1, 3), substeps=5), 2)
        for given in (
            Pins(vertices, weights, targets),
            Pins(vertices[order], weights[order], targets[:, order]),
        )
    ]
    np.testing.assert_array_equal(*ends)


@pytest.mark.usefixtures("taichi_cpu")
def test_a_single_grain_has_a_size():
    """It was told to be 0 m large and far away from others, and every mesh collider to be too large for it."""
    places = [[0.0, 0.0, 1.1], [0.5, 0.0, 1.1]]
    bodies = [grains([place], identifier=f"b{number}", radius=0.05) for number, place in enumerate(places)]
    simulation = solver(*bodies, colliders=[mesh_box(1.0)], substeps=5)
    assert not simulation.notices
    assert not simulation.system.notices


@pytest.mark.parametrize("most", range(90, 300, 15))
def test_what_is_cut_for_threads_runs_on_the_processor(most, monkeypatch):
    """Whatever the limit, also between the constraints that there are and those that can move something."""
    monkeypatch.setattr(tasks, "TASK_SECONDS", 1e-9)

    def choose(device, graphics_work):
        return "CUDA" if graphics_work >= most else "CPU"

    monkeypatch.setattr(system_module, "choose_device", choose)
    system = build_system(scene(cloth(8, pinned=range(32))))
    is_cut = system.schedule.parts.count > 1
    assert is_cut == (choose("AUTO", system.graphics_work) == "CPU")
