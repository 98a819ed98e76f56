# SPDX-License-Identifier: GPL-3.0-or-later
"""A region beside the whole of its scene, solver by solver: what is held is where the other one has it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from blender_xpbd.scene.beginning import Beginning
from blender_xpbd.scene.region import Region
from blender_xpbd.solver.regional import RecordingSolver, RegionalSolver
from blender_xpbd.solver.rest_shapes import are_within
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.step.step_samples import StepSamples
from blender_xpbd.solver.system.frame_slice import WHOLE, FrameSlice
from blender_xpbd.solver.system.system import build_system
from tests.solver.scenes import APART
from tests.worker.test_region_runner import END, FIRST, LAST, free_half, hung_cloth, plastic_cloth, struck_cloth

pytestmark = pytest.mark.usefixtures("taichi_cpu")


def beside(other, changed, first=FIRST, last=END, blend=4):
    """A solver of a scene, of which the far half is simulated again, beside another solver."""
    body = changed.bodies[0]
    vertices = free_half(body)
    region = Region(body.identifier, vertices, np.ones(len(vertices), np.float32), first, last, blend)
    made = replace(changed, beginning=Beginning("0" * 24, first - 1), region=region)
    return RegionalSolver(build_system(made), other)


def recording(made):
    return RecordingSolver(build_system(made))


def held(solver):
    """Of the particles of the bodies, which are held in every frame of the region."""
    return np.flatnonzero(solver.system.region.is_held)


def moving(solver, rows):
    return {name: array[rows] for name, array in solver.moving_state().items()}


def without_box(made):
    return replace(made, colliders=())


def with_box_below(made):
    transforms = np.array(made.colliders[0].transforms)
    transforms[:, 2, 3] = -1.0
    return replace(made, colliders=(replace(made.colliders[0], transforms=transforms),))


def without_contact(made):
    return replace(made, colliders=(), bodies=(replace(made.bodies[0], contact=APART),))


@pytest.mark.slow
@pytest.mark.parametrize("change", [without_box, with_box_below, without_contact])
def test_what_is_held_goes_the_way_that_counts_where_frames_are_sliced(monkeypatch, change):
    """The bake divides frames, and has thrown away what it found before; the region divides none of them."""
    made, counts, within = struck_cloth(), {}, {}
    simulate = Solver._simulate_slices

    def simulate_and_note(solver, path, pairs, count, **keywords):
        counts.setdefault(type(solver), []).append(count)
        return simulate(solver, path, pairs, count, **keywords)

    monkeypatch.setattr(Solver, "_simulate_slices", simulate_and_note)
    other = recording(made)
    mine = beside(other, change(made))
    rows = held(mine)
    note = StepSamples.note

    def note_and_compare(steps, frame_slice, substeps, read):
        note(steps, frame_slice, substeps, read)
        if steps is mine.steps:
            time = Fraction(frame_slice.number * steps.substeps + substeps, frame_slice.of * steps.substeps)
            theirs = other.steps.at(time)["positions"][rows]
            within[substeps] = np.abs(mine.moving_state()["positions"][rows] - theirs).max()

    monkeypatch.setattr(StepSamples, "note", note_and_compare)
    for frame in range(2, END + 1):
        mine.advance()
        mine_now, theirs = moving(mine, rows), moving(other, rows)
        for name in theirs:
            np.testing.assert_array_equal(mine_now[name], theirs[name], err_msg=f"{name} at {frame}")
        if frame >= FIRST:
            assert max(within.values()) == 0.0, frame
    assert counts.keys() == {RecordingSolver}


def test_only_what_is_asked_for_is_kept(monkeypatch):
    """Of each substep, only of the solver beside which another one is simulated, and only until that one is there."""
    notes, note = {}, StepSamples.note

    def note_and_count(steps, *arguments):
        note(steps, *arguments)
        notes[id(steps)] = len(steps._tape)

    monkeypatch.setattr(StepSamples, "note", note_and_count)
    whole = recording(hung_cloth())
    first = beside(whole, hung_cloth(stretch_stiffness=3.0), 3, 6, 1)
    second = beside(first, hung_cloth(stretch_stiffness=30.0), 5, 8, 1)
    kept = []
    for _ in range(2, 10):
        notes.clear()
        second.advance()
        kept.append([notes.get(id(one.steps), 0) for one in (whole, first, second)])
        assert [len(one.steps._tape) for one in (whole, first, second)] == [0, 0, 0]
    # frames 2 to 9: the second asks for the first one's in 5 to 8, which has them from the whole before its region
    assert kept == [[0, 0, 0], [20, 0, 0], [20, 0, 0], [20, 20, 0], [20, 20, 0], [20, 0, 0], [20, 0, 0], [0, 0, 0]]


def test_passes_that_were_thrown_away_are_let_go():
    steps = StepSamples(0, 2)
    steps.read_state = lambda: {"positions": np.zeros((1, 3))}
    steps.begin()
    for frame_slice in (WHOLE, FrameSlice(0, 2), FrameSlice(0, 2), FrameSlice(1, 2)):
        steps.mark(frame_slice)
        for substeps in (1, 2):
            steps.note(frame_slice, substeps, lambda: np.zeros((1, 3)))
    assert steps.find(WHOLE, 2, 0) is not None
    steps.keep_last()
    assert steps.find(WHOLE, 2, 0) is None
    assert [point for point, _ in steps._tape] == [(FrameSlice(n, 2), k) for n in (0, 1) for k in (1, 2)]


def test_rest_shapes_of_what_is_held_are_those_of_the_bake():
    other = recording(plastic_cloth())
    mine = beside(other, plastic_cloth(stretch_stiffness=3.0))
    is_held = are_within(mine.system, mine.system.region.is_held)
    assert 0 < is_held.sum() < len(is_held)
    for frame in range(2, LAST + 1):
        mine.advance()
        shapes, theirs = mine.whole_state()["rest_shapes"], other.checkpoint()["rest_shapes"]
        np.testing.assert_array_equal(shapes[is_held], theirs[is_held], err_msg=str(frame))
        is_apart = bool((shapes != theirs).any())
        assert is_apart == (FIRST < frame < END) or frame == FIRST
    assert (theirs != Solver(other.system).checkpoint()["rest_shapes"]).any()


def test_what_yields_in_a_region_only_begins_as_it_was_built():
    other = recording(hung_cloth())
    mine = beside(other, plastic_cloth())
    built = mine.whole_state()["rest_shapes"]
    for _ in range(2, FIRST):
        mine.advance()
    np.testing.assert_array_equal(mine.whole_state()["rest_shapes"], built)
    mine.advance()
    mine.advance()
    assert (mine.whole_state()["rest_shapes"] != built).any()


def test_a_failed_look_ahead_leaves_the_way_as_it_was(monkeypatch):
    solver = recording(hung_cloth())
    solver.records = True
    solver.advance()

    def fail(*_):
        raise RuntimeError("diverged")

    monkeypatch.setattr(Solver, "_foresee", fail)
    with pytest.raises(RuntimeError, match="diverged"):
        solver._foresee(1, lambda _: None)
    assert solver.steps.read_state is not None
    assert solver.steps.way == [WHOLE]
