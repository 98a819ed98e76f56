# SPDX-License-Identifier: GPL-3.0-or-later
"""The shape that an object is to have at a frame: one of its shape keys, or another object."""

from __future__ import annotations

from dataclasses import dataclass

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


def read_pose(
    obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, enabled: frozenset[int]
) -> tuple[LocalPose | None, tuple[Notice, ...]]:
    """The pose of an object, or None; a warning where its shape is missing or does not fit.

    Args:
        obj: that is to go into a pose.
        depsgraph: evaluated at the first frame.
        enabled: ``session_uid`` of all objects that are enabled in viewports.

    Raises:
        XpbdError: E_TRANSFORM_SINGULAR, where another object is the pose, at no finite place.
    """
    settings = obj.xpbd
    if not has_pose(obj):
        return None, ()
    shape, matrix, fault = _shape(obj, depsgraph, enabled)
    if shape is None:
        return None, (Notice("W_POSE", f"{fault}: it goes into no pose.", obj.name),)
    tolerance = _METRES_PER_MILLIMETRE * settings.pose_tolerance
    return LocalPose(settings.pose_frame, settings.pose_lead, tolerance, shape, matrix), ()


def has_pose(obj: bpy.types.Object) -> bool:
    """Whether the artist has asked for a pose."""
    settings = obj.xpbd
    asked = bool(settings.pose_target) or settings.pose_object is not None
    return asked and settings.role in POSE_ROLES and obj.type == "MESH"


def _shape(
    obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, enabled: frozenset[int]
) -> tuple[Floats | None, Floats | None, str]:
    """Shape of the pose and where it stands, as ``LocalPose`` has them; or what is wrong."""
    name, other = obj.xpbd.pose_target, obj.xpbd.pose_object
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
    if not has_pose(obj):
        return ()
    return frame_notices(obj.name, obj.xpbd.pose_frame, obj.xpbd.pose_lead, frames)


def frame_notices(name: str, frame: int, lead: int, frames: FrameRange) -> tuple[Notice, ...]:
    """As ``range_notices``, of an object of a name."""
    if not frames.start < frame <= frames.end:
        text = (
            f"Its pose is at frame {frame}, and frames {frames.start + 1} to {frames.end} are simulated: it goes into "
            "no pose. Change the pose frame, or the range."
        )
        return (Notice("W_POSE", text, name),)
    if frame not in set(frames.kept()):
        text = f"Its pose is at frame {frame}, which the frame step leaves out: it goes into no pose."
        return (Notice("W_POSE", text, name),)
    acting = min(lead, frame - frames.start)
    if acting < SHORT_LEAD:
        text = (
            f"The force towards its pose acts over {acting} frame{'' if acting == 1 else 's'}, which throws it there. "
            f"A lead of {SHORT_LEAD} frames or more needs far less force."
        )
        return (Notice("W_POSE", text, name),)
    return ()


def placed_poses(
    pose: LocalPose | None, name: str, frames: FrameRange, matrices: Floats, unit_scale: float, *, is_pbd: bool
) -> tuple[tuple[Pose, ...], tuple[Notice, ...]]:
    """The poses of a body that a range of frames has, and warnings.

    Args:
        pose: what was read.
        name: of the object.
        frames: of the bake; a single one, as a check reads it, has no poses and warns of nothing.
        matrices: of the object, local to world in Blender units, shape (frames or 1, 4, 4).
        unit_scale: metres per Blender unit.
        is_pbd: whether the body is simulated in PBD mode, which has no forces.
    """
    if pose is not None and is_pbd:
        return (), (Notice("W_POSE", "In PBD mode there are no forces: it goes into no pose. Choose XPBD.", name),)
    if pose is None or frames.count == 1:
        return (), ()
    notices = frame_notices(name, pose.frame, pose.lead, frames)
    if pose.frame not in set(frames.kept()[1:]):
        return (), notices
    return (pose.placed(at_frame(matrices, pose.frame - frames.start), unit_scale),), notices
