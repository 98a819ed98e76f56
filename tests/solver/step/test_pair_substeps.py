# SPDX-License-Identifier: GPL-3.0-or-later
"""Substeps with a search in the middle: boxes, islands and what a frame begins with."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.contacts.search import tree_walk
from blender_xpbd.device.arrays import read_array, write_array
from blender_xpbd.scene.collider import Collider
from blender_xpbd.solver.order import tasks
from blender_xpbd.solver.step import pair_lists, pair_substeps
from blender_xpbd.solver.tangles import tangles
from blender_xpbd.solver.windows.pair_tables import CLIPPED, IS_HELD, LIST_FIRST
from tests.solver.scenes import cloth, mesh_box, plane, touching
from tests.solver.test_pairs import cloth_on_jelly, folded

pytestmark = pytest.mark.usefixtures("taichi_cpu")

AWAY = np.eye(4)[None]
AWAY[0, 2, 3] = -5.0


def array(simulation, name):
    """An array of the pack of pairs, as the last substep has left it."""
    return read_array(getattr(simulation._plan.state.world.pairs, name))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("collider", "holds"),
    [(plane(), True), (plane(transforms=AWAY), False), (mesh_box(0.3), True)],
    ids=["plane", "plane away", "mesh"],
)
def test_what_touches_a_collider_is_no_island_of_its_own(collider, holds):
    """A sheet in the plane, above it, or in a box: the search does not know what planes and faces push."""
    simulation = touching(cloth(6, size=0.4), colliders=[collider], substeps=1)
    simulation.advance()
    assert array(simulation, "object_rows")[0, IS_HELD] == holds


def meeting(speed, fall=0.0, substeps=1):
    """Two free sheets 5 cm apart, of different masses, that fly at each other while both fall; a frame is 1/24 s."""
    bodies = [cloth(10, identifier="a"), cloth(8, size=0.6, height=0.05, identifier="b")]
    velocity = np.array([0.0, 0.0, speed])
    down = np.array([0.0, 0.0, -fall])
    bodies = [replace(bodies[0], velocity=down + velocity), replace(bodies[1], velocity=down - velocity)]
    return touching(*bodies, gravity=(0.0, 0.0, 0.0), substeps=substeps)


def excess(simulation):
    """How far particles ended outside the boxes in which the last substep looked for pairs, at most [m]."""
    come, stay = array(simulation, "window_ends")[:, :3], array(simulation, "window_stays")[:, :3]
    margin, places = array(simulation, "window_starts")[:, 3:], simulation.positions()
    return max((np.minimum(come, stay) - margin - places).max(), (places - np.maximum(come, stay) - margin).max())


@pytest.fixture
def searches(monkeypatch):
    """A list that grows with each search."""
    found, search = [], pair_substeps.PairSearch.search

    def counted(self, team_size=1):
        found.append(search(self, team_size))
        return found[-1]

    monkeypatch.setattr(pair_substeps.PairSearch, "search", counted)
    return found


@pytest.mark.parametrize("rounds", [1, 3])
def test_what_is_pushed_out_of_its_box_is_searched_again_and_then_held(rounds, monkeypatch, searches):
    monkeypatch.setattr(pair_lists, "MOST_ROUNDS", rounds)
    simulation = meeting(speed=2.0)
    wanted = simulation.system.velocities.T @ (1.0 / simulation.system.inverse_masses)
    simulation.advance()
    clipped = array(simulation, "object_counts")[:, CLIPPED].sum()
    # the first search has the two sheets as islands of their own, the second one both as one
    if rounds == 1:
        assert len(searches) == 2
        assert clipped > 0
    else:
        assert len(searches) > 2
    assert excess(simulation) <= 1e-6
    assert simulation.crossings().counts.sum() == 0
    got = simulation.checkpoint()["velocities"][:, :3].T @ (1.0 / simulation.system.inverse_masses)
    np.testing.assert_allclose(got, wanted, atol=2e-6 / simulation.system.inverse_masses.min() * 40.0)


def test_an_island_that_forms_in_a_substep_is_looked_at_from_its_common_motion(searches):
    simulation = meeting(speed=0.4, fall=3.0, substeps=4)
    frames = []
    while not array(simulation, "object_counts")[:, 0:2].any() and len(frames) < 6:
        simulation.advance()
        frames.append(array(simulation, "frames")[:, 2])
    masses = 1.0 / simulation.system.inverse_masses
    speed = masses @ simulation.system.velocities[:, 2] / masses.sum()
    assert (simulation._pairs._lists.islands == 0).all()
    assert frames[-1][0] == pytest.approx(speed / 24.0 / 4.0, rel=1e-4)
    # where it forms the search looks again
    assert len(searches) > len(frames)


def test_sheets_that_stay_apart_are_searched_once_per_frame(searches, monkeypatch):
    monkeypatch.setattr(pair_substeps.PairSubsteps, "begins_clear", lambda *_: False)
    simulation = meeting(speed=0.0, fall=3.0, substeps=4)
    for _ in range(3):
        simulation.advance()
    assert len(searches) == 3
    assert all(found.count == 0 for found in searches)


def test_a_list_of_pairs_holds_while_all_stay_in_their_boxes_and_no_longer(searches):
    """A sheet of which one vertex is shot away stretches, and that vertex leaves the way on which it began."""
    calm = meeting(speed=0.0, fall=3.0, substeps=8)
    calm.advance()
    assert len(searches) == 1
    searches.clear()
    hit = meeting(speed=0.0, fall=3.0, substeps=8)
    velocities = hit.checkpoint()["velocities"]
    velocities[0, :3] += [0.0, 0.0, 4.0]
    hit.restore(0, hit.checkpoint() | {"velocities": velocities})
    hit.advance()
    assert 1 < len(searches) <= 8


def ball(transforms):
    """A collider without a sharp edge, whose vertices no pair asks for."""
    turn, height = np.meshgrid(np.arange(48), np.arange(1, 24), indexing="ij")
    angles = np.stack([turn.ravel() * np.pi / 24.0, height.ravel() * np.pi / 24.0])
    flat = np.sin(angles[1])
    points = np.stack([np.cos(angles[0]) * flat, np.sin(angles[0]) * flat, np.cos(angles[1])], axis=1)
    points = 0.2 * np.vstack([points, [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]])
    row, column = turn[:, :-1] * 23, height[:, :-1] - 1
    a, d = row + column, (row + 23) % (48 * 23) + column
    sides = np.stack([a, a + 1, d + 1, a, d + 1, d], axis=-1).reshape(-1, 3)
    tops = np.stack([np.full(48, 1104), np.arange(48) * 23, (np.arange(48) * 23 + 23) % 1104], axis=1)
    ends = np.stack([np.full(48, 1105), (np.arange(48) * 23 + 45) % 1104, np.arange(48) * 23 + 22], axis=1)
    triangles = np.vstack([sides, tops, ends]).astype(np.int32)
    return Collider("c0", "Ball", "MESH", transforms, points[None], triangles)


@pytest.mark.parametrize("is_first", [True, False])
def test_vertices_that_no_pair_asks_for_end_no_list(searches, is_first):
    """Vertices of a smooth collider lie between those that are asked, or after them."""
    away = np.eye(4)[None]
    away[0, 0, 3] = 3.0
    smooth, box = ball(away), mesh_box(np.array([0.3, 0.3, 0.1]))
    smooth, box = (replace(c, identifier=f"c{n}") for c, n in ((smooth, not is_first), (box, is_first)))
    order = sorted((smooth, box), key=lambda collider: collider.identifier)
    simulation = touching(cloth(14, height=0.13), colliders=order, substeps=20)
    for _ in range(3):
        searches.clear()
        simulation.advance()
        assert len(searches) < 10


def pairs_of(ints, count):
    """The first rows of a list of pairs, in any order."""
    return {tuple(row) for row in ints[:count].tolist()}


def test_a_list_for_several_substeps_has_all_that_a_search_for_the_last_one_finds(searches):
    bodies, colliders = folded()
    simulation = touching(*bodies, colliders=colliders, substeps=8)
    most, kept = 0, 0
    for _ in range(16):
        searches.clear()
        simulation.advance()
        starts = array(simulation, "pair_starts")
        listed = pairs_of(array(simulation, "pair_ints"), starts[-1])
        told, search = simulation._pairs._lists.told, simulation._pairs._search
        kept += told[LIST_FIRST] < 7
        for name in ("starts", "ends", "stays"):
            rows = array(simulation, f"window_{name}")
            rows[:, 3] *= name == "starts"
            write_array(getattr(search.window, f"window_{name}"), rows)
        found = search.search()
        fresh = pairs_of(read_array(found.pairs.pair_ints), found.count)
        assert fresh <= listed
        most = max(most, len(fresh))
    assert most > 0, "nothing has met"
    assert kept > 0, "each list was for one substep"


def states(make, team_size, monkeypatch):
    """A solver and its checkpoints before and after each of some frames."""
    for module in (pair_substeps, tree_walk):
        monkeypatch.setattr(module, "thread_count", lambda: team_size)
    bodies, colliders = make()
    simulation = touching(*bodies, colliders=colliders, substeps=5, path="SERIAL" if team_size == 1 else "THREADS")
    found = [simulation.checkpoint()]
    for _ in range(10):
        simulation.advance()
        found.append(simulation.checkpoint())
    return simulation, found


@pytest.mark.parametrize("make", [folded, cloth_on_jelly], ids=lambda f: f.__name__)
def test_threads_and_resuming_at_any_frame_change_no_byte(make, monkeypatch):
    monkeypatch.setattr(tasks, "FEWEST_TASKS", 0.0)
    simulation, whole = states(make, 1, monkeypatch)
    for team_size in (2, 4):
        for one, other in zip(whole, states(make, team_size, monkeypatch)[1], strict=True):
            assert all(np.array_equal(one[name], other[name]) for name in one)
    # backwards, so that nothing of the frame before is left in the solver
    for frame in reversed(range(10)):
        simulation.restore(frame, whole[frame])
        simulation.advance()
        after = simulation.checkpoint()
        assert all(np.array_equal(whole[frame + 1][name], after[name]) for name in after)


def test_vertices_of_colliders_move_as_fast_with_bdf2():
    transforms = np.tile(np.eye(4), (50, 1, 1))
    transforms[:, 0, 3] = np.arange(50) / 24.0
    box = mesh_box(0.2, transforms=transforms)
    simulation = touching(cloth(6, height=0.5), colliders=[box], substeps=3, time_integration="BDF2")
    for _ in range(2):
        simulation.advance()
    vertices = simulation.system.objects.vertices[:, 1]
    np.testing.assert_allclose(simulation.checkpoint()["velocities"][vertices, :3], [[1.0, 0.0, 0.0]] * 8, atol=1e-4)


def test_crossings_are_looked_for_where_there_may_be_any_and_when_a_frame_is_over(monkeypatch):
    monkeypatch.setattr(pair_substeps.PairSubsteps, "begins_clear", lambda *_: False)
    looks, untangling = [], tangles.Untangling

    def counted(*arguments, **keywords):
        looks.append(simulation.frame_index)
        return untangling(*arguments, **keywords)

    monkeypatch.setattr(tangles, "Untangling", counted)
    simulation = meeting(speed=0.0, fall=3.0, substeps=4)
    for _ in range(10):
        simulation.advance()
    assert looks == [0, *range(10)]
    simulation.restore(3, {**simulation.checkpoint(), "may_cross": np.ones(1, np.float32)})
    simulation.advance()
    assert looks == [0, *range(10), 3, 3]
