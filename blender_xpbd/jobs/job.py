# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene as a job folder, and back."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..scene.beginning import Beginning
from ..scene.errors import XpbdError
from ..scene.force import AIR_DENSITY, ATTRACTION, ATTRACTION_SOFTENING, FORCE_PARAMETERS
from ..scene.material import Material
from ..scene.parameters.material_parameters import MATERIAL_PARAMETERS
from ..scene.region import IDENTIFIER as REGION
from ..scene.scene import Scene, validate
from ..scene.settings import SCENE_PARAMETERS, FrameRange, SolverSettings
from .array_record import ARRAYS_FOLDER, Arrays, write_arrays
from .array_shapes import read_descriptions, require_memory
from .body_record import BODY_KEYS, OPTIONAL_KEYS, body_arrays, body_specs, describe_body, read_body
from .collider_record import COLLIDER_ARRAYS, COLLIDER_KEYS, collider_arrays, describe_collider, read_collider
from .files import inside, make_folder, publish, read_bytes
from .force_record import FORCE_ARRAYS, FORCE_KEYS, describe_force, force_arrays, read_force
from .record import Record, printable
from .region_record import REGION_ARRAYS, REGION_KEYS, describe_region, read_region, region_arrays
from .strict_json import dump_json, load_json
from .track_record import TRACK_KEYS, describe_track, read_track, track_arrays, track_specs
from .version import SOLVER_VERSION, VERSION

SCHEMA_VERSION = 5
JOB_FILE = "job.json"
FOLDER_NAME_LENGTH = 24

# For people and other programs; the reader goes by the schema
UNITS: dict[str, str] = {
    "positions": "m, in the world, Z up",
    "velocity": "m/s",
    "gravity": "m/s²",
    "frame_duration": "s",
    "thickness": "m",
    **{spec.name: spec.unit for spec in (AIR_DENSITY, ATTRACTION, ATTRACTION_SOFTENING)},
    **{
        parameter.name: parameter.unit
        for parameter in (*MATERIAL_PARAMETERS, *SCENE_PARAMETERS, *FORCE_PARAMETERS)
        if parameter.unit
    },
}

_MAXIMUM_BYTES = 64 * 2**20
_KEYS = ("schema_version", "software", "solver_version", "digest", "units", "names", "scene")
_SCENE_KEYS = (
    "gravity",
    "air_density",
    "attraction",
    "attraction_softening",
    "frames",
    "settings",
    "bodies",
    "colliders",
    "forces",
    "tracks",
    "beginning",
)
_BEGINNING_KEYS = ("job", "frame")
_FRAMES_KEYS = ("start", "end", "step", "frame_duration")


def job_digest(scene: Scene) -> str:
    """The digest of all that influences the result: 64 hexadecimal digits.

    The bytes of the arrays, materials, settings, gravity and frames count, and the versions of the software and of
    what its solver computes; names do not.

    Raises:
        XpbdError: what ``scene.validate`` finds.
    """
    return _digest(_describe(_checked(scene)), VERSION, SOLVER_VERSION)


def write_job(cache_directory: Path, scene: Scene) -> Path:
    """Write a scene as a job folder, whose name is the beginning of its digest.

    What is there and valid is kept: of an equal scene the whole folder, with its frames. What is damaged is
    written again.

    Args:
        cache_directory: holds the job folders; created where it is missing.
        scene: what to simulate.

    Returns:
        The job folder.

    Raises:
        XpbdError: what ``scene.validate`` finds; E_IO when the disk refuses; E_JOB when a link stands in the way.
    """
    scene = _checked(scene)
    description = _describe(scene)
    digest = _digest(description, VERSION, SOLVER_VERSION)
    folder = inside(cache_directory, digest[:FOLDER_NAME_LENGTH], code="E_JOB")
    make_folder(inside(folder, ARRAYS_FOLDER, code="E_JOB"))
    for described, (identifier, arrays) in zip(_items(description), _arrays_of(scene), strict=True):
        write_arrays(folder, identifier, arrays, described["arrays"])
    content = dump_json(
        {
            "schema_version": SCHEMA_VERSION,
            "software": VERSION,
            "solver_version": SOLVER_VERSION,
            "digest": digest,
            "units": UNITS,
            "names": _names(scene),
            "scene": description,
        }
    )
    path = inside(folder, JOB_FILE, code="E_JOB")
    if not _holds(path, content):
        publish(path, (content,))
    return folder


