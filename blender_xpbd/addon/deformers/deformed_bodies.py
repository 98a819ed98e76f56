# SPDX-License-Identifier: GPL-3.0-or-later
"""The deformed meshes of bodies, as the frames are played, and what their deformers do to a displacement.

Of each body four copies are evaluated at once: as it is, and displaced a little along each axis. For an armature that
is the linear map of each vertex; for what bends space the map is near enough to begin with (``deformer_pass``).
"""

from __future__ import annotations

from collections.abc import Iterable
from types import TracebackType

import bpy
import numpy as np
import numpy.typing as npt

from ...scene.errors import Notice, XpbdError
from ..data.data_lookup import object_by_uid
from ..reading.deformed_motion import DeformedMotion
from ..reading.mesh_reader import own_keys, read_rest_shape
from ..reading.modifier_stack import deformers, has_deforming_parent
from .probe import Probe, remove_lost_probes

Floats = npt.NDArray[np.float64]

# of the size of a mesh: large enough for single precision, small enough for a lattice
_DISPLACEMENT = 1e-2


class _Deformed:
    """One body and its copies."""

    def __init__(self, scene: bpy.types.Scene, obj: bpy.types.Object) -> None:
        self.uid = obj.session_uid
        modifiers = [modifier.name for modifier in deformers(obj)]
        names = (*modifiers, *([""] if has_deforming_parent(obj) else []))
        self.motion = DeformedMotion(obj.name, names, tuple(modifiers) if obj.xpbd.mute_deformers else ())
        self._rest = read_rest_shape(obj)
        self._has_keys = len(own_keys(obj)) > 1
        self.step = _DISPLACEMENT * (float(np.ptp(self._rest, axis=0).max()) or 1.0)
        count = 4 if self.motion.is_taken_out else 1 if names else 0
        self.probes = [Probe(scene, obj) for _ in range(count)]
        self._place()

    def follow_keys(self) -> bool:
        """Whether the artist's shape keys have changed the mesh since the last look; the copies then have, too."""
        obj = object_by_uid(self.uid)
        if not self._has_keys or obj is None:
            return False
        rest = read_rest_shape(obj)
        if np.array_equal(rest, self._rest):
            return False
        self._rest = rest
        self._place()
        return True

    def follow_parent(self) -> None:
        """Have the copies show what a parent that deforms them is like at this frame."""
        for probe in self.probes if self.motion.has_parent else ():
            probe.look_again()

    def note(self, depsgraph: bpy.types.Depsgraph) -> None:
        """Take the shapes of a frame."""
        rest = self._rest.astype(np.float32)
        shapes = [probe.shape(depsgraph) for probe in self.probes] or [rest]
        maps = None
        if self.motion.is_taken_out:
            ends = np.stack([shape.astype(np.float64) - shapes[0] for shape in shapes[1:]], axis=2)
            maps = ends / self.step
        self.motion.add(rest, shapes[0], maps)

    def _place(self) -> None:
        for probe, way in zip(self.probes, np.vstack([np.zeros(3), np.eye(3)]), strict=False):
            probe.show(self._rest + self.step * way)


class DeformedBodies:
    """Bodies whose pins and goals follow their deformed meshes."""

    def __init__(self, scene: bpy.types.Scene, objects: Iterable[bpy.types.Object]) -> None:
        """Make the copies.

        Args:
            scene: to be baked, at its first frame.
            objects: bodies that follow their deformed meshes.
        """
        remove_lost_probes()
        self._bodies: list[_Deformed] = []
        try:
            self._bodies += (_Deformed(scene, obj) for obj in objects)
        except XpbdError:
            self.close()
            raise

    def __bool__(self) -> bool:
        return bool(self._bodies)

    def __enter__(self) -> DeformedBodies:
        """For ``with``: the copies are gone in the end."""
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _fault: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Remove the copies."""
        for body in self._bodies:
            for probe in body.probes:
                probe.remove()
            body.probes = []

    def note(self, context: bpy.types.Context) -> None:
        """Take the shapes of the frame that the scene is at.

        Raises:
            XpbdError: E_MODIFIER_TOPOLOGY, E_GEOM_NONFINITE.
        """
        if not self._bodies:
            return
        for body in self._bodies:
            body.follow_keys()
            body.follow_parent()
        # also makes copies known that are new, and shows those that shape keys have changed
        context.view_layer.update()
        depsgraph = context.evaluated_depsgraph_get()
        for body in self._bodies:
            body.note(depsgraph)

    def motions(self) -> dict[int, DeformedMotion]:
        """Of each body by its ``session_uid``."""
        return {body.uid: body.motion for body in self._bodies}


def flattened_notices(motions: dict[int, DeformedMotion], start: int) -> tuple[Notice, ...]:
    """A warning for each body with vertices that no displacement before the deformers can move.

    Args:
        motions: by ``session_uid``.
        start: the first frame.
    """
    notices = []
    for motion in motions.values():
        count, index = motion.flattened
        if count:
            text = (
                f"At frame {start + index}, {count} vertices go where {motion.deformer_names} puts them, whatever "
                f"their shape key says: there the result is not seen. {motion.advice}"
            )
            notices.append(Notice("W_DEFORMER", text, motion.name))
    return tuple(notices)
