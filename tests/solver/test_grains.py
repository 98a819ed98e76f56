# SPDX-License-Identifier: GPL-3.0-or-later
"""Grains: they bounce, pile up, come to rest, stick, and give the same bytes whatever computes them."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from blender_xpbd.scene.errors import XpbdError
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.step import grain_state
from blender_xpbd.solver.step.grain_state import more_neighbours
from blender_xpbd.solver.step.plan import SERIAL, THREADS
from blender_xpbd.solver.system.system import build_system
from tests.solver.grain_scenes import bin_of_planes, block, closest, grain_scene, grains
from tests.solver.scenes import cloth, plane, run, scene

pytestmark = pytest.mark.usefixtures("taichi_cpu")
RADIUS = 0.025


def grain_solver(*bodies, path=SERIAL, **keywords):
    return Solver(build_system(grain_scene(*bodies, **keywords)), (path,))


def speeds(simulation, frame_duration=1 / 24):
    before = simulation.positions().copy()
    simulation.advance()
    return np.linalg.norm(simulation.positions() - before, axis=1) / frame_duration


def test_points_bounce_to_the_heights_of_their_restitution():
    rows = np.stack(np.meshgrid(np.arange(8.0), np.arange(8.0), [10.0], indexing="ij"), axis=-1).reshape(-1, 3) / 10.0
    duration = 1 / 240
    simulation = grain_solver(
        grains(rows, restitution=0.8), colliders=[plane(restitution=0.8)], duration=duration, substeps=4
    )
    heights = np.array([run(simulation, 1)[:, 2].mean() for _ in range(480)])
    tops = heights[1:-1][(heights[1:-1] > heights[:-2]) & (heights[1:-1] >= heights[2:])]
    assert tops[0] == pytest.approx(0.64, rel=0.02)
    assert tops[1] == pytest.approx(0.41, rel=0.02)


def test_a_bin_holds_grains_in_layers_that_do_not_overlap_and_lie_still():
    points = block((5, 5, 8), RADIUS, spacing=2.4, jitter=0.3)
    simulation = grain_solver(grains(points, radius=RADIUS), colliders=bin_of_planes(0.2), substeps=20)
    places = run(simulation, 72)
    assert len(places) == 200
    assert closest(places) > 0.98 * 2.0 * RADIUS
    assert places[:, 2].min() > RADIUS - 1e-5
    assert np.abs(places[:, :2]).max() < 0.2 - RADIUS + 1e-5
    # the third layer of balls lies above twice the height of one
    assert np.count_nonzero(places[:, 2] > RADIUS + 2.0 * 1.6 * RADIUS) > 10
    assert speeds(simulation).max() < 1e-3


def slope(friction):
    """Height by width of a heap."""
    body = grains(block((5, 5, 16), RADIUS, spacing=2.4), radius=RADIUS, friction=friction)
    places = run(grain_solver(body, colliders=[plane(friction=0.8)], substeps=20), 72)
    far = np.quantile(np.linalg.norm(places[:, :2] - np.median(places[:, :2], axis=0), axis=1), 0.9)
    return np.quantile(places[:, 2], 0.98) / far


def test_heaps_are_the_steeper_the_more_friction_there_is():
    slopes = [slope(friction) for friction in (0.2, 0.5, 0.8)]
    assert slopes[0] < 0.8 * slopes[1]
    assert slopes[1] < 0.9 * slopes[2]


def test_threads_and_a_checkpoint_change_no_byte():
    """Of a heap that is cut into parts, and in which friction holds."""
    body = grains(block((12, 12, 10), RADIUS), radius=RADIUS, friction=0.6)

    def start(path):
        return grain_solver(body, colliders=[plane()], substeps=10, path=path)

    alone, team = start(SERIAL), start(THREADS)
    assert alone.system.schedule.parts.count > 1
    for _ in range(6):
        alone.advance()
        team.advance()
    saved = alone.checkpoint()
    assert len(saved["grain_pairs"]) > 0
    resumed = start(THREADS)
    resumed.restore(6, saved)
    for _ in range(6):
        for simulation in (alone, team, resumed):
            simulation.advance()
    for other in (team, resumed):
        np.testing.assert_array_equal(alone.positions(), other.positions())
        for name, values in alone.checkpoint().items():
            np.testing.assert_array_equal(values, other.checkpoint()[name])


@pytest.mark.slow
def test_lists_that_grow_while_nothing_else_touches_keep_what_grains_hold(monkeypatch):
    """The frame in which they grow is tried as one without contact of surfaces, and begun again."""
    body = grains(block((4, 4, 3), RADIUS, height=RADIUS), radius=RADIUS, friction=0.6)
    sheet = cloth(4, size=0.1, height=3.0, identifier="b1")
    sheet = replace(sheet, contact=replace(sheet.contact, self_collision=True))

    def start():
        return grain_solver(body, sheet, colliders=[plane()], substeps=10)

    whole = start()
    for _ in range(4):
        whole.advance()
    saved = whole.checkpoint()
    assert len(saved["grain_pairs"]) > 0
    whole.advance()
    assert whole._pairs.clear.was_clear
    monkeypatch.setattr(grain_state, "FIRST_NEIGHBOURS", 1)
    resumed = start()
    resumed.restore(4, saved)
    rooms = [resumed._plan.state.world.pairs.grain_pairs.shape[1]]
    resumed.advance()
    rooms.append(resumed._plan.state.world.pairs.grain_pairs.shape[1])
    assert rooms[1] > rooms[0]
    for name, values in whole.checkpoint().items():
        np.testing.assert_array_equal(values, resumed.checkpoint()[name])


@pytest.mark.parametrize("rows", [np.zeros((1, 4)), [[0.0, 0.0, 0, 0, 0]], [[0.0, 9.0, 0, 0, 0]], [[0.5, 1.0, 0, 0, 0]],
                                  [[0.0, 1.0, np.nan, 0, 0]], [[0.0, 1.0, 0, 0, 0], [1.0, 0.0, 0, 0, 0]]])  # fmt: skip
def test_pairs_of_a_damaged_checkpoint_are_refused(rows):
    simulation = grain_solver(grains([[0.0, 0.0, 0.01], [0.0, 0.0, 0.03]]), colliders=[plane()], substeps=10)
    saved = simulation.checkpoint()
    with pytest.raises(XpbdError, match="E_CACHE"):
        simulation.restore(0, {**saved, "grain_pairs": np.asarray(rows)})


def test_more_neighbours_than_there_is_room_for_are_met():
    """A marble among 300 grains of sand, which has more of them around it than any grain has of its own size."""
    random = np.random.default_rng(3)
    ways = random.normal(size=(4000, 3))
    points = [ways[0] / np.linalg.norm(ways[0])]
    for way in ways[1:]:
        unit = way / np.linalg.norm(way)
        if np.linalg.norm(np.array(points) - unit, axis=1).min() > 0.16 and len(points) < 300:
            points.append(unit)
    sand = grains(0.107 * np.array(points), "b1", radius=0.008)
    simulation = grain_solver(grains([[0.0, 0.0, 0.0]], radius=0.1), sand, gravity=(0.0, 0.0, 0.0), substeps=10)
    places = run(simulation, 2)
    apart = np.linalg.norm(places[1:] - places[0], axis=1)
    assert len(points) > 150
    assert apart.min() > 0.999 * 0.108


@pytest.mark.parametrize(("cohesion", "falls"), [(1000.0, False), (2000.0, False), (500.0, True), (0.0, True)])
def test_a_grain_hangs_on_another_as_long_as_cohesion_bears_its_weight(cohesion, falls):
    """σ π r² = 707 Pa · 4.9e-4 m² is the weight of a grain of 12.5 mm and 4,324 kg/m³."""
    radius = 0.0125
    density = 707.0 * np.pi * radius**2 / (9.81 * 4.0 / 3.0 * np.pi * radius**3)
    pair = [[0.0, 0.0, 1.0], [0.0, 0.0, 1.0 - 2.0 * radius]]
    body = grains(pair, pinned=[0], radius=radius, density=density, cohesion=cohesion)
    places = run(grain_solver(body, substeps=10), 12)
    assert (places[1, 2] < 0.5) == falls
    if not falls:
        assert places[0, 2] - places[1, 2] == pytest.approx(2.0 * radius, rel=0.02)


def test_grains_that_are_left_out_pass_through_the_others_and_lie_on_the_floor():
    """They met all the same: nothing asked for the group."""
    points = [(0.0, 0.0, 0.01), (0.0, 0.0, 0.2), (0.1, 0.0, 0.01), (0.1, 0.0, 0.2)]
    body = grains(points, radius=0.01)
    body = replace(body, contact=replace(body.contact, left_out=np.array([1], np.int32)))
    places = run(grain_solver(body, colliders=[plane()], substeps=10), 24)
    np.testing.assert_allclose(places[:3, 2], 0.01, atol=1e-4)
    assert places[3, 2] > 0.0299
    assert len(build_system(grain_scene(body)).grains) == 3


def test_two_objects_of_grains_meet_unless_one_is_not_to():
    for meet, apart in ((True, 0.02), (False, 0.0)):
        pair = [
            grains([[0.0, 0.0, z]], f"b{n}", (0.0, 0.0, 1.0 - 2.0 * n), radius=0.01) for n, z in ((0, 0.0), (1, 0.1))
        ]
        whole = grain_scene(*pair, gravity=(0.0, 0.0, 0.0), substeps=10)
        if not meet:
            whole = scene(*pair, gravity=(0.0, 0.0, 0.0), substeps=10)
        simulation = Solver(build_system(whole), (SERIAL,))
        places = run(simulation, 3)
        assert (places[1, 2] - places[0, 2] > apart - 1e-4) == meet


def test_grains_are_for_the_processor():
    system = build_system(grain_scene(grains([[0.0, 0.0, 0.0]]), device="VULKAN"))
    assert system.device == "CPU"


@pytest.mark.parametrize("restitution", [0.0, 0.8])
@pytest.mark.parametrize("half", [0.05, 0.08, 0.15])
def test_grains_that_start_inside_each_other_do_not_burst(half, restitution):
    """They went apart at 1 to 5 m/s when they were pushed out of each other at once."""
    places = np.random.default_rng(5).uniform(-half, half, (150, 3))
    body = grains(places, radius=0.012, restitution=restitution)
    simulation = grain_solver(body, gravity=(0.0, 0.0, 0.0), substeps=20)
    assert [notice.code for notice in simulation.system.notices] == ["W_OVERLAP"]
    fastest = max(speeds(simulation).max() for _ in range(28))
    assert fastest < 0.5
    assert closest(simulation.positions()) > 0.95 * 2.0 * 0.012


def test_growing_goes_on_from_a_checkpoint():
    places = np.random.default_rng(5).uniform(-0.05, 0.05, (150, 3))
    body = grains(places, radius=0.012)
    whole, first = grain_solver(body), grain_solver(body)
    run(first, 9)
    second = grain_solver(body)
    second.restore(9, first.checkpoint())
    np.testing.assert_array_equal(run(second, 6), run(whole, 15))


@pytest.mark.parametrize("kind", ["one place", "a line", "two places"])
def test_grains_at_one_place_part_to_all_sides(kind):
    """All were pushed up, and a column of 300 flew 15 m high at 16 m/s."""
    places = np.tile([0.0, 0.0, 0.4], (160, 1))
    if kind == "a line":
        places[:, 0] += 0.002 * (np.arange(160) // 16)
    if kind == "two places":
        places[:80, 1] += 1.0
    body = grains(places, radius=0.02)
    alone, team = (grain_solver(body, colliders=[plane()], path=path) for path in (SERIAL, THREADS))
    fastest, highest = 0.0, 0.0
    for _ in range(16):
        fastest = max(fastest, speeds(alone).max())
        highest = max(highest, alone.positions()[:, 2].max())
        team.advance()
    np.testing.assert_array_equal(team.positions(), alone.positions())
    # falling takes 2.8 m/s
    assert fastest < 3.5
    assert highest < 0.6
    assert np.ptp(alone.positions()[:, :2], axis=0).min() > 0.2


def test_a_crowd_at_one_place_goes_on_from_each_frame():
    body = grains(np.tile([0.0, 0.0, 0.2], (200, 1)), radius=0.02)
    whole = grain_solver(body, colliders=[plane()])
    kept = {}
    for frame in range(1, 7):
        whole.advance()
        kept[frame] = whole.checkpoint(), whole.positions().copy()
    for frame in (1, 3, 5):
        second = grain_solver(body, colliders=[plane()])
        second.restore(frame, kept[frame][0])
        second.advance()
        np.testing.assert_array_equal(second.positions(), kept[frame + 1][1])


def test_lists_that_would_fill_the_memory_are_refused():
    with pytest.raises(XpbdError, match="more than 3072 others") as refused:
        more_neighbours(SimpleNamespace(grain_pairs=np.broadcast_to(0, (40_000, 3_072))))
    assert refused.value.code == "E_MEMORY"
