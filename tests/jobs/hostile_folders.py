# SPDX-License-Identifier: GPL-3.0-or-later
"""Attacks on a job folder, as a table: what a stranger, a power cut or a damaged disk may leave there.

To add one, write how it is planted and what must answer it, and put it into ``ATTACKS``; every test of hostile folders
takes it from there. docs/reliability.md counts them by their kind.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import signal
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from blender_xpbd.jobs import job as job_module
from blender_xpbd.jobs.arrays import npy_header
from blender_xpbd.jobs.checkpoint import write_checkpoint
from blender_xpbd.jobs.frames import FrameCache
from blender_xpbd.jobs.job import write_job
from blender_xpbd.jobs.log import open_log
from blender_xpbd.jobs.result import BodyResult, Result, result_digest, write_result
from blender_xpbd.jobs.status import Status, write_status
from blender_xpbd.jobs.version import SOLVER_VERSION, VERSION
from blender_xpbd.scene.body import Body, Pins, topology_hash
from blender_xpbd.scene.scene import Scene
from blender_xpbd.scene.settings import FrameRange, SolverSettings

FRAMES = 5
STATISTICS = ("greatest_strain", "mean_strain", "volume_change", "inverted_tetrahedra")
# More than any machine has for a bake, and nothing on the disk
HUGE = 24 * 2**30
# What a table's test may hold on its own
LARGE = 256 * 2**20

Plant = Callable[[Path, Path], object]


@dataclass(frozen=True)
class Attack:
    """One way to prepare a job folder.

    Attributes:
        kind: the row of docs/reliability.md that counts it.
        plant: gets the job folder and a folder outside it, which holds ``victim``.
        code: one reader at least must answer with it; "" where nobody need notice.
        exit_code: of a real worker; None where none is started for it.
    """

    kind: str
    plant: Plant
    code: str
    exit_code: int | None = None


@contextlib.contextmanager
def within(seconds: int) -> Iterator[None]:
    """Interrupt the block after some seconds, as where it waits for a pipe."""

    def ring(*_: object) -> None:
        raise TimeoutError("it hangs")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def small_scene() -> Scene:
    """A quad of cloth with two pins that move."""
    points = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], np.float64)
    sizes, corners = np.array([4], np.int32), np.arange(4, dtype=np.int32)
    targets = np.tile(points[:2], (FRAMES, 1, 1))
    pins = Pins(np.array([0, 1], np.int32), np.ones(2, np.float32), targets)
    body = Body("b0", "Quad", "CLOTH", points, sizes, corners, pins=pins)
    return Scene((body,), (), FrameRange(1, FRAMES), SolverSettings(substeps=2))


def baked_job(cache: Path) -> Path:
    """A job folder as a bake leaves it."""
    scene = small_scene()
    folder = write_job(cache, scene)
    body = scene.bodies[0]
    topology = topology_hash(4, body.face_sizes, body.corners)
    built = BodyResult("b0", "Quad", 0, 4, 4, 0, {"distance": 6}, topology)
    write_result(folder, Result((0.5, 0.5, 0.0), 4, (built,), "CPU", STATISTICS, (), 2, 1))
    frames = FrameCache(folder, 4, 1, len(STATISTICS))
    for frame in range(1, FRAMES + 1):
        frames.publish(frame, np.zeros((4, 3), np.float32), np.zeros((1, len(STATISTICS))))
    write_checkpoint(folder, FRAMES, {"positions": np.zeros((4, 3)), "velocities": np.zeros((4, 3))})
    write_status(folder, Status("COMPLETE", FRAMES, FRAMES, FRAMES, device="CPU", pid=1))
    (folder / "lock").touch()
    with open_log(folder) as log:
        os.write(log, b"Going on.\n")
    return folder


def replaced(name: str, make: Callable[[Path, Path], object]) -> Plant:
    """Put something in the place of a file; ``make`` gets its path and the folder outside."""

    def plant(job: Path, outside: Path) -> None:
        path = job / name
        path.rename(outside / "moved") if path.is_dir() else path.unlink()
        make(path, outside)

    return plant


def sparse(path: Path, size: int, beginning: bytes = b"") -> None:
    """A file of any size that takes no room on the disk."""
    path.write_bytes(beginning)
    os.truncate(path, size)


def listening_socket(path: Path, _outside: Path) -> None:
    """A socket under a name, which stays when its process ends."""
    with socket.socket(socket.AF_UNIX) as server:
        # Its address may have a hundred characters only
        before = Path.cwd()
        os.chdir(path.parent)
        try:
            server.bind(path.name)
        finally:
            os.chdir(before)


SUBSTITUTES: dict[str, Callable[[Path, Path], object]] = {
    "a link": lambda path, outside: path.symlink_to(outside / "victim"),
    "a link to nothing yet": lambda path, outside: path.symlink_to(outside / "new"),
    "a link to a device": lambda path, _: path.symlink_to("/dev/zero"),
    "a pipe": lambda path, _: os.mkfifo(path),
    "a socket": listening_socket,
    "a folder": lambda path, _: path.mkdir(),
}
DAMAGES: dict[str, Callable[[Path, Path], object]] = {
    "empty": lambda path, _: path.touch(),
    "zeros": lambda path, _: path.write_bytes(bytes(4096)),
    "noise": lambda path, _: path.write_bytes(np.random.default_rng(1).bytes(5000)),
    "deep brackets": lambda path, _: path.write_bytes(b"[" * 200_000),
    "a huge number": lambda path, _: path.write_bytes(b'{"version": ' + b"9" * 20_000 + b"}"),
    "huge and sparse": lambda path, _: sparse(path, HUGE),
}
# The files of a job folder, and the code of whoever finds one of them damaged
FILES: dict[str, str] = {
    "job.json": "E_JOB",
    "arrays/b0_positions.npy": "E_JOB",
    "result.json": "E_CACHE",
    "status.json": "E_CACHE",
    "checkpoint.bin": "E_CACHE",
    "frames/frame_00000002.bin": "E_CACHE",
    "worker.log": "E_CACHE",
    "lock": "E_CACHE",
}
# Nobody takes anything from these: only that they are files counts
UNREAD = {"worker.log", "lock"}
FOLDERS: dict[str, str] = {"arrays": "E_JOB", "frames": "E_CACHE"}


def forged(change: Callable[[dict[str, Any]], object]) -> Plant:
    """Change ``job.json``'s scene as a forger would, with a digest that fits."""

    def plant(job: Path, _outside: Path) -> None:
        path = job / "job.json"
        value = json.loads(path.read_text(encoding="utf-8"))
        change(value["scene"])
        value["digest"] = job_module._digest(value["scene"], value["software"], value["solver_version"])
        path.write_text(json.dumps(value), encoding="utf-8")

    return plant


