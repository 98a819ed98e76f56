# SPDX-License-Identifier: GPL-3.0-or-later
"""What goes by the duration of a substep, in a frame that is divided whether it must be or not."""

from dataclasses import replace

import numpy as np
import pytest
from contact_cases.tangles import tangled_sheets

from blender_xpbd.constraints.constraint import WARM
from blender_xpbd.device.arrays import edited_array, read_array
from blender_xpbd.scene.body_contact import BodyContact
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.step import pair_substeps
from blender_xpbd.solver.step.pair_substeps import DOUBT_SLICES
from blender_xpbd.solver.system.frame_slice import FrameSlice
from blender_xpbd.solver.system.mode import static_mode
from blender_xpbd.solver.system.system import build_system
from blender_xpbd.solver.windows.pair_tables import DOUBTED, TUNNELLED
from tests.solver.scenes import cloth, jelly_cube, plane, scene, touching
from tests.solver.test_untangling import as_cloth

pytestmark = pytest.mark.usefixtures("taichi_cpu")

DIVIDED = 3


def divide(monkeypatch, count):
    """Let a frame be divided."""
    slices = lambda self, frame_index: count if frame_index == DIVIDED else 1  # noqa: E731
    monkeypatch.setattr(pair_substeps.PairSubsteps, "slices", slices)


def heights(simulation, frames):
    """Mean height after each frame."""
    found = []
    for _ in range(frames):
        simulation.advance()
        found.append(float(simulation.positions()[: simulation.system.starts[1], 2].mean()))
    return np.array(found) + simulation.system.origin[2]


@pytest.mark.parametrize("integration", ["SYMPLECTIC_EULER", "BDF2"])
@pytest.mark.parametrize("divided", [0, DIVIDED])
def test_a_fall_goes_on_as_it_was(integration, divided, monkeypatch):
    monkeypatch.setattr(pair_substeps.PairSubsteps, "begins_clear", lambda *_: False)
    monkeypatch.setattr(pair_substeps.PairSubsteps, "slices", lambda self, frame: 8 if frame == divided else 1)
    simulation = touching(cloth(5), substeps=4, time_integration=integration, precision="DOUBLE")
    found = heights(simulation, 7)
    # BDF2 goes on as after a step of Euler's
    atol = 1e-9 if integration == "SYMPLECTIC_EULER" else 2e-3
    np.testing.assert_allclose(found, -0.5 * 9.81 * (np.arange(1, 8) / 24.0) ** 2, atol=atol)


def test_what_does_not_fall_begins_slices_as_it_was(monkeypatch):
    """A cloth that is all but at rest on a floor, beside one that falls."""
    divide(monkeypatch, 8)
    monkeypatch.setattr(pair_substeps.PairSubsteps, "begins_clear", lambda *_: False)
    lying, falling = cloth(3), replace(cloth(3), identifier="falling", name="falling")
    falling = replace(falling, positions=falling.positions + np.array([0.0, 0.0, 3.0]))
    offset = lying.material.contact_offset
    simulation = touching(lying, falling, colliders=[plane(-offset)], substeps=4, precision="DOUBLE")
    starts = simulation.system.starts
    for _ in range(DIVIDED + 2):
        simulation.advance()
        positions = simulation.positions() + simulation.system.origin
        assert np.abs(positions[: starts[1], 2]).max() < 1e-6
    fallen = 3.0 - positions[starts[1] : starts[2], 2].mean()
    assert fallen == pytest.approx(0.5 * 9.81 * ((DIVIDED + 2) / 24.0) ** 2, abs=1e-9)


@pytest.fixture
def tries_nothing(monkeypatch):
    """Every frame has the stages of contact."""
    monkeypatch.setattr(pair_substeps.PairSubsteps, "begins_clear", lambda *_: False)


