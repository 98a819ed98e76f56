# SPDX-License-Identifier: GPL-3.0-or-later
"""What the launches of the kernels have in common, and which way a system runs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...contacts import CONTACTS, PLANE
from ...device.runtime import thread_count
from ...device.version import knows_taichi
from ..order.stages import Stage
from ..system.colliders import ColliderSet
from ..system.contact_objects import unseen_colliders
from ..system.mode import Variant, has_anchors, static_mode, used_types
from ..system.system import System
from .state import State

# on processors a launch per frame, for one thread or for several; on graphics cards a launch per colour
SERIAL, THREADS, COLOURS = PATHS = ("SERIAL", "THREADS", "COLOURS")


def choose_paths(system: System, device: str) -> tuple[str, ...]:
    """Which of ``PATHS`` may be the fastest for a system on a device; those of the processor give the same bytes.

    Taichi's own launch, which is left for a version that is not known, may not pass all that a team's kernel takes.
    """
    if device != "CPU" or not knows_taichi():
        return (COLOURS,)
    return (THREADS, SERIAL) if system.schedule.parts.count > 1 and thread_count() > 1 else (SERIAL,)


class Pace:
    """Which of two paths is the faster at the moment, by trying.

    Threads gain where cores are free and lose where other programs keep them busy, which changes during a bake. Both
    give the same bytes, so that time may decide.
    """

    # frames between trials of the slower path, so many that they take no more than this share of all time, and how many
    # of the last times count. Chosen by hand: rarer trials and a longer memory learn later of free or busy cores.
    # What choosing costs beside a busy program is in docs/performance.md, Threads and memory
    TRIAL_EVERY = 12
    TRIAL_SHARE = 0.03
    MEMORY = 3

    def __init__(self, paths: tuple[str, ...]) -> None:
        """Begin with the first path."""
        self._times: dict[str, list[float]] = {path: [] for path in paths}
        self._since_trial = 0

    def next_path(self) -> str:
        """The path of the next frame."""
        # the first frame on a path may be slow: what it needs is not in the caches yet
        for path, times in self._times.items():
            if len(times) < 2:
                return path
        fastest = min(self._times, key=self._recent)
        slowest = max(self._times, key=self._recent)
        loss = self._recent(slowest) / self._recent(fastest) - 1.0
        is_trial = self._since_trial >= max(self.TRIAL_EVERY, loss / self.TRIAL_SHARE)
        self._since_trial = 0 if is_trial else self._since_trial + 1
        return slowest if is_trial else fastest

    def note(self, path: str, seconds: float) -> None:
        """Note what a frame took on a path."""
        self._times[path] = [*self._times[path], seconds][-self.MEMORY :]

    def _recent(self, path: str) -> float:
        return min(self._times[path])


@dataclass(frozen=True)
class Plan:
    """One way to run a system.

    Attributes:
        system: what is simulated.
        state: its arrays on the device.
        h: duration of a substep [s].
        variant: what is compiled for it.
    """

    system: System
    state: State
    h: float
    variant: Variant

    def round_of(self, stage: Stage) -> int:
        """Which round of tasks a stage is."""
        return stage.first // self.system.schedule.parts.count


def compiled_shapes(system: System, colliders: ColliderSet) -> int:
    """Mask of the shapes of colliders that kernels are compiled for.

    Where one takes seconds to compile, planes are compiled with it: without any they cost nothing, and a floor that is
    switched on or off then needs no other kernels.
    """
    numbers = {int(shape) for shape in np.unique(colliders.ints[:, 0])}
    if system.has_mesh_queries:
        numbers.add(CONTACTS.index(PLANE))
    return sum(1 << number for number in numbers)


def make_plan(system: System, state: State, colliders: ColliderSet) -> Plan:
    """Settle what does not change between launches."""
    mode = static_mode(system)
    return Plan(
        system=system,
        state=state,
        h=system.scene.frames.frame_duration / system.scene.settings.substeps,
        variant=Variant(
            mode=mode,
            constraints=used_types(system),
            shapes=compiled_shapes(system, colliders),
            bounces=len(system.pieces) > 0,
            has_levels=len(state.tables.levels) > 0,
            damps_bodies=len(system.damped) > 0,
            keeps_spins=len(system.spinning) > 0,
            has_orientations=len(system.orientations) > 0,
            has_pairs=system.objects is not None,
            embeds=system.objects is not None and system.objects.embeds,
            chooses=bool(unseen_colliders(system.scene).any()),
            starts_inside=state.contacts.depth_shares.shape[0] > 1,
            strikes=system.strikes,
            rebounds=system.objects is not None and system.objects.rebounds,
            fields=system.external.kinds,
            has_air=system.external.has_air,
            has_grains=len(system.grains) > 0,
            grains_stick=system.grains.stick,
            flows=system.plastic.kinds,
            takes_grabs=system.takes_grabs,
            attracts=bool(system.attraction),
            has_anchors=len(colliders.ints) > 0 and has_anchors(mode, system.contacts),
        ),
    )
