# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a case from one start and tells what was seen."""

from __future__ import annotations

import time
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from blender_xpbd.device.runtime import start_taichi
from blender_xpbd.scene.errors import XpbdError
from blender_xpbd.scene.scene import Scene, validate
from blender_xpbd.scene.settings import FrameRange, SolverSettings
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.system.contact_statistics import CONTACT_STATISTICS
from blender_xpbd.solver.system.system import System, build_system

from .case import Case
from .judge import Judge
from .shapes import Floats

TUNNELLED = CONTACT_STATISTICS.index("tunnelled")
FRAME = 1.0 / 24.0
CACHE = Path(__file__).resolve().parent.parent.parent / ".cache" / "taichi"
# frames after the end of a squeeze until all must be free again, and the share of triangles that may cross in it
RELEASE, PINCHED_SHARE = 10, 1e-3


@dataclass(frozen=True)
class Outcome:
    """What one run showed.

    Attributes:
        frames_crossed: frames in which something crosses that must not.
        most_crossings: in one frame, squeezes and what begins tangled included.
        first_crossed: the first frame with a crossing that must not be, 0 where there is none.
        recovered: the first frame from which on nothing crosses to the end, 0 where nothing ever does.
        frames_told: frames in which the solver tells that something may have passed through.
        gap_error: at the last frame, the 99th percentile of how much nearer than wanted pairs are, by the gap.
        dip: likewise, of edges and triangles of bodies over closed colliders.
        speed: 99th percentile of the vertices' speeds over the last six frames [m/s].
        milliseconds: of processor per frame, the mean.
        diverged: whether the bake ended early.
        surfaces: vertices of bodies at some frames, for the picture.
    """

    frames_crossed: int
    most_crossings: int
    first_crossed: int
    recovered: int
    frames_told: int
    gap_error: float
    dip: float
    speed: float
    milliseconds: float
    diverged: bool
    surfaces: tuple[tuple[int, Floats], ...]


def scene_of(case: Case, start: int, substeps: int) -> Scene:
    """The scene of a case from one of its starts."""
    random = np.random.default_rng([start, zlib.crc32(case.name.encode())])
    content = case.build(random, case.frames + 1)
    frames = FrameRange(1, case.frames + 1, 1, FRAME)
    scene = Scene(content.bodies, content.colliders, frames, SolverSettings(substeps=substeps, device="CPU"))
    validate(scene)
    return scene


def run_case(case: Case, start: int, substeps: int) -> tuple[Judge, Outcome]:
    """Simulate all frames and judge each; once in a process, for Taichi's precision is the scene's."""
    scene = scene_of(case, start, substeps)
    judge = Judge(scene, forgives=not case.recovery)
    system = build_system(scene)
    start_taichi("CPU", 0, CACHE, *system.compiling)
    solver = Solver(system)
    solver.compile()
    counts, kept, speeds, seconds, told, diverged = [], [], [], 0.0, 0, False
    before = _surface(solver)
    begins = judge.crossings(judge.places(before, 0)) if case.recovery else 0
    shown = {round(share * case.frames) for share in (0.25, 0.5, 0.75, 1.0)}
    allowed = int(PINCHED_SHARE * len(judge.triangles))
    for frame in range(1, case.frames + 1):
        began = time.process_time()
        try:
            solver.advance()
            after = _surface(solver)
        except XpbdError:
            diverged = True
            break
        seconds += time.process_time() - began
        contact = solver.contact_counts()
        told += contact is not None and bool(contact[:, TUNNELLED].any())
        count = judge.crossings(judge.places(after, frame))
        is_pinched = case.pinch[0] <= frame <= case.pinch[1] + RELEASE and case.pinch[1] > 0
        counts.append((count, frame > case.recovery and count > (allowed if is_pinched else 0)))
        speeds.append(np.linalg.norm(after - before, axis=1) / FRAME)
        before = after
        if frame in shown:
            kept.append((frame, after))
    gap_error, dip = _gap_errors(judge, system, before, len(counts))
    bad = [frame for frame, (_, is_bad) in enumerate(counts, 1) if is_bad]
    crossed = [frame for frame, count in enumerate([begins, *(count for count, _ in counts)]) if count]
    return (
        judge,
        Outcome(
            frames_crossed=len(bad),
            most_crossings=max([begins, *(count for count, _ in counts)]),
            first_crossed=bad[0] if bad else 0,
            recovered=crossed[-1] + 1 if crossed else 0,
            frames_told=told,
            gap_error=gap_error,
            dip=dip,
            speed=float(np.percentile(np.concatenate(speeds[-6:]), 99)) if speeds else float("nan"),
            milliseconds=1e3 * seconds / max(len(counts), 1),
            diverged=diverged,
            surfaces=tuple(kept),
        ),
    )


def _gap_errors(judge: Judge, system: System, surface: Floats, frame: int) -> tuple[float, float]:
    """Of those pairs that are nearer than wanted, the 99th percentile; 0 where nothing but planes is touched."""
    objects = system.objects
    if objects is None:
        return 0.0, 0.0
    errors, dips = judge.gap_errors(judge.places(surface, frame), objects.gaps, objects.is_open)
    return float(np.percentile(errors, 99)), float(np.percentile(dips, 99))


def _surface(solver: Solver) -> Floats:
    return solver.surface(solver.positions()).astype(np.float64) + solver.system.origin
