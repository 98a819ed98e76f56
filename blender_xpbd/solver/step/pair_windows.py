# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames with contact between bodies: window by window, each of which begins with a search for pairs.

A window is as many substeps as the search has looked ahead. A particle that would leave where it has looked is held
there, and the window ends with that substep (``hold_share``). What the next frame does depends on nothing but the
state that a checkpoint holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import taichi as ti

from ...contacts import CONTACTS
from ...contacts.pairs.tables import OBJECT_RESTITUTION
from ...contacts.search.pair_search import Contents, PairList, PairSearch
from ...device.arrays import make_zeros, read_array, write_array
from ...device.packs import arrays_by_name
from ...device.runtime import thread_count
from ...geometry.edges import edge_lengths
from ..system.colliders import ColliderSet
from ..system.contact_objects import ContactObjects
from ..system.system import System
from .anchor_state import read_anchors, write_anchors
from .packs import Pairs
from .pair_state import anchor_arrays, near_arrays, pair_arrays, staying_arrays
from .pair_tables import FAILED, HAS_FRAME, ISLAND, OBJECT_COUNT_WIDTH, STOPPED, TOLD_WIDTH
from .plan import SERIAL, Plan
from .substeps import simulate_substeps
from .untangling import Untangling
from .window_rule import expected_fall

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

# how far particles may be off their way in a window, as a share of the mean edge of all bodies. Of 0.1,
# 0.15 and 0.25 the one at which neither a stack of ten sheets nor a drape takes longest, see docs/experiments.md
MARGIN = 0.15
# how much wider where the way of a substep that was tried was not enough to do it again; chosen by hand
WIDER = 4.0
# of what is known exactly: what rounding to single precision may make of it, as a share of its size
ROUNDING = 1e-6


@dataclass(frozen=True)
class _Window:
    """Substeps for which a search lists pairs.

    Attributes:
        frame_index: frame from which they lead to the next.
        first: substep.
        count: substeps.
        margin: how far particles may be off their way [m].
        tried: how far particles came when this substep was tried before [m], shape (particles, 3), if it was.
    """

    frame_index: int
    first: int
    count: int
    margin: float
    tried: Floats | None = None


