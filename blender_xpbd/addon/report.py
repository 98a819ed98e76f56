# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bake did: for the panel, ``--json`` and scripts."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ..jobs.result import Result
from ..scene.errors import Notice, XpbdError


@dataclass
class BakeSummary:
    """What a bake did.

    Attributes:
        objects: names of the baked bodies.
        frames: frames that have a key.
        frame_start, frame_end, frame_step: what was asked for.
        vertices: of all bodies' meshes.
        tetrahedra: of all bodies.
        constraints: number by kind, over all bodies.
        seconds: spent in each stage: the add-on's "reading", "solving", "writing", and the worker's own under
            "worker_…"; "total" is the whole bake.
        solver_fps: frames per second of the solver alone.
        greatest_strain: greatest |length / rest length − 1| of all edges over all frames, or None where unknown.
        greatest_volume_change: greatest |volume / rest volume − 1| of all jellies over all frames, or None.
        inverted_tetrahedra: greatest number in one frame.
        device: what the solver ran on.
        cache: the job folder.
        from_cache: whether nothing had to be solved.
        complete: whether all frames are there.
        warnings: texts, each with its code.
        error: text with code, "" for none.
    """

    objects: list[str] = field(default_factory=list)
    frames: int = 0
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
    inverted_tetrahedra: int = 0
    device: str = ""
    cache: str = ""
    from_cache: bool = False
    complete: bool = False
    warnings: list[str] = field(default_factory=list)
    error: str = ""

    def add_notice(self, notice: Notice) -> None:
        """Take a warning, once."""
        if (text := str(notice)) not in self.warnings:
            self.warnings.append(text)

    def add_result(self, result: Result) -> None:
        """Take what the worker built."""
        self.vertices = result.vertex_count
        self.tetrahedra = sum(body.tetrahedron_count for body in result.bodies)
        self.constraints = {}
        for body in result.bodies:
            for name, count in body.constraint_counts.items():
                self.constraints[name] = self.constraints.get(name, 0) + count
        self.device = result.device
        for notice in result.notices:
            self.add_notice(notice)

    def add_statistics(self, names: tuple[str, ...], statistics: npt.NDArray[np.float64]) -> None:
        """Take a frame's statistics: one row for each body, one column for each name."""
        for column, name in enumerate(names):
            values = statistics[:, column][np.isfinite(statistics[:, column])]
            if not len(values):
                continue
            greatest = float(np.abs(values).max())
            if name == "greatest_strain":
                self.greatest_strain = max(greatest, self.greatest_strain or 0.0)
            elif name == "volume_change":
                self.greatest_volume_change = max(greatest, self.greatest_volume_change or 0.0)
            elif name == "inverted_tetrahedra":
                self.inverted_tetrahedra = max(int(greatest), self.inverted_tetrahedra)

    def fail(self, error: XpbdError) -> None:
        """Take the error that ended the bake."""
        self.error = str(error)

    def to_json(self) -> str:
        """One line of strict JSON."""
        return json.dumps(_finite(asdict(self)), allow_nan=False)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return value
