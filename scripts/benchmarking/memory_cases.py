# SPDX-License-Identifier: GPL-3.0-or-later
"""Bytes per constraint."""

from __future__ import annotations

import math
import resource
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import taichi as ti

from blender_xpbd.device.host_memory import numpy_type
from blender_xpbd.solver.solver import Solver

from .rows import Row
from .scenes import cloth_scene, jelly_scene
from .solver_cases import constraint_count, started

# as by default: a soft jelly starts cold, a stiff one keeps what its tetrahedra gave
SUBSTEPS = 20
MODULI = {"JELLY": 1e5, "STIFF JELLY": 1e6}
# cells of a side; with fewer, the modulus is as much greater as makes the cells as stiff, so that the same is compiled
GREAT_JELLY = 40


def memory_case(kind: str, device: str) -> Row:
    """What a great cloth or jelly takes: by how much the process grows at its peak, and what it holds from then on.

    Frames are not in it, but the mesh is, and what is built from it.
    """
    # what the process takes by itself, kernels included, is measured on a scene of a few constraints
    small, great = (5, 400) if kind == "CLOTH" else (1, GREAT_JELLY)
    _advance(kind, small, device)
    before = _peak()
    solver = _advance(kind, great, device)
    grown, held, count = _peak() - before, held_bytes(solver), constraint_count(solver.system)
    return {
        "kind": kind,
        "constraints": count,
        "grows by MiB": grown / 2**20,
        "bytes/constraint": grown / count,
        "held bytes/constraint": held / count,
    }


def held_bytes(solver: Solver) -> int:
    """Bytes of all arrays that a solver holds, the scene among them."""
    sizes: dict[int, int] = {}
    _note_arrays(list(vars(solver).values()), sizes)
    return sum(sizes.values())


def _note_arrays(value: Any, sizes: dict[int, int]) -> None:
    """Note the size of every array in it, one of which others are views once."""
    if isinstance(value, np.ndarray):
        while isinstance(value.base, np.ndarray):
            value = value.base
        sizes[id(value)] = value.nbytes
    elif isinstance(value, ti.Ndarray):
        sizes[id(value)] = math.prod(value.arr.total_shape()) * np.dtype(numpy_type(value.dtype)).itemsize
    elif is_dataclass(value):
        _note_arrays([getattr(value, field.name) for field in fields(value)], sizes)
    elif isinstance(value, dict):
        _note_arrays(list(value.values()), sizes)
    elif isinstance(value, list | tuple):
        for each in value:
            _note_arrays(each, sizes)


def _advance(kind: str, size: int, device: str) -> Solver:
    scene = (
        cloth_scene("DISTANCE", 1, device, size, acceleration="NONE")
        if kind == "CLOTH"
        else jelly_scene(size, MODULI[kind] * (GREAT_JELLY / size) ** 2, device, substeps=SUBSTEPS)
    )
    _, solver, _ = started(scene)
    solver.advance()
    return solver


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
