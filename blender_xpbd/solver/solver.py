# SPDX-License-Identifier: GPL-3.0-or-later
"""The solver: one call per frame, the one launch site of the kernels."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ..constraints.constraint import BDF2, DAMPED, WARM
from ..contacts.pairs.swallowed import enclosed
from ..contacts.search.crossings import crossings as find_crossings
from ..contacts.search.touching import without_touching
from ..device.arrays import edited_array, read_array, write_array
from ..scene.errors import XpbdError
from .embedding import Embedding
from .fitted_state import fitted_state
from .posing import Access, PoseControl
from .step.colour_path import project_by_colours
from .step.falls import Falls
from .step.frame_samples import FrameSamples
from .step.friction_player import FrictionPlayer
from .step.grain_memory import check_grain_pairs, most_grain_bytes, read_grain_pairs, with_grain_pairs
from .step.pair_substeps import PairSubsteps
from .step.plan import SERIAL, Pace, make_plan
from .step.slices import SliceSteps
from .step.standing import StandingColliders
from .step.start_depths import with_start_depths
from .step.state import State, build_state, padded, with_more_slots
from .step.substeps import simulate_substeps
from .step.track_player import TrackPlayer
from .step.uploads import Uploads
from .system.advice import divergence_advice
from .system.colliders import build_colliders
from .system.contact_statistics import Crossings, crossings_of
from .system.frame_slice import WHOLE, FrameSlice
from .system.grabbed import GrabbedParticles, grab_table
from .system.speed_changes import speed_changes
from .system.system import System
from .windows.anchor_state import check_anchors, most_anchor_bytes
from .windows.pair_tables import MOST_PUSHING

Floats = npt.NDArray[np.floating[Any]]


class Solver:
    """A system of particles that moves from frame to frame.

    Attributes:
        system: what is simulated.
        paths: of ``plan.PATHS``: which the solver may take, frame by frame, as they turn out to be fast.
        frame_index: frames since the start.
        frames_advanced: frames that this solver has computed.
        notices: warnings of the colliders, and of what starts inside them.
        grab: what a hand holds in the next frame, and where it was before, or None.
        samples: of the frame that was advanced last, as many as its scene asks for within a frame, as ``surface``.
    """

    samples: tuple[npt.NDArray[np.float32], ...] = ()
    _sampler: type[FrameSamples] = FrameSamples

    def __init__(self, system: System, paths: tuple[str, ...] = (SERIAL,)) -> None:
        """Copy a system to the device; ``runtime.start_taichi`` comes first.

        Raises:
            XpbdError: E_GEOM_EMPTY, for a collider of which nothing is left; E_NONFINITE.
        """
        self.system = system
        self.paths = paths
        self.frame_index = 0
        self.frames_advanced = 0
        self.grab: GrabbedParticles | None = None
        self._colliders = build_colliders(
            system.scene.colliders,
            system.origin,
            max(model.contact_offset for model in system.models),
            min(model.extent for model in system.models),
        )
        state, self._start_depths = with_start_depths(system, build_state(system, self._colliders), self._colliders)
        self.notices = self._colliders.notices
        if self._start_depths is not None:
            self.notices = (*self.notices, *self._start_depths.notices(system, self._colliders))
        self._plan = make_plan(system, state, self._colliders)
        self._samples = self._sampler(system.scene.frames.subframes, system.scene.settings.substeps)
        objects = system.objects
        self._pairs = (
            None if objects is None else PairSubsteps(system, objects, self._colliders, self._plan, self._samples)
        )
        self._pace = Pace(paths)
        self._poses = PoseControl(system.posed, system.scene.frames) if len(system.posed) else None
        self._uploads = Uploads(self._state)
        self._standing = StandingColliders(deforms=self._colliders.deforms)
        self._targets: dict[int, Floats] = {}
        self._tracks = TrackPlayer(system, self._state, self._colliders, self._uploads)
        self._frictions = FrictionPlayer(system, self._state, self._pairs)
        self._slices = SliceSteps(system, self._state, self._tracks)
        self._embeddings = [
            Embedding(model, int(start)) for model, start in zip(system.models, system.starts, strict=False)
        ]

    def advance(self) -> None:
        """Simulate from the current frame to the next.

        Raises:
            XpbdError: E_NONFINITE, where pins, colliders or tracks go beyond single precision.
        """
        if self._poses is not None:
            self._steer(self._poses)
        self._advance()
        self.frames_advanced += 1
        noted = self._samples.places
        self.samples = tuple(self.surface(noted[number]) for number in sorted(noted))

    @property
    def is_memoryless(self) -> bool:
        """Whether all that follows is in a checkpoint; not while a pose is approached by what was foreseen."""
        return self._poses is None or not self._poses.needs_memory(self.frame_index)

    def _steer(self, poses: PoseControl) -> None:
        """Let the ghost force of poses act in the next frame."""
        poses.steer(self.frame_index, Access(self._look, self._foresee, self._state.constraints.parameters))

    def _look(self, particles: npt.NDArray[np.int32]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Places and velocities of some particles, shape (particles, 3)."""
        arrays = self._state.particles.positions, self._state.particles.velocities
        places, velocities = (read_array(array)[particles, :3].astype(np.float64) for array in arrays)
        return places, velocities

    def _foresee(self, count: int, note: Callable[[int], None]) -> None:
        """Simulate some frames, call back after each, and take them back."""
        before, first = Solver.checkpoint(self), self.frame_index
        for number in range(1, count + 1):
            self._advance()
            note(number)
        self.frame_index = first
        self._write(before)

    def _advance(self) -> None:
        """Simulate from the current frame to the next, under the springs that are set."""
        self._tracks.play(self.frame_index)
        self._frictions.play(self.frame_index, lambda: read_array(self._state.particles.positions))
        path, started = self._pace.next_path(), time.perf_counter()
        if self._pairs is None:
            self._simulate(path)
        else:
            self._simulate_divided(path, self._pairs)
        # processors return when they are done; for graphics cards there is no choice to make
        self._pace.note(path, time.perf_counter() - started)
        self.frame_index += 1

    def _simulate_divided(self, path: str, pairs: PairSubsteps) -> None:
        """Simulate a frame with contact between bodies, unless nothing comes near.

        Where something may have passed through, it is done again in slices, and in finer ones where something has.
        Where these stay tangled too, they gain nothing, and the frame is left as it was in the coarser ones.
        """
        frames = self.system.scene.frames
        begins_anew = (self.frame_index - frames.hidden) % frames.step == 0
        if pairs.begins_clear(self.frame_index) and self._stays_clear(path, pairs):
            pairs.count_passed(begins_anew=begins_anew)
            return
        before = self.checkpoint()
        self._simulate(path)
        count = pairs.slices(self.frame_index)
        if count > 1:
            self._write(before)
            self._simulate_slices(path, pairs, count)
            if finer := pairs.finer_slices(count):
                self._write(before)
                if not self._simulate_slices(path, pairs, finer, leaves_tangles=True):
                    self._write(before)
                    self._simulate_slices(path, pairs, count)
        pairs.note_contact()
        pairs.count_passed(begins_anew=begins_anew)

    def _simulate_slices(self, path: str, pairs: PairSubsteps, count: int, *, leaves_tangles: bool = False) -> bool:
        """Simulate a frame in slices. The first one is done twice, for it tells what falls when it begins.

        Args:
            path: one of ``plan.PATHS``.
            pairs: the contact between bodies.
            count: of slices.
            leaves_tangles: whether it ends where ``PairSubsteps.stays_tangled``.

        Returns:
            whether it came to the end of the frame.
        """
        slices, falls, index = self._slices, self._falls, self.frame_index
        slices.set(count, index)
        slices.rescale(1.0 / count)
        gained = self.system.scene.frames.frame_duration / count * falls.gravity(index)
        keeps_means = not self._plan.variant.mode & BDF2
        if keeps_means and index > 0:
            before = self.checkpoint()
            self._simulate(path, FrameSlice(0, count))
            shares = falls.shares(before["velocities"], self.checkpoint()["velocities"], gained)
            self._write(before)
            slices.mend_falls(shares, falls.gravity(index - 1), 1.0 - 1.0 / count)
        for number in range(count):
            began = read_array(self._state.particles.velocities)
            self._simulate(path, FrameSlice(number, count))
            if leaves_tangles and pairs.stays_tangled:
                slices.set(1, index)
                return False
        slices.set(1, index)
        slices.rescale(count)
        if keeps_means:
            shares = falls.shares(began, read_array(self._state.particles.velocities), gained)
            slices.mend_falls(shares, falls.gravity(index), 1.0 / count - 1.0)
        return True

    def _stays_clear(self, path: str, pairs: PairSubsteps) -> bool:
        """Simulate a frame as if no bodies touched, with as many slots as it takes; where they may have, take it back.

        Returns:
            whether nothing came near.
        """
        self._upload(WHOLE)
        before = self.checkpoint()
        stays_clear = pairs.simulate_clear(self._plan, path, self.frame_index)
        # with too few slots it may fail for what it would not have come near with more
        while self._state.lacks_slots:
            self._plan = replace(self._plan, state=with_more_slots(self._state, self.system))
            # after that, for new lists of pairs of grains are empty
            self._write(before)
            stays_clear = pairs.simulate_clear(self._plan, path, self.frame_index)
        if not stays_clear:
            self._write(before)
            pairs.clear.note_failure()
        return stays_clear

    def _simulate(self, path: str, frame_slice: FrameSlice = WHOLE) -> None:
        """Simulate the substeps of a slice of a frame, with as many slots as it takes."""
        self._upload(frame_slice)
        before = self.checkpoint() if self._state.may_lack_slots else {}
        found = None if self._pairs is None else self._pairs.found()
        self._simulate_substeps(path, frame_slice)
        while self._state.lacks_slots:
            self._plan = replace(self._plan, state=with_more_slots(self._state, self.system))
            self._write(before)
            if self._pairs is not None and found is not None:
                self._pairs.take_back(found)
            self._simulate_substeps(path, frame_slice)

    def _upload(self, frame_slice: FrameSlice) -> None:
        """Copy to the device what leads through a slice of the frame."""
        index, substeps = self.frame_index, self.system.scene.settings.substeps
        # a frame ends where the next one begins
        known, both = self._targets, (index, index + 1)
        self._targets = {each: known[each] if each in known else self.system.targets(each) for each in both}
        places = self._targets[index], self._targets[index + 1]
        starts, ends = frame_slice.ends(*(places if self._poses is None else self._poses.led(*places)))
        self._uploads.write("targets.starts", padded(starts))
        self._uploads.write("targets.ends", padded(ends))
        if self.system.takes_grabs:
            self._upload_grab(frame_slice)
        motion = self._colliders.motion(index, substeps, frame_slice)
        self._uploads.write("colliders.motion", motion)
        self._standing.tell(self._state, motion)
        if self._colliders.deforms:
            floats = self._colliders.deformed_floats(index, substeps, frame_slice)
            self._uploads.write("colliders.mesh_floats", floats)
        if self._start_depths is not None:
            shares = self._start_depths.shares(index, frame_slice.times(substeps))
            self._uploads.write("contacts.depth_shares", shares)
        if external := self.system.external:
            self._uploads.write("particles.acts", external.acts(index, frame_slice))
            self._uploads.write("particles.field_ints", external.field_ints(index))
            self._uploads.write("particles.field_floats", external.field_floats(index, frame_slice))
        if attraction := self.system.attraction:
            self._uploads.write("world.pairs.attracting", attraction.ordered(self.positions()))
        self._uploads.write("particles.speed_changes", speed_changes(self.system, index, frame_slice))

    def _upload_grab(self, frame_slice: FrameSlice) -> None:
        for name, values in grab_table(self.grab, frame_slice).items():
            self._uploads.write(f"targets.{name}", values)

    def _simulate_substeps(self, path: str, frame_slice: FrameSlice) -> None:
        substeps = self.system.scene.settings.substeps
        if self._pairs is None:
            first = 0
            for last in self._samples.stops(frame_slice):
                simulate_substeps(self._plan, path, first, last - first, substeps)
                self._samples.note(frame_slice, last, lambda: read_array(self._state.particles.positions))
                first = last
        else:
            self._plan = self._pairs.simulate_slice(self._plan, path, self.frame_index, frame_slice)

    @cached_property
    def _falls(self) -> Falls:
        return Falls(self.system)

    @property
    def _state(self) -> State:
        """The arrays on the device; a frame may need others than the one before."""
        return self._plan.state

    def compile(self) -> None:
        """Compile the kernels, or load them from the offline cache: a frame of no substeps."""
        for path in self.paths:
            simulate_substeps(self._plan, path, 0, 0, self.system.scene.settings.substeps)

    def positions(self) -> Floats:
        """Of all particles, relative to the system's origin [m], shape (particles, 3), in the solver's precision.

        Raises:
            XpbdError: E_DIVERGED, with frame and object, where one is not finite.
        """
        values: Floats = read_array(self._state.particles.positions)[:, :3]
        if not np.isfinite(values).all():
            particle = int(np.flatnonzero(~np.isfinite(values).all(axis=1))[0])
            body = int(np.searchsorted(self.system.starts, particle, side="right")) - 1
            self._raise_diverged(min(body, len(self.system.models) - 1))
        return values

    @property
    def measures_residual(self) -> bool:
        """Whether multipliers are kept so that ``residuals`` can be told."""
        return self.system.scene.settings.measure_residual

    def residuals(self) -> npt.NDArray[np.float64]:
        """How far one more iteration of the last substep would move a particle of each body at most [m].

        Only where ``measures_residual``.
        """
        particles = self._state.particles
        changed = (particles.positions, self._state.constraints.lagrange_multipliers, particles.orientations)
        before = [read_array(array) for array in changed]
        project_by_colours(self._plan, 1)
        moves = np.linalg.norm((read_array(particles.positions) - before[0])[:, :3], axis=1)
        for array, values in zip(changed, before, strict=True):
            write_array(array, values)
        return np.array([moves[first:last].max() for first, last in itertools.pairwise(self.system.starts)], np.float64)

    def contact_counts(self) -> npt.NDArray[np.float64] | None:
        """The first two columns of ``CONTACT_STATISTICS`` of the frame that was advanced last, shape (bodies, 2).

        What may have passed through is that of all frames since the last one that is kept.

        None where no two objects of the scene may meet: bodies meet planes, spheres and meshes by their points alone.
        """
        if self._pairs is None:
            return None
        pushing = read_array(self._pairs.counts)[: len(self.system.models), MOST_PUSHING]
        return np.column_stack([pushing, read_array(self._pairs.passed)]).astype(np.float64)

    def crossings(self) -> Crossings | None:
        """What crosses at present, by more than rounding; None as ``contact_counts``."""
        objects = self.system.objects
        if objects is None:
            return None
        surfaces = objects.whole_surfaces
        places = objects.points(read_array(self._state.particles.positions)[:, :3])
        found = without_touching(surfaces, places, find_crossings(surfaces, places))
        body_points = int(surfaces.point_starts[objects.body_count])
        told = crossings_of(found, surfaces.edges, surfaces.triangles, surfaces.point_objects, body_points)
        inside = enclosed(surfaces, places, objects.solids, np.arange(objects.body_count))
        return replace(told, enclosed=tuple(pair for pair in inside if told.counts[pair] == 0))

    def surface(self, positions: Floats) -> npt.NDArray[np.float32]:
        """The vertices of all meshes, one body after the other, relative to the origin [m]."""
        positions = positions.astype(np.float32, copy=False)
        return np.concatenate([embedding(positions) for embedding in self._embeddings])

    def orientations(self) -> npt.NDArray[np.float32]:
        """Unit quaternions (w, x, y, z) of what turns by itself, one body after the other, shape (orientations, 4).

        Raises:
            XpbdError: E_DIVERGED, with frame and object, where one is not finite.
        """
        count = len(self.system.orientations)
        values = read_array(self._state.particles.orientations)[:count].astype(np.float32)
        if not np.isfinite(values).all():
            first = int(np.flatnonzero(~np.isfinite(values).all(axis=1))[0])
            self._raise_diverged(int(np.searchsorted(self.system.orientation_starts, first, side="right")) - 1)
        return values

    def checkpoint(self) -> dict[str, npt.NDArray[np.generic]]:
        """What ``restore`` needs to go on bit for bit."""
        arrays = {name: read_array(array) for name, array in self._kept.items()}
        if len(self.system.grains):
            arrays |= {"grain_pairs": read_grain_pairs(self._state)}
        if len(self.system.plastic):
            arrays["rest_shapes"] = read_array(self._state.constraints.parameters)[self.system.plastic.places]
        return arrays if self._pairs is None else arrays | {"anchors": self._pairs.anchors()}

    @property
    def most_checkpoint_bytes(self) -> int:
        """How large the arrays of a checkpoint may be at any frame."""
        objects, size = self.system.objects, sum(array.nbytes for array in self.checkpoint().values())
        size += most_grain_bytes(len(self.system.grains))
        return size if objects is None else size + most_anchor_bytes(len(objects.elements))

    def adopt(self, frame_index: int, arrays: Mapping[str, npt.NDArray[np.generic]]) -> None:
        """Go on from the checkpoint of a solver of the same bodies under other parameters.

        What this one has and the other has not begins as at the start; masses are this one's.

        Args:
            frame_index: of the checkpoint.
            arrays: from ``checkpoint``.

        Raises:
            XpbdError: E_CACHE, where the bodies are others.
        """
        mine = self.checkpoint()
        count = int(self.system.starts[-1])
        fitting = {
            name: fitted
            for name, array in mine.items()
            if name in arrays and (fitted := fitted_state(name, arrays[name], array, count)) is not None
        }
        if not fitting.keys() >= {"positions", "velocities"}:
            raise XpbdError("E_CACHE", "The state is of other bodies; begin again.")
        positions = np.array(fitting["positions"])
        positions[:, 3] = mine["positions"][:, 3]
        self.restore(frame_index, {**mine, **fitting, "positions": positions})

    def restore(self, frame_index: int, arrays: Mapping[str, npt.NDArray[np.generic]]) -> None:
        """Go on from a checkpoint.

        Raises:
            XpbdError: E_CACHE, when it is not of this system, which then stays as it is.
        """
        shapes = {name: tuple(read_array(array).shape) for name, array in self._kept.items()}
        if len(self.system.plastic):
            shapes["rest_shapes"] = self.system.plastic.places.shape
        for name, shape in shapes.items():
            if name not in arrays or arrays[name].shape != shape or arrays[name].dtype.kind != "f":
                raise XpbdError("E_CACHE", f"The checkpoint's {name} do not fit the job.")
            if not np.isfinite(arrays[name]).all():
                raise XpbdError("E_CACHE", f"The checkpoint's {name} are not finite.")
        if self.system.objects is not None:
            check_anchors(arrays.get("anchors", np.zeros(0)), len(self.system.objects.elements))
        if len(self.system.grains):
            check_grain_pairs(arrays.get("grain_pairs", np.zeros(0)), len(self.system.grains))
        self._write(arrays)
        self.frame_index = frame_index
        if self._poses is not None:
            self._poses.forget()

    def _write(self, arrays: Mapping[str, npt.NDArray[np.generic]]) -> None:
        for name, array in self._kept.items():
            write_array(array, arrays[name])
        if len(self.system.grains):
            rows = arrays["grain_pairs"].astype(np.float64)
            self._plan = replace(self._plan, state=with_grain_pairs(self._state, rows))
        if len(self.system.plastic):
            with edited_array(self._state.constraints.parameters) as parameters:
                parameters[self.system.plastic.places] = arrays["rest_shapes"]
        if self._pairs is not None:
            self._pairs.restore(arrays["anchors"])

    @property
    def _kept(self) -> dict[str, Any]:
        """The arrays that outlive a frame, by name."""
        particles, mode = self._state.particles, self._plan.variant.mode
        kept = {"positions": particles.positions, "velocities": particles.velocities}
        if mode & BDF2:
            kept |= {"older_positions": particles.older_positions, "older_velocities": particles.older_velocities}
        if mode & WARM:
            kept["corrections"] = particles.corrections
        if mode & (WARM | DAMPED):
            kept["lagrange_multipliers"] = self._state.constraints.lagrange_multipliers
        if self._plan.variant.has_orientations:
            kept |= {"orientations": particles.orientations, "angular_velocities": particles.angular_velocities}
        if self._plan.variant.bounces:
            kept["hits"] = self._state.pieces.hits
        if self._plan.variant.has_anchors:
            kept["collider_anchors"] = self._state.contacts.anchors
        if self._pairs is not None:
            passed = {"may_cross": self._pairs.may_cross, "passed": self._pairs.passed}
            kept |= passed | {"clear": self._pairs.clear.memory}
        return kept

    def _raise_diverged(self, body: int) -> None:
        frame = self.system.scene.frames.start + self.frame_index
        name = self.system.models[body].body.name
        raise XpbdError("E_DIVERGED", divergence_advice(self.system, body), name, frame)