def read_job(folder: Path) -> Scene:
    """Read a job folder, which may come from a stranger.

    Raises:
        XpbdError: E_JOB naming the file, when one is missing, damaged or of another version; E_MEMORY when its arrays
            are larger than free memory; E_IO when the system cannot read it; and what ``scene.validate`` and the
            materials' and settings' ranges refuse, by their own codes.
    """
    job = read_description(folder)
    given = job.record("scene").values().keys() & {REGION}
    scene = _read_scene(folder, job.record("scene", (*_SCENE_KEYS, *given)), job.record("names"))
    validate(scene)
    return scene


def read_description(folder: Path) -> Record:
    """What ``job.json`` says, whose digest fits; no array is read.

    Raises:
        XpbdError: E_JOB naming the file, when it is missing, damaged or of another version; E_IO.
    """
    path, value = _load(folder)
    version = value.get("schema_version")
    if version != SCHEMA_VERSION:
        raise XpbdError(
            "E_JOB", f"{path} is of schema version {version!r}, this software reads {SCHEMA_VERSION}; bake again."
        )
    job = Record(value, path, "E_JOB", _KEYS)
    described = job.record("scene").values()
    if _digest(described, job.text("software"), job.integer("solver_version")) != job.text("digest"):
        raise XpbdError("E_JOB", f"{path} was changed: its digest does not fit; bake again.")
    return job


def is_regional(folder: Path) -> bool:
    """Whether a job simulates a region of another one again.

    Raises:
        XpbdError: as ``read_description``.
    """
    return REGION in read_description(folder).record("scene").values()


def is_of_another_version(folder: Path) -> bool:
    """Whether a job folder is of a version of the software that describes jobs in another way.

    Raises:
        XpbdError: E_JOB naming the file, when it is missing or damaged; E_IO.
    """
    version = _load(folder)[1].get("schema_version")
    return isinstance(version, int) and version != SCHEMA_VERSION


def _load(folder: Path) -> tuple[Path, Mapping[str, Any]]:
    path = inside(folder, JOB_FILE, code="E_JOB")
    return path, Record(load_json(path, _MAXIMUM_BYTES, "E_JOB"), path, "E_JOB").values()


def _checked(scene: Scene) -> Scene:
    """The scene with values of the types that the file gives back, so that equal scenes have equal digests."""
    validate(scene)
    bodies = tuple(
        dataclasses.replace(body, material=Material.from_values(body.material.values(), body.name))
        for body in scene.bodies
    )
    return dataclasses.replace(scene, bodies=bodies, settings=SolverSettings.from_values(scene.settings.values()))


def _digest(description: Mapping[str, Any], software: str, solver_version: int) -> str:
    whole = [SCHEMA_VERSION, software, solver_version, description]
    text = json.dumps(whole, sort_keys=True, allow_nan=False, separators=(",", ":"))
    return hashlib.blake2b(text.encode("utf-8"), digest_size=32).hexdigest()


