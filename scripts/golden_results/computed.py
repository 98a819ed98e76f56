# SPDX-License-Identifier: GPL-3.0-or-later
"""What this machine computes, and which machine it is."""

from __future__ import annotations

import hashlib
import os
import platform
from pathlib import Path

import numpy as np
import taichi as ti

from blender_xpbd.device.runtime import start_taichi
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.system.system import build_system

from .scenes import SCENES

ROOT = Path(__file__).resolve().parent.parent.parent


def processor() -> str:
    """The processor and the libraries by which bytes may differ, as a short digest."""
    facts = [platform.system(), platform.machine(), platform.processor(), *_processor_lines()]
    facts += [np.__version__, ".".join(map(str, ti.__version__)), *platform.libc_ver()]
    return hashlib.blake2b("\n".join(facts).encode("utf-8"), digest_size=8).hexdigest()


def _processor_lines() -> list[str]:
    """Model and features of the first processor, where the system tells."""
    path = Path("/proc/cpuinfo")
    if not path.exists():
        return []
    first = path.read_text(encoding="utf-8", errors="replace").split("\n\n")[0]
    return [line for line in first.splitlines() if line.split("\t")[0] in {"model name", "flags", "Features"}]


def digests() -> dict[str, str]:
    """The digest of each scene: of all positions of all particles at all frames, in the solver's precision."""
    return {name: digest(name) for name in SCENES}


def digest(name: str) -> str:
    """The digest of one scene on one thread."""
    scene = SCENES[name]()
    system = build_system(scene)
    cache = Path(os.environ.get("XPBD_TAICHI_CACHE", ROOT / ".cache" / "taichi"))
    start_taichi("CPU", 0, cache, *system.compiling)
    solver = Solver(system)
    found = hashlib.blake2b(digest_size=16)
    found.update(np.ascontiguousarray(solver.positions()).tobytes())
    for _ in range(scene.frames.count - 1):
        solver.advance()
        found.update(np.ascontiguousarray(solver.positions()).tobytes())
    return found.hexdigest()
