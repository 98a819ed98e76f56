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
import numpy.typing as npt

from ..scene.errors import XpbdError
from ..scene.material import Material
from ..scene.material_parameters import MATERIAL_PARAMETERS
from ..scene.scene import (
    COLLIDER_SHAPES,
    IDENTIFIER,
    MULTIPLIERS,
    Attachment,
    Body,
    Collider,
    Pins,
    Scene,
    Tetrahedralization,
    validate,
)
from ..scene.settings import FrameRange, SolverSettings
from .array_shapes import BODY_ARRAYS, COLLIDER_ARRAYS, ArrayDescription, read_descriptions, require_memory
from .arrays import array_digest, check_array, load_array, save_array
from .files import inside, make_folder, publish, read_bytes
from .record import Record, printable
from .strict_json import dump_json, load_json
from .version import VERSION

SCHEMA_VERSION = 1
JOB_FILE = "job.json"
ARRAYS_FOLDER = "arrays"
FOLDER_NAME_LENGTH = 24

# For people and other programs; the reader goes by the schema
UNITS: dict[str, str] = {
    "positions": "m, in the world, Z up",
    "velocity": "m/s",
    "gravity": "m/s²",
    "frame_duration": "s",
    **{parameter.name: parameter.unit for parameter in MATERIAL_PARAMETERS if parameter.unit},
}

_MAXIMUM_BYTES = 64 * 2**20
_KEYS = ("schema_version", "software", "digest", "units", "names", "scene")
_SCENE_KEYS = ("gravity", "frames", "settings", "bodies", "colliders")
_FRAMES_KEYS = ("start", "end", "step", "frame_duration")
_BODY_KEYS = ("identifier", "role", "material", "velocity", "tetrahedralizer", "resolution", "attach_target", "arrays")
_COLLIDER_KEYS = ("identifier", "shape", "radius", "friction", "restitution", "arrays")

_Array = npt.NDArray[Any]