class PairWindows:
    """Advances a system in which surfaces may touch.

    Attributes:
        counts: of the frame that was simulated last, on the device, by object, columns as in ``pair_tables``.
    """

    def __init__(self, system: System, objects: ContactObjects, colliders: ColliderSet) -> None:
        """Prepare the search."""
        self._system, self._objects, self._colliders = system, objects, colliders
        self._search = PairSearch(objects.surfaces, _contents(system, objects))
        parts = system.schedule.parts.count
        self._arrays = staying_arrays(objects, len(system.positions), parts + 1) | pair_arrays(0)
        self._arrays |= arrays_by_name(self._search.window)
        self.counts = self._arrays["object_counts"]
        self._arrays |= {"pair_starts": make_zeros((parts + 2,), ti.i32)}
        # the features of colliders say nothing of how finely bodies move
        own = objects.surfaces.edges[: objects.surfaces.edge_starts[objects.body_count]]
        edges = edge_lengths(objects.surfaces.rest, own)
        self._margin = MARGIN * float(edges.mean()) if len(edges) else 0.0
        self._substeps = system.scene.settings.substeps
        self._pinned = system.moved_particles
        self._pack: Any = None
        self._ranges = objects.particle_ranges
        # of two bodies the one with the higher layer lies outside; of colliders nothing says it
        layers = np.array([body.contact.layer for body in system.scene.bodies])
        self._outside = np.zeros((len(self._ranges), len(self._ranges)), np.int32)
        self._outside[: len(layers), : len(layers)] = np.sign(np.subtract.outer(layers, layers))

    def simulate_frame(self, plan: Plan, path: str, frame_index: int, kept: Mapping[str, Any]) -> Plan:
        """Simulate all substeps of the frame that leads from ``frame_index`` to the next.

        Args:
            plan: how the system runs.
            path: one of ``plan.PATHS``.
            frame_index: counted from the start.
            kept: the arrays that outlive a substep.

        Returns:
            the plan with the pack of pairs as the last search has left it.
        """
        self._place_vertices(frame_index)
        write_array(self.counts, np.zeros((len(self._ranges), OBJECT_COUNT_WIDTH), np.int32))
        kept = {**kept, "counts": self.counts}
        first, count, widening = 0, self._substeps, 1.0
        untangling: Untangling | None = None
        tried: Floats | None = None
        while first < self._substeps:
            count = min(count, self._substeps - first)
            write_array(self._arrays["told"], np.zeros(TOLD_WIDTH, np.int32))
            before, anchors = {name: read_array(array) for name, array in kept.items()}, read_anchors(self._arrays)
            # what is not tangled when a frame begins is kept so by the truncation
            if untangling is None or untangling.is_needed:
                untangling = Untangling(self._objects, self._outside, plan.state.particles, plan.h)
            taken = 1 if untangling.is_needed else count
            window = _Window(frame_index, first, taken, widening * self._margin, tried)
            plan = self._simulate_window(plan, path, window, untangling)
            told = read_array(self._arrays["told"])
            if told[FAILED]:
                if taken == 1:
                    # the next try looks where this one went, and farther around if that was not enough
                    widening *= 1.0 if tried is None else WIDER
                    came = read_array(kept["positions"]).astype(np.float64) - before["positions"]
                    tried = came[:, :3]
                for name, array in kept.items():
                    write_array(array, before[name])
                write_anchors(self._arrays, anchors)
                count = max(int(told[FAILED]) - 1, 1)
            else:
                first += int(told[STOPPED]) or taken
                count, widening, tried = 2 * taken, 1.0, None
        return plan

    def anchors(self) -> Floats:
        """What static friction has to remember from frame to frame, shape (anchors, 8)."""
        return read_anchors(self._arrays)

    def restore(self, anchors: npt.NDArray[Any]) -> None:
        """Go on with the anchors of a checkpoint."""
        self._arrays |= anchor_arrays(len(anchors))
        write_anchors(self._arrays, anchors.astype(np.float64))
        # the next search lays it out anew
        self._pack = None

    def _simulate_window(self, plan: Plan, path: str, window: _Window, untangling: Untangling) -> Plan:
        """List pairs and simulate the substeps of a window."""
        if untangling.is_needed:
            untangling.begin()
        listed = self._look_ahead(plan, path, window)
        if untangling.is_needed:
            untangling.leave_out(listed)
        plan = self._with_pairs(plan)
        simulate_substeps(plan, path, window.first, window.count, self._substeps)
        if untangling.is_needed:
            untangling.end()
        return plan

    def _place_vertices(self, frame_index: int) -> None:
        """Give the kernels the vertices of colliders at both ends of a frame."""
        places = [np.stack(self._colliders.vertices(row, frame_index), axis=1) for row in self._objects.colliders]
        if places:
            rows = np.zeros((len(self._objects.vertices), 2, 4))
            rows[:, :, :3] = np.concatenate(places)
            write_array(self._arrays["vertex_places"], rows)

    @property
    def _is_alone(self) -> Bools:
        """Which objects may keep their own mean motion, but for what they touch: bodies without fixed particles."""
        masses, ranges = self._system.inverse_masses, self._objects.particle_ranges
        return np.array([n < self._objects.body_count and (masses[a:b] > 0.0).all() for n, (a, b) in enumerate(ranges)])

    def _look_ahead(self, plan: Plan, path: str, window: _Window) -> PairList:
        """Search for what may touch in a window."""
        frame_index, first, count = window.frame_index, window.first, window.count
        starts, travels = self._way(plan, window)
        motion = self._colliders.motion(frame_index, self._substeps)[first : first + count + 1]
        self._aim_pinned(starts, travels, frame_index, count)
        self._aim_vertices(starts, travels, motion, frame_index, first)
        write_array(self._arrays["window_starts"], starts)
        ends = starts + travels
        write_array(self._arrays["window_ends"], ends)
        write_array(self._arrays["window_stays"], ends)
        found = self._search.search(1 if path == SERIAL else thread_count())
        self._note_islands(found, self._meets_shapes(starts, travels, motion))
        write_array(self._arrays["travels"], np.zeros(len(self._ranges)))
        if found.is_new or self._pack is None:
            self._lay_out(found)
        return found

    def _way(self, plan: Plan, window: _Window) -> tuple[Floats, Floats]:
        """Where particles are, with the margins of their ways, and how far they fly, both of shape (particles, 4)."""
        particles, count, time = plan.state.particles, window.count, window.count * plan.h
        starts, travels = read_array(particles.positions), time * read_array(particles.velocities)
        moves = starts[:, 3] > 0.0
        gravity = self._system.scene.gravity
        shares = expected_fall(read_array(particles.velocities)[moves, :3], gravity, self._substeps * plan.h)
        # as the steps of Euler add it up
        travels[moves, :3] += 0.5 * time * (time + plan.h) * shares[:, None] * gravity
        starts[:, 3] = window.margin
        if window.tried is not None:
            off = window.tried[moves] - travels[moves, :3]
            travels[moves, :3] = window.tried[moves]
            starts[moves, 3] += 0.5 * np.abs(off).max(axis=1)
        longest = np.abs(travels[:, :3]).max(axis=1) / max(count, 1)
        for (first, last), is_alone in zip(self._ranges, self._is_alone, strict=True):
            if not is_alone:
                # so that what is stopped for a substep is still in its window
                np.maximum(starts[first:last, 3], 1.1 * longest[first:last], out=starts[first:last, 3])
        return starts, travels

    def _aim_pinned(self, starts: Floats, travels: Floats, frame_index: int, count: int) -> None:
        """Correct the ways of particles that follow a given motion."""
        begin, end = self._system.targets(frame_index), self._system.targets(frame_index + 1)
        travels[self._pinned, :3] = count / self._substeps * (end - begin)
        starts[self._pinned, 3] = ROUNDING * (np.abs(begin).max(initial=0.0) + np.abs(end).max(initial=0.0))

    def _aim_vertices(
        self, starts: Floats, travels: Floats, motion: npt.NDArray[np.float32], frame_index: int, first: int
    ) -> None:
        """Correct the ways of colliders' vertices; ``motion`` is that of the window."""
        shares = (first + np.arange(len(motion))) / self._substeps
        for row, (begin, end) in zip(self._objects.colliders, self._ranges[self._objects.body_count :], strict=True):
            start, stop = self._colliders.vertices(row, frame_index)
            local = start + shares[:, None, None] * (stop - start)
            turns, places = motion[:, row, :9].reshape(-1, 1, 3, 3), motion[:, row, 9:12]
            ways = (turns @ local[..., None])[..., 0] + places[:, None]
            travel = ways[-1] - ways[0]
            even = ways[0] + np.linspace(0.0, 1.0, len(motion))[:, None, None] * travel
            travels[begin:end, :3] = travel
            starts[begin:end, 3] = np.abs(ways - even).max(axis=(0, 2)) + ROUNDING * np.abs(ways).max()

    def _note_islands(self, found: PairList, meets_shapes: Bools) -> None:
        """Tell the kernels which objects hang together, and which islands are looked at from their mean motion."""
        rows = read_array(self._arrays["object_rows"])
        rows[:, ISLAND] = -1
        met = np.unique(found.met)
        rows[met, ISLAND] = found.islands[met]
        keeps = self._is_alone & ~meets_shapes
        for island in np.unique(found.islands[met]):
            members = found.islands == island
            rows[members, HAS_FRAME] = keeps[members].all()
        write_array(self._arrays["object_rows"], rows)

    def _meets_shapes(self, starts: Floats, travels: Floats, motion: npt.NDArray[np.float32]) -> Bools:
        """Which objects come to colliders that are no meshes in a window."""
        meets = np.zeros(len(self._ranges), np.bool_)
        for row, distances in enumerate(CONTACTS[number].distances for number in self._colliders.ints[:, 0]):
            for number, model in enumerate(self._system.models if distances else ()):
                own = slice(*self._ranges[number])
                reach = model.contact_offset + 2.0 * starts[own, 3]
                for moment, places in ((0, starts[own, :3]), (-1, starts[own, :3] + travels[own, :3])):
                    turn, place, radius = np.split(motion[moment, row], [9, 12])
                    local = (places - place) @ turn.reshape(3, 3)
                    meets[number] |= bool((distances(local, radius) < reach).any())
        return meets

    def _lay_out(self, found: PairList) -> None:
        """Make the pack anew: the search has other arrays than before."""
        self._arrays |= arrays_by_name(found.pairs) | {"pair_starts": found.task_starts}
        anchors, capacity = self.anchors(), found.pairs.pair_ints.shape[0]
        self._arrays |= near_arrays(capacity) | anchor_arrays(max(capacity, len(anchors)))
        write_anchors(self._arrays, anchors)
        self._pack = Pairs(**self._arrays)

    def _with_pairs(self, plan: Plan) -> Plan:
        if plan.state.world.pairs is self._pack:
            return plan
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
