# SPDX-License-Identifier: GPL-3.0-or-later
"""The one ``ti.init`` of the process, and what it got."""

from __future__ import annotations

import gc
import os
from pathlib import Path
from typing import Any

import taichi as ti

from ..scene.errors import XpbdError
from .kernel_cache import kernel_table, mend_kernel_cache
from .launch import forget
from .version import knows_taichi

ARCHITECTURES = {"CPU": ti.cpu, "CUDA": ti.cuda, "VULKAN": ti.vulkan, "METAL": ti.metal}
# from this many constraints on, AUTO takes a graphics card where there is one. A substep takes some hundred launches of
# a tenth of a millisecond each; two threads of a processor project a million springs in a quarter of that.
# Reckoned from counted launches (docs/experiments.md, Graphics cards), not measured on a card
AUTO_GPU_CONSTRAINTS = 1_000_000
# more threads wait for each other longer than they work: a guess, docs/performance.md (Threads and memory)
# has no more than two cores
MOST_THREADS = 16
# [bytes]. Kernels of a scene with mesh colliders take up to 25 MB. Taichi's own bound of 100 MB holds five such scenes,
# and each one beyond that drives out another, which then compiles for up to half a minute again
KERNEL_CACHE_SIZE = 1 << 30
THREADS_VARIABLE = "TI_CPU_MAX_NUM_THREADS"

# how Taichi was started in this process, newest last: device, folder and its table, precision, how kernels are compiled
_starts: list[tuple[object, ...]] = []
# holds something while what a job has left serves the next one
_kept: list[bool] = []


def start_taichi(
    device: str,
    graphics_work: int,
    cache_folder: Path,
    is_double: bool = True,
    is_branched: bool = True,
    is_large: bool = True,
) -> str:
    """Initialise Taichi, unless it runs just so since the job before (``keep_taichi``).

    Args:
        device: one of ``settings.DEVICES``.
        graphics_work: constraints that a graphics card would share out, by which AUTO chooses.
        cache_folder: private folder of compiled kernels.
        is_double: whether what moves is kept and computed in double precision; graphics cards always take single.
        is_branched: whether the kernels have many branches: then Taichi's pass over the control flow is left out, which
            takes seconds for a mesh collider, changes no byte, and gains only springs a thirtieth.
        is_large: whether the kernels are so large that Taichi's search for common subexpressions is left out as well:
            it takes up to a minute for mesh colliders, changes no byte, and gains a tenth to a fifth of a frame.

    Returns:
        The device that runs: "CPU", "CUDA", "VULKAN" or "METAL".

    Raises:
        XpbdError: E_DEVICE, when the device asked for is not there.
    """
    device = choose_device(device, graphics_work)
    if not is_available(device):
        raise XpbdError("E_DEVICE", f"{device} is not available on this machine; choose Automatic or CPU.")
    settings = (device, cache_folder, is_double, is_branched, is_large)
    # Taichi reads once what others have compiled
    if _kept and _starts[-1] == (*settings, kernel_table(cache_folder)):
        _kept.clear()
        return device
    # kernels are code: nobody else shall write there
    cache_folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    mend_kernel_cache(cache_folder)
    forget()
    if not knows_taichi() or _starts:
        # arrays and packs that wait for the collector would take others with them that then lie where they lay, though
        # Taichi was stopped meanwhile
        gc.collect()
    _starts.append((*settings, kernel_table(cache_folder)))
    _kept.clear()
    ti.init(
        arch=ARCHITECTURES[device],
        **_kernel_cache(cache_folder),
        default_fp=ti.f64 if is_double and device == "CPU" else ti.f32,
        fast_math=False,
        cfg_optimization=not is_branched,
        opt_level=0 if is_large else 1,
        **_threads(),
        log_level=ti.ERROR,
        random_seed=0,
    )
    got = ti.cfg.arch
    if got not in (ARCHITECTURES[device], *([ti.x64, ti.arm64] if device == "CPU" else [])):
        raise XpbdError("E_DEVICE", f"{device} did not start on this machine; choose Automatic or CPU.")
    return device


def _kernel_cache(folder: Path) -> dict[str, Any]:
    return {
        "offline_cache": True,
        "offline_cache_file_path": str(folder),
        "offline_cache_max_size_of_files": KERNEL_CACHE_SIZE,
    }


def choose_device(device: str, graphics_work: int) -> str:
    """What AUTO stands for; arguments as in ``start_taichi``. Any other device is taken as it is."""
    if device != "AUTO":
        return device
    wanted = ["CUDA", "METAL"] if graphics_work >= AUTO_GPU_CONSTRAINTS else []
    return next((name for name in wanted if is_available(name)), "CPU")


def stop_taichi() -> None:
    """Keep what was compiled in the cache; no array may be used any more."""
    _kept.clear()
    ti.reset()


def keep_taichi() -> None:
    """In place of ``stop_taichi``: kernels stay loaded for the next job of this process, where it starts Taichi alike.

    Nothing that was compiled is in the cache before Taichi is stopped.
    """
    _kept.append(True)


def is_kept() -> bool:
    """Whether kernels stay loaded for the next job."""
    return bool(_kept)


def is_available(device: str) -> bool:
    """Whether Taichi can run on the device here."""
    if device == "CPU":
        return True
    # of another Taichi only the processor is asked for
    return knows_taichi() and bool(getattr(ti._lib.core, f"with_{device.lower()}")())


def thread_count() -> int:
    """Threads that a kernel may share its work among."""
    count: int = ti.cfg.cpu_max_num_threads
    return count


def _threads() -> dict[str, int]:
    """One for each core that this process may use, up to ``MOST_THREADS``, unless Taichi's own variable says it."""
    if THREADS_VARIABLE in os.environ:
        return {}
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return {"cpu_max_num_threads": min(cores, MOST_THREADS)}


def real_type() -> Any:
    """The type of what moves, as ``start_taichi`` set it."""
    return ti.cfg.default_fp