def _describe(scene: Scene) -> dict[str, Any]:
    frames = scene.frames
    return {
        "gravity": [float(x) for x in scene.gravity],
        "air_density": float(scene.air_density),
        "attraction": float(scene.attraction),
        "attraction_softening": float(scene.attraction_softening),
        "frames": {
            "start": int(frames.start),
            "end": int(frames.end),
            "step": int(frames.step),
            "frame_duration": float(frames.frame_duration),
            # only where there are some: without them a job is what it was before they were known
            **({"subframes": int(frames.subframes)} if frames.subframes else {}),
        },
        "settings": scene.settings.values(),
        "bodies": [describe_body(body) for body in scene.bodies],
        "colliders": [describe_collider(collider) for collider in scene.colliders],
        "forces": [describe_force(force) for force in scene.forces],
        "tracks": [describe_track(track) for track in scene.tracks],
        # null for a scene that begins at rest
        "beginning": None if scene.beginning is None else dataclasses.asdict(scene.beginning),
        # only where there is one, as subframes
        **({} if scene.region is None else {REGION: describe_region(scene.region)}),
    }


def _items(description: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What has arrays, in the order of ``_arrays_of``."""
    items = [item for key in ("bodies", "colliders", "forces", "tracks") for item in description[key]]
    return [*items, description[REGION]] if REGION in description else items


def _arrays_of(scene: Scene) -> Iterator[tuple[str, Arrays]]:
    """By which identifier the files of each item are named, and its arrays in the types of the file."""
    yield from ((body.identifier, body_arrays(body)) for body in scene.bodies)
    yield from ((collider.identifier, collider_arrays(collider)) for collider in scene.colliders)
    yield from ((force.identifier, force_arrays(force)) for force in scene.forces)
    yield from ((track.target, track_arrays(track)) for track in scene.tracks)
    if scene.region is not None:
        yield REGION, region_arrays(scene.region)


def _names(scene: Scene) -> dict[str, str]:
    return {item.identifier: printable(item.name) for item in scene.objects}


def _holds(path: Path, content: bytes) -> bool:
    try:
        return read_bytes(path, len(content), "E_JOB", size=len(content)) == content
    except XpbdError as fault:
        if fault.code != "E_JOB":
            raise
        return False


def _read_scene(folder: Path, record: Record, names: Record) -> Scene:
    given = record.record("frames").values()
    numbers = record.record("frames", (*_FRAMES_KEYS, *({"subframes"} & given.keys())))
    frames = FrameRange(
        numbers.integer("start"),
        numbers.integer("end"),
        numbers.integer("step"),
        numbers.number("frame_duration"),
        subframes=numbers.integer("subframes", 1) if "subframes" in given else 0,
    )
    count = frames.count
    bodies = record.records("bodies", BODY_KEYS, OPTIONAL_KEYS)
    colliders = record.records("colliders", COLLIDER_KEYS)
    forces, tracks = record.records("forces", FORCE_KEYS), record.records("tracks", TRACK_KEYS)
    regions = [record.record(REGION, REGION_KEYS)] if REGION in record.values() else []
    specs = (
        *((item, body_specs(item)) for item in bodies),
        *((item, COLLIDER_ARRAYS) for item in colliders),
        *((item, FORCE_ARRAYS) for item in forces),
        *((item, track_specs(item)) for item in tracks),
        *((item, REGION_ARRAYS) for item in regions),
    )
    # of all, before the first is read
    require_memory((one for item in specs for one in read_descriptions(*item, count).values()), folder)
    return Scene(
        bodies=tuple(read_body(folder, item, names, count) for item in bodies),
        colliders=tuple(read_collider(folder, item, names, count) for item in colliders),
        frames=frames,
        settings=SolverSettings.from_values(record.scalars("settings")),
        gravity=np.array(record.vector("gravity")),
        forces=tuple(read_force(folder, item, names, count) for item in forces),
        tracks=tuple(read_track(folder, item, count) for item in tracks),
        air_density=record.number("air_density"),
        beginning=None if record.is_null("beginning") else _read_beginning(record.record("beginning", _BEGINNING_KEYS)),
        attraction=record.number("attraction"),
        attraction_softening=record.number("attraction_softening"),
        region=next((read_region(folder, item, count) for item in regions), None),
    )


def _read_beginning(record: Record) -> Beginning:
    return Beginning(record.text("job"), record.integer("frame"))
