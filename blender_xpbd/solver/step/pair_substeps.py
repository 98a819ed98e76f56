# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames with contact between bodies, or of which it is proved that nothing touched.

``pair_lists`` runs their stages and lists pairs, ``tangles`` takes apart what crosses. What a frame does depends on
nothing but the state that a checkpoint holds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import taichi as ti

from ...bodies.own_settings import is_pbd
from ...contacts.pairs.tables import OBJECT_RESTITUTION
from ...contacts.search.pair_search import Contents, PairSearch
from ...device.arrays import edited_array, make_array, read_array, write_array
from ...device.launch import launch
from ...device.runtime import thread_count
from ..system.colliders import ColliderSet
from ..system.contact_objects import ContactObjects
from ..system.fast_colliders import FAST, MOST_SUBSTEPS, FastColliders
from ..system.frame_slice import WHOLE, FrameSlice
from ..system.system import System
from ..tangles.tangles import Tangles
from ..windows.pair_tables import CLIPPED, DOUBTED, MOST_PUSHING, OBJECT_COUNT_WIDTH, TOLD_WIDTH, TUNNELLED
from .clear_frames import ClearFrames
from .frame_samples import FrameSamples
from .pair_lists import PairLists
from .pair_pack import PairPack
from .plan import SERIAL, Plan
from .start_gaps import StartGaps, list_starts, may_start_near, measure_lacks, start_gaps

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
# counts of a frame, and whether it began tangled, has crossed, and lacked pairs
Found = tuple[Ints, tuple[bool, bool, bool]]

