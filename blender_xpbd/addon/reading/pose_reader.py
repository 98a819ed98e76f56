# SPDX-License-Identifier: GPL-3.0-or-later
"""The shapes that an object is to have at some frames: each one of its shape keys, or another object."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
import numpy.typing as npt

from ...scene.errors import Notice
from ...scene.pose import Pose
from ...scene.settings import FrameRange
from ...scene.transforms import at_frame, transformed
from ..data.pose_settings import POSE_ROLES
from .mesh_reader import key_coordinates, own_keys, read_rest_shape
from .motion import finite_matrix

Floats = npt.NDArray[np.float64]

_METRES_PER_MILLIMETRE = 1e-3
# frames in which a body is thrown into its pose more than moved. Chosen by hand
SHORT_LEAD = 4


@dataclass(frozen=True)
class LocalPose:
    """A pose before it is placed in the world.

    Attributes:
        frame, lead: as in ``scene.Pose``.
        tolerance: [m].
        shape: coordinates of the vertices, shape (vertices, 3).
        matrix: from these to the world, in Blender units, shape (4, 4); None for those of the object itself.
    """

    frame: int
    lead: int
    tolerance: float
    shape: Floats
    matrix: Floats | None

    def placed(self, matrices: Floats, unit_scale: float) -> Pose:
        """The pose in the world.

        Args:
            matrices: of the object, local to world in Blender units, from the first frame to the pose's at least, or
                one, shape (frames, 4, 4).
            unit_scale: metres per Blender unit.
        """
        matrix = matrices if self.matrix is None else self.matrix
        return Pose(self.frame, self.lead, transformed(matrix, self.shape) * unit_scale, self.tolerance)


def read_poses(
    obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, enabled: frozenset[int]
) -> tuple[tuple[LocalPose, ...], tuple[Notice, ...]]:
    """The poses of an object in the order of their frames; a warning for each that is missing or does not fit.

    Args:
        obj: that is to go into poses.
        depsgraph: evaluated at the first frame.
        enabled: ``session_uid`` of all objects that are enabled in viewports.

    Raises:
        XpbdError: E_TRANSFORM_SINGULAR, where another object is a pose, at no finite place.
    """
    found: dict[int, LocalPose] = {}
    notices: list[Notice] = []
    for asked in asked_poses(obj):
        if asked.frame in found:
            text = f"It has two poses at frame {asked.frame}: the first one in the list counts."
            notices.append(Notice("W_POSE", text, obj.name))
            continue
        shape, matrix, fault = _shape(obj, asked, depsgraph, enabled)
        if shape is None:
            notices.append(Notice("W_POSE", f"{fault}: it goes into no pose at frame {asked.frame}.", obj.name))
            continue
        tolerance = _METRES_PER_MILLIMETRE * asked.tolerance
        found[asked.frame] = LocalPose(asked.frame, asked.lead, tolerance, shape, matrix)
    return tuple(found[frame] for frame in sorted(found)), tuple(notices)


def asked_poses(obj: bpy.types.Object) -> Iterator[Any]:
    """The poses that the artist has asked for, as ``Object.xpbd.poses`` has them."""
    settings = obj.xpbd
    if settings.role in POSE_ROLES and obj.type == "MESH":
        yield from (asked for asked in settings.poses if is_pose(asked))


def is_pose(asked: Any) -> bool:
    """Whether an entry of ``Object.xpbd.poses`` names a shape."""
    return bool(asked.target) or asked.object is not None


def _shape(
    obj: bpy.types.Object, asked: Any, depsgraph: bpy.types.Depsgraph, enabled: frozenset[int]
) -> tuple[Floats | None, Floats | None, str]:
    """Shape of a pose and where it stands, as ``LocalPose`` has them; or what is wrong."""
    name, other = asked.target, asked.object
    matrix: Floats | None = None
    if name:
        block = next((block for block in own_keys(obj) if block.name == name), None)
        if block is None:
            return None, None, f'There is no shape key "{name}" of its own to be its pose target'
        shape = key_coordinates(block)
    else:
        if other.type != "MESH":
            return None, None, f'Its pose object "{other.name}" is no mesh'
        if other.session_uid not in enabled:
            # Blender does not work out where such an object stands
            text = f'Its pose object "{other.name}" is disabled in viewports, or excluded from the view layer'
            return None, None, f"{text} (enable it; the eye in the outliner may hide it)"
        shape, matrix = read_rest_shape(other), finite_matrix(other, depsgraph)
    if len(shape) != len(obj.data.vertices):
        return None, None, f"Its pose has {len(shape)} vertices, and the object has {len(obj.data.vertices)}"
    if not np.isfinite(shape).all():
        return None, None, "Its pose has vertices at no finite place"
    return shape, matrix, ""


def range_notices(obj: bpy.types.Object, frames: FrameRange) -> tuple[Notice, ...]:
    """Warnings where the frame of a pose is none of the bake, or it comes too soon."""
    return frame_notices(obj.name, [(asked.frame, asked.lead) for asked in asked_poses(obj)], frames)


def frame_notices(name: str, poses: Sequence[tuple[int, int]], frames: FrameRange) -> tuple[Notice, ...]:
    """As ``range_notices``, of frames and leads of the poses of an object of a name."""
    kept, before = set(frames.kept()), frames.start
    found = []
    for frame, lead in sorted(dict(reversed(poses)).items()):
        if not frames.start < frame <= frames.end:
            found.append(
                f"Its pose is at frame {frame}, and frames {frames.start + 1} to {frames.end} are simulated: it goes "
                "into no pose then. Change the pose frame, or the range."
            )
            continue
        if frame not in kept:
            found.append(f"Its pose is at frame {frame}, which the frame step leaves out: it goes into no pose then.")
            continue
        acting = min(lead, frame - before)
        if acting < SHORT_LEAD:
            found.append(
                f"The force towards its pose at frame {frame} acts over {acting} frame{'' if acting == 1 else 's'}, "
                f"which throws it there. {SHORT_LEAD} frames or more need far less force."
            )
        before = frame
    return tuple(Notice("W_POSE", text, name) for text in found)


def placed_poses(
    poses: Sequence[LocalPose], name: str, frames: FrameRange, matrices: Floats, unit_scale: float, *, is_pbd: bool
) -> tuple[tuple[Pose, ...], tuple[Notice, ...]]:
    """The poses of a body that a range of frames has, and warnings.

    Args:
        poses: what was read.
        name: of the object.
        frames: of the bake; a single one, as a check reads it, has no poses and warns of nothing.
        matrices: of the object, local to world in Blender units, shape (frames or 1, 4, 4).
        unit_scale: metres per Blender unit.
        is_pbd: whether the body is simulated in PBD mode, which has no forces.
    """
    if poses and is_pbd:
        return (), (Notice("W_POSE", "In PBD mode there are no forces: it goes into no pose. Choose XPBD.", name),)
    if not poses or frames.count == 1:
        return (), ()
    kept = set(frames.kept()[1:])
    placed = tuple(
        pose.placed(at_frame(matrices, pose.frame - frames.start), unit_scale) for pose in poses if pose.frame in kept
    )
    return placed, frame_notices(name, [(pose.frame, pose.lead) for pose in poses], frames)
