# SPDX-License-Identifier: GPL-3.0-or-later
"""A bake that takes some seconds, as a .blend file and as processes; and what tells two of its caches apart."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import time
from functools import lru_cache
from pathlib import Path

from blender_xpbd.jobs.frames import FrameCache
from blender_xpbd.jobs.result import read_result
from blender_xpbd.jobs.status import Status, read_status
from blender_xpbd.scene.errors import XpbdError

ROOT = Path(__file__).resolve().parent.parent.parent
FRAMES = 80
_SIDE = 16
_SUBSTEPS = 30
_SCENE = """
import sys
sys.path.insert(0, {root!r})
import bpy
import blender_xpbd
bpy.ops.wm.read_factory_settings(use_empty=True)
blender_xpbd.register()
n = {side}
mesh = bpy.data.meshes.new("Cloth")
mesh.from_pydata(
    [(i / n, j / n, 0.5) for j in range(n + 1) for i in range(n + 1)],
    [],
    [(k, k + 1, k + n + 2, k + n + 1) for j in range(n) for k in range(j * (n + 1), j * (n + 1) + n)],
)
cloth = bpy.data.objects.new("Cloth", mesh)
bpy.context.scene.collection.objects.link(cloth)
cloth.xpbd.role = "CLOTH"
cloth.vertex_groups.new(name="Pins").add([0, n], 1.0, "ADD")
cloth.xpbd.pin_group = "Pins"
settings = bpy.context.scene.xpbd
settings.frame_end, settings.substeps, settings.use_floor = {frames}, {substeps}, True
bpy.ops.wm.save_as_mainfile(filepath={path!r})
import os
os._exit(0)
"""


@lru_cache(maxsize=1)
def scene_file() -> Path:
    """The .blend file, written once for a process."""
    folder = Path(tempfile.mkdtemp(prefix="xpbd-trial-scene-"))
    path = folder / "scene.blend"
    code = _SCENE.format(root=str(ROOT), side=_SIDE, frames=FRAMES, substeps=_SUBSTEPS, path=str(path))
    subprocess.run([sys.executable, "-c", code], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return path


@lru_cache(maxsize=1)
def undisturbed() -> dict[int, str]:
    """The digests of the frames of a bake that nothing disturbs."""
    with tempfile.TemporaryDirectory(prefix="xpbd-trial-") as folder:
        cache = Path(folder) / "cache"
        status = start_bake(cache).wait()
        job = job_of(cache)
        if status != 0 or job is None:
            raise RuntimeError(f"The undisturbed bake ended with status {status}.")
        return digests(job)


def start_bake(cache: Path) -> subprocess.Popen[bytes]:
    """Blender and its worker, which bake the file into a cache."""
    command = [sys.executable, str(ROOT / "scripts" / "bake.py"), str(scene_file()), "--cache", str(cache)]
    return subprocess.Popen(command, cwd=scene_file().parent, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def start_worker(job: Path, *before: str) -> subprocess.Popen[bytes]:
    """A worker alone.

    Args:
        job: folder.
        before: of the command, as what limits it.
    """
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [*before, sys.executable, "-P", "-m", "blender_xpbd.worker", str(job)]
    none = subprocess.DEVNULL
    return subprocess.Popen(command, cwd=job, env=environment, stdin=none, stdout=none, stderr=none)


def job_of(cache: Path) -> Path | None:
    """The only job folder of a cache, None before there is one."""
    folders = [path for path in cache.iterdir() if path.is_dir()] if cache.is_dir() else []
    return folders[0] if folders else None


def status_of(cache: Path) -> Status | None:
    """The status of the only job, None before there is one."""
    job = job_of(cache)
    try:
        return None if job is None else read_status(job)
    except XpbdError:
        return None


def digests(job: Path) -> dict[int, str]:
    """Digests of the frames that are there, by their numbers."""
    frames = frames_of(job)
    if frames is None:
        return {}
    return {frame: hashlib.sha256(frames.path(frame).read_bytes()).hexdigest() for frame in frames.available()}


def torn_frames(job: Path) -> list[int]:
    """The frames that have their name but are damaged."""
    frames = frames_of(job)
    return [] if frames is None else [frame for frame in frames.available() if not frames.verify(frame)]


def frames_of(job: Path) -> FrameCache | None:
    """The frames of a job folder, None where the worker has not got so far."""
    if not (job / "result.json").exists():
        return None
    result = read_result(job)
    return FrameCache(job, result.vertex_count, len(result.bodies), len(result.statistics), result.orientation_count)


def ends_within(pid: int, seconds: float) -> bool:
    """Whether a process that is not ours to wait for has ended before a time."""
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        if parent_of(pid) is None:
            return True
        time.sleep(0.05)
    return False


def parent_of(pid: int) -> int | None:
    """The process that has started one, None where that has ended."""
    try:
        state, parent, *_ = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return None
    return None if state == "Z" else int(parent)