def reshaped(name: str, dtype: str, shape: tuple[int, ...], **others: tuple[int, ...]) -> Plant:
    """An array of another shape, with a sparse file that fits it and zeros' name for a digest.

    Args:
        name: of the array of the body.
        dtype: its type.
        shape: that ``job.json`` and the file's header tell.
        others: shapes of other arrays, told by ``job.json`` alone.
    """

    def change(scene: dict[str, Any]) -> None:
        arrays = scene["bodies"][0]["arrays"]
        arrays[name]["shape"] = list(shape)
        for other, its in others.items():
            arrays[other]["shape"] = list(its)

    def plant(job: Path, outside: Path) -> None:
        forged(change)(job, outside)
        header = npy_header(dtype, shape)
        size = len(header) + int(np.prod([int(n) for n in shape], dtype=object)) * np.dtype(dtype).itemsize
        sparse(job / "arrays" / f"b0_{name}.npy", min(size, HUGE), header)

    return plant


def forged_checkpoint(shape: list[int], data: bytes) -> Plant:
    """A checkpoint whose digest fits, with other arrays than the job has."""
    described = [{"name": name, "dtype": "<f8", "shape": shape} for name in ("positions", "velocities")]
    values = {"software": VERSION, "solver_version": SOLVER_VERSION, "frame": FRAMES, "arrays": described}
    header = json.dumps(values).encode()
    body = b"XPBDSTA2" + len(header).to_bytes(8, "little") + header + data
    content = body + hashlib.blake2b(body, digest_size=16).digest()
    return lambda job, _: (job / "checkpoint.bin").write_bytes(content)


def edited(name: str, **values: Any) -> Plant:
    """Change values of ``result.json``, with a digest that fits, or of ``status.json``."""

    def plant(job: Path, _outside: Path) -> None:
        content = json.loads((job / name).read_text(encoding="utf-8")) | values
        if "digest" in content:
            content["digest"] = result_digest(content)
        (job / name).write_text(json.dumps(content), encoding="utf-8")

    return plant


def hard_linked_log(job: Path, outside: Path) -> None:
    (job / "worker.log").unlink()
    (job / "worker.log").hardlink_to(outside / "victim")


def json_bomb(job: Path, _outside: Path) -> None:
    (job / "job.json").write_bytes(b"[" + b"{}," * 5_000_000 + b"0]")


