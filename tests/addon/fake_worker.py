# SPDX-License-Identifier: GPL-3.0-or-later
"""Stands in for the worker: bodies fall freely, and whatever a test asks for goes wrong.

``python fake_worker.py JOB``; the environment variable XPBD_FAKE_WORKER holds JSON:

- seconds: pause before each frame;
- crash_at, kill_at, diverge_at: frame before which the process aborts, is killed, reports E_DIVERGED;
- diverge_below: substeps from which on diverge_at does not count;
- crash_once: the name of a file; while it is missing, the process makes it and aborts before the first frame;
- tangled: numbers of the vertices that cross at the first frame;
- deaf: does not notice the end of its input.
"""

from __future__ import annotations

import json
import math
import os
import signal
import sys
import threading
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from blender_xpbd.jobs.frames import FrameCache
from blender_xpbd.jobs.job import read_job
from blender_xpbd.jobs.lock import JobLock
from blender_xpbd.jobs.log import bear_a_full_disk
from blender_xpbd.jobs.result import BodyResult, Result, write_result
from blender_xpbd.jobs.status import Fault, Status, write_status
from blender_xpbd.jobs.tangled import write_tangled
from blender_xpbd.scene.body import Body, topology_hash
from blender_xpbd.scene.errors import XpbdError
from blender_xpbd.scene.scene import Scene

STATISTICS = ("greatest_strain", "mean_strain", "volume_change", "inverted_tetrahedra")


def fallen(body: Body, scene: Scene, frame: int) -> np.ndarray:
    """Symplectic Euler's free fall: after n substeps h, g h² n (n + 1) / 2 and v h n."""
    substeps = scene.settings.substeps * (frame - scene.frames.start)
    h = scene.frames.frame_duration / scene.settings.substeps
    positions = body.positions + scene.gravity * h * h * substeps * (substeps + 1) / 2 + body.velocity * h * substeps
    fixed = body.pins.weights == 1.0
    places = body.pins.places(body.positions, frame - scene.frames.start)
    positions[body.pins.vertices[fixed]] = places[fixed]
    return positions


def _wait_for_end(stop: threading.Event) -> None:
    sys.stdin.read()
    stop.set()


def main(folder: Path, wishes: dict) -> int:
    stop = threading.Event()
    if not wishes.get("deaf"):
        threading.Thread(target=_wait_for_end, args=(stop,), daemon=True).start()
    once = wishes.get("crash_once")
    if once and not Path(once).exists():
        Path(once).touch()
        print("the cache is damaged", flush=True)
        os.abort()
    scene = read_job(folder)
    kept = scene.frames.kept()
    starts = np.cumsum([0, *(body.vertex_count for body in scene.bodies)])
    origin = scene.bodies[0].positions.mean(axis=0)
    results = [
        BodyResult(
            body.identifier,
            body.name,
            int(start),
            body.vertex_count,
            body.vertex_count,
            7,
            {"distance": 3},
            topology_hash(body.vertex_count, body.face_sizes, body.corners, body.loose_edges),
        )
        for body, start in zip(scene.bodies, starts, strict=False)
    ]
    settings = scene.settings
    tangled = write_tangled(folder, np.array(wishes.get("tangled", ()), np.int32))
    counts = settings.substeps, settings.iterations
    sweeps = max(wishes.get("spring_sweeps", 1), settings.spring_sweeps)
    built = Result(tuple(origin), int(starts[-1]), tuple(results), "Fake", STATISTICS, (), *counts, tangled, sweeps)
    write_result(folder, built)
    cache = FrameCache(folder, int(starts[-1]), len(results), len(STATISTICS))
    state = {"device": "Fake", "pid": os.getpid(), "frames_total": len(kept), "seconds": {"solve": 0.5}}
    done = 0
    for frame in kept:
        time.sleep(wishes.get("seconds", 0.0))
        if stop.is_set():
            write_status(folder, Status("INTERRUPTED", kept[done - 1], done, **state))
            return 3
        if frame == wishes.get("crash_at"):
            print("the last words", flush=True)
            os.abort()
        if frame == wishes.get("kill_at"):
            os.kill(os.getpid(), signal.SIGKILL)
        if frame == wishes.get("diverge_at") and scene.settings.substeps < wishes.get("diverge_below", math.inf):
            fault = Fault("E_DIVERGED", "The simulation blew up; try more substeps.", scene.bodies[0].name, frame)
            write_status(folder, Status("FAILED", kept[done - 1], done, **state, error=fault))
            return 4
        positions = np.concatenate([fallen(body, scene, frame) for body in scene.bodies]) - origin
        statistics = np.tile([0.01 * done, 0.0, -0.02, 0.0], (len(results), 1))
        cache.publish(frame, positions.astype(np.float32), statistics)
        done += 1
        write_status(folder, Status("RUNNING", frame, done, **state, solver_fps=100.0))
    write_status(folder, Status("COMPLETE", kept[-1], done, **state, solver_fps=100.0))
    return 0


if __name__ == "__main__":
    job = Path(sys.argv[-1])
    bear_a_full_disk()
    try:
        with JobLock(job):
            code = main(job, json.loads(os.environ.get("XPBD_FAKE_WORKER", "{}")))
    except XpbdError as error:
        print(error, flush=True)
        code = int(error.exit_code)
    os._exit(code)
