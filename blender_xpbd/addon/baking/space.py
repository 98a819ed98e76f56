# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether disk and memory have room for a bake, as far as that is known before it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from ...jobs.free_memory import free_memory
from ...scene.errors import Notice
from ...scene.scene import Scene
from .needs import needs_of

_MEGABYTE, _GIGABYTE = 1e6, 1e9


def space_notices(scene: Scene, folder: Path, *, has_fewer_keys: bool) -> Iterator[Notice]:
    """Warnings where a bake would not fit.

    Args:
        scene: to be simulated.
        folder: of the cache, which need not be there yet.
        has_fewer_keys: whether a key tolerance leaves frames without a key.
    """
    needs = needs_of(scene)
    free = _free_on_disk(folder)
    if free is not None and needs.disk > free:
        text = (
            f"The frames take about {_size(needs.disk)}, with the states that a bake goes on from, and {_size(free)} "
            f"are free in {folder}: free unused bakes, choose another cache folder, or a greater frame step."
        )
        yield Notice("W_SPACE", text)
    memory = free_memory()
    keys = 0 if has_fewer_keys else needs.keys
    if needs.worker + keys > memory:
        share = f" ({_size(keys)} for the shape keys)" if keys else ""
        advice = "set a key tolerance, or a greater frame step" if keys > needs.worker else "close other programs"
        text = (
            f"The bake takes about {_size(needs.worker + keys)} of memory{share}, and {_size(memory)} are free: "
            f"{advice}, or lower the resolution of what has the most vertices or cells."
        )
        yield Notice("W_SPACE", text)


def _free_on_disk(folder: Path) -> int | None:
    """Bytes that are free where the folder is or will be; None where the system does not tell."""
    try:
        # a name that is too long for the system raises here; the check tells it (process/folder_check.py), and the bake
        there = next((path for path in (folder, *folder.parents) if path.is_dir()), None)
        return shutil.disk_usage(there).free if there is not None else None
    except OSError:
        return None


def _size(count: float) -> str:
    return f"{count / _GIGABYTE:.1f} GB" if count >= _GIGABYTE else f"{count / _MEGABYTE:.0f} MB"
