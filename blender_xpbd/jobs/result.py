# SPDX-License-Identifier: GPL-3.0-or-later
"""What the worker built from a job, and how its frames are laid out."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..scene.errors import Notice, XpbdError
from ..scene.settings import SPRING_SWEEPS, SolverSettings
from .files import inside, publish
from .record import Record, printable, read_notices, write_notices
from .strict_json import dump_json, load_json

RESULT_FILE = "result.json"
RESULT_VERSION = 3

_MAXIMUM_BYTES = 16 * 2**20
_MAXIMUM_VERTICES = 2**31 - 1
# A frame has a row of them for each body: far more than there are, and no more than can be held
_MAXIMUM_STATISTICS = 64
_KEYS = (
    "version",
    "origin",
    "vertex_count",
    "bodies",
    "device",
    "statistics",
    "notices",
    "substeps",
    "iterations",
    "tangled",
    "digest",
)
# absent where it is one
_OPTIONAL_KEYS = (SPRING_SWEEPS.name,)
_TANGLED_KEYS = ("count", "digest")
_BODY_KEYS = (
    "identifier",
    "name",
    "vertex_start",
    "vertex_count",
    "particle_count",
    "tetrahedron_count",
    "constraint_counts",
    "topology_hash",
    "orientation_start",
    "orientation_count",
)


@dataclass(frozen=True)
class BodyResult:
    """What was built for one body.

    Attributes:
        identifier, name: as in the job.
        vertex_start, vertex_count: its mesh's vertices among those of a frame.
        particle_count, tetrahedron_count: of its simulated mesh.
        constraint_counts: by the name of the constraint.
        topology_hash: of its mesh, by ``scene.topology_hash``.
        orientation_start, orientation_count: its orientations among those of a frame.
    """

    identifier: str
    name: str
    vertex_start: int
    vertex_count: int
    particle_count: int
    tetrahedron_count: int
    constraint_counts: dict[str, int]
    topology_hash: str
    orientation_start: int = 0
    orientation_count: int = 0


@dataclass(frozen=True)
class Tangled:
    """The vertices that cross something at the first frame, which lie in a file of their own; see ``tangled``.

    Attributes:
        count: how many there are.
        digest: of that file's array.
    """

    count: int = 0
    digest: str = ""


@dataclass(frozen=True)
class Result:
    """What was built for a job; written before the first frame.

    Attributes:
        origin: world position [m] that a frame's positions are relative to.
        vertex_count: of all bodies.
        bodies: in the job's order, which is that of their vertices.
        device: what the solver runs on, for the user.
        statistics: names of the columns of a frame's statistics.
        notices: warnings.
        substeps, iterations: that the solver runs with, chosen by it or by the user.
        tangled: what crosses at the first frame.
        spring_sweeps: how often springs were swept in each substep, chosen by the solver.
    """

    origin: tuple[float, float, float]
    vertex_count: int
    bodies: tuple[BodyResult, ...]
    device: str
    statistics: tuple[str, ...]
    notices: tuple[Notice, ...] = ()
    substeps: int = 0
    iterations: int = 0
    tangled: Tangled = Tangled()
    spring_sweeps: int = 1

    def fixed(self, settings: SolverSettings) -> SolverSettings:
        """The settings with the substeps, iterations and sweeps that the solver ran with, and none to choose."""
        return replace(
            settings,
            quality="FIXED",
            substeps=self.substeps,
            iterations=self.iterations,
            spring_sweeps=self.spring_sweeps,
        )

    @property
    def orientation_count(self) -> int:
        """Of all bodies."""
        return sum(body.orientation_count for body in self.bodies)


def write_result(folder: Path, result: Result) -> None:
    """Write ``result.json`` of a job folder.

    Raises:
        XpbdError: E_IO.
    """
    value: dict[str, Any] = {
        "version": RESULT_VERSION,
        "origin": [float(x) for x in result.origin],
        "vertex_count": int(result.vertex_count),
        "bodies": [_describe(body) for body in result.bodies],
        "device": result.device,
        "statistics": list(result.statistics),
        "notices": write_notices(result.notices),
        "substeps": int(result.substeps),
        "iterations": int(result.iterations),
        "tangled": {"count": int(result.tangled.count), "digest": result.tangled.digest},
    }
    if result.spring_sweeps != 1:
        value[SPRING_SWEEPS.name] = int(result.spring_sweeps)
    publish(inside(folder, RESULT_FILE, code="E_CACHE"), (dump_json({**value, "digest": result_digest(value)}),))


def result_digest(value: Mapping[str, Any]) -> str:
    """The digest of all entries of ``result.json`` but itself: a changed byte may read like another number."""
    entries = {key: entry for key, entry in value.items() if key != "digest"}
    return hashlib.blake2b(json.dumps(entries, sort_keys=True).encode(), digest_size=16).hexdigest()


def read_result(folder: Path) -> Result:
    """Read ``result.json`` of a job folder.

    Raises:
        XpbdError: E_CACHE naming the file, for whatever is not as ``write_result`` leaves it; E_IO when the system
            cannot read it.
    """
    path = inside(folder, RESULT_FILE, code="E_CACHE")
    value = load_json(path, _MAXIMUM_BYTES, "E_CACHE")
    version = Record(value, path, "E_CACHE").values().get("version")
    if version != RESULT_VERSION:
        raise XpbdError("E_CACHE", f"{path} is of version {version!r}, not {RESULT_VERSION}; bake again.")
    given = [key for key in _OPTIONAL_KEYS if key in value]
    record = Record(value, path, "E_CACHE", (*_KEYS, *given))
    tangled = record.record("tangled", _TANGLED_KEYS)
    if record.text("digest") != result_digest(record.values()):
        raise XpbdError("E_CACHE", f"{path} is corrupt: its entries do not fit their digest.")
    result = Result(
        origin=record.vector("origin"),
        vertex_count=record.integer("vertex_count", 0),
        bodies=tuple(_body(item) for item in record.records("bodies", _BODY_KEYS)),
        device=record.text("device"),
        statistics=record.texts("statistics"),
        notices=read_notices(record, "notices"),
        substeps=record.integer("substeps", 0),
        iterations=record.integer("iterations", 0),
        tangled=Tangled(tangled.integer("count", 0), tangled.text("digest")),
        spring_sweeps=record.integer(SPRING_SWEEPS.name, 1) if given else 1,
    )
    _check_layout(result, path)
    return result


def _describe(body: BodyResult) -> dict[str, Any]:
    return {
        "identifier": body.identifier,
        "name": printable(body.name),
        "vertex_start": int(body.vertex_start),
        "vertex_count": int(body.vertex_count),
        "particle_count": int(body.particle_count),
        "tetrahedron_count": int(body.tetrahedron_count),
        "constraint_counts": {name: int(count) for name, count in body.constraint_counts.items()},
        "topology_hash": body.topology_hash,
        "orientation_start": int(body.orientation_start),
        "orientation_count": int(body.orientation_count),
    }


def _body(record: Record) -> BodyResult:
    counts = record.record("constraint_counts")
    return BodyResult(
        identifier=record.text("identifier"),
        name=record.text("name"),
        vertex_start=record.integer("vertex_start", 0),
        vertex_count=record.integer("vertex_count", 0),
        particle_count=record.integer("particle_count", 0),
        tetrahedron_count=record.integer("tetrahedron_count", 0),
        constraint_counts={name: counts.integer(name, 0) for name in counts.values()},
        topology_hash=record.text("topology_hash"),
        orientation_start=record.integer("orientation_start", 0),
        orientation_count=record.integer("orientation_count", 0),
    )


def _check_layout(result: Result, path: Path) -> None:
    """The bodies' vertices and orientations must follow one another without a gap: a reader slices frames by them."""
    start, turns_start = 0, 0
    for body in result.bodies:
        if body.vertex_start != start:
            raise XpbdError("E_CACHE", f"{path}: the vertices of {body.identifier} begin at the wrong place.")
        if body.orientation_start != turns_start:
            raise XpbdError("E_CACHE", f"{path}: the orientations of {body.identifier} begin at the wrong place.")
        start += body.vertex_count
        turns_start += body.orientation_count
    if len(result.statistics) > _MAXIMUM_STATISTICS:
        raise XpbdError("E_CACHE", f"{path}: there are more than {_MAXIMUM_STATISTICS} statistics.")
    if turns_start > _MAXIMUM_VERTICES:
        raise XpbdError("E_CACHE", f"{path}: there are more than {_MAXIMUM_VERTICES} orientations.")
    if start != result.vertex_count or start > _MAXIMUM_VERTICES:
        raise XpbdError("E_CACHE", f"{path}: vertex_count does not fit the bodies.")
    if result.tangled.count > result.vertex_count:
        raise XpbdError("E_CACHE", f"{path}: more vertices are tangled than there are.")
