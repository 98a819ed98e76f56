# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender as a module, with the add-on, and the stand-in for the worker that the tests have."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

from tests.addon.conftest import FAKE_WORKER

_is_prepared = False


def reset() -> None:
    """An empty file, the add-on registered; bakes use the stand-in."""
    import bpy

    import blender_xpbd

    global _is_prepared  # noqa: PLW0603 - Blender is one for the process
    if not _is_prepared:
        bpy.ops.wm.read_factory_settings(use_empty=True)
        blender_xpbd.register()
        _use_stand_in()
        _is_prepared = True
    elif not hasattr(bpy.types.Object, "xpbd"):
        blender_xpbd.register()
    bpy.ops.wm.read_factory_settings(use_empty=True)


def _use_stand_in() -> None:
    from blender_xpbd.addon.baking import bake
    from blender_xpbd.addon.process import worker_process
    from blender_xpbd.addon.process.worker_python import WorkerPython, worker_environment

    def command(python: WorkerPython, job: Path) -> list[str]:
        return [python.executable, str(FAKE_WORKER), str(job)]

    def search(_preference: str = "") -> Generator[None, None, WorkerPython]:
        yield
        return WorkerPython(sys.executable, "3.11", worker_environment([]))

    worker_process.worker_command = command
    bake.search_python = search
    slow_down(0.0)


def slow_down(seconds: float) -> None:
    """Let the stand-in wait before each frame."""
    os.environ["XPBD_FAKE_WORKER"] = json.dumps({"seconds": seconds})


def make_grid(name: str, role: str = "CLOTH") -> Any:
    """An object of 25 vertices with a role, in the scene."""
    import bpy

    mesh = bpy.data.meshes.new(name)
    points = [(i / 2 - 1, j / 2 - 1, 0.05 * i * j) for j in range(5) for i in range(5)]
    mesh.from_pydata(points, [], [(k, k + 1, k + 6, k + 5) for j in range(4) for k in range(5 * j, 5 * j + 4)])
    obj = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(obj)
    obj.xpbd.role = role
    bpy.context.view_layer.update()
    return obj


def fake_bake(folder: Path, frames: int) -> None:
    """Bake all bodies of the scene with the stand-in."""
    import bpy

    from blender_xpbd.addon.baking.bake import run_bake
    from blender_xpbd.addon.data.bake_options import BakeOptions

    run_bake(bpy.context, BakeOptions(cache=folder / "cache", frame_start=1, frame_end=frames, substeps=2))
