# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames in which nothing comes near anything, which are simulated without the stages of contact."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.device.arrays import read_array, write_array
from blender_xpbd.solver.step import clear_frames
from tests.solver.scenes import cloth, jelly_cube, pins, plane, solver, touching

pytestmark = pytest.mark.usefixtures("taichi_cpu")

FRAMES = 16


def curtain():
    """A sheet that swings from two corners."""
    body = cloth(16)
    return replace(body, pins=pins(body.positions, [0, 15]))


def jellies():
    """Two cubes that fall onto a floor, apart from each other."""
    first = jelly_cube(0.3, 0.2, 4)
    second = replace(jelly_cube(0.2, 1.0, 3), identifier="b1")
    return first, replace(second, positions=second.positions + np.array([0.8, 0.0, 0.0]))


def advanced(simulation, frames=FRAMES):
    """The places after each frame, and after which frames nothing had come near."""
    places, clear = [], []
    for _ in range(frames):
        simulation.advance()
        places.append(simulation.positions())
        clear.append(simulation._pairs is not None and simulation._pairs.clear.was_clear)
    return np.array(places), np.array(clear)


@pytest.mark.parametrize("substeps", [3, 10, 25])
def test_what_comes_near_nothing_goes_as_if_it_could_not_touch(substeps):
    free, _ = advanced(solver(curtain(), substeps=substeps))
    places, clear = advanced(touching(curtain(), substeps=substeps))
    # the first frame is looked at for what is tangled
    assert not clear[0]
    assert clear[1:].all()
    np.testing.assert_array_equal(places, free)


@pytest.mark.slow
def test_jellies_that_stay_apart_on_a_floor_are_clear():
    free, _ = advanced(solver(*jellies(), colliders=[plane()], substeps=5))
    places, clear = advanced(touching(*jellies(), colliders=[plane()], substeps=5))
    assert clear[1:].all()
    np.testing.assert_array_equal(places, free)


@pytest.mark.parametrize("substeps", [1, 5])
def test_a_sheet_that_passes_another_within_a_substep_is_not_clear(substeps):
    """Before and after the frame the sheets are far from each other."""
    below = cloth(8, identifier="a")
    below = replace(below, pins=pins(below.positions, np.arange(64)))
    above = replace(cloth(6, size=0.5, height=1.9, identifier="b"), velocity=np.array([0.0, 0.0, -30.0]))
    simulation = touching(below, above, substeps=substeps, gravity=(0.0, 0.0, 0.0))
    _, clear = advanced(simulation, 2)
    assert not clear[1]
    assert (simulation.positions() + simulation.system.origin)[64:, 2].min() > 0.0
    assert simulation.contact_counts()[:, 0].max() > 0


def test_what_goes_fast_together_is_clear():
    body = replace(cloth(12), velocity=np.array([25.0, 0.0, 10.0]))
    _, clear = advanced(touching(body, substeps=2), 4)
    assert clear[1:].all()


def test_what_begins_to_touch_is_simulated_with_contact():
    """A sheet falls onto one that is held: trials end with the first push, and come again when all is over."""
    below = cloth(10, identifier="a")
    below = replace(below, pins=pins(below.positions, np.arange(100)))
    simulation = touching(below, cloth(7, size=0.4, height=0.3, identifier="b"), substeps=5)
    pushing, clear = [], []
    for _ in range(10):
        simulation.advance()
        pushing.append(simulation.contact_counts()[:, 0].max() > 0)
        clear.append(simulation._pairs.clear.was_clear)
    assert any(clear)
    assert any(pushing)
    assert not any(both for both in zip(pushing, clear, strict=True) if all(both))
    first = pushing.index(True)
    assert not any(clear[first : first + 3])


def test_a_frame_that_fails_leaves_nothing_behind(monkeypatch):
    def ending(tries):
        if not tries:
            monkeypatch.setattr(clear_frames.ClearFrames, "is_due", False)
        sheets = cloth(10, identifier="a"), cloth(7, size=0.4, height=0.06, identifier="b")
        simulation = touching(replace(sheets[0], pins=pins(sheets[0].positions, [0, 9, 90, 99])), sheets[1], substeps=5)
        for _ in range(10):
            simulation.advance()
        return simulation.checkpoint()

    tried, never = ending(True), ending(False)
    for name in set(tried) - {"clear"}:
        np.testing.assert_array_equal(tried[name], never[name])


