# SPDX-License-Identifier: GPL-3.0-or-later
"""What goes through something because a list lacked its pair is told in the frame in which it does, and taken apart."""

from dataclasses import replace

import numpy as np
import pytest
from contact_cases import shapes
from contact_cases.cases import CASES
from contact_cases.running import scene_of

from blender_xpbd.contacts.search import pair_search
from blender_xpbd.contacts.search.crossings import crossings
from blender_xpbd.device.arrays import read_array, write_array
from blender_xpbd.scene.material import Material
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.system.contact_statistics import CONTACT_STATISTICS
from blender_xpbd.solver.system.frame_slice import WHOLE
from blender_xpbd.solver.system.system import build_system
from blender_xpbd.solver.windows import pair_tables
from tests.solver.scenes import cloth, jelly_cube, jelly_of, pins, plane, touching

pytestmark = pytest.mark.usefixtures("taichi_cpu")

TUNNELLED = CONTACT_STATISTICS.index("tunnelled")


def sheets():
    """A sheet that is thrown, corner first, at one that is held."""
    below = cloth(8, identifier="a")
    below = replace(below, pins=pins(below.positions, np.arange(64)))
    above = cloth(6, size=0.5, identifier="b")
    slanting = above.positions + np.outer(above.positions @ [0.6, 0.3, 0.0], [0.0, 0.0, 1.0]) + [0.0, 0.0, 0.3]
    return below, replace(above, positions=slanting, velocity=np.array([0.1, 0.0, -2.0]))


def sheet_on_jelly():
    """A sheet that is thrown at a jelly."""
    above = replace(cloth(6, size=0.5, height=0.4, identifier="b"), velocity=np.array([0.0, 0.2, -3.0]))
    return jelly_cube(0.3, 0.05, 4), above


def crossing_count(simulation):
    """Edges that go through triangles."""
    objects = simulation.system.objects
    return len(crossings(objects.surfaces, objects.points(simulation.positions())))


@pytest.mark.parametrize("substeps", [3, 10])
@pytest.mark.parametrize("bodies", [sheets, sheet_on_jelly])
def test_what_a_list_lacks_is_told_when_it_crosses(bodies, substeps, monkeypatch):
    search = pair_search.PairSearch.search

    def search_blindly(self, team_size=1):
        found = search(self, team_size)
        write_array(self.task_starts, np.zeros_like(read_array(self.task_starts)))
        return found

    monkeypatch.setattr(pair_search.PairSearch, "search", search_blindly)
    simulation = touching(*bodies(), colliders=[plane(-1.0)], substeps=substeps)
    crossed, told = [], []
    for _ in range(8):
        simulation.advance()
        crossed.append(crossing_count(simulation) > 0)
        told.append(bool(simulation.contact_counts()[:, TUNNELLED].all()))
    first = crossed.index(True)
    assert told[first]
    assert not any(told[:first])


@pytest.mark.parametrize("bodies", [sheets, sheet_on_jelly])
def test_a_frame_whose_lists_lacked_pairs_is_done_again_with_all_that_flat_pieces_have(bodies, monkeypatch):
    """Here lists lack everything unless all is asked; so they do each time, and nothing crosses all the same."""
    search = pair_search.PairSearch.search
    asked = []

    def search_by_cones(self, team_size=1):
        found = search(self, team_size)
        asked.append(self._walk.asks_all)
        if not self._walk.asks_all:
            write_array(self.task_starts, np.zeros_like(read_array(self.task_starts)))
        return found

    monkeypatch.setattr(pair_search.PairSearch, "search", search_by_cones)
    simulation = touching(*bodies(), colliders=[plane(-1.0)])
    for _ in range(8):
        simulation.advance()
        assert crossing_count(simulation) == 0
        assert not simulation.contact_counts()[:, TUNNELLED].any()
    assert set(asked) == {False, True}


@pytest.mark.slow
def test_a_corner_of_jelly_that_crumples_does_not_go_through_itself():
    """Its sides are flat at rest, and their borders came over themselves with all normals in a cone."""
    rollers = next(case for case in CASES if case.name == "rollers")
    simulation = Solver(build_system(scene_of(rollers, start=0, substeps=10)))
    for frame in range(54):
        simulation.advance()
        counts = simulation.contact_counts()
        assert frame < 45 or crossing_count(simulation) == 0
        assert counts is not None
        assert not counts[:, TUNNELLED].any()


def told_of(simulation):
    """Whether anything is counted as passed through by a look at how things are."""
    pairs = simulation._pairs
    pairs._tell_crossings(WHOLE)
    return bool(read_array(pairs.counts)[:, pair_tables.TUNNELLED].any())


def test_a_jelly_that_crosses_itself_is_told():
    simulation = touching(jelly_cube(0.3, 0.05, 4))
    assert not told_of(simulation)
    state = simulation.checkpoint()
    places = state["positions"][:, :3]
    # a corner goes out through the other side
    places[(places >= places.max(axis=0) - 0.1).all(axis=1)] -= [0.1, 0.1, 0.5]
    simulation.restore(0, state)
    assert told_of(simulation)


def test_a_jelly_that_was_modelled_through_itself_is_not_told():
    crossing = shapes.joined(shapes.box((0.3, 0.1, 0.1)), shapes.moved(shapes.box((0.1, 0.3, 0.1)), 0.0, 0.0, 0.03))
    simulation = touching(jelly_of(crossing, Material()))
    assert crossing_count(simulation) > 0
    assert not told_of(simulation)


@pytest.mark.slow
def test_what_was_modelled_through_itself_and_crosses_again_is_looked_for():
    """It came apart for a while, and nothing was looked for any more."""
    crossing = shapes.joined(shapes.box((0.3, 0.1, 0.1)), shapes.moved(shapes.box((0.1, 0.3, 0.1)), 0.0, 0.0, 0.03))
    simulation = touching(jelly_of(crossing, Material()))
    # the next frame is not tried without contact either
    later = {"may_cross": np.zeros(1, np.float32), "clear": np.array([0.0, 5.0, 1.0], np.float32)}
    simulation.restore(0, simulation.checkpoint() | later)
    simulation.advance()
    assert simulation.checkpoint()["may_cross"][0] == 1.0
    assert not simulation.contact_counts()[:, TUNNELLED].any()


@pytest.mark.parametrize("substeps", [20, 1000])
def test_what_crosses_in_spite_of_slices_is_done_again_whether_or_not_there_can_be_more(substeps):
    pairs = touching(*sheets(), substeps=substeps)._pairs
    count = min(4, 2048 // substeps)
    assert pairs.finer_slices(count) == 0
    pairs._has_crossed = True
    assert pairs.finer_slices(count) == (16 if substeps == 20 else count)
    pairs._began_tangled = True
    assert pairs.finer_slices(count) == 0


def test_what_was_found_in_a_try_that_is_taken_back_is_forgotten():
    pairs = touching(*sheets())._pairs
    found = pairs.found()
    pairs._has_crossed = pairs._lacked_pairs = True
    write_array(pairs.counts, np.ones_like(read_array(pairs.counts)))
    pairs.take_back(found)
    assert not pairs._has_crossed
    assert not pairs._lacked_pairs
    assert not read_array(pairs.counts).any()
