# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole bakes in Blender, and the cages."""

from __future__ import annotations

import json
import os
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from .rows import ROOT, Row
from .scenes import CLOTH_SIDE, FRAMES, LOOKED_AT, strain_columns

# at which the cloth of the benchmark is good: mean strain of at most 1 %, 99th percentile of at most 5 %
GOOD_SUBSTEPS = 12
# in the order of a bake; the add-on's "writing" runs beside the solver, the rest one after the other
STAGES = (
    "reading",
    "worker_read",
    "worker_start",
    "worker_build",
    "worker_compile",
    "worker_measure",
    "worker_write",
    "writing",
)


def bake_case(make_object: Callable[[Any], Any], substeps: int | None, device: str) -> Row:
    """The operator, from the press of the button to finished shape keys, in a cache of its own.

    Args:
        make_object: makes what is baked, in an empty file.
        substeps: None for the default.
        device: as in the settings.
    """
    bpy, body = _prepared(make_object, substeps, device)
    settings = bpy.context.scene.xpbd
    with tempfile.TemporaryDirectory() as folder:
        before_memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        before_processor = time.process_time()
        before = time.perf_counter()
        first = _bake(bpy, Path(folder))
        seconds = time.perf_counter() - before
        processor = time.process_time() - before_processor
        bpy.ops.wm.save_as_mainfile(filepath=str(Path(folder) / "saved.blend"))
        saved = time.perf_counter() - before
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_memory
    worker = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    report = json.loads(settings.report)
    stages = report["seconds"]
    solve = stages["worker_solve"]
    return {
        "device": report["device"],
        "vertices": len(body.data.vertices),
        "keys": len(body.data.shape_keys.key_blocks) - 1,
        "substeps": report["substeps"],
        **_strains(body),
        "bake s": seconds,
        "solver s": solve,
        "frames/s": FRAMES / solve,
        "around it s": seconds - solve,
        "with saving s": saved,
        "first frame after s": first,
        **{f"{stage.replace('_', ' ')} s": stages.get(stage, 0.0) for stage in STAGES},
        "Blender's processor s": processor,
        "Blender grows by MiB": own / 1024,
        "worker peak MiB": worker / 1024,
    }


def start_case(make_object: Callable[[Any], Any], substeps: int | None, device: str) -> Row:
    """Seconds from the press of the button to the first frame, where no kernel is compiled yet, and again.

    Arguments as for ``bake_case``.
    """
    row: Row = {}
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XPBD_TAICHI_CACHE"] = str(Path(folder) / "kernels")
        for name in ("cold", "warm"):
            bpy, body = _prepared(make_object, substeps, device)
            bpy.context.scene.xpbd.frame_end = 2
            row |= {"object": body.name, f"{name} s": _bake(bpy, Path(folder) / name)}
    return row


def _prepared(make_object: Callable[[Any], Any], substeps: int | None, device: str) -> tuple[Any, Any]:
    import bpy

    import blender_xpbd

    bpy.ops.wm.read_factory_settings(use_empty=True)
    if not hasattr(bpy.types.Scene, "xpbd"):
        blender_xpbd.register()
    body = make_object(bpy)
    settings = bpy.context.scene.xpbd
    settings.frame_start, settings.frame_end, settings.device = 1, FRAMES, device
    if substeps is not None:
        settings.substeps = substeps
    return bpy, body


def _bake(bpy: Any, folder: Path) -> float:
    """Press the button; return after how many seconds the first frame was there, by its file's time."""
    from blender_xpbd.addon.process.worker_python import forget_python

    # as in a session whose first bake it is
    forget_python()
    bpy.context.scene.xpbd.cache_directory = str(folder)
    before = time.time()
    bpy.ops.xpbd.bake("EXEC_DEFAULT")
    frame = next(folder.rglob("frame_00000001.bin"))
    return frame.stat().st_mtime - before


def _strains(body: Any) -> Row:
    """Of the cloth; nothing of other meshes."""
    columns: Row = {}
    if len(body.data.vertices) == CLOTH_SIDE**2:
        for frame in LOOKED_AT:
            places = np.zeros((CLOTH_SIDE**2, 3), np.float32)
            body.data.shape_keys.key_blocks[f"XPBD {1 + frame:04d}"].points.foreach_get("co", places.ravel())
            columns |= strain_columns(places, CLOTH_SIDE, frame)
    return columns


def make_cloth(bpy: Any, bending_model: str) -> Any:
    """The cloth of ``cloth_scene`` as an object."""
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=CLOTH_SIDE - 1, y_subdivisions=CLOTH_SIDE - 1, size=1.0)
    body = bpy.context.object
    body.xpbd.role, body.xpbd.preset = "CLOTH", "CUSTOM"
    body.xpbd.stretch_compliance, body.xpbd.bending_model = 1e-8, bending_model
    body.xpbd.bending_compliance = 1e-8 if bending_model == "DISTANCE" else 1e3
    body.xpbd.internal_damping = 0.0
    body.vertex_groups.new(name="Pin").add([0, CLOTH_SIDE - 1], 1.0, "REPLACE")
    body.xpbd.pin_group = "Pin"
    return body


def make_suzanne(bpy: Any, resolution: int) -> Any:
    """Suzanne as jelly, above the floor."""
    bpy.ops.mesh.primitive_monkey_add(location=(0.0, 0.0, 2.0))
    body = bpy.context.object
    body.xpbd.role, body.xpbd.cage_resolution = "JELLY", resolution
    bpy.context.scene.xpbd.use_floor = True
    return body


def cage_case() -> Row:
    """Seconds that a cage of resolution 16 takes, for Blender's primitives and the test models where they are."""
    import bpy

    from blender_xpbd.geometry.cage.cage import build_cage
    from blender_xpbd.geometry.surface.topology import triangulate

    bpy.ops.wm.read_factory_settings(use_empty=True)
    add = bpy.ops.mesh
    for make in (
        add.primitive_monkey_add,
        add.primitive_cube_add,
        add.primitive_uv_sphere_add,
        add.primitive_ico_sphere_add,
        add.primitive_cylinder_add,
        add.primitive_cone_add,
        add.primitive_torus_add,
    ):
        make()
    folder = Path(os.environ.get("XPBD_MESHES", ROOT.parent / "shared" / "meshes"))
    for path in sorted(folder.glob("*.obj")):
        bpy.ops.wm.obj_import(filepath=str(path))
    row: Row = {}
    for body in bpy.data.objects:
        mesh = body.data
        positions = np.zeros((len(mesh.vertices), 3), np.float32)
        mesh.vertices.foreach_get("co", positions.ravel())
        sizes, corners = np.zeros(len(mesh.polygons), np.int32), np.zeros(len(mesh.loops), np.int32)
        mesh.polygons.foreach_get("loop_total", sizes)
        mesh.loops.foreach_get("vertex_index", corners)
        before = time.perf_counter()
        build_cage(positions.astype(np.float64), triangulate(sizes, corners), 16)
        row[f"{body.name} s"] = time.perf_counter() - before
    return row
