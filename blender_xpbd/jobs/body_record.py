# SPDX-License-Identifier: GPL-3.0-or-later
"""A body in a job folder: its object in ``job.json`` and its arrays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..scene.body import VERTEX_FACTORS, Attachment, Body, Pins, Tetrahedralization
from ..scene.links import Links
from ..scene.material import Material
from .array_record import Arrays, describe_arrays, read_arrays, typed
from .array_shapes import FRAMES, ArraySpec
from .contact_record import CONTACT_KEYS, describe_contact, read_contact
from .identifiers import read_identifier
from .pose_record import POSES, describe_poses, pose_arrays, pose_specs, read_poses
from .record import Record

BODY_KEYS = (
    "identifier",
    "role",
    "material",
    "velocity",
    "tetrahedralizer",
    "resolution",
    "attach_target",
    "contact",
    "fields",
    "arrays",
)

OPTIONAL_KEYS = (POSES,)

BODY_ARRAYS: dict[str, ArraySpec] = {
    "positions": ("<f8", ("vertices", 3)),
    "face_sizes": ("<i4", ("polygons",)),
    "corners": ("<i4", ("corners",)),
    "pin_vertices": ("<i4", ("pins",)),
    "pin_weights": ("<f4", ("pins",)),
    "pin_targets": ("<f8", (FRAMES, "pins", 3)),
    "pin_matrices": ("<f8", (FRAMES, 4, 4)),
    "tetrahedra_vertices": ("<f8", ("tetrahedra vertices", 3)),
    "tetrahedra": ("<i4", ("tetrahedra", 4)),
    "uvs": ("<f4", ("corners", 2)),
    "loose_edges": ("<i4", ("loose edges", 2)),
    "axes": ("<f8", (3, 3)),
    "attach_vertices": ("<i4", ("attached",)),
    "attach_weights": ("<f4", ("attached",)),
    "contact_left_out": ("<i4", ("left out",)),
    "goal_vertices": ("<i4", ("goals",)),
    "goal_weights": ("<f4", ("goals",)),
    "goal_targets": ("<f8", (FRAMES, "goals", 3)),
    "goal_matrices": ("<f8", (FRAMES, 4, 4)),
    "start": ("<f8", ("vertices", 3)),
    "seams": ("<i4", ("seam vertices",)),
    "link_pairs": ("<i4", ("links", 2)),
    "link_kinds": ("<i4", ("links",)),
    "link_lengths": ("<f8", ("links",)),
    "link_compliances": ("<f8", ("links",)),
    "link_shares": ("<f8", ("links",)),
    **{f"factor_{name}": ("<f4", ("vertices",)) for name in VERTEX_FACTORS},
}


def body_specs(record: Record) -> dict[str, ArraySpec]:
    """The arrays that a body of a job should have."""
    return {**BODY_ARRAYS, **pose_specs(record)}


def body_arrays(body: Body) -> Arrays:
    """The arrays of a body, in the types of the file."""
    pins, tetrahedralization, attachment = body.pins, body.tetrahedralization, body.attachment
    arrays = typed(
        {
            "positions": body.positions,
            "face_sizes": body.face_sizes,
            "corners": body.corners,
            **_pin_arrays("pin", pins),
            "tetrahedra_vertices": tetrahedralization.vertices,
            "tetrahedra": tetrahedralization.tetrahedra,
            "uvs": body.uvs,
            "loose_edges": body.loose_edges,
            "axes": body.axes,
            "attach_vertices": attachment.vertices if attachment else (),
            "attach_weights": attachment.weights if attachment else (),
            "contact_left_out": body.contact.left_out,
            **_pin_arrays("goal", body.goal),
            "start": body.start,
            "seams": body.seams,
            **{f"link_{name}": values for name, values in body.links.columns().items()},
            # an empty array stands for no factors
            **{f"factor_{name}": body.vertex_factors.get(name, ()) for name in VERTEX_FACTORS},
        },
        BODY_ARRAYS,
    )
    return arrays | pose_arrays(body.poses)


def _pin_arrays(prefix: str, pins: Pins) -> dict[str, Any]:
    return {
        f"{prefix}_vertices": pins.vertices,
        f"{prefix}_weights": pins.weights,
        f"{prefix}_targets": pins.targets,
        f"{prefix}_matrices": pins.matrices,
    }


def _read_pins(prefix: str, arrays: Arrays) -> Pins:
    return Pins(*(arrays[f"{prefix}_{name}"] for name in ("vertices", "weights", "targets", "matrices")))


def describe_body(body: Body) -> dict[str, Any]:
    """The body as an object of ``job.json``."""
    return {
        "identifier": body.identifier,
        "role": body.role,
        "material": body.material.values(),
        "velocity": [float(x) for x in body.velocity],
        "tetrahedralizer": body.tetrahedralization.method,
        "resolution": int(body.tetrahedralization.resolution),
        # an empty one stands for no attachment
        "attach_target": body.attachment.target if body.attachment else "",
        "contact": describe_contact(body.contact),
        # null stands for all
        "fields": None if body.fields is None else list(body.fields),
        **describe_poses(body.poses),
        "arrays": describe_arrays(body_arrays(body)),
    }


def read_body(folder: Path, record: Record, names: Record, frame_count: int) -> Body:
    """Read a body of a job.

    Args:
        folder: the job folder.
        record: of the body.
        names: of all objects.
        frame_count: frames of the job.

    Raises:
        XpbdError: E_JOB, E_IO; E_PARAM for a material out of range.
    """
    identifier = read_identifier(record)
    name = names.text_or(identifier, identifier)
    arrays = read_arrays(folder, identifier, record, body_specs(record), frame_count)
    target = record.text("attach_target")
    return Body(
        identifier=identifier,
        name=name,
        role=record.text("role"),
        positions=arrays["positions"],
        face_sizes=arrays["face_sizes"],
        corners=arrays["corners"],
        material=Material.from_values(record.scalars("material"), name),
        pins=_read_pins("pin", arrays),
        tetrahedralization=Tetrahedralization(
            record.text("tetrahedralizer"),
            record.integer("resolution"),
            arrays["tetrahedra_vertices"],
            arrays["tetrahedra"],
        ),
        velocity=np.array(record.vector("velocity")),
        vertex_factors={name: arrays[f"factor_{name}"] for name in VERTEX_FACTORS if len(arrays[f"factor_{name}"])},
        uvs=arrays["uvs"],
        loose_edges=arrays["loose_edges"],
        axes=arrays["axes"],
        attachment=Attachment(target, arrays["attach_vertices"], arrays["attach_weights"]) if target else None,
        contact=read_contact(record.record("contact", CONTACT_KEYS), arrays["contact_left_out"]),
        fields=None if record.is_null("fields") else record.texts("fields"),
        goal=_read_pins("goal", arrays),
        start=arrays["start"],
        seams=arrays["seams"],
        links=Links(**{name: arrays[f"link_{name}"] for name in Links().columns()}),
        poses=read_poses(record, arrays),
    )