@pytest.mark.usefixtures("tries_nothing")
@pytest.mark.parametrize("integration", ["SYMPLECTIC_EULER", "BDF2"])
@pytest.mark.parametrize("first", [0, DIVIDED])
def test_what_acts_from_outside_goes_on_as_it_was(integration, first, monkeypatch):
    """A push gives the same speed in slices as without, from the first substep of each to the last."""
    monkeypatch.setattr(pair_substeps.PairSubsteps, "slices", lambda self, frame_index: 1 + 7 * (frame_index == first))
    still = {"gravity": (0.0, 0.0, 0.0), "precision": "DOUBLE", "time_integration": integration}
    simulation = touching(cloth(3, push_z=-9.81), substeps=4, **still)
    for frame in range(6):
        simulation.advance()
        speeds = read_array(simulation._plan.state.particles.velocities)[:, 2]
        # that of Euler is the mean of a substep
        behind = 0.0 if integration == "BDF2" else 0.5
        np.testing.assert_allclose(speeds, -9.81 / 24.0 * (frame + 1 - behind / 4.0), rtol=1e-6)


@pytest.mark.usefixtures("tries_nothing")
def test_a_frame_in_doubt_is_done_again_in_slices_and_tells_only_of_these(monkeypatch):
    found, simulate = [], pair_substeps.PairSubsteps.simulate_slice

    def doubted(self, plan, path, frame_index, frame_slice):
        result = simulate(self, plan, path, frame_index, frame_slice)
        found.append((frame_index, frame_slice))
        if frame_index == 1 and frame_slice == FrameSlice():
            with edited_array(self.counts) as counts:
                counts[0, [TUNNELLED, DOUBTED]] = 3
        return result

    monkeypatch.setattr(pair_substeps.PairSubsteps, "simulate_slice", doubted)
    simulation = touching(cloth(5), substeps=4)
    heights(simulation, 2)
    assert simulation.contact_counts()[:, 1].sum() == 0
    slices = [(1, FrameSlice(number, DOUBT_SLICES)) for number in range(DOUBT_SLICES)]
    # the first slice also tells what falls
    assert found == [(0, FrameSlice()), (1, FrameSlice()), slices[0], *slices]


@pytest.mark.usefixtures("tries_nothing")
def test_what_crosses_in_spite_of_slices_is_done_again_in_finer_ones(monkeypatch):
    """A sheet is put half through another one in each pass through the frame, until substeps are short enough."""
    found, simulate = [], pair_substeps.PairSubsteps.simulate_slice

    def crossing(self, plan, path, frame_index, frame_slice):
        if frame_index == 1 and frame_slice.number == frame_slice.of - 1 and frame_slice.of <= DOUBT_SLICES:
            with edited_array(plan.state.particles.positions) as places:
                places[:12, 2] += 0.05
        found.append((frame_index, frame_slice.of))
        return simulate(self, plan, path, frame_index, frame_slice)

    monkeypatch.setattr(pair_substeps.PairSubsteps, "simulate_slice", crossing)
    simulation = touching(cloth(5, identifier="low"), cloth(5, identifier="high", height=0.02), substeps=4)
    heights(simulation, 3)
    assert [of for frame, of in found if frame == 1] == [
        1,
        *[DOUBT_SLICES] * (DOUBT_SLICES + 1),
        *[DOUBT_SLICES**2] * (DOUBT_SLICES**2 + 1),
    ]
    assert [of for frame, of in found if frame == 2] == [1]
    assert simulation.contact_counts()[:, 1].sum() == 0
    assert not simulation.crossings().counts.any()


@pytest.mark.usefixtures("tries_nothing")
@pytest.mark.parametrize(("tangled", "goes_on"), [((5,), True), ((5, 6), False)])
def test_finer_slices_that_stay_tangled_are_given_up(tangled, goes_on, monkeypatch):
    """A sheet crosses another one in the coarser slices, and in some of the finer ones."""
    found, simulate = [], pair_substeps.PairSubsteps.simulate_slice

    def crossing(self, plan, path, frame_index, frame_slice):
        result = simulate(self, plan, path, frame_index, frame_slice)
        if frame_index == 1:
            found.append(frame_slice.of)
            is_last = frame_slice.number == frame_slice.of - 1
            if frame_slice.of == 1:
                with edited_array(self.counts) as counts:
                    counts[0, DOUBTED] = 3
            self._has_crossed |= frame_slice.of == DOUBT_SLICES and is_last
            if frame_slice.of == DOUBT_SLICES**2:
                self._was_tangled = frame_slice.number in tangled
                self._tangled_slices += self._was_tangled
        return result

    monkeypatch.setattr(pair_substeps.PairSubsteps, "simulate_slice", crossing)
    simulation = touching(cloth(5), substeps=4)
    heights(simulation, 3)
    coarser = [DOUBT_SLICES] * (DOUBT_SLICES + 1)
    if goes_on:
        assert found == [1, *coarser, *[DOUBT_SLICES**2] * (DOUBT_SLICES**2 + 1)]
    else:
        # the first slice also tells what falls
        assert found == [1, *coarser, *[DOUBT_SLICES**2] * 8, *coarser]
    # substeps are those of a whole frame again
    fallen = heights(simulation, 2)
    undivided = touching(cloth(5), substeps=4)
    heights(undivided, 3)
    np.testing.assert_allclose(fallen, heights(undivided, 2), atol=1e-6)


