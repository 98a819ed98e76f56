# SPDX-License-Identifier: GPL-3.0-or-later
"""How fast the solver and the whole bake are. Needs the environment that ``scripts/benchmark`` makes.

Every case runs in a process of its own. Times of one run belong together: machines differ, and neighbours are
noisy; so the C reference runs in the same minute, and its ratio is what to compare.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

Row = dict[str, Any]

FRAMES = 250
CLOTH_SIDE = 100
SECONDS_PER_FRAME = 1 / 24


def cloth_scene(bending_model: str, substeps: int, device: str) -> Any:
    """A rigid cloth of 100 x 100 vertices and 1 m, pinned at two corners, released flat."""
    from blender_xpbd.scene.material import Material
    from blender_xpbd.scene.scene import Body, Pins, Scene
    from blender_xpbd.scene.settings import FrameRange, SolverSettings

    line = np.linspace(-0.5, 0.5, CLOTH_SIDE)
    positions = np.stack([np.tile(line, CLOTH_SIDE), np.repeat(line, CLOTH_SIDE), np.zeros(CLOTH_SIDE**2)], axis=1)
    index = np.arange(CLOTH_SIDE**2, dtype=np.int32).reshape(CLOTH_SIDE, CLOTH_SIDE)
    corners = np.stack([index[:-1, :-1], index[:-1, 1:], index[1:, 1:], index[1:, :-1]], axis=-1).reshape(-1, 4)
    material = Material(
        stiffness_input="COMPLIANCE",
        stretch_compliance=1e-8,
        bending_compliance=1e-8 if bending_model == "DISTANCE" else 1e3,
        bending_model=bending_model,
        area_density=1e4,
        internal_damping=0.0,
    )
    pinned = np.array([0, CLOTH_SIDE - 1], np.int32)
    pins = Pins(pinned, np.ones(2, np.float32), positions[None, pinned])
    sizes = np.full(len(corners), 4, np.int32)
    cloth = Body("b0", "Cloth", "CLOTH", positions, sizes, corners.ravel(), material, pins)
    settings = SolverSettings(substeps=substeps, device=device)
    return Scene((cloth,), (), FrameRange(1, FRAMES, 1, SECONDS_PER_FRAME), settings)


def solver_case(bending_model: str, device: str) -> Row:
    """Frames per second of the solver alone, and of the C reference on the same schedule."""
    from blender_xpbd.solver.plan import choose_paths
    from blender_xpbd.solver.runtime import start_taichi
    from blender_xpbd.solver.solver import Solver
    from blender_xpbd.solver.system import build_system
    from blender_xpbd.worker.__main__ import taichi_cache_folder

    substeps = 10
    started = time.perf_counter()
    system = build_system(cloth_scene(bending_model, substeps, device))
    built = time.perf_counter()
    got = start_taichi(device, sum(system.schedule.counts().values()), taichi_cache_folder(), system.wants_double)
    solver = Solver(system, choose_paths(system, got))
    solver.compile()
    compiled = time.perf_counter()
    times = []
    for _ in range(FRAMES):
        before = time.perf_counter()
        solver.advance()
        times.append(time.perf_counter() - before)
    # the state is read once at the end: a run that went wrong is no time
    solver.positions()
    milliseconds = 1e3 * statistics.median(times)
    row = {
        "device": got,
        "constraints": sum(system.schedule.counts().values()),
        "build s": built - started,
        "start s": compiled - built,
        "ms/frame": milliseconds,
        "frames/s": FRAMES / sum(times),
    }
    reference = c_reference(system, substeps) if bending_model == "DISTANCE" else None
    if reference is not None:
        row |= {"C ms/frame": reference, "C / ours": reference / milliseconds}
    return row


def c_reference(system: Any, substeps: int) -> float | None:
    """Milliseconds per frame of ``benchmark_reference.c``; None where there is no gcc."""
    compiler = shutil.which("gcc")
    if compiler is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "reference.so"
        source = ROOT / "scripts" / "benchmark_reference.c"
        flags = ["-O3", "-march=native", "-ffast-math", "-shared", "-fPIC"]
        subprocess.run([compiler, *flags, str(source), "-o", str(library), "-lm"], check=True)
        simulate = ctypes.CDLL(str(library)).simulate
    schedule = system.schedule
    positions = np.concatenate([system.positions, system.inverse_masses[:, None]], axis=1).astype(np.float32)
    previous, velocities = positions.copy(), np.zeros_like(positions)

    def pointer(array: npt.NDArray[Any]) -> ctypes.c_void_p:
        return array.ctypes.data_as(ctypes.c_void_p)

    times = []
    for _ in range(FRAMES):
        before = time.perf_counter()
        simulate(
            pointer(positions),
            pointer(previous),
            pointer(velocities),
            len(positions),
            pointer(schedule.indices),
            pointer(schedule.parameters),
            len(schedule.indices) // 2,
            substeps,
            ctypes.c_float(SECONDS_PER_FRAME / substeps),
            ctypes.c_float(-9.81),
        )
        times.append(time.perf_counter() - before)
    return 1e3 * statistics.median(times)


def bake_case(make_object: Callable[[Any], Any], substeps: int, device: str) -> Row:
    """The operator, from the press of the button to finished shape keys, in a cache of its own."""
    import bpy

    import blender_xpbd

    bpy.ops.wm.read_factory_settings(use_empty=True)
    blender_xpbd.register()
    body = make_object(bpy)
    scene = bpy.context.scene
    settings = scene.xpbd
    settings.frame_start, settings.frame_end, settings.substeps, settings.device = 1, FRAMES, substeps, device
    with tempfile.TemporaryDirectory() as folder:
        settings.cache_directory = folder
        before_memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        before = time.perf_counter()
        bpy.ops.xpbd.bake("EXEC_DEFAULT")
        seconds = time.perf_counter() - before
        bpy.ops.wm.save_as_mainfile(filepath=str(Path(folder) / "saved.blend"))
        saved = time.perf_counter() - before
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_memory
    worker = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    report = json.loads(settings.report)
    solve = report["seconds"]["worker_solve"]
    return {
        "device": report["device"],
        "vertices": len(body.data.vertices),
        "keys": len(body.data.shape_keys.key_blocks) - 1,
        "bake s": seconds,
        "solver s": solve,
        "around it s": seconds - solve,
        "with saving s": saved,
        "Blender grows by MiB": own / 1024,
        "worker peak MiB": worker / 1024,
    }


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


def make_suzanne(bpy: Any) -> Any:
    """Suzanne as jelly, above the floor."""
    bpy.ops.mesh.primitive_monkey_add(location=(0.0, 0.0, 2.0))
    body = bpy.context.object
    body.xpbd.role = "JELLY"
    bpy.context.scene.xpbd.use_floor = True
    return body


def cage_case() -> Row:
    """Seconds that a cage of resolution 16 takes, for Blender's primitives and the test models where they are."""
    import bpy

    from blender_xpbd.geometry.cage import build_cage
    from blender_xpbd.geometry.topology import triangulate

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


