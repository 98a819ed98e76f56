# SPDX-License-Identifier: GPL-3.0-or-later
"""A solver of bodies that tear.

What is still joined is one particle, so cloth that has not torn moves as if it could not. After each frame
the seams that are strained too far tear, and the system is built anew from what is joined then; places and velocities
go on. So all that depends on the topology, contact too, knows nothing of tears, and which seams have torn is all that
a checkpoint holds besides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ..bodies.joined import body_seams, seam_strains
from ..geometry.cage.fragments import Fragments
from ..geometry.surface.seams import Seams
from ..scene.errors import XpbdError
from .rest_shapes import shape_sources
from .solver import Solver
from .step.plan import SERIAL
from .system.system import System, build_system

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]
Arrays = Mapping[str, npt.NDArray[np.generic]]

# arrays of particles that go on; others are about constraints and contacts, and begin anew
OF_PARTICLES = ("positions", "velocities", "older_positions", "older_velocities")
_OF_BODIES = ("may_cross", "passed", "clear")
# of rods; the last column of the second is their inertia, which is the new system's
_OF_RODS = ("orientations", "angular_velocities")
# what a checkpoint may take more where seams have torn: each may have a particle and constraints of its own
_MOST_GROWTH = 4


def make_solver(system: System, paths: tuple[str, ...] = (SERIAL,)) -> Solver:
    """A solver that suits a system; arguments and errors as of ``Solver``."""
    tears = any(model.body.can_tear for model in system.models)
    return TearingSolver(system, paths) if tears else Solver(system, paths)


class TearingSolver(Solver):
    """As ``Solver``, with a system that is another one after each tear.

    Attributes:
        torn: of each body that may tear, by its number, which seams hold no more, shape (seams,).
    """

    def __init__(self, system: System, paths: tuple[str, ...] = (SERIAL,)) -> None:
        """Begin with what the bodies of the scene say of their seams."""
        super().__init__(system, paths)
        self._seams: dict[int, Seams | Fragments] = {
            number: body_seams(body, system.models[number])
            for number, body in enumerate(system.scene.bodies)
            if body.can_tear
        }
        self.torn: dict[int, Mask] = {
            number: given if len(given := system.scene.bodies[number].torn) else np.zeros(len(seams), np.bool_)
            for number, seams in self._seams.items()
        }

    def advance(self) -> None:
        """Simulate to the next frame, then tear what is strained too far.

        Raises:
            XpbdError: as of ``Solver``; E_DIVERGED.
        """
        super().advance()
        torn = {number: self.torn[number] | self._tears(number) for number in self._seams}
        if any((torn[number] != self.torn[number]).any() for number in torn):
            self._rebuild(torn, keep=True)

    def counts(self, number: int) -> tuple[int, int]:
        """How many seams of a body have torn, of how many."""
        return int(self.torn[number].sum()), len(self.torn[number])

    def _tears(self, number: int) -> Mask:
        """Which seams of a body are strained more than it bears, shape (seams,)."""
        system, seams, body = self.system, self._seams[number], self.system.scene.bodies[number]
        limit = system.tracks.at(body.identifier, "tear_strain", body.material.tear_strain, self.frame_index) / 100.0
        if limit <= 0.0:
            return np.zeros(len(seams), np.bool_)
        places = self.positions()[int(system.starts[number]) + system.models[number].joined].astype(np.float64)
        strained: Mask = seam_strains(body, seams, places) > limit
        return strained

    def _rebuild(self, torn: Mapping[int, Mask], *, keep: bool) -> None:
        """Build the system anew from what is joined now.

        Args:
            torn: as the attribute.
            keep: whether it goes on from the present state.
        """
        old, before = self.system, super().checkpoint() if keep else {}
        bodies = list(old.scene.bodies)
        for number, mask in torn.items():
            bodies[number] = replace(bodies[number], torn=mask)
        frame_index, frames, seams, notices = self.frame_index, self.frames_advanced, self._seams, self.notices
        system = build_system(replace(old.scene, bodies=tuple(bodies)))
        # of what hung together before
        self.__dict__.pop("_falls", None)
        super().__init__(replace(system, notices=old.notices), self.paths)
        self._seams, self.torn, self.notices = seams, dict(torn), notices
        self.frame_index, self.frames_advanced = frame_index, frames
        if keep:
            state = carried(old, before, self.system, super().checkpoint())
            self._write(_with_colliders(old, before, self.system, state))

    def checkpoint(self) -> dict[str, npt.NDArray[np.generic]]:
        """As of ``Solver``, with what has torn."""
        flags = [mask.astype(np.float32) for mask in self.torn.values()] if hasattr(self, "torn") else []
        return super().checkpoint() | {"torn": np.concatenate([np.zeros(0, np.float32), *flags])}

    @property
    def most_checkpoint_bytes(self) -> int:
        """How large the arrays of a checkpoint may be at any frame."""
        return _MOST_GROWTH * super().most_checkpoint_bytes

    def restore(self, frame_index: int, arrays: Arrays) -> None:
        """Go on from a checkpoint.

        Raises:
            XpbdError: E_CACHE, when it is not of this system.
        """
        flags = arrays.get("torn", np.zeros(0))
        if flags.shape != (sum(len(mask) for mask in self.torn.values()),) or not np.isin(flags, (0.0, 1.0)).all():
            raise XpbdError("E_CACHE", "The checkpoint's tears do not fit the job.")
        ends = np.cumsum([len(mask) for mask in self.torn.values()])
        parts = np.split(flags.astype(np.bool_), ends[:-1])
        whole = self.torn
        self._rebuild(dict(zip(self.torn, parts, strict=True)), keep=False)
        try:
            super().restore(frame_index, arrays)
        except XpbdError:
            self._rebuild(whole, keep=False)
            raise


def carried(old: System, before: Arrays, new: System, built: Arrays) -> dict[str, npt.NDArray[np.generic]]:
    """The state of a system as that of another one in which less is joined.

    Args:
        old: system.
        before: its state.
        new: system.
        built: its state at the start.
    """
    sources = particle_sources(old, new)
    state = {name: array.copy() for name, array in built.items()}
    for name in OF_PARTICLES:
        if name in state:
            state[name][: len(sources), :3] = before[name][sources, :3]
    moves = new.inverse_masses[: len(sources)] > 0.0
    state["velocities"][: len(sources)] *= moves[:, None]
    for name in _OF_RODS:
        if name in state and name in before and state[name].shape == before[name].shape:
            kept = slice(None) if name == "orientations" else slice(3)
            state[name][:, kept] = before[name][:, kept]
    for name in _OF_BODIES:
        if name in state and name in before and state[name].shape == before[name].shape:
            state[name] = before[name].copy()
    if "rest_shapes" in state and "rest_shapes" in before:
        found = shape_sources(old, new, sources)
        state["rest_shapes"][found >= 0] = before["rest_shapes"][found[found >= 0]]
    return state


def _with_colliders(old: System, before: Arrays, new: System, state: Arrays) -> Arrays:
    """The state with the vertices of colliders, which come last, where they were: they are the same ones.

    They would sweep there from where they were at the first frame. Arguments as of ``carried``.
    """
    here, there = (_collider_vertices(system) for system in (new, old))
    for name in OF_PARTICLES:
        if name in state:
            state[name][here, :3] = before[name][there, :3]
    return state


def _collider_vertices(system: System) -> slice:
    count = 0 if system.objects is None else len(system.objects.vertices)
    return slice(len(system.inverse_masses) - count, len(system.inverse_masses))


def particle_sources(old: System, new: System) -> Ints:
    """The old particle of each particle of the new system's bodies, shape (particles of bodies,)."""
    parts = []
    for number, model in enumerate(new.models):
        first, joined = int(old.starts[number]), old.models[number].joined
        parts.append(first + (joined if len(joined) else np.arange(len(model.positions))))
    return np.concatenate(parts).astype(np.int32)
