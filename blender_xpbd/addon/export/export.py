# SPDX-License-Identifier: GPL-3.0-or-later
"""Baked motion to a file, by its ending."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

import bpy

from ...scene.errors import Notice, XpbdError
from ..data.named_path import absolute_path
from ..reading.motion import frame_kept
from .arrays_file import write_npz
from .baked_object import BakedObject, baked_objects
from .blender_exporters import ExportedSpan, find_exporter, run_exporter
from .cache_modifier import played_from
from .file_names import paths_of_objects
from .key_replacement import check_replacement, replace_keys
from .keyed_copy import keyed_copy
from .local_motion import LocalMotion
from .own_motion import lost_motion
from .point_caches import Samples, write_mdd, write_pc2
from .shown_velocities import shown_velocities
from .whole_file import whole_file

POINT_CACHES = {".pc2": write_pc2, ".mdd": write_mdd}
ENDINGS = (*POINT_CACHES, ".abc", ".usdc", ".glb", ".npz")
_METRES_PER_MILLIMETRE = 1e-3
_NO_MESH = (
    "A curve or hair is no mesh, and only NPZ holds it. Blender's own File > Export writes Alembic and USD from what "
    "is shown, or convert a copy to a mesh."
)


def check_ending(path: Path) -> None:
    """See that a file of this ending can be written.

    Raises:
        XpbdError: E_PARAM for an unknown ending, E_EXPORT where this Blender has no exporter for it.
    """
    suffix = path.suffix.lower()
    if suffix not in ENDINGS:
        raise XpbdError("E_PARAM", f"{path.name} has no ending of {', '.join(ENDINGS)}.")
    if suffix not in (*POINT_CACHES, ".npz"):
        find_exporter(suffix)


def export(
    context: bpy.types.Context,
    path: Path,
    objects: Sequence[bpy.types.Object],
    *,
    cache: Path | None = None,
    replaces_keys: bool = False,
    key_tolerance: float | None = None,
    written: list[Path] | None = None,
    warn: Callable[[Notice], None] = lambda _notice: None,
) -> list[Path]:
    """Write the frames of baked objects from the cache.

    Args:
        context: its scene was baked.
        path: of the file; its ending chooses the format. PC2 and MDD hold one object: of several, each gets a file
            with its name appended.
        objects: those without a bake are left out.
        cache: folder for jobs; None for the scene's.
        replaces_keys: take the shape keys back and let a modifier play the file: PC2 and MDD only.
        key_tolerance: of glTF's morph targets [mm]; None for the scene's.
        written: gets the files one by one, so that it tells after a fault which ones there are.
        warn: is told what the file lacks (W_OWN_KEYS).

    Returns:
        The files that were written.

    Raises:
        XpbdError: E_PARAM, E_EXPORT, E_IO, and as ``baked_objects``.
    """
    check_ending(path)
    path = absolute_path(path)
    if replaces_keys and path.suffix.lower() not in POINT_CACHES:
        raise XpbdError("E_PARAM", "The Mesh Cache modifier reads .pc2 and .mdd files alone: choose one of these.")
    written = [] if written is None else written
    before = len(written)
    baked = baked_objects(context.scene, list(objects), cache)
    _check_types(path, baked)
    for notice in lost_motion(baked):
        warn(notice)
    with frame_kept(context.scene):
        if path.suffix.lower() in POINT_CACHES:
            _write_point_caches(context, path, baked, written, replaces_keys=replaces_keys)
            return written[before:]
        with whole_file(path) as file:
            if path.suffix.lower() == ".npz":
                write_npz(context, file, [LocalMotion(context, each) for each in baked])
            else:
                _write_scene(context, file, baked, key_tolerance)
        written.append(path)
    return written[before:]


def _check_types(path: Path, baked: Sequence[BakedObject]) -> None:
    """See that the format can hold what the objects are.

    Raises:
        XpbdError: E_EXPORT, for curves and hair where it cannot.
    """
    others = [XpbdError("E_EXPORT", _NO_MESH, each.obj.name) for each in baked if each.obj.type != "MESH"]
    if others and path.suffix.lower() != ".npz":
        raise XpbdError.joined(others)


def _write_point_caches(
    context: bpy.types.Context, path: Path, objects: Sequence[BakedObject], written: list[Path], *, replaces_keys: bool
) -> None:
    paths = paths_of_objects(path, [baked.obj.name for baked in objects])
    if replaces_keys:
        check_replacement(objects)
    for baked, own in zip(objects, paths, strict=True):
        with whole_file(own) as file:
            _write_point_cache(context, file, LocalMotion(context, baked))
        written.append(own)
    if replaces_keys:
        replace_keys(objects, paths)


def _write_point_cache(context: bpy.types.Context, path: Path, motion: LocalMotion) -> None:
    render, per_frame = context.scene.render, motion.samples_per_frame
    samples = Samples(
        start=motion.clip.start,
        count=len(motion.times()),
        per_frame=per_frame,
        vertex_count=motion.baked.body.vertex_count,
        frame_duration=render.fps_base / render.fps,
        coordinates=motion.samples(),
    )
    POINT_CACHES[path.suffix.lower()](path, samples)


def _write_scene(
    context: bpy.types.Context, path: Path, objects: Sequence[BakedObject], key_tolerance: float | None
) -> None:
    """All objects in one file, by an exporter of Blender."""
    scene = context.scene
    motions = [LocalMotion(context, baked) for baked in objects]
    span = ExportedSpan(
        start=min(motion.clip.start for motion in motions),
        end=max(motion.clip.end for motion in motions),
        per_frame=max(motion.samples_per_frame for motion in motions),
    )
    with ExitStack() as stack:
        shown = [baked.obj for baked in objects]
        if path.suffix.lower() == ".glb":
            tolerance = _METRES_PER_MILLIMETRE * (scene.xpbd.key_tolerance if key_tolerance is None else key_tolerance)
            names = [(obj.name, obj.data.name) for obj in shown]
            shown = [
                stack.enter_context(keyed_copy(scene, motion, tolerance, its))
                for motion, its in zip(motions, names, strict=True)
            ]
        else:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="xpbd_")))
            for number, motion in enumerate(motions):
                file = folder / f"{number}.pc2"
                _write_point_cache(context, file, motion)
                stack.enter_context(played_from(motion.baked.obj, file, motion.baked.record))
            stack.enter_context(shown_velocities(motions))
        run_exporter(context, path, shown, span)
