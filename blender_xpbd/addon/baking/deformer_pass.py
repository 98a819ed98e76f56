# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys mended until, with all deformers live, the mesh lies where it was simulated.

What was read of the deformers is their linear map about the deformed mesh. Armatures are just that. Lattices, curves
and smoothing are not: so each frame is evaluated once more with its key, and what is off is taken back by that map
until nothing is off that counts (the chord method). Where vertices move each other, as when they are smoothed, steps
are mixed with those before (``acceleration``).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from typing import Any

import bpy
import numpy as np
import numpy.typing as npt

from ...scene.errors import Notice, XpbdError
from ..deformers.acceleration import Acceleration
from ..deformers.played_scene import ArtistScene, OwnScene, PlayedScene
from ..deformers.probe import Probe, remove_lost_probes
from ..keys.shape_key_writer import ShapeKeyWriter
from ..reading.motion import frame_kept, has_frame_handlers

Singles = npt.NDArray[np.float32]
Floats = npt.NDArray[np.float64]

# of the size of a mesh: what is not mended any more, and what is told
NEAR, TOLERATED = 1e-6, 1e-5
# units in the last place of the farthest coordinate: what deformers round, which no step mends
ROUNDED = 4.0
# steps at most, and so many that gain nothing
MOST_STEPS, MOST_VAIN_STEPS = 100, 12

Positions = Callable[[int, int], Floats]


class _Body:
    """One body in the pass."""

    def __init__(self, scene: bpy.types.Scene, obj: bpy.types.Object, writer: ShapeKeyWriter) -> None:
        if writer.target.deformed is None:
            raise ValueError(f"{obj.name} follows no deformed mesh")
        self.writer, self.probe = writer, Probe(scene, obj)
        self.motion = writer.target.deformed
        self._as_read: Probe | None = None
        self._shown_rest: Singles | None = None
        self.worst, self.worst_frame = 0.0, 0
        self._played: Singles | None = None
        self._late = 0.0

    def begin(self, frame: int, positions: Floats) -> None:
        """Take up a frame with the simulated positions in the world [m], shape (vertices, 3)."""
        target = self.writer.target
        self._index = frame - target.start
        self._wanted = target.deformed_local(frame, positions)
        self._near = near(self.motion.size, float(np.abs(self._wanted).max()))
        # as the key has it
        self._best = self._tried = self.motion.before(self._index, self._wanted).astype(np.float32).astype(np.float64)
        self._error, self._farthest, self._steps, self._vain = np.inf, np.inf, 0, 0
        self._acceleration = Acceleration()
        self.probe.show(self._best)

    def watch(self, scene: bpy.types.Scene, obj: bpy.types.Object) -> None:
        """Have a second copy in the scene that tells whether deformers do there what they did when they were read."""
        self._as_read = Probe(scene, obj)

    def begin_to_watch(self) -> None:
        """Have the second copy show the mesh of the frame that ``begin`` took up."""
        rest = self.motion.rest(self._index)
        if self._as_read is not None and rest is not self._shown_rest:
            self._shown_rest = rest
            self._as_read.show(rest)

    def is_as_read(self, depsgraph: bpy.types.Depsgraph) -> bool:
        """Whether deformers make of the mesh what they made of it when they were read."""
        watch = self._as_read
        if watch is None:
            return True
        try:
            shape = watch.shape(depsgraph)
        except XpbdError as fault:
            if fault.code != "E_MODIFIER_TOPOLOGY":
                raise
            return False
        return np.array_equal(shape, self.motion.shapes[self._index])

    def move_to(self, scene: bpy.types.Scene) -> None:
        """Be looked at in another scene, without a second copy."""
        self._remove_watch()
        self.probe.move_to(scene)

    def remove(self) -> None:
        """Take the copies away."""
        self._remove_watch()
        self.probe.remove()

    def _remove_watch(self) -> None:
        watch, self._as_read = self._as_read, None
        if watch is not None:
            watch.remove()

    def follow_parent(self, depsgraph: bpy.types.Depsgraph) -> bool:
        """Have the copy show what a parent that deforms it is like at the frame; whether there is one.

        Blender plays a lattice that is a parent a frame late.
        """
        if self.motion.has_parent:
            self._played = self.probe.shape(depsgraph)
            self.probe.look_again()
        return self.motion.has_parent

    def mend(self, depsgraph: bpy.types.Depsgraph) -> bool:
        """Look how far off it is, and try another place where that counts; whether there is something to look at."""
        shape = self.probe.shape(depsgraph)
        if self._played is not None:
            self._late, self._played = float(np.abs(self._played - shape).max()), None
        off = self._wanted - shape
        error = float(np.einsum("vi,vi->", off, off))
        self._vain = 0 if error < 0.99 * self._error else self._vain + 1
        if error < self._error:
            self._best, self._error = self._tried, error
            self._farthest = float(np.sqrt(np.einsum("vi,vi->v", off, off).max()))
        if self._farthest <= self._near or self._vain == MOST_VAIN_STEPS or self._steps == MOST_STEPS:
            return False
        self._steps += 1
        self._tried = self._acceleration.next(self._tried, self.motion.step(self._index, off))
        self.probe.show(self._tried)
        return True

    def keep(self, frame: int) -> None:
        """Write what was found, where a step was needed."""
        if self._steps:
            self.motion.correct(self._index, self._best)
            self.writer.rewrite(frame, self._best)
        off = max(self._farthest, self._late)
        if off > self.worst:
            self.worst, self.worst_frame = off, frame

    def notice(self) -> Notice | None:
        """A warning where it is still off and nothing else tells why."""
        if self.worst <= TOLERATED * self.motion.size or self.motion.flattened[0]:
            return None
        text = (
            f"With {self.motion.deformer_names} live the mesh is off by up to {self.worst / self.motion.size:.2g} of "
            f"its size from what was simulated, most at frame {self.worst_frame}. {self.motion.advice}"
        )
        return Notice("W_DEFORMER", text, self.writer.target.name)