def test_how_a_proof_is_divided_changes_nothing(monkeypatch):
    whole = advanced(touching(curtain(), substeps=7))
    list_few = clear_frames.ClearFrames.list_few

    def list_single(self, pairs, first, last, team_size):
        return list_few(self, pairs, first, last, team_size) if last == first + 1 else None

    monkeypatch.setattr(clear_frames.ClearFrames, "list_few", list_single)
    divided = advanced(touching(curtain(), substeps=7))
    np.testing.assert_array_equal(divided[1], whole[1])
    np.testing.assert_array_equal(divided[0], whole[0])


def test_many_particles_are_noted_for_fewer_substeps(monkeypatch):
    whole = advanced(touching(curtain(), substeps=12))
    monkeypatch.setattr(clear_frames, "MOST_PLACES", 0)
    simulation = touching(curtain(), substeps=12)
    assert simulation._pairs.clear.most_noted == clear_frames.LEAST_NOTED
    places, clear = advanced(simulation)
    np.testing.assert_array_equal(clear, whole[1])
    np.testing.assert_array_equal(places, whole[0])


def test_what_is_tangled_is_not_tried():
    above = cloth(7, size=0.5, identifier="b")
    x, y, z = above.positions.T
    turned = np.stack([0.8 * x - 0.6 * z, y, 0.6 * x + 0.8 * z], axis=1) + np.array([0.013, 0.027, 0.1])
    simulation = touching(cloth(10, identifier="a"), replace(above, positions=turned), substeps=5)
    simulation.advance()
    assert simulation.crossings().counts.sum() > 0
    assert not simulation._pairs.begins_clear(1)
    # also where only a look can tell
    write_array(simulation._pairs.may_cross, np.zeros(1))
    assert not simulation._pairs.begins_clear(1)
    assert read_array(simulation._pairs.may_cross)[0] == 1.0


@pytest.mark.parametrize("above", [1.4, 1.7, 2.0])
def test_what_rebounds_where_it_arrives_has_come_through_what_lay_above(above):
    """BDF2 takes back where a particle was before, where it has hit a collider."""
    held = cloth(8, identifier="a", height=0.25)
    held = replace(held, pins=pins(held.positions, np.arange(64)))
    falling = cloth(6, size=0.5, height=0.25 + above, identifier="b")
    falling = replace(falling, velocity=np.array([0.0, 0.0, -30.0]))
    settings = {"substeps": 1, "gravity": (0.0, 0.0, 0.0), "time_integration": "BDF2"}
    simulation = touching(held, falling, colliders=[plane()], **settings)
    advanced(simulation, 2)
    assert (simulation.positions() + simulation.system.origin)[64:, 2].min() > 0.2


def corner():
    """A sheet that slides into a corner of three planes, and one that is held just below the floor."""
    sheet = cloth(4, size=0.3, height=0.02, identifier="b")
    velocity = np.array([-1.5, -1.5, -1.0])
    sheet = replace(sheet, positions=sheet.positions + np.array([0.17, 0.17, 0.0]), velocity=velocity)
    held = cloth(8, size=0.8, height=-0.0052, identifier="a")
    held = replace(held, pins=pins(held.positions, np.arange(64)))
    turns = [np.eye(4), np.eye(4)[[2, 0, 1, 3]], np.eye(4)[[1, 2, 0, 3]]]
    sides = [replace(plane(transforms=t[None], friction=0.0), identifier=f"c{n}") for n, t in enumerate(turns)]
    return touching(sheet, held, colliders=sides, substeps=5, gravity=(-10.0, -10.0, -20.0))


def test_a_frame_that_lacks_slots_is_clear_as_with_enough_of_them():
    """A bake that goes on begins with the first number of slots."""
    simulation, states = corner(), []
    for _ in range(9):
        simulation.advance()
        states.append(simulation.checkpoint())
    assert simulation._pairs.clear.was_clear
    for frame in range(4, 8):
        other = corner()
        other.restore(frame + 1, states[frame])
        other.advance()
        for name, array in other.checkpoint().items():
            np.testing.assert_array_equal(array, states[frame + 1][name])
