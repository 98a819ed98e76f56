# SPDX-License-Identifier: GPL-3.0-or-later
"""USD between frames: Blender's exporter knows whole ones alone, so it writes a stretched scene, shrunk afterwards."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bpy

from ...scene.errors import XpbdError


def check_division(per_frame: int) -> None:
    """See that times can be divided.

    Raises:
        XpbdError: E_EXPORT, where this Blender lacks the Python package of USD.
    """
    if _sdf() is None:
        raise XpbdError(
            "E_EXPORT",
            f"This Blender cannot write the {per_frame - 1} subframes into .usdc files, for it lacks USD's Python "
            "package: export Alembic (.abc), bake without subframes, or use the Blender of blender.org.",
        )


@contextmanager
def stretched(scene: bpy.types.Scene, times: int) -> Iterator[None]:
    """Let each frame of a scene take as many, from its first to its last: what is seen of it is at parts of frames.

    Raises:
        XpbdError: E_EXPORT, where Blender has no numbers for so many frames.
    """
    render = scene.render
    before = render.frame_map_old, render.frame_map_new, scene.frame_start, scene.frame_end
    try:
        # scene_frame × old / new is what animation goes by
        render.frame_map_old, render.frame_map_new = 1, times
        wanted = times * before[2], times * before[3]
        scene.frame_end, scene.frame_start = wanted[1], wanted[0]
        # Blender takes the nearest that it has, without a word
        if (scene.frame_start, scene.frame_end) != wanted:
            raise XpbdError("E_EXPORT", _too_far(before[3], times))
        yield
    finally:
        render.frame_map_old, render.frame_map_new, scene.frame_start, scene.frame_end = before


def _too_far(last: int, times: int) -> str:
    return (
        f"Frame {last} with {times - 1} subframes is {times} × {last} frames to Blender's USD exporter, more than "
        "Blender has: export Alembic (.abc), or bake with fewer subframes or nearer to frame 1."
    )


def divide_times(path: Path, times: int) -> None:
    """Move all samples of a file back to the frames, and parts of frames, that they are of."""
    sdf = _sdf()
    layer = sdf.Layer.FindOrOpen(str(path))
    if layer is None:
        raise XpbdError("E_EXPORT", f"USD cannot read what Blender's exporter wrote: {path.name}.")
    for place in _paths_with_samples(layer):
        samples = [(time, layer.QueryTimeSample(place, time)) for time in layer.ListTimeSamplesForPath(place)]
        for time, _ in samples:
            layer.EraseTimeSample(place, time)
        for time, value in samples:
            layer.SetTimeSample(place, time / times, value)
    layer.startTimeCode, layer.endTimeCode = layer.startTimeCode / times, layer.endTimeCode / times
    layer.Save()


def _paths_with_samples(layer: Any) -> list[Any]:
    found: list[Any] = []
    layer.Traverse("/", lambda place: found.append(place) if layer.GetNumTimeSamplesForPath(place) else None)
    return found


def _sdf() -> Any:
    """The module ``pxr.Sdf``, also where it stands beside pip's bpy and not on its path; None where there is none."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    folder = Path(bpy.utils.resource_path("LOCAL")) / "python" / "lib" / version / "site-packages"
    added = str(folder) if folder.is_dir() and str(folder) not in sys.path else ""
    if added:
        sys.path.append(added)
    try:
        return importlib.import_module("pxr.Sdf")
    except ImportError:
        return None
    finally:
        if added:
            sys.path.remove(added)