# slices of a frame in which something may have passed through where no collider is fast. Chosen by trying, see
# docs/experiments.md, Frames in doubt
DOUBT_SLICES = 4
# tangled slices of a frame after which finer slices are given up. Chosen by hand: what is apart after one of them is
# worth to go on
MOST_TANGLED_SLICES = 2


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
        self._system, self._objects, self._colliders, self._samples = system, objects, colliders, samples
        self._substeps = system.scene.settings.substeps
        self._search = PairSearch(objects.surfaces, _contents(system, objects))
        self._tangles = Tangles(system, objects)
        self._tangles.set(plan.state.particles, plan.state.world.contacts.passes, plan.h, 0)
        self.clear = ClearFrames(objects, self._search, plan)
        self._pack = PairPack(system, objects, self._search, plan, self.clear.most_noted)
        self._lists = PairLists(objects, self._search, self._pack, plan, self._tangles)
        self.counts = self._pack.arrays["object_counts"]
        self.may_cross = make_array(np.ones(1), ti.f32)
        self.passed = make_array(np.zeros(objects.body_count), ti.f32)
        self._fast = FastColliders(objects, colliders, self._substeps)
        # the stiffness of PBD is that of a substep, however short: in slices a body is stiffer
        self._are_pbd = np.array([is_pbd(body, system.scene.settings) for body in system.scene.bodies])
        # of the frame that was simulated last: whether anything was to be taken apart in its last slice, and at its
        # start; whether anything crossed at any look
        self._was_tangled = self._began_tangled = self._has_crossed = False
        # and in how many of its slices so far
        self._tangled_slices = 0
        # whether something crossed in spite of slices that did not when the last of them began; whether lists are to
        # have what cones of normals would leave out
        self._lacked_pairs = self._lists_all = False
        # whether the kernels have the vertices of colliders
        self._are_placed = False
        # until the first frame is simulated
        self._starts_unknown = may_start_near(system, objects)
        self._start_gaps: StartGaps | None = None
        self._team_size = 1

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

    @property
    def stays_tangled(self) -> bool:
        """Whether something was to be taken apart in several slices of the frame, the last one among them."""
        return self._was_tangled and self._tangled_slices >= MOST_TANGLED_SLICES

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
            is_tangled = self._tangles.cross()
            write_array(self.may_cross, np.array([is_tangled], np.float32))
            return not is_tangled
        return True

    def simulate_clear(self, plan: Plan, path: str, frame_index: int) -> bool:
        """Simulate a frame as if nothing touched, and prove that nothing did.

        Returns:
            whether nothing did; else the system is to be put back to where it was.
        """
        self._begin_slice(plan, path, frame_index, WHOLE)
        write_array(self._pack.arrays["told"], np.zeros(TOLD_WIDTH, np.int32))
        if read_array(self._pack.arrays["anchor_count"])[0]:
            self._lists.forget_anchors()
        first, stops = 0, self._samples.stops(WHOLE)
        while first < self._substeps:
            count = self.clear.simulate(self._lists.plan, first, self._team_size)
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
        lists, tangles, stage_count = self._lists, self._tangles, self._lists.stage_count
        self._begin_slice(plan, path, frame_index, frame_slice)
        lists.begin()
        tangles.forget()
        self._was_tangled = False
        if frame_index == 0 and frame_slice.number == 0:
            tangles.part_ties()
        must_look = bool(read_array(self.may_cross)[0])
        begin, last = 0, self._substeps * stage_count
        stops = [stop * stage_count for stop in self._samples.stops(frame_slice)]
        while begin < last:
            if must_look:
                must_look = tangles.begin()
                self._note_tangles(is_tangled=must_look, is_start=begin == 0 and frame_slice.number == 0)
                # what is tangled is left out of the list of each substep
                lists.end_list()
            if must_look:
                begin = lists.run_one(begin)
            else:
                end = next(stop for stop in stops if stop > begin)
                lists.run(begin, end)
                begin = end
            self._note_places(frame_slice, begin // stage_count)
        tangles.end()
        self._tangled_slices += self._was_tangled
        # what is not tangled is kept so by the truncation, unless it tells otherwise, or a list lacked a pair
        if not must_look and frame_slice.number == frame_slice.of - 1:
            must_look = self._tell_crossings(frame_slice)
        is_in_doubt = bool(read_array(self.counts)[:, DOUBTED].any())
        write_array(self.may_cross, np.array([must_look or is_in_doubt], np.float32))
        return lists.plan

    def anchors(self) -> npt.NDArray[np.float64]:
        """What static friction has to remember from frame to frame, shape (anchors, 9)."""
        return self._pack.anchors()

    def restore(self, anchors: npt.NDArray[Any]) -> None:
        """Go on with the anchors of a checkpoint."""
        self._pack.restore(anchors)

    def _begin_slice(self, plan: Plan, path: str, frame_index: int, frame_slice: FrameSlice) -> None:
        """Arguments as of ``simulate_slice``."""
        self._team_size = 1 if path == SERIAL else thread_count()
        self._lists.set(plan, self._team_size, frame_slice.of)
        state = plan.state
        self._tangles.set(state.particles, state.world.contacts.passes, plan.h / frame_slice.of, frame_index)
        self._place_vertices(frame_index, frame_slice)
        if self._starts_unknown:
            self._measure_starts()
        if self._start_gaps is not None:
            shares = self._start_gaps.shares(frame_index, frame_slice.times(self._substeps))
            write_array(self._pack.arrays["lack_shares"], shares)
        if frame_slice.number == 0:
            # what crossed in spite of slices went through what is flat at rest, for lists had all else
            lists_all = frame_slice.of > 1 and (self._lists_all or self._lacked_pairs)
            if lists_all != self._lists_all:
                self._search.ask_all(asks_all=lists_all)
                self._lists_all = lists_all
            self._began_tangled = self._has_crossed = self._lacked_pairs = False
            self._tangled_slices = 0
            write_array(self.counts, np.zeros((len(self._objects.rows), OBJECT_COUNT_WIDTH), np.int32))

    def _measure_starts(self) -> None:
        """Find what starts nearer to something else than its gap."""
        self._starts_unknown = False
        found = list_starts(self._system, self._search, self._team_size)
        if found.count:
            self._lists.lay_out(found.pairs)
            launch(measure_lacks, self._lists.plan.state.particles, self._pack.pack, found.count)
            lacks = read_array(self._pack.arrays["start_lacks"]).astype(np.float64)
            self._start_gaps = start_gaps(self._system, found, lacks)

    def _note_places(self, frame_slice: FrameSlice, substeps: int, note: int | None = None) -> None:
        """Let a sample be taken that is due; ``note`` of a frame that stayed clear, whose substeps are all over."""
        places = self._lists.plan.state.particles.positions if note is None else self._pack.arrays["noted_places"]
        self._samples.note(
            frame_slice, substeps, lambda: read_array(places) if note is None else read_array(places)[note]
        )

    def _stays_clear(self, first: int, last: int) -> bool:
        """Whether nothing came near from one note of places to a later one; where it is not plain, half by half."""
        listed = self.clear.list_few(self._pack.pack, first, last, self._team_size)
        if listed is None:
            middle = (first + last) // 2
            return middle > first and self._stays_clear(first, middle) and self._stays_clear(middle, last)
        pairs, count = listed
        self._lists.lay_out(pairs)
        return self.clear.stayed_clear(self._lists.plan, count, first, last)

    def _note_tangles(self, *, is_tangled: bool, is_start: bool) -> None:
        """Note whether anything crosses when a substep begins, which may be the first one of the frame."""
        self._was_tangled |= is_tangled
        self._has_crossed |= is_tangled
        self._began_tangled |= is_tangled and is_start

    def _tell_crossings(self, frame_slice: FrameSlice) -> bool:
        """Look for what crosses though nothing did when the slice began, and count it as passed through.

        Returns:
            whether anything crosses; what was modelled so is not counted.
        """
        crossing, is_needed = self._tangles.come_through()
        if crossing:
            self._has_crossed, self._lacked_pairs = True, frame_slice.of > 1
            with edited_array(self.counts) as counts:
                counts[np.ix_(list(crossing), [TUNNELLED, DOUBTED])] += 1
        return is_needed

    def _place_vertices(self, frame_index: int, frame_slice: FrameSlice) -> None:
        """Give the kernels the vertices of colliders at both ends of the slice, once where none deforms."""
        if self._are_placed and not self._colliders.deforms:
            return
        self._are_placed = True
        ends = [self._colliders.vertices(row, frame_index) for row in self._objects.colliders]
        places = [np.stack(frame_slice.ends(*both), axis=1) for both in ends]
        if places:
            rows = np.zeros((len(self._objects.vertices), 2, 4))
            rows[:, :, :3] = np.concatenate(places)[self._objects.vertex_points]
            write_array(self._pack.arrays["vertex_places"], rows)


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
