# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bake did: for the panel, ``--json`` and scripts."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ...jobs.result import Result
from ...scene.errors import Notice, XpbdError
from ..reduction.reduction import Reduction
from .contact_report import add_contact, crossing_notices
from .pose_error import PoseError
from .seam import Seam

# what both the reading and the worker may tell of an object: the first one counts, which a check tells too
ONCE_PER_OBJECT = frozenset({"W_ALL_PINNED", "W_THIN"})


@dataclass
class BakeSummary:
    """What a bake did.

    Attributes:
        objects: names of the baked bodies.
        frames: frames that have a key.
        keys: shape keys that reproduce them, of all bodies.
        key_error_mm: greatest distance of a vertex at a frame from where it was simulated, by Blender's arithmetic.
        key_bytes: of these keys and their curves in the file.
        every_frame_bytes: the same with a key for every frame.
        frames_waiting: further frames that are solved but have no key yet; the cache has them.
        frame_start, frame_end, frame_step: what was asked for.
        vertices: of all bodies' meshes.
        tetrahedra: of all bodies.
        constraints: number by kind, over all bodies.
        seconds: spent in each stage: the add-on's "reading", "solving", "writing", and the worker's own under
            "worker_…"; "total" is the whole bake.
        solver_fps: frames per second of the solver alone.
        greatest_strain: greatest |length / rest length − 1| of all edges over all frames, or None where unknown.
        mean_strain: the same as a mean over edges and frames, or None.
        greatest_volume_change: greatest |volume / rest volume − 1| of all jellies over all frames, or None.
        inverted_tetrahedra: greatest number in one frame.
        residual: how far one more iteration would have moved a vertex at most [m], or None where it was not measured.
        substeps, iterations: of the solver, chosen by it or by the artist.
        contact: of each object, see ``contact_report``; empty where no two objects may meet.
        frame_statistics: of each frame and body, in the order of frames, where they were asked for.
        device: what the solver ran on.
        cache: the job folder.
        cache_bytes: of all jobs beside it.
        from_cache: whether nothing had to be solved.
        resumed_after: the frame of an earlier bake from which this one went on, or None.
        loop: frames over which the end was led into the beginning, 0 for none.
        region: what was baked again, as "Shirt: Sleeve, frames 40 to 60"; "" for everything.
        taken_back: the object of which the newest region was to be taken back, "" for none.
        seam_error_mm: greatest distance of a vertex, of a loop at the last frame from where it is at the first, of a
            region at its last frame from where it was baked before.
        seam_velocity_error_mm_s: of a loop, greatest difference of its velocities there [mm/s].
        pose_error_mm: of each pose target its object and frame, greatest and mean distance of a vertex from it [mm].
        stale: inputs that are not as they were in the bake before this one.
        whole: whether all was to be baked, as *Bake* does, and not a part of it or a change of the bake before.
        complete: whether all frames are there.
        warnings: texts, each with its code.
        error: text with code, "" for none; a line for each where there are several.
        errors: the same as values: code, object ("" for none), frame (or None) and message of each.
    """

    objects: list[str] = field(default_factory=list)
    frames: int = 0
    keys: int = 0
    key_error_mm: float = 0.0
    key_bytes: int = 0
    every_frame_bytes: int = 0
    frames_waiting: int = 0
    frame_start: int = 0
    frame_end: int = 0
    frame_step: int = 1
    vertices: int = 0
    tetrahedra: int = 0
    constraints: dict[str, int] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    solver_fps: float = 0.0
    greatest_strain: float | None = None
    greatest_volume_change: float | None = None
    mean_strain: float | None = None
    inverted_tetrahedra: int = 0
    residual: float | None = None
    substeps: int = 0
    iterations: int = 0
    contact: list[dict[str, Any]] = field(default_factory=list)
    frame_statistics: list[dict[str, Any]] = field(default_factory=list)
    device: str = ""
    cache: str = ""
    cache_bytes: int = 0
    from_cache: bool = False
    resumed_after: int | None = None
    loop: int = 0
    region: str = ""
    taken_back: str = ""
    seam_error_mm: float = 0.0
    seam_velocity_error_mm_s: float = 0.0
    pose_error_mm: list[dict[str, Any]] = field(default_factory=list)
    stale: list[str] = field(default_factory=list)
    whole: bool = False
    complete: bool = False
    warnings: list[str] = field(default_factory=list)
    error: str = ""
    errors: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        # no fields, so that they are in no report
        self._strain_sum, self._strain_count = 0.0, 0
        self._told_once: set[tuple[str, str]] = set()

    @property
    def frames_solved(self) -> tuple[int, int]:
        """How many frames are kept, as keys or in the cache, and how many were asked for."""
        asked = range(self.frame_start, self.frame_end + 1, self.frame_step)
        return self.frames + self.frames_waiting, len(asked)

    def add_notice(self, notice: Notice) -> None:
        """Take a warning, once."""
        subject = notice.code, notice.object_name
        if (text := str(notice)) not in self.warnings and subject not in self._told_once:
            self.warnings.append(text)
        if notice.code in ONCE_PER_OBJECT:
            self._told_once.add(subject)

    def add_result(self, result: Result) -> None:
        """Take what the worker built."""
        self.vertices = result.vertex_count
        self.tetrahedra = sum(body.tetrahedron_count for body in result.bodies)
        self.constraints = {}
        for body in result.bodies:
            for name, count in body.constraint_counts.items():
                self.constraints[name] = self.constraints.get(name, 0) + count
        self.device = result.device
        self.substeps, self.iterations = result.substeps, result.iterations
        for notice in result.notices:
            self.add_notice(notice)

    def add_seam(self, frames: int, seam: Seam) -> None:
        """Take how well so many frames lead from the end into the beginning."""
        self.loop = frames
        self.seam_error_mm, self.seam_velocity_error_mm_s = 1e3 * seam.distance, 1e3 * seam.velocity

    def add_pose_error(self, error: PoseError, notice: Notice | None) -> None:
        """Take how far an object is from its pose, and a warning where that is too far."""
        self.pose_error_mm.append(asdict(error))
        if notice is not None:
            self.add_notice(notice)

    def add_region(self, region: str, distance: float) -> None:
        """Take what was baked again, and how far it is from the bake before where that goes on [m]."""
        self.region, self.seam_error_mm = region, 1e3 * distance

    def add_keys(self, reductions: Sequence[Reduction]) -> None:
        """Take the keys of all bodies."""
        self.keys = sum(reduction.key_count for reduction in reductions)
        self.key_error_mm = 1e3 * max((reduction.error for reduction in reductions), default=0.0)
        self.key_bytes = sum(reduction.size for reduction in reductions)
        self.every_frame_bytes = sum(reduction.full_size for reduction in reductions)

    def add_statistics(self, names: tuple[str, ...], statistics: npt.NDArray[np.float64]) -> None:
        """Take a frame's statistics: one row for each body, one column for each name."""
        for column, name in enumerate(names):
            values = statistics[:, column][np.isfinite(statistics[:, column])]
            if not len(values):
                continue
            greatest = float(np.abs(values).max())
            if name == "greatest_strain":
                self.greatest_strain = max(greatest, self.greatest_strain or 0.0)
            elif name == "mean_strain":
                self._strain_sum += float(values.mean())
                self._strain_count += 1
                self.mean_strain = self._strain_sum / self._strain_count
            elif name == "volume_change":
                self.greatest_volume_change = max(greatest, self.greatest_volume_change or 0.0)
            elif name == "inverted_tetrahedra":
                self.inverted_tetrahedra = max(int(greatest), self.inverted_tetrahedra)
            elif name == "residual":
                self.residual = max(greatest, self.residual or 0.0)

    def add_contact(
        self, frame: int, bodies: list[str], names: tuple[str, ...], statistics: npt.NDArray[np.float64]
    ) -> None:
        """Take what a frame's statistics tell of contact."""
        is_first, is_last = frame == self.frame_start, frame == self.frame_end
        add_contact(self.contact, bodies, names, statistics, is_first=is_first, is_last=is_last)
        if is_last and not is_first:
            for notice in crossing_notices(self.contact, frame):
                self.add_notice(notice)

    def keep_frame(
        self, frame: int, bodies: list[str], names: tuple[str, ...], statistics: npt.NDArray[np.float64]
    ) -> None:
        """Keep a frame's statistics as they are: one entry for each body."""
        for body, row in zip(bodies, statistics, strict=True):
            values = {name: float(value) for name, value in zip(names, row, strict=True)}
            self.frame_statistics.append({"frame": frame, "object": body, **values})

    def start_again(self, notice: Notice) -> None:
        """Forget what was measured: the simulation is done anew, for the reason that the warning tells."""
        self.greatest_strain = self.greatest_volume_change = self.mean_strain = self.residual = None
        self.inverted_tetrahedra = 0
        self.contact, self.frame_statistics = [], []
        self._strain_sum, self._strain_count = 0.0, 0
        self.add_notice(notice)

    def fail(self, error: XpbdError) -> None:
        """Take the error that ended the bake."""
        self.error = str(error)
        self.errors = error_values(error)

    def to_json(self) -> str:
        """One line of strict JSON."""
        return json.dumps(_finite(asdict(self)), allow_nan=False)


def error_values(error: XpbdError) -> list[dict[str, Any]]:
    """Each fault of an error, as JSON has it."""
    return [
        {"code": fault.code, "object": fault.object_name, "frame": fault.frame, "message": fault.message}
        for fault in error.faults
    ]


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return value
