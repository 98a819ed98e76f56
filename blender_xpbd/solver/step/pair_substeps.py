# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames with contact between bodies, with a search for pairs in the middle of a substep where one is due.

The first stages of a substep bring particles to where they would come if nothing touched. Then the list of pairs must
hold what may touch on the way: else the launch ends there, and a search makes the list anew. The other stages push,
truncate and measure velocities. What a frame does depends on nothing but the state that a checkpoint holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import taichi as ti

from ...bodies.own_settings import is_pbd
from ...contacts.pairs.tables import OBJECT_HALF_THICKNESS, OBJECT_RESTITUTION
from ...contacts.pairs.untangle import Way
from ...contacts.search.crossings import CrossingSearch
from ...contacts.search.pair_search import Contents, PairSearch
from ...device.arrays import edited_array, make_array, make_zeros, read_array, write_array
from ...device.launch import launch
from ...device.packs import arrays_by_name
from ...device.runtime import thread_count
from ...geometry.components import connected_components
from ..order.stages import FIND_NEAR, MEASURE_ISLANDS, OPEN_WINDOW
from ..system.colliders import ColliderSet
from ..system.contact_objects import ContactObjects
from ..system.fast_colliders import FAST, MOST_SUBSTEPS, FastColliders
from ..system.frame_slice import WHOLE, FrameSlice
from ..system.system import System
from ..windows.anchor_state import ROW_WIDTH, read_anchors, write_anchors
from ..windows.pair_tables import (
    CLIPPED,
    DOUBTED,
    IS_OVER,
    ISLAND,
    LAID_SPAN,
    LIST_FIRST,
    LIST_SPAN,
    MAY_SEARCH,
    MOST_PUSHING,
    MOST_SEARCHES,
    MUST_SEARCH,
    NEXT_ISLAND,
    NEXT_SPAN,
    OBJECT_COUNT_WIDTH,
    PLACES_ALL,
    SETTLING_SWEEPS,
    SWEPT,
    TOLD_WIDTH,
    TUNNELLED,
    WATCH_LIMITS,
)
from ..windows.window_functions import MARGIN, MARGIN_DURATION
from .clear_frames import ClearFrames
from .frame_samples import FrameSamples
from .packs import Pairs
from .pair_state import anchor_arrays, held_arrays, near_arrays, pair_arrays, staying_arrays
from .plan import SERIAL, Plan
from .start_gaps import StartGaps, list_starts, may_start_near, measure_lacks, start_gaps
from .team_path import simulate_stages
from .ties import part_ties
from .untangling import Untangling, crossing_at_rest
from .wrong_sides import START_FRAMES, WrongSides

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
# counts of a frame, and whether it began tangled, has crossed, and lacked pairs
Found = tuple[Ints, tuple[bool, bool, bool]]

# searches in a substep that pushes may ask for; then what is pushed out of its box is held in it. Chosen by hand
MOST_ROUNDS = 3
# for which share of a frame its first list is to hold, and for how many substeps at least. Chosen by trying, see
# docs/experiments.md, What a search lists
FIRST_SHARE, FIRST_SPAN = 0.4, 8
# slices of a frame in which something may have passed through where no collider is fast. Chosen by trying, see
# docs/experiments.md, Frames in doubt
DOUBT_SLICES = 4