# Which of the product of files and substitutes a real worker meets, and how it ends: 0 for a whole bake
REFUSED, IO = 2, 5
WORKER: dict[str, int] = {
    "job.json is a pipe": REFUSED,
    "arrays/b0_positions.npy is a link to a device": REFUSED,
    "arrays/b0_positions.npy is huge and sparse": REFUSED,
    "result.json is a link": IO,
    "result.json is deep brackets": 0,
    "status.json is a link": IO,
    "status.json is a pipe": 0,
    "status.json is empty": 0,
    "checkpoint.bin is a pipe": 0,
    "checkpoint.bin is huge and sparse": 0,
    "frames/frame_00000002.bin is a link": IO,
    "frames/frame_00000002.bin is a pipe": 0,
    "worker.log is a link": IO,
    "worker.log is a pipe": IO,
    "lock is a link to nothing yet": IO,
    "lock is a pipe": IO,
    "lock is a folder": IO,
}


def _products() -> dict[str, Attack]:
    attacks = {}
    for name, code in FILES.items():
        for what, make in {**SUBSTITUTES, **DAMAGES}.items():
            title = f"{name} is {what}"
            noticed = what in SUBSTITUTES or name not in UNREAD
            kind = "no regular file" if what in SUBSTITUTES else "damaged file"
            attacks[title] = Attack(kind, replaced(name, make), code if noticed else "", WORKER.get(title))
    for name, code in FOLDERS.items():
        title = f"{name} is a link"
        plant = replaced(name, lambda path, outside: path.symlink_to(outside / "moved"))
        attacks[title] = Attack("no regular file", plant, code, IO if name == "frames" else REFUSED)
    return attacks


ATTACKS: dict[str, Attack] = {
    **_products(),
    "the log has a second name": Attack("no regular file", hard_linked_log, "E_CACHE", IO),
    "an array larger than memory": Attack("memory", reshaped("positions", "<f8", (10**9, 3)), "E_MEMORY", 6),
    "an array of 256 MB that is not there": Attack(
        "memory", reshaped("positions", "<f8", (LARGE // 24, 3)), "E_JOB", 2
    ),
    "pins for more frames than there are": Attack("memory", reshaped("pin_targets", "<f8", (10**8, 2, 3)), "E_JOB", 2),
    "matrices for more frames than there are": Attack(
        "memory", reshaped("pin_matrices", "<f8", (10**8, 4, 4)), "E_JOB", 2
    ),
    "more axes than three": Attack("memory", reshaped("axes", "<f8", (10**8, 3)), "E_JOB"),
    "more pins than vertices": Attack(
        "memory", reshaped("pin_targets", "<f8", (1, 10**8, 3), pin_vertices=(10**8,), pin_weights=(10**8,)), "E_JOB"
    ),
    "more faces than corners": Attack("memory", reshaped("face_sizes", "<i4", (10**9,)), "E_JOB"),
    "a factor for more vertices than there are": Attack(
        "memory", reshaped("factor_stiffness", "<f4", (10**9,)), "E_JOB"
    ),
    "coordinates for more corners than there are": Attack("memory", reshaped("uvs", "<f4", (10**9, 2)), "E_JOB"),
    "more attached vertices than vertices": Attack(
        "memory", reshaped("attach_vertices", "<i4", (10**9,), attach_weights=(10**9,)), "E_JOB"
    ),
    "lengths that overflow": Attack("memory", reshaped("loose_edges", "<i4", (2**53, 2)), "E_MEMORY"),
    "a small text of many objects": Attack("memory", json_bomb, "E_JOB", 2),
    "a frame of millions of statistics": Attack(
        "memory", edited("result.json", statistics=["a"] * 1_000_000), "E_CACHE", 0
    ),
    "a frame of billions of vertices": Attack("memory", edited("result.json", vertex_count=2**31), "E_CACHE"),
    "a checkpoint of another system": Attack("forgery", forged_checkpoint([5, 3], bytes(240)), "", 0),
    "a checkpoint that is not finite": Attack("forgery", forged_checkpoint([4, 3], b"\xff" * 192), "", 0),
    "a checkpoint of impossible shape": Attack("forgery", forged_checkpoint([2**52, 2**52, 2**52], b""), "E_CACHE", 0),
    "a status of unknown words": Attack("forgery", edited("status.json", state="GREAT"), "E_CACHE"),
    "a status of numbers beyond all bounds": Attack("forgery", edited("status.json", frames_done=10**300), "E_CACHE"),
    "a status with a number for a text": Attack("forgery", edited("status.json", device=[]), "E_CACHE"),
}
