# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames in ranges of substeps, and one table of stages for all paths."""

import dataclasses

import numpy as np
import pytest

from blender_xpbd.scene.scene import Collider
from blender_xpbd.solver import colour_path, solver, stages, substeps
from blender_xpbd.solver.plan import PATHS
from tests.geometry.surfaces import cube
from tests.solver import scenes
from tests.solver.scenes import cloth, pins, plane

pytestmark = pytest.mark.usefixtures("taichi_cpu")

SUBSTEPS = 6


def simulation(path, **settings):
    """A scene that has every act of a substep, with what goes on over a frame: pins, a collider, damping."""
    body = cloth(24, pinned=(0, 23), area_density=0.15, internal_damping=2.0)
    targets = np.stack([body.positions[[0, 23]] + [0.02 * frame, 0.0, 0.0] for frame in range(50)])
    body = dataclasses.replace(body, pins=pins(body.positions, (0, 23), targets=targets))
    rising = np.repeat(np.eye(4)[None], 50, axis=0)
    rising[:, 2, 3] = 0.01 * np.arange(50) - 0.55
    positions, triangles = cube()
    box = Collider("c1", "Box", "MESH", rising, positions=positions, triangles=triangles, friction=0.4)
    colliders = [plane(-0.1, restitution=0.5), box]
    return scenes.solver(body, colliders=colliders, substeps=SUBSTEPS, path=path, **settings)


def results(path, **settings):
    mine = simulation(path, **settings)
    return scenes.run(mine, 4), mine.checkpoint()


@pytest.mark.parametrize("split", [(1,) * SUBSTEPS, (4, 2), (1, 5), (0, 3, 0, 3)])
@pytest.mark.parametrize("integration", ["SYMPLECTIC_EULER", "BDF2"])
@pytest.mark.parametrize("path", PATHS)
def test_ranges_of_substeps_give_the_bytes_of_the_whole_frame(path, integration, split, monkeypatch):
    expected = results(path, time_integration=integration)

    def in_ranges(plan, own_path, first, count, of):
        assert (first, count, of) == (0, SUBSTEPS, SUBSTEPS)
        for part in split:
            substeps.simulate_substeps(plan, own_path, first, part, of)
            first += part

    monkeypatch.setattr(solver, "simulate_substeps", in_ranges)
    found = results(path, time_integration=integration)
    np.testing.assert_array_equal(found[0], expected[0])
    for name, values in expected[1].items():
        np.testing.assert_array_equal(found[1][name], values)


def test_what_ranges_have_to_carry_on_is_in_the_scene():
    """Pins and colliders that would stand still, or damping in every range, would show."""
    expected, _ = results("SERIAL")
    mine = simulation("SERIAL")
    mine.advance()
    before = mine.checkpoint()
    plan = mine._plan
    substeps.simulate_substeps(plan, "SERIAL", 0, SUBSTEPS, SUBSTEPS)
    undamped = dataclasses.replace(plan, variant=plan.variant._replace(damps_bodies=False))
    damped = mine.checkpoint()["velocities"]
    mine.restore(1, before)
    substeps.simulate_substeps(undamped, "SERIAL", 0, SUBSTEPS, SUBSTEPS)
    assert np.abs(damped - mine.checkpoint()["velocities"]).max() > 1e-3
    assert np.ptp(expected[:, 2]) > 0.05


@pytest.mark.parametrize(
    "act", [stages.PLACE_TARGETS, stages.SOLVE_LEVELS, stages.PROJECT, stages.TOUCH, stages.UPDATE_VELOCITIES]
)
def test_all_paths_follow_the_table(act, monkeypatch):
    """What is not in it is done by none of them, and makes a difference."""
    whole = results("SERIAL")[0]
    every_stage = stages.substep_stages
    monkeypatch.setattr(
        "blender_xpbd.solver.state.substep_stages",
        lambda *arguments: tuple(stage for stage in every_stage(*arguments) if stage.act != act),
    )
    serial, colours = (results(path)[0] for path in ("SERIAL", "COLOURS"))
    np.testing.assert_allclose(colours, serial, atol=1e-9)
    assert np.abs(serial - whole).max() > 1e-4


def test_every_act_has_a_launch():
    assert sorted(colour_path.LAUNCHES) == list(range(len(colour_path.LAUNCHES))) == [
        stages.PREDICT, stages.PLACE_TARGETS, stages.SOLVE_LEVELS, stages.PROJECT, stages.TOUCH,
        stages.UPDATE_VELOCITIES, stages.REBOUND,
    ]  # fmt: skip