CASES: dict[str, tuple[str, Callable[[str], Row]]] = {
    "solver, cloth, distance bending": (
        "solver alone: at least 250 frames/s",
        lambda device: solver_case("DISTANCE", device),
    ),
    "solver, cloth, dihedral bending": (
        "solver alone: at least 50 frames/s",
        lambda device: solver_case("DIHEDRAL", device),
    ),
    "bake, cloth, distance bending": (
        "at most 3 s around the solver; memory under 1 GiB",
        lambda device: bake_case(lambda bpy: make_cloth(bpy, "DISTANCE"), 10, device),
    ),
    "bake, cloth, dihedral bending": (
        "at most 3 s around the solver",
        lambda device: bake_case(lambda bpy: make_cloth(bpy, "DIHEDRAL"), 10, device),
    ),
    "cages of resolution 16": ("under 1 s each", lambda device: cage_case()),
    "bake, Suzanne as jelly": ("whole bake: at most 8 s", lambda device: bake_case(make_suzanne, 20, device)),
}


def markdown(rows: dict[str, Row]) -> str:
    """One table per case."""
    lines = [f"{platform.processor() or platform.machine()}, Python {platform.python_version()}, {time.strftime('%F')}"]
    for name, row in rows.items():
        values = [f"{value:.3g}" if isinstance(value, float) else str(value) for value in row.values()]
        lines += ["", f"**{name}** ({CASES[name][0]})", "", f"| {' | '.join(row)} |"]
        lines += ["|" + "---|" * len(row), f"| {' | '.join(values)} |"]
    return "\n".join(lines) + "\n"


def run_in_own_process(name: str, device: str) -> Row:
    """Run one case in a fresh interpreter."""
    command = [sys.executable, str(Path(__file__)), "--case", name, "--device", device]
    output = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    row: Row = json.loads(output.splitlines()[-1])
    return row


def main() -> int:
    """Run the cases and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="CPU", choices=["AUTO", "CPU", "CUDA", "VULKAN", "METAL"])
    parser.add_argument("--only", default="", help="run the cases whose name holds this text")
    parser.add_argument("--case", choices=list(CASES), help="run one case here and print its row as JSON")
    parser.add_argument("--markdown", type=Path, help="also write the tables into this file")
    options = parser.parse_args()
    if options.case:
        print(json.dumps(CASES[options.case][1](options.device)))
        return 0
    names = [name for name in CASES if options.only in name]
    rows = {}
    for name in names:
        rows[name] = run_in_own_process(name, options.device)
        print(markdown({name: rows[name]}).partition("\n")[2], flush=True)
    if options.markdown:
        options.markdown.write_text(markdown(rows), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