def near(size: float, farthest: float) -> float:
    """How far off a vertex may be that is not mended any more.

    A small mesh that its rig carries far from its origin is rounded by more than a share of its size.

    Args:
        size: of the mesh.
        farthest: coordinate in the frame, in the same unit.
    """
    rounding = ROUNDED * float(np.spacing(np.float32(farthest)))
    return min(max(NEAR * size, rounding), 0.5 * TOLERATED * size)


def take_deformers_out(
    context: bpy.types.Context, writers: Mapping[int, ShapeKeyWriter], positions: Positions
) -> Generator[None, None, tuple[Notice, ...]]:
    """Mend the keys of bodies with deformers, frame by frame, with a pause after each.

    Copies are played in a scene of their own for as long as deformers do there what they did when they were read; then
    in the context's.

    Args:
        context: its scene is played; its frame is put back in the end.
        writers: of those bodies, whose frames are written.
        positions: of a body, by its number and a frame, in the world [m], shape (vertices, 3).

    Returns:
        Warnings of what is still off.
    """
    remove_lost_probes()
    bodies: dict[int, _Body] = {}
    own = _own_scene(writers)
    played: PlayedScene = own or ArtistScene(context)
    try:
        for number, writer in writers.items():
            obj = writer.find()
            if obj is not None:
                bodies[number] = _Body(played.scene, obj, writer)
                if own is not None:
                    bodies[number].watch(played.scene, obj)
        with frame_kept(context.scene):
            scene_uid = context.scene.session_uid
            for frame in sorted({frame for body in bodies.values() for frame in body.writer.written}):
                if context.scene is None or context.scene.session_uid != scene_uid:
                    text = "Another scene was chosen while deformers were taken out of the keys: bake again."
                    raise XpbdError("E_INTERRUPTED", text)
                mine = {number: body for number, body in bodies.items() if body.writer.has_frame(frame)}
                for number, body in mine.items():
                    body.begin(frame, positions(number, frame))
                if not _is_mended(played, frame, [*mine.values()]):
                    played = ArtistScene(context)
                    for body in bodies.values():
                        body.move_to(played.scene)
                    _is_mended(played, frame, [*mine.values()])
                for body in mine.values():
                    body.keep(frame)
                played.leave(context.scene)
                yield
    finally:
        _remove(bodies.values(), own, context)
    return tuple(notice for body in bodies.values() if (notice := body.notice()) is not None)


def _remove(bodies: Iterable[_Body], own: OwnScene | None, context: bpy.types.Context) -> None:
    """Take copies away, and the scene that was theirs, once what is animated is where the artist's scene has it."""
    if own is not None and context.scene is not None:
        own.leave(context.scene)
    for body in bodies:
        body.remove()
    if own is not None:
        own.close()


def _own_scene(writers: Mapping[int, ShapeKeyWriter]) -> OwnScene | None:
    """A scene for the copies; None where scripts watch what is played, or Blender may play a parent a frame late."""
    motions = [writer.target.deformed for writer in writers.values()]
    handlers: Any = bpy.app.handlers
    is_watched = has_frame_handlers() or handlers.depsgraph_update_pre or handlers.depsgraph_update_post
    if is_watched or any(motion is not None and motion.has_parent for motion in motions):
        return None
    return OwnScene()


def _is_mended(played: PlayedScene, frame: int, bodies: list[_Body]) -> bool:
    """Play a frame and mend bodies that have taken it up; whether deformers do there what they did when read."""
    for body in bodies:
        body.begin_to_watch()
    depsgraph = played.play(frame)
    if not all(body.is_as_read(depsgraph) for body in bodies):
        return False
    have_parents = [body.follow_parent(depsgraph) for body in bodies]
    if any(have_parents):
        depsgraph = played.look()
    while bodies := [body for body in bodies if body.mend(depsgraph)]:
        depsgraph = played.look()
    return True
