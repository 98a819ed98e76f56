# SPDX-License-Identifier: GPL-3.0-or-later
"""Vertices that ride on an object that is not simulated: on its bone, on its deformed surface, or on itself."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field

import bpy
import numpy as np
import numpy.typing as npt
from mathutils.bvhtree import BVHTree

from ...scene.body import Pins
from ...scene.errors import Notice
from ...scene.transforms import transformed
from .attachment_reader import LocalAttachment
from .body_motion import still_once
from .collider_reader import evaluated_surface
from .motion import finite_matrix

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
FindObject = Callable[[int], bpy.types.Object]


@dataclass
class _Ride:
    """The attached vertices of one body.

    Attributes:
        attachment: to what.
        start: where they are at the first frame, in the world in Blender units, shape (vertices, 3).
        anchors: of each, the point whose nearest triangle of a surface it rides on, likewise.
        corners: of a surface, the vertices of the triangle that each rides on, shape (vertices, 3).
        offsets: from the triangle's first corner, in the triangle's own axes; of anything else, in its coordinates.
        rows: where they are at each frame.
    """

    attachment: LocalAttachment
    start: Floats
    anchors: Floats
    corners: Ints = field(default_factory=lambda: np.zeros((0, 3), np.int32))
    offsets: Floats = field(default_factory=lambda: np.zeros((0, 3)))
    rows: list[Floats] = field(default_factory=list)


class Rides:
    """Attachments to objects that are not simulated, followed through the frames."""

    def __init__(self, bodies: Collection[int], present: Collection[int]) -> None:
        """Nothing rides yet.

        Args:
            bodies: ``session_uid`` of what is simulated.
            present: of all objects that are enabled.
        """
        self._bodies, self._present = bodies, present
        self._rides: dict[int, _Ride] = {}

    def __bool__(self) -> bool:
        return bool(self._rides)

    def takes(self, attachment: LocalAttachment | None) -> bool:
        """Whether an attachment is to something that is there and not simulated."""
        if attachment is None:
            return False
        return attachment.target_uid in self._present and attachment.target_uid not in self._bodies

    def add(self, object_uid: int, attachment: LocalAttachment, start: Floats, anchors: Floats) -> None:
        """Let vertices of a body ride.

        Args:
            object_uid: of the body.
            attachment: that ``takes`` has taken.
            start: where its vertices are at the first frame, in the world in Blender units, shape (attached, 3).
            anchors: where the points are by which a surface's triangles are chosen, likewise.
        """
        self._rides[object_uid] = _Ride(attachment, start, anchors)

    def note(self, find: FindObject, depsgraph: bpy.types.Depsgraph) -> None:
        """Take the places of a frame.

        Args:
            find: an object by its ``session_uid``.
            depsgraph: evaluated.

        Raises:
            XpbdError: E_TRANSFORM_SINGULAR.
        """
        for ride in self._rides.values():
            target = find(ride.attachment.target_uid)
            matrix = _matrix(target, ride.attachment.bone, depsgraph)
            points = _surface(target, depsgraph) if not ride.attachment.bone else None
            if not ride.rows:
                _bind(ride, matrix, points)
            if points is not None and len(ride.corners) and ride.corners.max() < len(points[0]):
                origins, axes = _frames(transformed(matrix, points[0])[ride.corners])
                ride.rows.append(origins + np.einsum("vij,vj->vi", axes, ride.offsets))
            elif len(ride.corners):
                # its vertices are gone: what rode on it stays
                ride.rows.append(ride.rows[-1])
            else:
                ride.rows.append(transformed(matrix, ride.offsets))

    def pins(self, object_uid: int, unit_scale: float) -> Pins:
        """What rides of a body, as pins of the world [m].

        Args:
            object_uid: of the body.
            unit_scale: metres per Blender unit.
        """
        ride = self._rides.get(object_uid)
        if ride is None:
            return Pins()
        return Pins(ride.attachment.vertices, ride.attachment.weights, unit_scale * still_once(np.stack(ride.rows)))


def joined(own: Pins, riding: Pins, rest: Floats, frame_count: int) -> Pins:
    """Pins of both kinds, those of the object as ``keeps_pins``.

    Args:
        own: of the object, in the world [m].
        riding: on other objects.
        rest: of all vertices [m], shape (vertices, 3).
        frame_count: frames of the bake.
    """
    if not len(riding.vertices):
        return own
    keeps = keeps_pins(own.vertices, riding.vertices)
    if not keeps.any():
        return riding
    mine = np.stack([own.places(rest, frame)[keeps] for frame in range(frame_count)])
    its = np.stack([riding.places(rest, frame) for frame in range(frame_count)])
    return Pins(
        np.concatenate([own.vertices[keeps], riding.vertices]),
        np.concatenate([own.weights[keeps], riding.weights]),
        still_once(np.concatenate([mine, its], axis=1)),
    )


def keeps_pins(own: Ints, riding: Ints) -> npt.NDArray[np.bool_]:
    """Which pins an object keeps, shape (own,): a vertex that rides is not held by its own object."""
    return ~np.isin(own, riding)


def bone_notices(attachments: Iterable[tuple[str, LocalAttachment]], find: FindObject) -> list[Notice]:
    """A warning for each attachment to a bone that is not there, by the names of the bodies."""
    notices = []
    for name, attachment in attachments:
        target = find(attachment.target_uid)
        if attachment.bone and (target.pose is None or attachment.bone not in target.pose.bones):
            text = f'"{target.name}" has no bone "{attachment.bone}": the vertices ride on the object itself.'
            notices.append(Notice("W_GROUP", text, name))
    return notices


def _matrix(target: bpy.types.Object, bone: str, depsgraph: bpy.types.Depsgraph) -> Floats:
    """To the world in Blender units, from the coordinates of a bone that is there, or of the object."""
    matrix = finite_matrix(target, depsgraph)
    pose = target.evaluated_get(depsgraph).pose
    found = pose.bones.get(bone) if pose is not None and bone else None
    return matrix if found is None else matrix @ np.array(found.matrix, np.float64)


def _surface(target: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> tuple[Floats, Ints] | None:
    """Local vertices and triangles after all modifiers; None for what has no faces."""
    if target.type != "MESH":
        return None
    positions, triangles = evaluated_surface(target, depsgraph)
    return (positions, triangles) if len(triangles) else None


def _bind(ride: _Ride, matrix: Floats, surface: tuple[Floats, Ints] | None) -> None:
    """Note where the vertices are on what they ride."""
    if surface is None:
        ride.offsets = transformed(np.linalg.inv(matrix), ride.start)
        return
    places = transformed(matrix, surface[0])
    tree = BVHTree.FromPolygons(places.tolist(), surface[1].tolist())
    nearest = [tree.find_nearest(point)[2] or 0 for point in ride.anchors.tolist()]
    ride.corners = surface[1][nearest]
    origins, axes = _frames(places[ride.corners])
    ride.offsets = np.einsum("vji,vj->vi", axes, ride.start - origins)


def _frames(corners: Floats) -> tuple[Floats, Floats]:
    """Centres and axes, as columns, of triangles, shape (triangles, 3, 3); a triangle without area has the world's."""
    first = corners[:, 1] - corners[:, 0]
    normal = np.cross(first, corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(normal, axis=1)
    flat = ~(lengths > 0.0)
    x = first / np.where(flat, 1.0, np.linalg.norm(first, axis=1))[:, None]
    z = normal / np.where(flat, 1.0, lengths)[:, None]
    axes = np.stack([x, np.cross(z, x), z], axis=2)
    axes[flat] = np.eye(3)
    return corners.mean(axis=1), axes