def job_digest(scene: Scene) -> str:
    """The digest of all that influences the result: 64 hexadecimal digits.

    The bytes of the arrays, materials, settings, gravity and frames count, and the version of the software; names
    do not.

    Raises:
        XpbdError: what ``scene.validate`` finds.
    """
    return _digest(_describe(_checked(scene)), VERSION)


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
    digest = _digest(description, VERSION)
    folder = inside(cache_directory, digest[:FOLDER_NAME_LENGTH], code="E_JOB")
    make_folder(inside(folder, ARRAYS_FOLDER, code="E_JOB"))
    for item, (identifier, arrays) in zip(
        [*description["bodies"], *description["colliders"]], _arrays_of(scene), strict=True
    ):
        for name, array in arrays.items():
            _save_unless_there(_array_path(folder, identifier, name), array, item["arrays"][name]["digest"])
    content = dump_json(
        {
            "schema_version": SCHEMA_VERSION,
            "software": VERSION,
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
    path = inside(folder, JOB_FILE, code="E_JOB")
    value = load_json(path, _MAXIMUM_BYTES, "E_JOB")
    version = Record(value, path, "E_JOB").values().get("schema_version")
    if version != SCHEMA_VERSION:
        raise XpbdError(
            "E_JOB", f"{path} is of schema version {version!r}, this software reads {SCHEMA_VERSION}; bake again."
        )
    job = Record(value, path, "E_JOB", _KEYS)
    if _digest(job.record("scene").values(), job.text("software")) != job.text("digest"):
        raise XpbdError("E_JOB", f"{path} was changed: its digest does not fit; bake again.")
    scene = _read_scene(folder, job.record("scene", _SCENE_KEYS), job.record("names"))
    validate(scene)
    return scene


def _checked(scene: Scene) -> Scene:
    """The scene with values of the types that the file gives back, so that equal scenes have equal digests."""
    validate(scene)
    bodies = tuple(
        dataclasses.replace(body, material=Material.from_values(body.material.values(), body.name))
        for body in scene.bodies
    )
    return dataclasses.replace(scene, bodies=bodies, settings=SolverSettings.from_values(scene.settings.values()))


def _digest(description: Mapping[str, Any], software: str) -> str:
    text = json.dumps([SCHEMA_VERSION, software, description], sort_keys=True, allow_nan=False, separators=(",", ":"))
    return hashlib.blake2b(text.encode("utf-8"), digest_size=32).hexdigest()


def _describe(scene: Scene) -> dict[str, Any]:
    frames = scene.frames
    arrays = dict(_arrays_of(scene))
    return {
        "gravity": _numbers(scene.gravity),
        "frames": {
            "start": int(frames.start),
            "end": int(frames.end),
            "step": int(frames.step),
            "frame_duration": float(frames.frame_duration),
        },
        "settings": scene.settings.values(),
        "bodies": [
            {
                "identifier": body.identifier,
                "role": body.role,
                "material": body.material.values(),
                "velocity": _numbers(body.velocity),
                "tetrahedralizer": body.tetrahedralization.method,
                "resolution": int(body.tetrahedralization.resolution),
                # an empty one stands for no attachment
                "attach_target": body.attachment.target if body.attachment else "",
                "arrays": _describe_arrays(arrays[body.identifier]),
            }
            for body in scene.bodies
        ],
        "colliders": [
            {
                "identifier": collider.identifier,
                "shape": collider.shape,
                "radius": float(collider.radius),
                "friction": float(collider.friction),
                "restitution": float(collider.restitution),
                "arrays": _describe_arrays(arrays[collider.identifier]),
            }
            for collider in scene.colliders
        ],
    }


def _names(scene: Scene) -> dict[str, str]:
    bodies = {body.identifier: printable(body.name) for body in scene.bodies}
    return bodies | {collider.identifier: printable(collider.name) for collider in scene.colliders}


def _describe_arrays(arrays: Mapping[str, _Array]) -> dict[str, Any]:
    return {
        name: {"dtype": array.dtype.str, "shape": list(array.shape), "digest": array_digest(array)}
        for name, array in arrays.items()
    }


def _numbers(vector: npt.NDArray[np.float64]) -> list[float]:
    return [float(x) for x in vector]


def _arrays_of(scene: Scene) -> Iterator[tuple[str, dict[str, _Array]]]:
    """Identifier and arrays of each body and collider, in the types of the file."""
    for body in scene.bodies:
        pins, tetrahedralization, attachment = body.pins, body.tetrahedralization, body.attachment
        yield (
            body.identifier,
            {
                "positions": np.asarray(body.positions, "<f8"),
                "face_sizes": np.asarray(body.face_sizes, "<i4"),
                "corners": np.asarray(body.corners, "<i4"),
                "pin_vertices": np.asarray(pins.vertices, "<i4"),
                "pin_weights": np.asarray(pins.weights, "<f4"),
                "pin_targets": np.asarray(pins.targets, "<f8"),
                "tetrahedra_vertices": np.asarray(tetrahedralization.vertices, "<f8"),
                "tetrahedra": np.asarray(tetrahedralization.tetrahedra, "<i4"),
                "uvs": np.asarray(body.uvs, "<f4"),
                "loose_edges": np.asarray(body.loose_edges, "<i4"),
                "attach_vertices": np.asarray(attachment.vertices if attachment else (), "<i4"),
                "attach_weights": np.asarray(attachment.weights if attachment else (), "<f4"),
                # an empty array stands for no multiplier
                **{f"multiplier_{name}": np.asarray(body.multipliers.get(name, ()), "<f4") for name in MULTIPLIERS},
            },
        )
    for collider in scene.colliders:
        yield (
            collider.identifier,
            {
                "transforms": np.asarray(collider.transforms, "<f8"),
                "positions": np.asarray(collider.positions, "<f8"),
                "triangles": np.asarray(collider.triangles, "<i4"),
            },
        )


def _array_path(folder: Path, identifier: str, name: str) -> Path:
    # The identifier first, and no dot after it: Windows takes "con.npy" and its like for devices
    return inside(folder, ARRAYS_FOLDER, f"{identifier}_{name}.npy", code="E_JOB")


def _save_unless_there(path: Path, array: _Array, digest: str) -> None:
    try:
        check_array(path, array.dtype, array.shape, digest)
    except XpbdError as fault:
        if fault.code != "E_JOB":
            raise
        save_array(path, array)


def _holds(path: Path, content: bytes) -> bool:
    try:
        return read_bytes(path, len(content), "E_JOB", size=len(content)) == content
    except XpbdError as fault:
        if fault.code != "E_JOB":
            raise
        return False


def _read_scene(folder: Path, record: Record, names: Record) -> Scene:
    numbers = record.record("frames", _FRAMES_KEYS)
    frames = FrameRange(
        numbers.integer("start"), numbers.integer("end"), numbers.integer("step"), numbers.number("frame_duration")
    )
    bodies, colliders = record.records("bodies", _BODY_KEYS), record.records("colliders", _COLLIDER_KEYS)
    # Of all, before the first is read
    body_arrays = [read_descriptions(item, BODY_ARRAYS, frames.count) for item in bodies]
    collider_arrays = [read_descriptions(item, COLLIDER_ARRAYS, frames.count) for item in colliders]
    require_memory((one for arrays in (*body_arrays, *collider_arrays) for one in arrays.values()), folder)
    return Scene(
        bodies=tuple(_read_body(folder, *item, names) for item in zip(bodies, body_arrays, strict=True)),
        colliders=tuple(_read_collider(folder, *item, names) for item in zip(colliders, collider_arrays, strict=True)),
        frames=frames,
        settings=SolverSettings.from_values(record.scalars("settings")),
        gravity=np.array(record.vector("gravity")),
    )


def _read_body(folder: Path, record: Record, described: Mapping[str, ArrayDescription], names: Record) -> Body:
    identifier = _identifier(record)
    name = names.text_or(identifier, identifier)
    arrays = _read_arrays(folder, identifier, described)
    target = record.text("attach_target")
    return Body(
        identifier=identifier,
        name=name,
        role=record.text("role"),
        positions=arrays["positions"],
        face_sizes=arrays["face_sizes"],
        corners=arrays["corners"],
        material=Material.from_values(record.scalars("material"), name),
        pins=Pins(arrays["pin_vertices"], arrays["pin_weights"], arrays["pin_targets"]),
        tetrahedralization=Tetrahedralization(
            record.text("tetrahedralizer"),
            record.integer("resolution"),
            arrays["tetrahedra_vertices"],
            arrays["tetrahedra"],
        ),
        velocity=np.array(record.vector("velocity")),
        multipliers={name: arrays[f"multiplier_{name}"] for name in MULTIPLIERS if len(arrays[f"multiplier_{name}"])},
        uvs=arrays["uvs"],
        loose_edges=arrays["loose_edges"],
        attachment=Attachment(target, arrays["attach_vertices"], arrays["attach_weights"]) if target else None,
    )


def _read_collider(folder: Path, record: Record, described: Mapping[str, ArrayDescription], names: Record) -> Collider:
    identifier = _identifier(record)
    arrays = _read_arrays(folder, identifier, described)
    return Collider(
        identifier=identifier,
        name=names.text_or(identifier, identifier),
        shape=record.choice("shape", COLLIDER_SHAPES),
        transforms=arrays["transforms"],
        positions=arrays["positions"],
        triangles=arrays["triangles"],
        radius=record.number("radius"),
        friction=record.number("friction"),
        restitution=record.number("restitution"),
    )


def _identifier(record: Record) -> str:
    identifier = record.text("identifier")
    if not IDENTIFIER.fullmatch(identifier):
        record.refuse("identifier may have a-z and 0-9 only")
    return identifier


def _read_arrays(folder: Path, identifier: str, described: Mapping[str, ArrayDescription]) -> dict[str, _Array]:
    return {
        name: load_array(_array_path(folder, identifier, name), item.dtype, item.shape, item.digest)
        for name, item in described.items()
    }
