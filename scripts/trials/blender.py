# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender as a module, with the add-on, and the stand-in for the worker that the tests have."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

_FAKE_WORKER = Path(__file__).resolve().parent.parent.parent / "tests" / "addon" / "fake_worker.py"

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
        return [python.executable, str(_FAKE_WORKER), str(job)]

    def search(_preference: str = "") -> Generator[None, None, WorkerPython]:
        yield
        return WorkerPython(sys.executable, "3.11", worker_environment([]))

    worker_process.worker_command = command
    bake.search_python = search
    slow_down(0.0)


def slow_down(seconds: float) -> None:
    """Let the stand-in wait before each frame."""
    os.environ["XPBD_FAKE_WORKER"] = json.dumps({"seconds": seconds})


def make_grid(name: str, role: str = "CLOTH", side: int = 4) -> Any:
    """A square of so many faces along each side with a role, in the scene."""
    import bpy

    mesh = bpy.data.meshes.new(name)
    row = side + 1
    points = [(2 * i / side - 1, 2 * j / side - 1, 0.8 * i * j / side**2) for j in range(row) for i in range(row)]
    starts = [row * j + i for j in range(side) for i in range(side)]
    mesh.from_pydata(points, [], [(k, k + 1, k + row + 1, k + row) for k in starts])
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
