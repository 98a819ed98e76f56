# SPDX-License-Identifier: GPL-3.0-or-later
"""The search for pairs that may touch, against trying all pairs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from blender_xpbd.contacts.pairs.tables import FRICTION, GAP, RESTITUTION
from blender_xpbd.contacts.search import tree_walk
from blender_xpbd.contacts.search.pair_search import PairSearch
from blender_xpbd.device.arrays import write_array
from blender_xpbd.geometry.search.surfaces import Surfaces, build_surface_mesh, build_surfaces
from blender_xpbd.scene.errors import XpbdError
from tests.contacts.search.search_cases import (
    all_pairs,
    contents,
    least_distance,
    listed,
    listed_pairs,
    open_window,
    sheet,
    soup,
)

pytestmark = pytest.mark.usefixtures("taichi_cpu")
with_taichi = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])

GAP_WANTED = 0.05


@with_taichi
@given(
    seed=st.integers(0, 2**32 - 1),
    sizes=st.lists(st.tuples(st.integers(1, 14), st.integers(0, 12), st.integers(0, 4)), min_size=1, max_size=3),
    margin=st.sampled_from([0.0, 0.02, 0.3]),
    speed=st.sampled_from([0.0, 0.1, 2.0]),
)
def test_every_pair_that_may_come_near_is_listed_once(
    seed: int, sizes: list[tuple[int, int, int]], margin: float, speed: float
) -> None:
    random = np.random.default_rng(seed)
    sees = random.random((len(sizes), len(sizes))) < 0.7
    surfaces = build_surfaces([soup(random, *size) for size in sizes], sees | sees.T)
    positions = surfaces.rest + 0.1 * random.standard_normal(surfaces.rest.shape)
    margins, travels = margin * random.random(len(positions)), speed * random.standard_normal(positions.shape)
    search = PairSearch(surfaces, contents(surfaces, GAP_WANTED))
    open_window(search, positions, margins, travels)
    found = listed(search)
    assert len(found) == len(set(found))
    for pair in all_pairs(surfaces, positions, margins, travels, GAP_WANTED - 1e-5) - set(found):
        assert least_distance(pair, positions, margins, travels) > GAP_WANTED
    if speed == 0.0:
        assert set(found) <= all_pairs(surfaces, positions, margins, travels, GAP_WANTED + 1e-5)


def rolled(surfaces: Surfaces, turns: float, pitch: float) -> np.ndarray:
    """A sheet rolled up along X into a spiral, as long as at rest."""
    length = surfaces.rest[:, 0].max()
    along = surfaces.rest[:, 0] / length
    angle = 2.0 * np.pi * turns * along
    radius = length / (2.0 * np.pi * turns) + pitch * turns * (along - 0.5)
    return np.stack([radius * np.cos(angle), surfaces.rest[:, 1], radius * np.sin(angle)], axis=1)


@pytest.mark.slow
@pytest.mark.parametrize("turns", [0.6, 1.5, 3.0])
def test_a_rolled_sheet_misses_nothing_that_is_far_at_rest(turns: float) -> None:
    surfaces = build_surfaces([sheet(24, 4, 0.1)], np.ones((1, 1), bool))
    positions = rolled(surfaces, turns, 0.06)
    search = PairSearch(surfaces, contents(surfaces, GAP_WANTED))
    open_window(search, positions, 0.01)
    found = set(listed(search))
    wanted = all_pairs(surfaces, positions, 0.01, 0.0, GAP_WANTED - 1e-5)
    assert found <= all_pairs(surfaces, positions, 0.01, 0.0, GAP_WANTED + 1e-5)
    missing = [pair for pair in wanted - found if least_distance(pair, positions, 0.01) <= GAP_WANTED]
    assert missing
    for pair in missing:
        rest = surfaces.rest[list(pair[1:])]
        assert np.linalg.norm(rest[:, None] - rest[None, :], axis=2).max() < 0.45


def spiral_stairs(columns: int) -> tuple[Surfaces, np.ndarray]:
    """A ribbon that winds upward around Z twice, at rest as it is."""
    mesh = sheet(columns, 2, 0.1)
    angle, radius = 4.0 * np.pi * mesh.rest[:, 0] / mesh.rest[:, 0].max(), 0.5 + mesh.rest[:, 1]
    rest = np.stack([radius * np.cos(angle), radius * np.sin(angle), 0.03 * angle / np.pi], axis=1)
    return build_surfaces([replace(mesh, rest=rest)], np.ones((1, 1), bool)), rest


@pytest.mark.slow
def test_a_spiral_staircase_meets_itself_with_equal_normals() -> None:
    surfaces, rest = spiral_stairs(48)
    search = PairSearch(surfaces, contents(surfaces, 0.1))
    open_window(search, rest, 0.0)
    above = {pair for pair in all_pairs(surfaces, rest, 0.0, 0.0, 0.1 - 1e-5) if np.ptp(rest[list(pair[1:]), 2]) > 0.05}
    above = {pair for pair in above if least_distance(pair, rest, 0.0) < 0.1 - 1e-5}
    assert above
    assert above <= set(listed(search))


@pytest.mark.parametrize("depth", [2, 4, 6])
def test_strips_of_a_fringe_meet_each_other(depth: int) -> None:
    surfaces, is_doubled = slit_sheet(0.1 * depth)
    positions = surfaces.rest.copy()
    positions[is_doubled] += [0.0, -0.05, 0.01]
    search = PairSearch(surfaces, contents(surfaces, 0.02))
    open_window(search, positions, 0.0)
    wanted = all_pairs(surfaces, positions, 0.0, 0.0, 0.02 - 1e-5)
    across = {pair for pair in wanted if pair[0] == 0 and is_doubled[pair[1]] and not is_doubled[list(pair[2:])].any()}
    across = {pair for pair in across if least_distance(pair, positions, 0.0) < 0.02 - 1e-5}
    assert across
    assert across <= set(listed(search))


def slit_sheet(height: float) -> tuple[Surfaces, np.ndarray]:
    """A sheet with a slit of no width along X at a height, and which points were doubled for it."""
    mesh = sheet(6, 9, 0.1)
    rest, triangles = mesh.rest, mesh.triangles
    doubled = np.flatnonzero((np.abs(rest[:, 1] - height) < 1e-6) & (rest[:, 0] > 0.15))
    number = np.arange(len(rest))
    number[doubled] = len(rest) + np.arange(len(doubled))
    is_above = rest[triangles].mean(axis=1)[:, 1] > height
    corners = np.where(is_above[:, None], number[triangles], triangles).astype(np.int32)
    places = np.concatenate([rest, rest[doubled]])
    parted = build_surface_mesh(places, np.full(len(corners), 3, np.int32), corners.ravel())
    return build_surfaces([parted], np.ones((1, 1), bool)), np.arange(len(places)) >= len(rest)


def test_threads_change_no_byte() -> None:
    random = np.random.default_rng(3)
    surfaces = build_surfaces([sheet(30, 30, 0.1), sheet(20, 40, 0.1, 0.02)], np.ones((2, 2), bool))
    positions = surfaces.rest + 0.02 * random.standard_normal(surfaces.rest.shape)
    results = []
    for team_size in (1, 2, 1):
        search = PairSearch(surfaces, contents(surfaces, GAP_WANTED, parts=5))
        open_window(search, positions, 0.01)
        result = search.search(team_size)
        results.append([array.tobytes() for array in listed_pairs(result)])
        assert result.count > 10_000
    assert results[0] == results[1] == results[2]


def test_tasks_hold_the_pairs_of_their_part() -> None:
    surfaces = build_surfaces([sheet(8, 8), sheet(8, 8, 0.1, 0.03)], np.ones((2, 2), bool))
    own = contents(surfaces, GAP_WANTED, parts=4)
    own.parts[:9] = -1
    search = PairSearch(surfaces, own)
    open_window(search, surfaces.rest, 0.0)
    rows, _, starts = listed_pairs(search.search())
    assert starts[0] == 0
    assert starts[-1] == len(rows)
    for task in range(5):
        mine = slice(starts[task], starts[task + 1])
        for row in rows[mine, 1:]:
            labels = {label for label in own.parts[row].tolist() if label >= 0}
            assert labels == {task} if task < 4 else len(labels) != 1
    assert starts[4] > 0
    assert starts[5] > starts[4]


def test_what_nothing_moves_belongs_to_the_task_of_the_other_side() -> None:
    surfaces = build_surfaces([sheet(2, 2), sheet(2, 2, 0.1, 0.03)], ~np.eye(2, dtype=bool))
    own = contents(surfaces, GAP_WANTED)
    own.parts[9:] = -1
    search = PairSearch(surfaces, own)
    open_window(search, surfaces.rest, 0.0)
    _, _, starts = listed_pairs(search.search())
    assert starts[1] > 0
    assert starts[1] == starts[2]


@pytest.mark.parametrize("cells", [5, 20])
@pytest.mark.parametrize("thickness", [0.1, 1.0, 2.0])
def test_the_gap_of_a_flat_sheet_is_at_most_the_distance_at_rest(cells: int, thickness: float) -> None:
    edge = 1.0 / cells
    surfaces = build_surfaces([sheet(cells, cells, edge)], np.ones((1, 1), bool))
    # bent at right angles along the middle, so that no cone holds all normals
    positions = surfaces.rest.copy()
    over = positions[:, 0] - 0.5
    positions[:, 2] = np.maximum(over, 0.0)
    positions[:, 0] = np.minimum(positions[:, 0], 0.5)
    search = PairSearch(surfaces, contents(surfaces, thickness * edge))
    open_window(search, positions, 0.25 * edge)
    rows, floats, _ = listed_pairs(search.search())
    assert len(rows)
    for row, gap in zip(rows, floats[:, GAP], strict=True):
        weights = np.linspace(0.0, 1.0, 21)
        x = surfaces.rest[row[1:]]
        if row[0] == 1:
            first = x[0] + weights[:, None] * (x[1] - x[0])
            other = x[2] + weights[:, None] * (x[3] - x[2])
        else:
            a, b = np.meshgrid(weights, weights)
            a, b = a[a + b <= 1.0], b[a + b <= 1.0]
            first, other = x[:1], x[1] + a[:, None] * (x[2] - x[1]) + b[:, None] * (x[3] - x[1])
        assert gap <= np.linalg.norm(first[:, None] - other[None], axis=2).min() + 1e-9
        assert gap <= thickness * edge + 1e-7


def test_pairs_carry_what_their_objects_and_points_say() -> None:
    surfaces = build_surfaces([sheet(1, 1), sheet(1, 1, 0.1, 0.03)], ~np.eye(2, dtype=bool))
    own = replace(
        contents(surfaces, 0.0),
        gaps=np.array([[0.1, 0.05], [0.05, 0.2]]),
        frictions=np.array([0.4, 0.4, 0.4, 0.4, 0.9, 0.9, 0.9, 0.9]),
        restitutions=np.array([0.3, 0.1]),
    )
    search = PairSearch(surfaces, own)
    open_window(search, surfaces.rest, 0.0)
    floats = listed_pairs(search.search())[1]
    assert len(floats)
    assert floats[:, GAP] == pytest.approx(0.05)
    assert floats[:, FRICTION] == pytest.approx(0.6)
    assert floats[:, RESTITUTION] == pytest.approx(0.3)


def test_a_flat_sheet_has_no_pairs_with_itself_and_islands_follow_pairs() -> None:
    surfaces = build_surfaces([sheet(9, 9), sheet(9, 9, 0.1, 0.04), sheet(9, 9, 0.1, 1.0)], np.ones((3, 3), bool))
    search = PairSearch(surfaces, contents(surfaces, GAP_WANTED))
    open_window(search, surfaces.rest, 0.0)
    result = search.search()
    owners = surfaces.point_objects[listed_pairs(result)[0][:, 1:]]
    assert result.count
    assert (owners.min(axis=1) == 0).all()
    assert (owners.max(axis=1) == 1).all()
    assert result.islands.tolist() == [0, 0, 2]
    assert result.met.tolist() == [[0, 1]]
    # falling together they are as near as at rest; falling apart they are not
    travels = np.zeros_like(surfaces.rest)
    travels[:] = [0.0, 0.0, -5.0]
    open_window(search, surfaces.rest, 0.0, travels)
    assert search.search().count == result.count


def test_a_flat_sheet_that_pairs_may_stop_on_its_way_in_its_plane_meets_itself() -> None:
    """A corner may end where it started while the next one comes: the triangle between them turns over."""
    surfaces = build_surfaces([sheet(12, 12)], np.ones((1, 1), bool))
    search = PairSearch(surfaces, contents(surfaces, gap=0.01))
    for way, is_certain in ((0.04, True), (0.15, False)):
        open_window(search, surfaces.rest, 0.001, np.array([way, 0.0, 0.0]))
        rows = np.zeros((len(surfaces.rest), 4))
        rows[:, :3] = surfaces.rest
        write_array(search.window.window_stays, rows)
        found = listed(search)
        assert bool(found) != is_certain
    # two edges beside each other along the way
    assert {(1, 0, 13, 26, 39), (1, 14, 15, 27, 28)} & {(kind, *sorted(points)) for kind, *points in found}


def test_what_flat_pieces_have_with_themselves_is_listed_where_all_is_asked() -> None:
    """For what cones of normals do not tell: a corner that crumples brings its border over itself."""
    surfaces = build_surfaces([sheet(9, 9)], np.ones((1, 1), bool))
    search = PairSearch(surfaces, contents(surfaces, gap=0.15))
    open_window(search, surfaces.rest, 0.0)
    assert not listed(search)
    search.ask_all(asks_all=True)
    found = listed(search)
    assert len(found) == len(set(found))
    assert all_pairs(surfaces, surfaces.rest, 0.0, 0.0, 0.15 - 1e-5) <= set(found)
    search.ask_all(asks_all=False)
    assert not listed(search)


def test_positions_that_are_no_numbers_list_nothing() -> None:
    surfaces = build_surfaces([sheet(3, 3), sheet(3, 3)], ~np.eye(2, dtype=bool))
    search = PairSearch(surfaces, contents(surfaces, GAP_WANTED))
    open_window(search, np.full_like(surfaces.rest, np.nan), 0.0)
    assert search.search().count == 0


def test_no_object_and_no_triangle_list_nothing() -> None:
    surfaces = build_surfaces([], np.zeros((0, 0), bool))
    assert PairSearch(surfaces, contents(surfaces, GAP_WANTED)).search().count == 0


def test_a_point_of_jelly_is_in_the_interval_sum_of_its_particles() -> None:
    surfaces = build_surfaces([sheet(1, 1), sheet(1, 1, 0.1, 0.06)], ~np.eye(2, dtype=bool))
    own = contents(surfaces, GAP_WANTED)
    # each point of the upper sheet lies beyond two particles: its margin is (1.5 + 0.5) times theirs
    own.elements[4:, 1] = own.elements[[5, 4, 7, 6], 0]
    own.weights[4:, :2] = [1.5, -0.5]
    search = PairSearch(surfaces, own)
    margins = np.zeros(8)
    open_window(search, surfaces.rest, margins)
    assert search.search().count == 0
    margins[4:] = 0.004
    open_window(search, surfaces.rest, margins)
    assert search.search().count == 0
    margins[4:] = 0.006
    open_window(search, surfaces.rest, margins)
    assert search.search().count > 0


def test_a_heap_in_one_place_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree_walk, "MOST_PAIRS", 100)
    surfaces = build_surfaces([sheet(9, 9), sheet(9, 9)], np.ones((2, 2), bool))
    search = PairSearch(surfaces, contents(surfaces, GAP_WANTED))
    open_window(search, 0.0 * surfaces.rest, 0.0)
    with pytest.raises(XpbdError) as caught:
        search.search()
    assert caught.value.code == "E_MEMORY"


def test_arrays_grow_when_they_must() -> None:
    surfaces = build_surfaces([sheet(9, 9), sheet(9, 9, 0.1, 0.5)], ~np.eye(2, dtype=bool))
    search = PairSearch(surfaces, contents(surfaces, GAP_WANTED))
    open_window(search, surfaces.rest, 0.0)
    arrays = search.search().pairs
    for margin, is_new in ((0.3, True), (0.3, False), (0.0, False)):
        open_window(search, surfaces.rest, margin)
        found = search.search().pairs
        assert (found is not arrays) == is_new
        arrays = found


def test_where_asking_all_is_too_much_flat_pieces_are_left_out_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """No bake ends for what its lists may do without."""
    surfaces = build_surfaces([sheet(9, 9)], np.ones((1, 1), bool))
    search = PairSearch(surfaces, contents(surfaces, GAP_WANTED))
    open_window(search, surfaces.rest, 0.3)
    by_cones = search.search().count
    search.ask_all(asks_all=True)
    asked = search.search().count
    assert asked > by_cones
    monkeypatch.setattr(tree_walk, "MOST_PAIRS", (by_cones + asked) // 2)
    assert search.search().count == by_cones
