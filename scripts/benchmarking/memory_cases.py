# SPDX-License-Identifier: GPL-3.0-or-later
"""Bytes per constraint."""

from __future__ import annotations

import resource

from .rows import Row
from .scenes import cloth_scene, jelly_scene
from .solver_cases import constraint_count, started


def memory_case(kind: str, device: str) -> Row:
    """By how much a process grows for a great cloth or jelly, at its peak and per constraint."""
    # what the process takes by itself, kernels included, is measured on a scene of a few constraints
    small, great = (5, 400) if kind == "CLOTH" else (1, 40)
    _advance(kind, small, device)
    before = _peak()
    count = _advance(kind, great, device)
    grown = _peak() - before
    return {"kind": kind, "constraints": count, "grows by MiB": grown / 2**20, "bytes/constraint": grown / count}


def _advance(kind: str, size: int, device: str) -> int:
    scene = (
        cloth_scene("DISTANCE", 1, device, size, acceleration="NONE")
        if kind == "CLOTH"
        else jelly_scene(size, 1e5, device, substeps=1)
    )
    system, solver, _ = started(scene)
    solver.advance()
    return constraint_count(system)


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
