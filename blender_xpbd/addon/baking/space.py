# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether disk and memory have room for the frames of a bake, as far as that is known before it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from ...jobs.free_memory import free_memory
from ...scene.errors import Notice
from ...scene.scene import Scene

# of a vertex at a frame: three numbers in single precision, in a frame's file as in a shape key
_BYTES_PER_VERTEX = 12
_MEGABYTE, _GIGABYTE = 1e6, 1e9


def space_notices(scene: Scene, folder: Path, *, has_fewer_keys: bool) -> Iterator[Notice]:
    """Warnings where frames would not fit.

    Args:
        scene: to be simulated.
        folder: of the cache, which need not be there yet.
        has_fewer_keys: whether a key tolerance leaves frames without a key.
    """
    vertices = sum(body.vertex_count for body in scene.bodies)
    needed = len(scene.frames.kept()) * vertices * _BYTES_PER_VERTEX
    cached = needed + len(scene.frames.between(scene.frames.end)) * vertices * _BYTES_PER_VERTEX
    free = _free_on_disk(folder)
    if free is not None and cached > free:
        text = (
            f"The frames take about {_size(cached)}, and {_size(free)} are free in {folder}: free unused bakes, choose "
            "another cache folder, or a greater frame step."
        )
        yield Notice("W_SPACE", text)
    memory = free_memory()
    if needed > memory and not has_fewer_keys:
        text = (
            f"The shape keys take about {_size(needed)} of memory, and {_size(memory)} are free: set a key tolerance, "
            "or a greater frame step."
        )
        yield Notice("W_SPACE", text)


def _free_on_disk(folder: Path) -> int | None:
    """Bytes that are free where the folder is or will be; None where the system does not tell."""
    there = next((path for path in (folder, *folder.parents) if path.is_dir()), None)
    try:
        return shutil.disk_usage(there).free if there is not None else None
    except OSError:
        return None


def _size(count: float) -> str:
    return f"{count / _GIGABYTE:.1f} GB" if count >= _GIGABYTE else f"{count / _MEGABYTE:.0f} MB"