class PairSubsteps:
    """Advances a system in which surfaces may touch.

    Attributes:
        counts: of the frame that was simulated last, on the device, by object, columns as in ``pair_tables``.
        may_cross: 1 where something may cross when the next frame begins, else 0; on the device, part of a checkpoint.
        clear: tries frames in which nothing may touch; its memory is part of a checkpoint.
        passed: how often something of each body may have passed through since the last frame that is kept; likewise.
    """

    def __init__(
        self, system: System, objects: ContactObjects, colliders: ColliderSet, plan: Plan, samples: FrameSamples
    ) -> None:
        """Prepare the search.

        Args:
            system: what is simulated.
            objects: that may touch.
            colliders: of the scene.
            plan: how the system runs, without pairs.
            samples: note where particles are within a frame.
        """
        self._samples, self._substeps = samples, system.scene.settings.substeps
        self._objects, self._colliders, self._contact_points = objects, colliders, system.contacts.elements
        self._search = PairSearch(objects.surfaces, _contents(system, objects))
        self._crossing_search = CrossingSearch(objects.surfaces)
        self.clear = ClearFrames(objects, self._search, plan)
        parts = system.schedule.parts.count
        self._arrays = staying_arrays(
            objects, system.inverse_masses, parts + 1, self.clear.most_noted + 1, self._substeps
        ) | pair_arrays(0)
        window = self._search.window
        self._arrays["list_starts"], self._arrays["list_ends"] = window.window_starts, window.window_ends
        self._arrays["list_stays"] = window.window_stays
        self._arrays |= held_arrays(
            *(a.shape[0] for a in (plan.state.world.contacts.elements, plan.state.order.contact_segments))
        )
        self._arrays |= {"pair_starts": make_zeros((parts + 2,), ti.i32)}
        given = arrays_by_name(plan.state.world.pairs)
        # of grains and attraction, which others may replace by greater ones
        self._foreign = tuple(name for name in given if name not in self._arrays)
        self._arrays |= {name: given[name] for name in self._foreign}
        self.counts = self._arrays["object_counts"]
        self.may_cross = make_array(np.ones(1), ti.f32)
        self.passed = make_array(np.zeros(objects.body_count), ti.f32)
        self._fast = FastColliders(objects, colliders, self._substeps)
        # the stiffness of PBD is that of a substep, however short: in slices a body is stiffer
        self._are_pbd = np.array([is_pbd(body, system.scene.settings) for body in system.scene.bodies])
        # of the frame that was simulated last: whether anything was to be taken apart in its last slice, and at its
        # start; whether anything crossed at any look
        self._was_tangled = self._began_tangled = self._has_crossed = False
        # whether something crossed in spite of slices that did not when the last of them began; whether lists are to
        # have what cones of normals would leave out
        self._lacked_pairs = self._lists_all = False
        acts = [stage.act for stage in plan.state.stages]
        self._stage_count = len(acts)
        self._measure, self._open, self._split = (acts.index(act) for act in (MEASURE_ISLANDS, OPEN_WINDOW, FIND_NEAR))
        self._margins = 2.0 * MARGIN * objects.rows[:, OBJECT_HALF_THICKNESS]
        # of each object, the lowest number of one that it hangs together with: in this substep, and in the next one
        self._alone: Ints = np.arange(len(objects.rows), dtype=np.int32)
        self._islands = self._next_islands = self._alone
        # of the substep whose first stage this is
        self._islands_of = 0
        self._untangling: Untangling | None = None
        # of two bodies the one with the higher layer lies outside; of colliders nothing says it
        layers = np.array([body.contact.layer for body in system.scene.bodies])
        self._outside = np.zeros((len(objects.rows), len(objects.rows)), np.int32)
        self._outside[: len(layers), : len(layers)] = np.sign(np.subtract.outer(layers, layers))
        self._frame_slice, self._frame_index = WHOLE, 0
        # whether the kernels have the vertices of colliders
        self._are_placed = False
        self._system = system
        # until the first frame is simulated
        self._starts_unknown = may_start_near(system, objects)
        self._start_gaps: StartGaps | None = None
        # until the first search is done
        self._pack: Any = Pairs(**self._arrays)
        self._listed: Any = None
        self._told: Ints = np.zeros(TOLD_WIDTH, np.int32)
        self._plan, self._team_size = plan, 1

    def set_surfaces(self, frictions: Floats, restitutions: Floats) -> None:
        """Let pairs that are listed from now on have these values.

        Args:
            frictions: Coulomb's μ of each surface point, shape (points,).
            restitutions: e of each object, shape (objects,).
        """
        self._search.set_surfaces(frictions, restitutions)

    def slices(self, frame_index: int) -> int:
        """Into how many slices the frame that leads from ``frame_index`` on is to be divided, now that it is simulated.

        1 where it may stay as it is: the truncation left no pair in doubt, or pairs of bodies of PBD alone.
        """
        is_in_doubt = read_array(self.counts)[:, DOUBTED] > 0
        bodies = is_in_doubt[: self._objects.body_count]
        if not is_in_doubt.any() or (bodies.any() and not (bodies & ~self._are_pbd).any()):
            return 1
        shares = self._fast.shares(frame_index)
        if is_in_doubt[self._objects.body_count :][shares > FAST].any():
            return self._fast.slices(shares)
        return 1 if self._was_tangled else max(1, min(DOUBT_SLICES, MOST_SUBSTEPS // self._substeps))

    def finer_slices(self, count: int) -> int:
        """Into how many slices a frame is to be divided once more that was simulated in so many; 0 if it stays.

        Only where something crosses in spite of them that did not when the frame began. In shorter substeps a collider
        goes less far against what others press on it, and lists then lack nothing of flat pieces; so with as many
        slices as before where there can be no more. See docs/experiments.md, Frames in doubt.
        """
        if self._began_tangled or not self._has_crossed:
            return 0
        return max(count, min(DOUBT_SLICES * count, MOST_SUBSTEPS // self._substeps))

    def found(self) -> Found:
        """What was found in the frame so far, for ``take_back``."""
        return read_array(self.counts), (self._began_tangled, self._has_crossed, self._lacked_pairs)

    def take_back(self, found: Found) -> None:
        """Forget what was found since."""
        counts, (self._began_tangled, self._has_crossed, self._lacked_pairs) = found
        write_array(self.counts, counts)

    def count_passed(self, *, begins_anew: bool) -> None:
        """Add up what may have passed through in the frame that was simulated last; whether from 0 on."""
        found = read_array(self.counts)[: self._objects.body_count, TUNNELLED].astype(np.float32)
        write_array(self.passed, found if begins_anew else read_array(self.passed) + found)

    def note_contact(self) -> None:
        """The frame that was simulated last had the stages of contact."""
        self.clear.note_contact(bool(read_array(self.counts)[:, [MOST_PUSHING, CLIPPED]].any()))

    def begins_clear(self, frame_index: int) -> bool:
        """Whether the frame that leads from ``frame_index`` on is worth a try with ``simulate_clear``.

        Without contact nothing would take apart what is tangled. So after a frame with contact it is looked for.
        """
        if read_array(self.may_cross)[0] or not self.clear.is_due:
            return False
        if self._fast.slices(self._fast.shares(frame_index)) > 1:
            return False
        if not self.clear.was_clear:
            tangled = self._look()
            write_array(self.may_cross, np.array([tangled.is_needed], np.float32))
            return not tangled.is_needed
        return True

    def simulate_clear(self, plan: Plan, path: str, frame_index: int) -> bool:
        """Simulate a frame as if nothing touched, and prove that nothing did.

        Returns:
            whether nothing did; else the system is to be put back to where it was.
        """
        self._begin_slice(plan, path, frame_index, WHOLE)
        write_array(self._arrays["told"], np.zeros(TOLD_WIDTH, np.int32))
        if read_array(self._arrays["anchor_count"])[0]:
            self.restore(np.zeros((0, ROW_WIDTH)))
            self._plan = self._with_pairs(self._plan)
        first, stops = 0, self._samples.stops(WHOLE)
        while first < self._substeps:
            count = self.clear.simulate(self._plan, first, self._team_size)
            if not self._stays_clear(0, count):
                return False
            for stop in stops:
                if first < stop <= first + count:
                    self._note_places(WHOLE, stop, note=stop - first)
            first += count
        self.clear.note_clear()
        return True

    def simulate_slice(self, plan: Plan, path: str, frame_index: int, frame_slice: FrameSlice = WHOLE) -> Plan:
        """Simulate all substeps of a slice of the frame that leads from ``frame_index`` to the next.

        Args:
            plan: how the system runs.
            path: one of ``plan.PATHS``.
            frame_index: counted from the start.
            frame_slice: what of the frame; all of it, if nothing is given.

        Returns:
            the plan with the pack of pairs as the last search has left it.
        """
        self._begin_slice(plan, path, frame_index, frame_slice)
        # a slice begins the same, whatever came before
        self._islands = self._next_islands = self._alone
        self._write_islands()
        self._untangling = None
        self._was_tangled = False
        if frame_index == 0 and frame_slice.number == 0:
            part_ties(self._objects, self._crossing_search, self._plan.state.particles)
        must_look = bool(read_array(self.may_cross)[0])
        self._told = np.zeros(TOLD_WIDTH, np.int32)
        self._told[[MOST_SEARCHES, NEXT_SPAN]] = MOST_ROUNDS - 1, max(FIRST_SPAN, round(FIRST_SHARE * self._substeps))
        begin, last = 0, self._substeps * self._stage_count
        stops = [stop * self._stage_count for stop in self._samples.stops(frame_slice)]
        while begin < last:
            end = next(stop for stop in stops if stop > begin)
            if must_look:
                must_look = self._begin_untangling()
                self._was_tangled |= must_look
                self._has_crossed |= must_look
                self._began_tangled |= must_look and begin == 0 and frame_slice.number == 0
                # what is tangled is left out of the list of each substep
                self._told[LIST_SPAN] = 0
                if must_look:
                    end = begin + self._stage_count
                    self._told[NEXT_SPAN] = 1
            self._told[PLACES_ALL] = must_look
            self._run(begin, end)
            begin = end
            self._note_places(frame_slice, begin // self._stage_count)
        self._end_untangling()
        # what is not tangled is kept so by the truncation, unless it tells otherwise, or a list lacked a pair
        if not must_look and frame_slice.number == frame_slice.of - 1:
            must_look = self._tell_crossings()
        is_in_doubt = bool(read_array(self.counts)[:, DOUBTED].any())
        write_array(self.may_cross, np.array([must_look or is_in_doubt], np.float32))
        return self._plan

    def anchors(self) -> npt.NDArray[np.float64]:
        """What static friction has to remember from frame to frame, shape (anchors, 9)."""
        return read_anchors(self._arrays)

    def restore(self, anchors: npt.NDArray[Any]) -> None:
        """Go on with the anchors of a checkpoint."""
        self._arrays |= anchor_arrays(max(len(anchors), self._arrays["pair_ints"].shape[0]))
        write_anchors(self._arrays, anchors.astype(np.float64))
        self._pack = Pairs(**self._arrays)

    def _begin_slice(self, plan: Plan, path: str, frame_index: int, frame_slice: FrameSlice) -> None:
        """Arguments as of ``simulate_slice``."""
        self._plan = self._with_pairs(plan)
        self._team_size = 1 if path == SERIAL else thread_count()
        self._frame_slice, self._frame_index = frame_slice, frame_index
        self._place_vertices(frame_index)
        if self._starts_unknown:
            self._measure_starts()
        if self._start_gaps is not None:
            write_array(
                self._arrays["lack_shares"], self._start_gaps.shares(frame_index, frame_slice.times(self._substeps))
            )
        if frame_slice.number == 0:
            # what crossed in spite of slices went through what is flat at rest, for lists had all else
            lists_all = frame_slice.of > 1 and (self._lists_all or self._lacked_pairs)
            if lists_all != self._lists_all:
                self._search.ask_all(asks_all=lists_all)
                self._lists_all = lists_all
            self._began_tangled = self._has_crossed = self._lacked_pairs = False
            write_array(self.counts, np.zeros((len(self._alone), OBJECT_COUNT_WIDTH), np.int32))

    def _measure_starts(self) -> None:
        """Find what starts nearer to something else than its gap."""
        self._starts_unknown = False
        found = list_starts(self._system, self._search, self._team_size)
        if found.count:
            self._lay_out(found.pairs)
            launch(measure_lacks, self._plan.state.particles, self._pack, found.count)
            lacks = read_array(self._arrays["start_lacks"]).astype(np.float64)
            self._start_gaps = start_gaps(self._system, found, lacks)

    def _note_places(self, frame_slice: FrameSlice, substeps: int, note: int | None = None) -> None:
        """Let a sample be taken that is due; ``note`` of a frame that stayed clear, whose substeps are all over."""
        places = self._plan.state.particles.positions if note is None else self._arrays["noted_places"]
        self._samples.note(
            frame_slice, substeps, lambda: read_array(places) if note is None else read_array(places)[note]
        )

    def _stays_clear(self, first: int, last: int) -> bool:
        """Whether nothing came near from one note of places to a later one; where it is not plain, half by half."""
        listed = self.clear.list_few(self._pack, first, last, self._team_size)
        if listed is None:
            middle = (first + last) // 2
            return middle > first and self._stays_clear(first, middle) and self._stays_clear(middle, last)
        pairs, count = listed
        if pairs is not self._listed:
            self._lay_out(pairs)
        return self.clear.stayed_clear(self._plan, count, first, last)

    def _look(self, before: Sequence[Way] = (), *, beginning: WrongSides | None = None) -> Untangling:
        """Look for what crosses; ``before`` are the ways of the substep before, ``beginning`` as of ``Untangling``."""
        return Untangling(
            self._objects,
            self._crossing_search,
            self._outside,
            self._plan.state.particles,
            self._plan.state.world.contacts.passes,
            self._contact_points,
            self._plan.h / self._frame_slice.of,
            self._substeps * self._plan.h,
            before,
            beginning=beginning,
        )

    def _begin_untangling(self) -> bool:
        """Look for what crosses, and begin to take it apart; returns whether anything does."""
        self._end_untangling()
        before = () if self._untangling is None else self._untangling.ways
        self._untangling = self._look(before, beginning=self._wrong_sides)
        if self._untangling.is_needed:
            self._untangling.begin()
        return self._untangling.is_needed

    def _tell_crossings(self) -> bool:
        """Look for what crosses though nothing did when the slice began, and count it as passed through.

        Returns:
            whether anything crosses; what was modelled so is not counted.
        """
        look = self._look()
        crossing = look.crossing | (look.inward - self._modelled if look.inward else look.inward)
        if crossing:
            self._has_crossed, self._lacked_pairs = True, self._frame_slice.of > 1
            with edited_array(self.counts) as counts:
                counts[np.ix_(list(crossing), [TUNNELLED, DOUBTED])] += 1
        return look.is_needed

    @property
    def _wrong_sides(self) -> WrongSides:
        return self._start_sides if self._frame_index < START_FRAMES else self._later_sides

    @cached_property
    def _start_sides(self) -> WrongSides:
        return WrongSides(self._objects)

    @cached_property
    def _later_sides(self) -> WrongSides:
        return WrongSides(self._objects, is_start=False)

    @cached_property
    def _modelled(self) -> frozenset[int]:
        return crossing_at_rest(self._crossing_search, self._objects.surfaces)

    def _end_untangling(self) -> None:
        if self._untangling is not None and self._untangling.is_needed:
            self._untangling.end()

    def _run(self, begin: int, end: int) -> None:
        """Simulate stages of the frame, with as many searches as are due.

        Args:
            begin: stage, counted from the first one of the frame's first substep.
            end: the stage after the last.
        """
        while True:
            write_array(self._arrays["told"], self._told)
            self._launch(begin, end)
            self._told = read_array(self._arrays["told"])
            number = max(self._told[IS_OVER], self._told[MUST_SEARCH])
            if not number:
                break
            first = (number - 1) * self._stage_count
            if self._told[IS_OVER]:
                self._search_for(number - 1)
                begin = first + self._split
            else:
                # particles are where they came before pairs pushed them
                begin = first + self._measure
                self._told[MAY_SEARCH] -= 1
                self._told[[SETTLING_SWEEPS, SWEPT, SWEPT + 1]] = 0
            self._told[[IS_OVER, MUST_SEARCH]] = 0

    def _search_for(self, substep: int) -> None:
        """Make the list of pairs anew, from a substep on."""
        first, told = substep * self._stage_count, self._told
        if self._islands_of != first:
            self._islands, self._islands_of = self._next_islands, first
        # for boxes that are laid out again for greater islands
        told[LIST_SPAN], told[NEXT_SPAN] = 0, told[LAID_SPAN]
        write_array(self._arrays["told"], told)
        self._list_pairs(first)
        told[LIST_FIRST], told[LIST_SPAN] = substep, told[LAID_SPAN]

    def _launch(self, begin: int, end: int) -> None:
        if end > begin:
            simulate_stages(self._plan, begin, end, self._substeps, self._team_size)

    def _place_vertices(self, frame_index: int) -> None:
        """Give the kernels the vertices of colliders at both ends of the slice, once where none deforms."""
        if self._are_placed and not self._colliders.deforms:
            return
        self._are_placed = True
        ends = [self._colliders.vertices(row, frame_index) for row in self._objects.colliders]
        places = [np.stack(self._frame_slice.ends(*both), axis=1) for both in ends]
        if places:
            rows = np.zeros((len(self._objects.vertices), 2, 4))
            rows[:, :, :3] = np.concatenate(places)[self._objects.vertex_points]
            write_array(self._arrays["vertex_places"], rows)

    def _list_pairs(self, first: int) -> None:
        """Search for what may touch in the substep whose first stage is ``first``.

        The boxes go by the islands of the search before. Where the search finds greater ones, whose members would leave
        their boxes if they stayed in the frame of these, it must look again.
        """
        with edited_array(self._arrays["watch_limits"]) as limits:
            limits[WATCH_LIMITS:] = -1.0
        share = min(self._plan.h / self._frame_slice.of / MARGIN_DURATION, 1.0)
        while True:
            found = self._search.search(self._team_size)
            if np.array_equal(found.islands, self._islands):
                break
            merged = connected_components(len(self._alone), found.met, self._islands)
            if np.array_equal(merged, self._islands):
                break
            before = self._frames()
            self._islands = merged
            self._write_islands()
            self._launch(first + self._measure, first + self._measure + 1)
            if (np.abs(self._frames() - before).max(axis=1) <= share * self._margins).all():
                break
            self._launch(first + self._open, first + self._split)
        self._next_islands = found.islands
        self._write_islands()
        if found.pairs is not self._listed:
            self._lay_out(found.pairs)
        if self._untangling is not None and self._untangling.is_needed:
            self._untangling.leave_out(found)

    def _frames(self) -> npt.NDArray[np.floating[Any]]:
        """How far the frame of each object's island has come [m], shape (objects, 4)."""
        return read_array(self._arrays["frames"])[self._islands]

    def _write_islands(self) -> None:
        with edited_array(self._arrays["object_rows"]) as rows:
            rows[:, ISLAND], rows[:, NEXT_ISLAND] = self._islands, self._next_islands

    def _lay_out(self, pairs: Any) -> None:
        """Make the pack anew: the search has other arrays than before."""
        self._arrays |= arrays_by_name(pairs) | {"pair_starts": self._search.task_starts}
        anchors, capacity = self.anchors(), pairs.pair_ints.shape[0]
        self._arrays |= near_arrays(capacity) | anchor_arrays(max(capacity, len(anchors)))
        write_anchors(self._arrays, anchors)
        self._pack, self._listed = Pairs(**self._arrays), pairs
        self._plan = self._with_pairs(self._plan)

    def _with_pairs(self, plan: Plan) -> Plan:
        if plan.state.world.pairs is self._pack:
            return plan
        foreign = {name: getattr(plan.state.world.pairs, name) for name in self._foreign}
        if any(self._arrays[name] is not array for name, array in foreign.items()):
            self._arrays |= foreign
            self._pack = Pairs(**self._arrays)
        return replace(plan, state=replace(plan.state, world=plan.state.world._replace(pairs=self._pack)))


def _contents(system: System, objects: ContactObjects) -> Contents:
    """What the search has to know of the points."""
    parts = np.full(len(system.positions), -1, np.int32)
    owned = system.schedule.parts
    moves = system.inverse_masses[: len(owned.particles)] > 0.0
    parts[: len(owned.particles)][moves] = owned.particles[moves]
    return Contents(
        elements=objects.elements,
        weights=objects.weights,
        parts=parts,
        part_count=owned.count,
        gaps=objects.gaps,
        frictions=objects.frictions,
        restitutions=objects.rows[:, OBJECT_RESTITUTION],
    )