@pytest.mark.parametrize(("passed_through", "divides"), [((1,), False), ((0,), True), ((0, 1), True)])
def test_what_passed_through_pbd_alone_divides_nothing(passed_through, divides):
    """The stiffness of PBD is that of a substep: in slices a cloth would be pulled together."""
    bodies = [cloth(5, identifier=f"b{n}", height=float(n), solver_mode=mode) for n, mode in enumerate(("XPBD", "PBD"))]
    simulation = touching(*bodies, substeps=4)
    assert simulation._pairs is not None
    with edited_array(simulation._pairs.counts) as counts:
        counts[list(passed_through), DOUBTED] = 3
    assert (simulation._pairs.slices(1) > 1) == divides


def passed(simulation):
    """How often something of the first body may have passed through, as a bake tells it."""
    counts = simulation.contact_counts()
    assert counts is not None
    return counts[0, 1]


@pytest.mark.usefixtures("tries_nothing")
def test_what_may_have_passed_is_told_of_frames_that_are_not_kept_too(monkeypatch):
    simulate = pair_substeps.PairSubsteps.simulate_slice

    def passing(self, *arguments):
        result = simulate(self, *arguments)
        with edited_array(self.counts) as counts:
            counts[0, TUNNELLED] = 2
        return result

    monkeypatch.setattr(pair_substeps.PairSubsteps, "simulate_slice", passing)
    monkeypatch.setattr(pair_substeps, "DOUBT_SLICES", 1)
    world = scene(replace(cloth(5), contact=BodyContact(self_collision=True)), meet=True, substeps=2)
    simulation = Solver(build_system(replace(world, frames=replace(world.frames, step=3))))
    found, states = [], []
    for _ in range(5):
        states.append(simulation.checkpoint())
        simulation.advance()
        found.append(passed(simulation))
    assert found == [2.0, 4.0, 6.0, 2.0, 4.0]
    simulation.restore(2, states[2])
    simulation.advance()
    assert passed(simulation) == 6.0


def test_what_begins_tangled_is_not_done_again(monkeypatch):
    """Whatever is left out may pass through."""
    found, simulate = [], pair_substeps.PairSubsteps.simulate_slice

    def doubted(self, plan, path, frame_index, frame_slice):
        result = simulate(self, plan, path, frame_index, frame_slice)
        found.append(frame_slice)
        with edited_array(self.counts) as counts:
            counts[0, DOUBTED] = 3
        return result

    monkeypatch.setattr(pair_substeps.PairSubsteps, "simulate_slice", doubted)
    below, above = (as_cloth(f"b{n}", *mesh) for n, mesh in enumerate(tangled_sheets("bump")))
    touching(below, above, substeps=4, gravity=(0.0, 0.0, 0.0)).advance()
    assert found == [FrameSlice()]


@pytest.mark.slow
def test_what_forces_did_in_a_substep_goes_by_the_square_of_its_duration():
    simulation = touching(jelly_cube(0.3, 0.0, 3, youngs_modulus=3e5), colliders=[plane()], substeps=8)
    assert static_mode(simulation.system) & WARM
    simulation.advance()
    before = simulation.checkpoint()
    simulation._slices.rescale(0.25)
    after = simulation.checkpoint()
    for name in ("corrections", "lagrange_multipliers"):
        assert np.abs(before[name]).max() > 0.0
        np.testing.assert_array_equal(after[name], before[name] / 16.0)
