# SPDX-License-Identifier: GPL-3.0-or-later
"""The solver: one call per frame, the one launch site of the kernels."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ..constraints.constraint import ACCUMULATE, BDF2, DAMPED, PBD
from ..scene.errors import XpbdError
from . import parallel_kernels as parallel
from .colliders import build_colliders
from .kernels import simulate_frame
from .state import State, build_state, padded, write
from .system import System

Floats = npt.NDArray[np.floating[Any]]


class Solver:
    """A system of particles that moves from frame to frame.

    Attributes:
        system: what is simulated.
        is_parallel: whether colours run as parallel loops (graphics cards) or all in one thread.
        frame_index: frames since the start.
        frames_advanced: frames that this solver has computed.
        notices: warnings of the colliders.
    """

    def __init__(self, system: System, is_parallel: bool = False) -> None:
        """Copy a system to the device; ``runtime.start_taichi`` comes first.

        Raises:
            XpbdError: E_GEOM_EMPTY, for a collider of which nothing is left.
        """
        self.system = system
        self.is_parallel = is_parallel
        self.frame_index = 0
        self.frames_advanced = 0
        self._colliders = build_colliders(
            system.scene.colliders, system.origin, max(model.contact_offset for model in system.models)
        )
        self.notices = self._colliders.notices
        self._state: State = build_state(system, self._colliders)
        settings = system.scene.settings
        self._uploaded: dict[str, Floats] = {}
        self._h = system.scene.frames.frame_duration / settings.substeps
        self._mode = _mode(system)
        self._target_count = len(system.moved_particles)
        self._contact_count = len(system.contacts)
        self._used_constraints = sum(1 << kind for kind, row in enumerate(system.schedule.table) if row[0])
        self._used_shapes = sum(1 << int(shape) for shape in np.unique(self._colliders.ints[:, 0]))

    def advance(self) -> None:
        """Simulate from the current frame to the next."""
        index = self.frame_index
        self._upload("target_starts", padded(self.system.targets(index)))
        self._upload("target_ends", padded(self.system.targets(index + 1)))
        self._upload("motion", self._colliders.motion(index, self.system.scene.settings.substeps))
        if self.is_parallel:
            self._advance_parallel(self.system.scene.settings.substeps)
        else:
            self._advance_serial(self.system.scene.settings.substeps)
        self.frame_index += 1
        self.frames_advanced += 1

    def _upload(self, name: str, values: Floats) -> None:
        """Copy to the device what differs from the last frame: most pins and colliders stand still."""
        if values.size and not np.array_equal(self._uploaded.get(name, ()), values):
            write(getattr(self._state, name), values)
            self._uploaded[name] = values

    def compile(self) -> None:
        """Compile the kernels, or load them from the offline cache: a frame of no substeps."""
        if self.is_parallel:
            self._advance_parallel(0)
        else:
            self._advance_serial(0)

    def positions(self) -> Floats:
        """Of all particles, relative to the system's origin [m], shape (particles, 3), in the solver's precision.

        Raises:
            XpbdError: E_DIVERGED, with frame and object, where one is not finite.
        """
        values: Floats = self._state.positions.to_numpy()[:, :3]
        finite = np.isfinite(values).all(axis=1)
        if not finite.all():
            self._raise_diverged(int(np.flatnonzero(~finite)[0]))
        return values

    @property
    def measures_residual(self) -> bool:
        """Whether multipliers are kept so that ``residuals`` can be told."""
        return self.system.scene.settings.measure_residual

    def residuals(self) -> npt.NDArray[np.float64]:
        """How far one more iteration of the last substep would move a particle of each body at most [m].

        Only where ``measures_residual``.
        """
        before = self._state.positions.to_numpy()
        multipliers = self._state.lagrange_multipliers.to_numpy()
        self._project_constraints(1)
        moves = np.linalg.norm((self._state.positions.to_numpy() - before)[:, :3], axis=1)
        self._state.positions.from_numpy(before)
        self._state.lagrange_multipliers.from_numpy(multipliers)
        return np.array([moves[first:last].max() for first, last in itertools.pairwise(self.system.starts)], np.float64)

    def surface(self, positions: Floats) -> npt.NDArray[np.float32]:
        """The vertices of all meshes, one body after the other, relative to the origin [m]."""
        positions = positions.astype(np.float32, copy=False)
        parts = []
        for model, start in zip(self.system.models, self.system.starts, strict=False):
            corners = positions[model.elements + start]
            parts.append(np.einsum("vj,vjk->vk", model.weights.astype(np.float32), corners))
        return np.concatenate(parts)

    def checkpoint(self) -> dict[str, npt.NDArray[np.generic]]:
        """What ``restore`` needs to go on bit for bit."""
        return {name: getattr(self._state, name).to_numpy() for name in self._kept}

    def restore(self, frame_index: int, arrays: Mapping[str, npt.NDArray[np.generic]]) -> None:
        """Go on from a checkpoint.

        Raises:
            XpbdError: E_CACHE, when it is not of this system.
        """
        shape = (len(self.system.positions), 4)
        for name in self._kept:
            if name not in arrays or arrays[name].shape != shape or arrays[name].dtype.kind != "f":
                raise XpbdError("E_CACHE", f"The checkpoint's {name} do not fit the job; delete the job's folder.")
            if not np.isfinite(arrays[name]).all():
                raise XpbdError("E_CACHE", f"The checkpoint's {name} are not finite; delete the job's folder.")
        for name in self._kept:
            write(getattr(self._state, name), arrays[name])
        self.frame_index = frame_index

    @property
    def _kept(self) -> tuple[str, ...]:
        history = ("older_positions", "older_velocities") if self._mode & BDF2 else ()
        return ("positions", "velocities", *history)

    def _raise_diverged(self, particle: int) -> None:
        body = int(np.searchsorted(self.system.starts, particle, side="right")) - 1
        name = self.system.models[min(body, len(self.system.models) - 1)].body.name
        frame = self.system.scene.frames.start + self.frame_index
        raise XpbdError("E_DIVERGED", "The simulation blew up; try more substeps or a softer material.", name, frame)

    def _advance_serial(self, substeps: int) -> None:
        s, settings = self._state, self.system.scene.settings
        simulate_frame(
            s.positions,
            s.previous_positions,
            s.velocities,
            s.older_positions,
            s.older_velocities,
            s.indices,
            s.parameters,
            s.lagrange_multipliers,
            s.table,
            s.targets,
            s.target_starts,
            s.target_ends,
            s.starts,
            s.bodies,
            s.elements,
            s.weights,
            s.frictions,
            s.contact_states,
            s.contact_multipliers,
            s.motion,
            s.collider_ints,
            s.collider_floats,
            s.mesh_floats,
            s.mesh_ints,
            s.gravities,
            self._h,
            substeps,
            settings.iterations,
            self._target_count,
            self._contact_count,
            len(self.system.scene.colliders),
            self._mode,
            self._used_constraints,
            self._used_shapes,
        )

    def _advance_parallel(self, substeps: int) -> None:
        s, settings = self._state, self.system.scene.settings
        for substep in range(substeps):
            parallel.predict_positions(
                s.positions,
                s.previous_positions,
                s.velocities,
                s.older_positions,
                s.older_velocities,
                s.particle_bodies,
                s.bodies,
                s.gravities,
                self._h,
                self._mode,
            )
            if self._target_count:
                share = (substep + 1.0) / substeps
                parallel.place_targets(
                    s.positions,
                    s.previous_positions,
                    s.targets,
                    s.target_starts,
                    s.target_ends,
                    share,
                    self._target_count,
                    self._mode,
                )
            for iteration in range(settings.iterations):
                self._project_constraints(iteration)
                self._project_contacts(substep, iteration == 0)
            parallel.update_velocities(
                s.positions, s.previous_positions, s.velocities, s.older_positions, self._h, self._mode
            )
            self._restore_contacts()
        parallel.damp_bodies(s.positions, s.velocities, s.starts, s.bodies, self._h * substeps)

    def _project_constraints(self, iteration: int) -> None:
        s = self._state
        for kind, colours in enumerate(self.system.schedule.colours):
            for first, last in itertools.pairwise(colours):
                parallel.project_colour(
                    s.positions,
                    s.previous_positions,
                    s.indices,
                    s.parameters,
                    s.lagrange_multipliers,
                    s.table,
                    int(first),
                    int(last),
                    self._h,
                    iteration,
                    self._mode,
                    kind,
                )

    def _project_contacts(self, substep: int, is_first_iteration: bool) -> None:
        if not self._used_shapes:
            return
        s, colours = self._state, self.system.contacts.colours
        gravity_speed = float(np.linalg.norm(self.system.scene.gravity)) * self._h
        for first, last in itertools.pairwise(colours):
            parallel.project_contact_colour(
                s.positions,
                s.previous_positions,
                s.velocities,
                s.groups,
                s.elements,
                s.weights,
                s.frictions,
                s.contact_states,
                s.contact_multipliers,
                s.bodies,
                s.motion,
                s.collider_ints,
                s.collider_floats,
                s.mesh_floats,
                s.mesh_ints,
                gravity_speed,
                self._h,
                substep,
                is_first_iteration,
                len(self.system.scene.colliders),
                int(first),
                int(last),
                self._used_shapes,
            )

    def _restore_contacts(self) -> None:
        if not self._used_shapes:
            return
        s, colours = self._state, self.system.contacts.colours
        for first, last in itertools.pairwise(colours):
            parallel.restore_contact_colour(
                s.positions,
                s.velocities,
                s.groups,
                s.elements,
                s.weights,
                s.contact_states,
                s.contact_multipliers,
                int(first),
                int(last),
            )
        if self._mode & BDF2:
            parallel.forget_histories(
                s.positions,
                s.velocities,
                s.older_positions,
                s.older_velocities,
                s.elements,
                s.contact_multipliers,
                self._h,
                self._contact_count,
            )


def _mode(system: System) -> int:
    """The static mode of the projections, see ``constraints.constraint``."""
    settings = system.scene.settings
    mode = PBD if settings.solver_mode == "PBD" else 0
    if settings.iterations > 1 or settings.measure_residual:
        mode |= ACCUMULATE
    if settings.time_integration == "BDF2":
        mode |= BDF2
    if any(model.body.material.damping_time > 0.0 for model in system.models):
        mode |= DAMPED
    return mode
